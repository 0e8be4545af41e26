"""The F-score of one model less that of another, from one set of labels.

Both are read off the same totals by differences (core/difference.py): positives of each cell, calibrated by what both
models say. A positive more in a cell moves the one score by (ŷ_a - (1 - α) F_a) / C_a and the other by
(ŷ_b - (1 - α) F_b) / C_b, C being what counts in each; the difference moves by the difference of the two. Where both
models say the same that is next to nothing, whatever the scores themselves are.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.difference import Differences, Spread
from fewlabels.core.importance import FSample


@dataclass(frozen=True)
class PairDifferences:
    """Two F-scores of the same labels, cells and draws."""

    one: Differences
    other: Differences

    @classmethod
    def of(cls, samples: list[FSample]) -> "PairDifferences":
        one, other = samples
        return cls(Differences(one), Differences(other))

    @property
    def sample(self) -> FSample:
        return self.one.sample

    @property
    def value(self) -> float:
        return self.one.value - self.other.value

    @property
    def counted(self) -> float:
        """What counts in the score of which less does."""
        return min(self.one.counted, self.other.counted)

    @cached_property
    def slope(self) -> Array:
        """How far the difference moves with a positive more in each cell."""
        return np.asarray(self.one.slope - self.other.slope)

    @cached_property
    def spread(self) -> Spread:
        """Of the draws."""
        return self.one.spread_of(self.slope)

    @property
    def hidden(self) -> float:
        """Half a positive more that nobody has seen, of those that neither model predicts and of those that only one
        does, each as far as it would move the difference."""
        one, other, found = self.one.sample.predicted > 0, self.other.sample.predicted > 0, 0.0
        for a, b in ((False, False), (True, False), (False, True)):
            cells = (one == a) & (other == b)
            if cells.any():
                slope = float(self.slope[cells][0])  # the same for all of them
                found += slope**2 * self.one.unseen(cells)
        return found

    @property
    def beyond(self) -> float:
        """How far the positives out of reach would move the difference, as many as calibrated scores expect."""
        if self.one.in_reach.all():
            return 0.0
        slope = float(self.slope[~self.one.in_reach][0])  # neither model predicts any of them
        return slope * min(self.one.expected_beyond, self.counted)

    @property
    def of_pools(self) -> float:
        """The variance of the difference in pools like this one: squares of what each item moves it by, estimated."""
        size, positives, total = self.sample.size, self.one.positives, 0.0
        said = np.stack([self.one.sample.predicted, self.other.sample.predicted])
        for kind in np.unique(said, axis=1).T:
            cells = (said == kind[:, None]).all(axis=0)
            hits = min(max(float(positives[cells].sum()), 0.0), float(size[cells].sum()))
            if_hit, if_not = (
                _moves(self.one, float(kind[0]), y) - _moves(self.other, float(kind[1]), y) for y in (1.0, 0.0)
            )
            total += hits * if_hit**2 + (float(size[cells].sum()) - hits) * if_not**2
        return total


def _moves(of: Differences, predicted: float, positive: float) -> float:
    """v (l - F) / C of an item."""
    alpha = of.sample.alpha
    v = alpha * predicted + (1 - alpha) * positive
    return v * (float(predicted == positive) - of.value) / of.counted if of.counted > 0 else math.nan
