"""F-scores by differences: what calibrated scores expect of the pool, corrected by how far off they are on the labels.

The difference estimator of surveys ([Särndal, Swensson, Wretman 1992], Eq. 6.3.4) for the two totals of an F-score,
positives found and positives in all, and their ratio once at the end. An item labelled counts for itself, one that is
not with its calibrated score m, and the residuals y - m of the labels, weighed by 1/π - 1, stand for those of the
others; π is the chance an item had of being labelled by now. The totals are right whatever m is, as far as the rounds
reached; a good m makes them certain.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Bools
from fewlabels.core.calibration_map import own_score_map
from fewlabels.core.importance import HALF_A_MISS, FSample


def calibrated(sample: FSample) -> Array:
    """m: the probability of an item of each cell to be positive, from all labels."""
    predicted = sample.said.tobytes()
    if predicted not in sample.maps:
        hits = np.asarray(np.bincount(sample.cell, sample.positive, len(sample.size)), dtype=np.float64)
        sample.maps[predicted] = own_score_map(sample.score, sample.said, sample.labelled, hits)
    return sample.maps[predicted]


def part_of(sample: FSample, cells: Bools) -> FSample:
    """The same for the items of these cells alone; scores stay calibrated by the labels of all, and what was in reach
    of any round is in reach."""
    calibrated(sample)
    mine = cells[sample.cell]
    drawn, place = mine[sample.row], np.cumsum(mine) - 1
    return replace(
        sample,
        size=np.where(cells, sample.size, 0),
        cell=sample.cell[mine],
        positive=sample.positive[mine],
        since=sample.since[mine],
        row=place[sample.row[drawn]],
        round=sample.round[drawn],
        probability=sample.probability[drawn],
        reach=sample.lowest,
        by_now=None if sample.by_now is None else sample.by_now[mine],
    )


@dataclass(frozen=True)
class Spread:
    """How uncertain a figure is, label by label."""

    seen: Array  # squared residuals as they are, as each adds to the variance
    expected: Array  # and as calibrated scores expect them

    @property
    def variance(self) -> float:
        """The mean of what the residuals show and what calibrated scores expect of them. (Draws that happen to agree
        show none; scores that are too sure of themselves expect none.)"""
        return float(self.seen.sum() + self.expected.sum()) / 2

    @property
    def freedom(self) -> float:
        """Degrees of freedom: labels that the variance really rests on, by Kish's rule, less one."""
        squares = float(self.expected @ self.expected)
        return max(float(self.expected.sum()) ** 2 / squares - 1, 1.0) if squares > 0 else math.inf


