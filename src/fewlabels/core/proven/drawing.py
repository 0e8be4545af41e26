"""The chances of groups and strata in the next draws, so that few labels prove which groups stand out.

Nothing here can make a proof wrong: the chances are known, whatever they are, and the bets allow for them.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import xlogy

from fewlabels.core.arrays import Array, Bools, Ints

FIRST = 3.0  # labels of each group before anything else counts
OWN = 4.0  # labels that the rate of a stratum is worth in each of its cells
_LEVEL, _LEVEL_LABELS = 0.8, 2.0  # the rate of a stratum without labels, and what that is worth
_BY_SPREAD = 0.4  # the share of a group's draws that follow the spread; the others are even
_BETWEEN = 48  # values at which two groups are compared
_NEAR = 1.0  # evidence by which a pair may exceed the weakest and still count


@dataclass(frozen=True)
class Standing:
    """What the counts say of cells and groups. Open queries count at their expected rates."""

    group: Ints  # of each cell
    stratum: Ints
    size: Array
    hits: Array
    labels: Array
    shift: Array  # (n_groups,) what each group's figure is beside its share of hits

    @cached_property
    def rates(self) -> Array:
        """Of each cell, shrunk to its stratum's."""
        of_stratum, labels_of = (
            np.bincount(self.stratum, each).astype(np.float64) for each in (self.hits, self.labels)
        )
        return shrunk(self.hits, self.labels, of_stratum, labels_of, self.stratum)

    @cached_property
    def left(self) -> Array:
        return np.maximum(self.size - self.labels, 0.0)

    @cached_property
    def items(self) -> Array:
        return np.bincount(self.group, self.size).astype(np.float64)

    @cached_property
    def spread(self) -> Array:
        """Of one label in each cell."""
        return np.sqrt(self.rates * (1 - self.rates))

    @cached_property
    def share(self) -> Array:
        """Of hits in each group."""
        return np.asarray(np.bincount(self.group, self.hits + self.left * self.rates) / self.items)

    @property
    def mean(self) -> Array:
        """The figure of each group."""
        return self.share + self.shift

    @cached_property
    def variance(self) -> Array:
        """The variance of these shares, as of a stratified sample."""
        each = self.size * self.left * self.spread**2 / (self.labels + 0.5)
        return np.maximum(np.bincount(self.group, each) / self.items**2, 1e-12)

    @cached_property
    def of_one(self) -> Array:
        """The variance of one draw from a group, as an estimate of its share."""
        return np.maximum((np.bincount(self.group, self.left * self.spread) / self.items) ** 2, 1e-9)

    @cached_property
    def worth(self) -> Array:
        """The chance of one item of each cell, given that one of its group is drawn."""
        of_spread, of_all = (np.bincount(self.group, w) for w in (self.left * self.spread, self.left))
        by_spread = np.divide(self.spread, of_spread[self.group], out=np.zeros_like(self.size), where=self.left > 0)
        evenly = np.divide(1.0, of_all[self.group], out=np.zeros_like(self.size), where=self.left > 0)
        return np.asarray(_BY_SPREAD * by_spread + (1 - _BY_SPREAD) * evenly)


def shrunk(hits: Array, labels: Array, of_stratum: Array, labels_of: Array, stratum: Ints) -> Array:
    """The rates of cells, each shrunk to that of its stratum."""
    level = (of_stratum + _LEVEL * _LEVEL_LABELS) / (labels_of + _LEVEL_LABELS)
    return np.clip((hits + OWN * level[stratum]) / (labels + OWN), 0.002, 0.998)


def evidence(at: Standing, variance: Array, named: Bools, within: float) -> Array:
    """Roughly how much evidence there is that each named group is at most the margin above each other group, (n_named,
    n_others). It is taken at the value in common that is likeliest."""
    share = np.clip(at.share, 1e-4, 1 - 1e-4)
    worth = share * (1 - share) / variance  # labels that a uniform sample would take for as much
    low, high = (at.mean[named] - within)[:, None], at.mean[~named][None]
    value = low[..., None] + (high - low)[..., None] * np.linspace(0, 1, _BETWEEN)
    below = worth[named][:, None, None] * _divergence(
        share[named][:, None, None], value + within - at.shift[named][:, None, None]
    )
    above = worth[~named][None, :, None] * _divergence(share[~named][None, :, None], value - at.shift[~named][:, None])
    return np.asarray(np.where(high > low, (below + above).min(axis=2), 0.0))


def _divergence(p: Array, q: Array) -> Array:
    q = np.clip(q, 1e-4, 1 - 1e-4)
    return np.asarray(xlogy(p, p / q) + xlogy(1 - p, (1 - p) / (1 - q)))


def shared_out(at: Standing, named: Bools, within: float, count: int) -> Ints:
    """How many of the next draws each group gets. Groups with few labels come first. After that the next draw goes to
    the group whose label adds most to the evidence of the weakest pairs."""
    groups = len(at.items)
    left, drawn = np.bincount(at.group, at.left), np.zeros(groups, dtype=np.int64)
    labels, variance = np.bincount(at.group, at.labels), at.variance.copy()
    for _ in range(min(count, int(left.sum()))):
        open_ = left - drawn > 0
        few = open_ & (labels + drawn < FIRST)
        worth = -(labels + drawn) if few.any() else _adds(at, variance, named, within)
        g = int(np.where(few if few.any() else open_, worth, -np.inf).argmax())
        drawn[g] += 1
        variance[g] = 1 / (1 / variance[g] + 1 / at.of_one[g])
    return drawn


def _adds(at: Standing, variance: Array, named: Bools, within: float) -> Array:
    """What a label of each group adds to the evidence of the weakest pairs, by its slope."""
    found, of_pair = evidence(at, variance, named, within), variance[named][:, None] + variance[~named][None]
    gap = np.maximum(at.mean[~named][None] - at.mean[named][:, None] + within, 1e-3)
    pull = np.exp(-(found - found.min()) / _NEAR) * (gap / of_pair) ** 2
    out = np.zeros(len(variance))
    out[named], out[~named] = pull.sum(axis=1), pull.sum(axis=0)
    return np.asarray(out * variance**2 / at.of_one)
