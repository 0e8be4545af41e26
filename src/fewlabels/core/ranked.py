"""Average precision: the mean, over the positives, of the precision from each one's score on.

Items of one stratum of scores share a threshold, as ties do: AP = sum_j (p_j / P) (C_j / T_j), p_j being the positives
of stratum j, counted from the highest, C_j and T_j the positives and the items down to it, and P all positives.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.difference import Differences
from fewlabels.core.importance import HALF_A_MISS, FSample

LEAST_SLOPE = 0.1  # of the steepest: what an item counts at least where rounds are planned


@dataclass(frozen=True)
class Ranking:
    """Cells in the order of their scores."""

    stratum: Ints  # (n_cells,) lowest first
    size: Ints  # (n_cells,)

    @cached_property
    def place(self) -> Ints:
        """The stratum of each cell counted from the highest, none of them empty."""
        levels, place = np.unique(-self.stratum, return_inverse=True)
        assert len(levels) > 0
        return place.reshape(-1)

    @cached_property
    def upto(self) -> Array:
        """T_j: the items down to each stratum."""
        return np.asarray(np.bincount(self.place, self.size).cumsum())

    def by_stratum(self, of_cells: Array) -> Array:
        """Sums over the cells of each stratum, (…, n_strata)."""
        flat = of_cells.reshape(-1, of_cells.shape[-1])
        out = np.array([np.bincount(self.place, one, len(self.upto)) for one in flat])
        return out.reshape(*of_cells.shape[:-1], -1)

    def average_precision(self, positives: Array, noise: Array | None = None) -> Array:
        """Of positives by cells, (…, n_cells); `noise` is the variance of each where they are estimates, whose squares
        would be too large by it."""
        p = self.by_stratum(positives)
        products = p * p.cumsum(axis=-1) - (0.0 if noise is None else self.by_stratum(noise))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((products / self.upto).sum(axis=-1) / p.sum(axis=-1))

    def slopes(self, positives: Array) -> tuple[Array, Array]:
        """How far it moves with a positive more in place of a negative, and with a negative item more, in each cell."""
        p = self.by_stratum(positives)
        total, share = p.sum(), p / self.upto
        precision, value = p.cumsum() / self.upto, (p * p.cumsum() / self.upto).sum() / p.sum()
        below = share[::-1].cumsum()[::-1]
        crowded = (share * precision)[::-1].cumsum()[::-1]
        return ((precision + below - value) / total)[self.place], (-crowded / total)[self.place]


class Ranked(Differences):
    """An average precision by differences: from the positives of each cell, as they are estimated."""

    @cached_property
    def ranking(self) -> Ranking:
        assert self.sample.rank is not None
        return Ranking(self.sample.rank, self.sample.size)

    @cached_property
    def chance(self) -> Array:
        """One once all is labelled, however that came about."""
        return np.ones(len(self.sample.cell)) if self.sample.complete else super().chance

    @cached_property
    def counted(self) -> float:
        """All positives."""
        return self.found + self.missed

    @cached_property
    def value(self) -> float:
        if self.counted <= 0:
            return math.nan
        unit = self.spread_of(np.ones(len(self.sample.size)))
        noise = np.bincount(self.sample.cell, (unit.seen + unit.expected) / 2, len(self.sample.size)).astype(np.float64)
        found = float(self.ranking.average_precision(self.positives, noise))
        return min(max(found, 0.0), 1.0) if self.positives.sum() > 0 else math.nan

    @cached_property
    def slope(self) -> Array:
        return self.ranking.slopes(self.positives)[0]

    @cached_property
    def planned(self) -> Array:
        """How far a label moves it, for planning: by what calibrated scores expect, and nowhere next to nothing."""
        steep = np.abs(self.ranking.slopes(self.sample.size * self.expected)[0])
        return np.asarray(np.maximum(steep, LEAST_SLOPE * steep.max()))

    @property
    def expected_beyond(self) -> float:
        """Positives out of reach: at least half of one that nobody has seen, for what is missed counts in full."""
        out = bool((self.unlabelled[~self.in_reach] > 0).any())
        return max(super().expected_beyond, HALF_A_MISS) if out else 0.0

    @property
    def of_pools(self) -> float:
        """The variance of that of pools like this one: squares of what each item moves it by, estimated."""
        hits = np.clip(self.positives, 0.0, self.sample.size)
        if hits.sum() <= 0:
            return 0.25
        more, item = self.ranking.slopes(hits)
        return float(hits @ (more + item) ** 2 + (self.sample.size - hits) @ item**2)


def differences(sample: FSample) -> Differences:
    """What reads a sample by differences."""
    return Differences(sample) if sample.rank is None else Ranked(sample)