@dataclass(frozen=True)
class Differences:
    """The totals of one F-score, and what is known of their error."""

    sample: FSample

    @cached_property
    def expected(self) -> Array:
        return calibrated(self.sample)

    @cached_property
    def chance(self) -> Array:
        """π of each labelled item; one out of reach, where it stands for itself. Where rounds do not tell it: of equal
        draws the share labelled; of draws with replacement that of so many draws with the chance it had; one for
        labels from outside."""
        sample = self.sample
        if sample.by_now is not None and not np.isnan(sample.by_now).any():
            return np.where(self.in_reach[sample.cell], sample.by_now, 1.0)
        if np.isnan(sample.probability).any():
            share = sample.can_count[sample.cell].sum() / max(int(sample.size[sample.can_count].sum()), 1)
            return np.full(len(sample.cell), min(max(float(share), 1e-12), 1.0))
        drawn = np.bincount(sample.row, minlength=len(sample.cell))
        once = np.bincount(sample.row, sample.probability, len(sample.cell)) / np.maximum(drawn, 1)
        return np.where(drawn > 0, -np.expm1(len(sample.row) * np.log1p(-np.minimum(once, 1 - 1e-12))), 1.0)

    @cached_property
    def in_reach(self) -> Bools:
        """Cells that a round with labels could have drawn from; what is predicted positive always was."""
        sample = self.sample
        return np.asarray((sample.stratum >= sample.lowest) | sample.said.any(axis=0))

    @cached_property
    def unlabelled(self) -> Array:
        return np.asarray(self.sample.size - self.sample.labelled)

    @cached_property
    def positives(self) -> Array:
        """Of each cell, estimated; single cells may have less than none."""
        sample, m = self.sample, self.expected
        residual = (1 / self.chance - 1) * (sample.positive - m[sample.cell])
        known = np.bincount(sample.cell, sample.positive + residual, len(m))
        return np.asarray(known + np.where(self.in_reach, self.unlabelled * m, 0.0))

    @cached_property
    def found(self) -> float:
        """Positives that are predicted so: no fewer than are labelled, no more than is possible."""
        sample = self.sample
        hits = sample.predicted[sample.cell]
        low = float(hits @ sample.positive)
        high = float(sample.size @ sample.predicted - hits @ (1 - sample.positive))
        return min(max(float(self.positives @ sample.predicted), low), high)

    @cached_property
    def missed(self) -> float:
        """Positives that are not: no fewer than are labelled."""
        sample = self.sample
        known = float((1 - sample.predicted[sample.cell]) @ sample.positive)
        return max(float(self.positives @ (1 - sample.predicted)), known)

    @cached_property
    def counted(self) -> float:
        """α (tp + fp) + (1 - α) (tp + fn)."""
        alpha = self.sample.alpha
        return float(alpha * (self.sample.size @ self.sample.predicted) + (1 - alpha) * (self.found + self.missed))

    @cached_property
    def value(self) -> float:
        return self.found / self.counted if self.counted > 0 else math.nan

    @cached_property
    def slope(self) -> Array:
        """How far the F-score moves with a positive more in each cell: (ŷ - (1 - α) F) / counted."""
        return np.asarray((self.sample.predicted - (1 - self.sample.alpha) * self.value) / self.counted)

    @cached_property
    def spread(self) -> "Spread":
        """Of the draws."""
        return self.spread_of(self.slope)

    def spread_of(self, slope: Array) -> "Spread":
        """The variance of a figure that moves so far with a positive more in each cell."""
        sample, m = self.sample, self.expected[self.sample.cell]
        weight = slope[sample.cell] ** 2 * (1 - self.chance) / self.chance**2
        return Spread(weight * (sample.positive - m) ** 2, weight * m * (1 - m))

    @property
    def expected_beyond(self) -> float:
        """Positives out of reach, as many as calibrated scores expect; of the lowest score, where many share it, as
        many as may hide there, whatever a calibration makes of a score of 0."""
        out = np.where(self.in_reach, 0.0, self.unlabelled)
        lowest = self.sample.stratum == self.sample.stratum.min()
        if not (out[lowest & self.sample.tied] > 0).any():
            return float(out @ self.expected)
        most = min(self.may_hide(lowest), float(out @ lowest))
        return float(out @ np.where(lowest, 0.0, self.expected)) + most

    def may_hide(self, tie: Bools) -> float:
        """Positives that may hide among items of one low score, of which it says little: about as many as at that score
        above it, predicted negative too, which holds most, give or take what a Gamma distribution of shape 1/2 leaves
        open (the root of its mean square is √3 of its mean). No limit where there is no such score."""
        sample = self.sample
        others = np.where((sample.predicted == 0) & ~tie & (sample.stratum > sample.stratum[tie].max()), 1.0, 0.0)
        if not (others * sample.size).any():
            return math.inf
        expected = np.bincount(sample.stratum, others * sample.size * self.expected)
        seen = np.bincount(sample.stratum[sample.cell], others[sample.cell] * sample.positive, len(expected))
        return math.sqrt(3) * float(np.maximum(expected, seen).max())

    @property
    def beyond(self) -> float:
        """The square of what the positives out of reach would change."""
        return ((1 - self.sample.alpha) * self.value * min(self.expected_beyond / self.counted, 1.0)) ** 2

    @property
    def hidden(self) -> float:
        """Half a positive more among those predicted negative, where Jeffreys' rule has half a hit more of a rate. It
        hides where a draw is likely: its weight is the harmonic mean of those drawn, or all there are; where many
        share a score, apart from the others. To a precision, which no miss changes, half a negative among those
        predicted positive."""
        if self.sample.alpha == 1:
            return self.unseen(self.sample.predicted > 0) / self.counted**2
        negative, tied = self.sample.predicted == 0, self.sample.tied
        apart = [negative & tied & (self.sample.stratum == one) for one in np.unique(self.sample.stratum[tied])]
        misses = self.stands_for(negative & ~tied) ** 2 + sum(
            min(self.stands_for(tie), self.may_hide(tie) / math.sqrt(HALF_A_MISS)) ** 2 for tie in apart
        )
        return HALF_A_MISS * ((1 - self.sample.alpha) * self.value / self.counted) ** 2 * misses

    def unseen(self, cells: Bools) -> float:
        """The variance of the positives that nobody has seen in these cells, half a positive having been drawn as in
        Jeffreys' rule: w (w - 1) / 2, a draw standing for w items and itself being labelled. (Of n labels among N
        items, none of them positive, the posterior of how many others are has about this variance at w = N/n.)"""
        weight = self.stands_for(cells)
        return HALF_A_MISS * weight * max(weight - 1, 0.0)

    def stands_for(self, cells: Bools) -> float:
        """How many items a draw from these cells stands for: the harmonic mean of the weights of those drawn, all there
        are where none was, and nothing where none is left."""
        sample = self.sample
        mine = cells[sample.cell] & np.isin(np.arange(len(sample.cell)), sample.row)
        left = float(self.unlabelled[cells & self.in_reach].sum())
        if left <= 0:
            return 0.0
        return float(mine.sum() / self.chance[mine].sum()) if mine.any() else left

    @property
    def of_pools(self) -> float:
        """The variance of the score of pools like this one: sum of v² (l - F)² over (sum v)², estimated."""
        hit, f, alpha = self.sample.predicted, self.value, self.sample.alpha
        wrong = self.sample.size @ hit - self.found
        squares = self.found * (1 - f) ** 2 + wrong * (alpha * f) ** 2 + self.missed * ((1 - alpha) * f) ** 2
        return float(squares) / self.counted**2
