"""The belief itself, cell by cell as the others are read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Aim, Columns, LearningBelief
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.recalibration.draws import draw
from fewlabels.core.recalibration.fit import Fit, fit
from fewlabels.core.recalibration.gain import gain
from fewlabels.core.recalibration.model import Model
from fewlabels.core.recalibration.pull import pull_left
from fewlabels.core.recalibration.told import compiled
from fewlabels.core.remembered import BELIEFS, Remembered

_MEAN_DRAWS = 400  # behind means, which have a generator of their own


@dataclass(frozen=True)
class RecalibratedRates(LearningBelief):
    """Rates of cells that learn from one another, after these labels."""

    model: Model
    hits: Array  # (n_cells,)
    misses: Array
    size: Ints

    medians: ClassVar[bool] = True

    def after(self, counts: Array) -> "RecalibratedRates":
        """This belief after these labels (n_cells, 2) and no others."""

        def made() -> "RecalibratedRates":
            hits, misses = np.array(counts.T, order="C")  # their own, whatever becomes of the counts
            return replace(self, hits=hits, misses=misses)

        return self._afterwards.get((compiled(), counts.tobytes()), made)

    @cached_property
    def _afterwards(self) -> Remembered["RecalibratedRates"]:
        """One belief by its labels: asking, progress and answer look at the same, and it works things out once."""
        return Remembered(BELIEFS)

    def expecting(self, pending: Array) -> "RecalibratedRates":
        """This belief as if open queries had come out at the rates that are likeliest now."""
        if not pending.any():
            return self
        expected = pending * self.likeliest
        return replace(self, hits=self.hits + expected, misses=self.misses + pending - expected)

    @cached_property
    def labels(self) -> Array:
        return self.hits + self.misses

    @property
    def tally(self) -> Array:
        return np.stack([self.hits, self.misses], axis=-1)

    @cached_property
    def fitted(self) -> Fit:
        return fit(self.model, *self._told)

    @cached_property
    def _told(self) -> tuple[Array, Array]:
        """Hits and labels in the model's order, as much as they count for the rates."""
        model = self.model
        return model.trust.per_label * self.hits[model.order], model.trust.per_label * self.labels[model.order]

    @cached_property
    def likeliest(self) -> Array:
        """The rate of each cell at the modes, averaged over the grid."""
        found, model = self.fitted, self.model
        eta = model.linear(found.beta, model.reading) + found.effect[:, model.group]
        return self._as_cells(found.weight @ (1 / (1 + np.exp(-eta))))

    def _as_cells(self, in_order: Array) -> Array:
        """What is in the model's order along the last axis, in that of the cells."""
        out = np.empty_like(in_order)
        out[..., self.model.order] = in_order
        return out

    @property
    def most_draws(self) -> int:
        return _MEAN_DRAWS

    def joint(self, count: int, keyed: Keyed, *, pool: bool, kept: Columns | None = None) -> Iterator[Array]:  # noqa: ARG002
        yield self.draws(count, keyed.generator(Use.ANSWER), pool=pool)

    def draws(self, count: int, rng: np.random.Generator, *, pool: bool) -> Array:
        logits, order = draw(self.model, self.fitted, *self._told, count, rng), self.model.order
        if not pool:
            return self._as_cells(logits.rates)
        left = self.unlabelled[order].astype(np.int64)
        return logits.pool_shares(left, self.hits[order], self.size[order], rng)

    @cached_property
    def mean(self) -> Array:
        """Posterior mean of each rate."""
        return np.asarray(self.draws(_MEAN_DRAWS, Keyed(0, 0).generator(Use.ANSWER), pool=False).mean(axis=0))

    @cached_property
    def pool_mean(self) -> Array:
        return np.asarray((self.hits + self.unlabelled * self.mean) / self.size)

    @cached_property
    def own_share(self) -> Array:
        """How much of each group's effect is what groups have in common, and not told by its own labels."""
        model, found, rate = self.model, self.fitted, self.likeliest[self.model.order]
        told = np.bincount(model.group, weights=self._told[1] * rate * (1 - rate))
        tau = model.tau[:, None] ** 2
        before = found.weight @ ((1 - found.exception) / tau + found.exception / (tau + model.trust.slab**2))
        return self._as_cells((before / (before + told))[model.group])

    @property
    def prior_strength(self) -> Array:
        """What is common to all cells is worth so many labels in each."""
        share = self.own_share
        return np.asarray(share / np.maximum(1 - share, 1e-9) * np.maximum(self.labels, 1.0))

    @cached_property
    def prior_share(self) -> Array:
        """How much of the pull that the shift's prior had on each rate is left."""
        if not self.labels.any():
            return np.ones(len(self.size))
        return self._as_cells(pull_left(self.model, self.fitted, self._told[1]))

    def gain(self, aims: Sequence[Sequence[Aim]]) -> Array:
        order = self.model.order
        in_order = [[aim.of(order) for aim in together] for together in aims]
        return self._as_cells(gain(self.model, self.fitted, self.labels[order], in_order))
