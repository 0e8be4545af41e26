"""The belief itself, cell by cell as the others are read, and group by group for certificates."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.belief import CertifyingBelief, Columns
from fewlabels.core.certificate import Certificate, Figures
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.remembered import BELIEFS, Remembered
from fewlabels.core.stratified.certificate import certificate, packed
from fewlabels.core.stratified.counts import GroupCounts, group_counts
from fewlabels.core.stratified.layout import FIRM, MANY_EXCEPTIONS, Layout
from fewlabels.core.stratified.lowering import lowering
from fewlabels.core.stratified.told import (
    NOTHING_TOLD,
    Own,
    compiled,
    level_of,
    log_weights,
    own_of,
    rates_at_nodes,
    spread_chances,
)

_VARIATES = 5_000_000  # draws times cells that are worth their time
_KEPT = 8  # pairs of levels and spreads for which groups are kept as they were worked out: these change to and fro
_LEVEL_PRIOR = 3.0  # what the prior of a stratum's level is worth, in labels
_FLAT_PRIOR = 2.0  # and that of an exception


@dataclass(frozen=True, eq=False)
class _Worked:
    """What follows from some counts: the levels and spreads all groups share, and what each says."""

    hits: Array
    labels: Array
    levels: tuple[int, ...]
    spreads: tuple[int, ...]
    owns: tuple[Own, ...]
    counts: dict[bool, tuple[GroupCounts, ...]] = field(default_factory=dict)  # of the pool's items, of rates
    certified: dict[tuple[object, ...], Certificate] = field(default_factory=dict)  # a look's, for the choice after it
    expecting: list["_Worked"] = field(default_factory=list)  # the latest with open queries besides, of these or none


@dataclass(frozen=True)
class StratifiedRates(CertifyingBelief):
    """Rates of cells in strata, of groups that may be exceptions, after these labels."""

    layout: Layout
    hits: Array  # (n_cells,)
    misses: Array
    size: Ints
    shared_by: _Worked | None = None  # levels and spreads are those of these labels, where some were not told yet

    scores_vouch: ClassVar[bool] = False
    twin: ClassVar[str | None] = "strata"

    def after(self, counts: Array) -> "StratifiedRates":
        """This belief after these labels (n_cells, 2) and no others."""

        def made() -> "StratifiedRates":
            hits, misses = np.array(counts.T, order="C")  # their own: a run adds to its counts in place
            return replace(self, hits=hits, misses=misses, shared_by=None)

        return self._afterwards.get((compiled(), counts.tobytes()), made)

    @cached_property
    def _afterwards(self) -> Remembered["StratifiedRates"]:
        """One belief by its labels, so that what it works out is worked out once."""
        return Remembered(BELIEFS)

    def expecting(self, pending: Array) -> "StratifiedRates":
        """This belief as if open queries had come out at their means; what groups share is not learnt from those."""
        if not pending.any():
            return self
        hits = pending * self.mean
        return replace(
            self, hits=self.hits + hits, misses=self.misses + pending - hits, shared_by=self.shared_by or self._worked
        )

    @cached_property
    def labels(self) -> Array:
        return np.rint(self.hits + self.misses)  # whole, though what is expected of open queries is not

    @property
    def tally(self) -> Array:
        return np.stack([self.hits, self.misses], axis=-1)

    # -- what the labels say -----------------------------------------------------------------------------------------

    @cached_property
    def _worked(self) -> _Worked:
        """Taken over where counts did not change: each part is a function of the counts behind it alone."""
        shared = self.shared_by
        kept: list[_Worked] = [*shared.expecting, shared] if shared else self.layout.latest.get(self._kind, [])
        newest = kept[0] if kept else None
        changed = self._changed(newest)
        if newest is not None and not len(changed):
            return newest
        levels = shared.levels if shared else self._levels(newest, changed)
        owns = self._owns(levels, next((worked for worked in kept if worked.levels == levels), None))
        spreads = shared.spreads if shared else spread_chances(owns)
        made = _Worked(self.hits, self.labels, levels, spreads, owns)
        others = [worked for worked in kept if (worked.levels, worked.spreads) != (levels, spreads)]
        same = next((worked for worked in kept if worked not in others), None)
        for pool, counts in same.counts.items() if same else ():
            made.counts[pool] = self._counted(made, list(counts), self._touched(same), pool=pool)
        if shared:
            shared.expecting[:] = [made]
        else:
            self.layout.latest[self._kind] = [made, *others][:_KEPT]
        return made

    def _owns(self, levels: tuple[int, ...], before: _Worked | None) -> tuple[Own, ...]:
        """What the labels of each group say, taken from before but for groups that have others now."""
        rates, layout = rates_at_nodes(levels), self.layout
        owns = [NOTHING_TOLD] * layout.groups if before is None else list(before.owns)
        for g in self._touched(before):
            cells = layout.of_group[g]
            owns[g] = own_of(rates, layout.stratum[cells], self.labels[cells], self.hits[cells])
        return tuple(owns)

    def _touched(self, before: _Worked | None) -> list[int]:
        """Groups whose labels are others than before."""
        touched: list[int] = np.unique(self.layout.group[self._changed(before)]).tolist()
        return touched

    @property
    def _kind(self) -> str:
        """Figures of plain and of compiled loops differ in the last digit, and are kept apart."""
        return "plain" if compiled() is None else "compiled"

    def _changed(self, before: _Worked | None) -> Ints:
        """Cells whose labels are others than before."""
        if before is None:
            return np.arange(len(self.size))
        return np.flatnonzero((before.hits != self.hits) | (before.labels != self.labels))

    def _levels(self, before: _Worked | None, changed: Ints) -> tuple[int, ...]:
        touched = set(self.layout.stratum[changed].tolist())
        return tuple(
            level_of(self.labels[cells], self.hits[cells]) if before is None or h in touched else before.levels[h]
            for h, cells in enumerate(self.layout.of_stratum)
        )

    def _counted(self, made: _Worked, counts: list[GroupCounts], groups: Iterable[int], *, pool: bool) -> (
        tuple[GroupCounts, ...]
    ):  # fmt: skip
        """These, but for some groups, which are worked out."""
        rates, weight, layout = rates_at_nodes(made.levels), log_weights(made.spreads), self.layout
        for g in groups:
            cells = layout.of_group[g]
            of_cells = rates[:, layout.stratum[cells]], self.size[cells], self.labels[cells], self.hits[cells]
            counts[g] = group_counts(made.owns[g], weight, *of_cells, pool=pool)
        return tuple(counts)

    def counts(self, *, pool: bool) -> tuple[GroupCounts, ...]:
        """How many of each group's items are right, or with what rate."""
        made = self._worked
        if pool not in made.counts:
            none: list[GroupCounts] = [None] * self.layout.groups  # type: ignore[list-item]  # all are worked out
            made.counts[pool] = self._counted(made, none, range(self.layout.groups), pool=pool)
        return made.counts[pool]

    # -- certificates, and what to label for them --------------------------------------------------------------------

    def certificate(self, named: Bools, within: float, figures: Figures, *, pool: bool) -> Certificate:
        """How sure it is that each of the groups named is at most `within` away from the true ones."""
        asked = (named.tobytes(), within, figures.scale, figures.shift.tobytes(), pool)
        known = self._worked.certified
        if asked not in known:
            known[asked] = certificate(self.counts(pool=pool), named, self.missing, within, figures)
        return known[asked]

    @property
    def stratum(self) -> Ints:
        return self.layout.stratum

    @cached_property
    def missing(self) -> Array:
        return np.maximum(self.layout.quotas - self.labels, 0.0)

    def figures_drawn(self, uniforms: Array, figures: Figures) -> Array:
        """Draws of the figure of each group by the inverse of its distribution, (n, n_groups)."""
        counts = self.counts(pool=True)
        upto = [c.upto(MANY_EXCEPTIONS)[1:] for c in counts]
        out = np.empty(uniforms.shape)
        if (loops := compiled()) is not None:
            share, ends = packed(counts)
            loops.draw(share, np.concatenate(upto), ends, uniforms, figures.scale, figures.shift, out)
            return out
        for g, (of_group, below) in enumerate(zip(counts, upto, strict=True)):
            place = np.minimum(np.searchsorted(below, uniforms[:, g] * below[-1]), len(below) - 1)
            out[:, g] = figures.of(g, of_group.share[place])
        return out

    def lowering(self, group: int) -> tuple[Ints, Array]:
        """The cells of a group, and what a label in each is expected to take off the variance of the group's share."""
        cells = self.layout.of_group[group]
        counts, items = self.counts(pool=True)[group], float(self.layout.items[group])
        loops = compiled()
        if loops is None:
            return cells, lowering(counts, self.unlabelled[cells], items)
        return cells, loops.lowering(
            counts.node,
            counts.alpha,
            counts.strength,
            counts.exception(),
            counts.flat_alpha,
            counts.flat_beta,
            self.unlabelled[cells],
            items,
        )

    # -- cell by cell ------------------------------------------------------------------------------------------------

    @cached_property
    def _exception(self) -> Array:
        """The chance of each group to be an exception."""
        return np.array([c.exception() for c in self.counts(pool=True)])

    @cached_property
    def mean(self) -> Array:
        """Posterior mean of each rate."""
        out = np.empty(len(self.size))
        out[self.layout.by_group] = np.concatenate([counts.rates for counts in self.counts(pool=True)])
        return out

    @cached_property
    def pool_mean(self) -> Array:
        return np.asarray((self.hits + self.unlabelled * self.mean) / self.size)

    @property
    def most_draws(self) -> int:
        return _VARIATES // len(self.size)

    def joint(self, count: int, keyed: Keyed, *, pool: bool, kept: Columns | None = None) -> Iterator[Array]:  # noqa: ARG002
        yield self.draws(count, keyed.generator(Use.ANSWER), pool=pool)

    def draws(self, count: int, rng: np.random.Generator, *, pool: bool) -> Array:
        group, stratum, counts = self.layout.group, self.layout.stratum, self.counts(pool=True)
        rates, spots = rates_at_nodes(self._worked.levels), rng.random((count, len(counts)))
        node = np.stack([np.searchsorted(np.cumsum(c.node[:-1]), s) for c, s in zip(counts, spots.T, strict=True)], 1)
        exception = rng.random((count, len(counts))) < self._exception
        flat = rng.beta([c.flat_alpha for c in counts], [c.flat_beta for c in counts], (count, len(counts)))
        p = FIRM * rates[node[:, group], stratum]
        theta = rng.beta(p + self.hits, FIRM - p + self.misses)
        theta = np.where(exception[:, group], flat[:, group], theta)
        if not pool:
            return theta
        return np.asarray((self.hits + rng.binomial(np.rint(self.unlabelled).astype(np.int64), theta)) / self.size)

    @cached_property
    def own_share(self) -> Array:
        """How much of each cell's mean is what its stratum has in common, and not told by labels of its group."""
        told = self.layout.in_groups(self.labels)[self.layout.group]
        exception = self._exception[self.layout.group]
        return np.asarray((1 - exception) * FIRM / (FIRM + told) + exception * _FLAT_PRIOR / (_FLAT_PRIOR + told))

    @property
    def prior_strength(self) -> Array:
        """What the strata have in common is worth so many labels in each cell."""
        share = self.own_share
        return np.asarray(share / np.maximum(1 - share, 1e-9) * np.maximum(self.labels, 1.0))

    @cached_property
    def prior_share(self) -> Array:
        """How much of each cell's mean rests on a prior: that of its stratum's level, or of an exception's rate."""
        of_stratum = self.layout.in_strata(self.labels)[self.layout.stratum]
        of_group = self.layout.in_groups(self.labels)[self.layout.group]
        exception = self._exception[self.layout.group]
        usual = _LEVEL_PRIOR / (_LEVEL_PRIOR + of_stratum)
        return np.asarray((1 - exception) * usual + exception * _FLAT_PRIOR / (_FLAT_PRIOR + of_group))
