"""Which groups lie below a threshold and which above: verdicts of which few are wrong, whoever looks after each label.

What is won by betting against all values that would make a verdict wrong does not grow on average if one of them is
true, so that it ever reaches 1 / alpha with a chance of at most alpha. Of G groups each has at most one verdict that is
wrong. Asked G / alpha of each, any verdict at all is wrong with no more than the chance alpha; where k of them reach
G / (alpha k), no more than the share alpha of the verdicts is expected to be wrong ([Wang, Ramdas 2022], e-BH). That
all groups are above takes no such care: to be wrong of all, one must be wrong of the one group that is below.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fewlabels.core.anytime import Capital
from fewlabels.core.anytime.ratio import log_won
from fewlabels.core.arrays import Array, Bools, Ints

Control: TypeAlias = Literal["discoveries", "family"]
LEAST_LABELS = 3  # of its own, or all there are, before a verdict is passed on a group
_SLACK = 1e-9


@dataclass(frozen=True)
class Won:
    """Logarithms of what was won against verdicts being wrong, group by group."""

    below: Array  # against all values of which "below" would be wrong
    above: Array
    spoken_of: Bools  # whether there are labels enough to speak of the group

    def verdicts(self, alpha: float, control: Control) -> Ints:
        """-1 below, 1 above, 0 undecided."""
        shown = np.where(self.spoken_of, np.maximum(self.below, self.above), -math.inf)
        count = len(shown)
        needed = math.log(count / alpha)
        if control == "discoveries":
            ranked = np.sort(shown)[::-1]
            enough = np.flatnonzero(ranked >= needed - np.log(np.arange(1, count + 1)) - _SLACK)
            needed -= math.log(enough[-1] + 1) if len(enough) else 0.0
        return np.where(shown >= needed - _SLACK, np.where(self.below >= self.above, -1, 1), 0)

    def waiting(self, alpha: float, control: Control) -> Bools:
        """The undecided groups that have a verdict as soon as all others have: less is asked of each where there are
        more verdicts."""
        if control == "family":
            return np.zeros(len(self.spoken_of), dtype=bool)
        clear = np.maximum(self.below, self.above) >= -math.log(alpha) - _SLACK
        return np.asarray(self.spoken_of & clear & (self.verdicts(alpha, control) == 0))

    def all_are(self, side: Literal[-1, 1], alpha: float) -> bool:
        """Whether it is shown that every group is below, or above."""
        return bool(self.spoken_of.all() and (self._of(side) >= -math.log(alpha) - _SLACK).all())

    def some_are(self, side: Literal[-1, 1], alpha: float) -> bool:
        """Whether it is shown that some group is below, or above; which one need not be known."""
        shown = np.where(self.spoken_of, self._of(side), -math.inf)
        return bool(np.logaddexp.reduce(shown) - math.log(len(shown)) >= -math.log(alpha) - _SLACK)

    def _of(self, side: Literal[-1, 1]) -> Array:
        return self.below if side < 0 else self.above


def of_capital(bets: Capital, threshold: float, within: float) -> tuple[float, float]:
    """What was won against all values of which "below" would be wrong, being more than `within` above the threshold;
    and of which "above" would be."""
    values, beside = bets.values, 0.0 if bets.all_there_are else float(np.diff(bets.values).max())
    wrong = (values > threshold + within - beside + _SLACK, values < threshold - within + beside - _SLACK)
    return bets.against(wrong[0]), bets.against(wrong[1])


def beside(size: Array, threshold: Array, within: float) -> tuple[Array, Array]:
    """The least count of which "below" is wrong, and the largest of which "above" is."""
    return np.floor((threshold + within) * size + _SLACK) + 1, np.ceil((threshold - within) * size - _SLACK) - 1


def of_counts(
    size: Array, labels: Array, hits: Array, score: Array, threshold: Array, within: float
) -> tuple[Array, Array]:
    """The same of parts that are drawn from uniformly, by their counts: what is won grows from the likeliest count on
    to either side, so that the count next to the threshold decides."""
    likeliest = np.where(labels > 0, hits / np.maximum(labels, 1e-9), 0.5) * size
    least, most = beside(size, threshold, within)
    both = np.stack(np.broadcast_arrays(least, most, labels)[:2])
    below, above = log_won(size, labels, hits, np.clip(both, 0, size), score)
    below = np.where(least > size, math.inf, np.where(likeliest < least, below, np.minimum(below, 0.0)))
    above = np.where(most < 0, math.inf, np.where(likeliest > most, above, np.minimum(above, 0.0)))
    return below, above
