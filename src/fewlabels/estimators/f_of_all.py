"""An F-score of all items: that of those searched, with what is assumed and labelled of those below (decision 26)."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from fewlabels.core.hiding import Below, factor
from fewlabels.estimators.f_base import FEstimate

_SPAN = (-40.0, 2.0)  # of the logarithm of a figure
_HALVINGS = 56  # of that span, to the last digit
FOR_A_STOP = 0.7  # of the error of a level, for what hides where a study stops at a width
IN_SEARCH, BELOW = 0.8, 0.2  # of what a level leaves open, where labels alone speak: 4 % and 1 % of 95 %


@dataclass(frozen=True)
class OfAll:
    """How a figure of the items searched becomes one of all items."""

    searched: FEstimate
    as_labelled: FEstimate  # each label below stands for itself alone, and scores tell of the others
    alpha: float
    positives: float  # Q, estimated among the items searched
    items: int  # searched
    below: Below
    ranked: bool = False  # an average precision, to which positives below add a little of their own

    @property
    def complete(self) -> bool:
        """Whether every item that can count is labelled."""
        return self.as_labelled.complete

    def value(self, assumed: float) -> float:
        if self.complete or assumed <= 0:
            return self.as_labelled.value
        if assumed >= 1:
            return self.alone
        return self._times(self.searched.value, self.below.likely(self.positives, assumed))

    def interval(
        self, assumed: float, level: float, *, pool: bool, for_a_stop: bool = False
    ) -> tuple[float, float]:  # fmt: skip
        """The interval of all items. Stops pick intervals that are too short: for a study that stops at a width both
        doubts are taken at their ends, that of what hides with a part of the error."""
        if self.complete or assumed <= 0:
            return self.as_labelled.interval(level, pool=pool)
        if assumed >= 1:
            return self.interval_alone(level, pool=pool)
        if for_a_stop:
            return self._ends(level, pool, self.below.ends(self.positives, assumed, 1 - FOR_A_STOP * (1 - level)))
        return self._together(assumed, level, pool)

    def _together(self, assumed: float, level: float, pool: bool) -> tuple[float, float]:
        """Ends of the product of both: what is searched and what is below err on their own. The logarithm of the figure
        searched is normal on either side of its value, as its ends have it. While no label shows that some hide, the
        high end is that where none does."""
        low, high = self.searched.interval(level, pool=pool)
        value, tail = self.searched.value, (1 - level) / 2
        if math.isnan(value) or low <= 0 or not low < value < high or self.below.known:
            return self._ends(level, pool, self.below.ends(self.positives, assumed, level))
        hidden, weight = self.below.posterior(self.positives, assumed)
        at = np.log([self._times(1.0, h) for h in np.minimum(hidden, self.below.most).tolist()])
        z = -float(ndtri(tail))
        down, up = math.log(value / low) / z, math.log(high / value) / z

        def below(bound: float) -> float:
            far = bound - math.log(value) - at
            return float(weight @ ndtr(far / np.where(far < 0, down, up)))

        first = math.exp(_where(below, tail))
        if self.below.positive == 0:
            return first, high
        last = math.exp(_where(below, 1 - tail))
        return first, min(last + self._of_themselves(float(hidden @ weight)), 1.0)

    @property
    def alone(self) -> float:
        """The value by the labels alone: as many hide as labels below show, in proportion."""
        if self.complete:
            return self.as_labelled.value
        return self._times(self.searched.value, self.below.by_labels)

    def interval_alone(self, level: float, *, pool: bool) -> tuple[float, float]:
        """By the labels alone, whatever hides."""
        if self.complete:
            return self.as_labelled.interval(level, pool=pool)
        if self.below.known:
            return self._ends(level, pool, (self.below.positive, self.below.positive))
        within = 1 - IN_SEARCH * (1 - level)
        return self._ends(within, pool, self.below.ends_by_labels(BELOW * (1 - level)))

    def _ends(self, level: float, pool: bool, hidden: tuple[float, float]) -> tuple[float, float]:
        if math.isnan(self.searched.value):
            return 0.0, 1.0
        low, high = self.searched.interval(level, pool=pool)
        most = max(self._times(high, h) + self._of_themselves(h) for h in hidden)
        return self._times(low, hidden[1]), min(most, 1.0)

    def _times(self, figure: float, hidden: float) -> float:
        return figure * factor(self.alpha, self.searched.counted, hidden)

    def _of_themselves(self, hidden: float) -> float:
        """What so many positives add to an average precision at most: their share, times the precision there if all of
        them are next to the items searched."""
        return hidden / (self.items + hidden) if self.ranked and hidden > 0 else 0.0


def _where(rising: Callable[[float], float], reached: float) -> float:
    """Where a function that rises reaches a value, by halving."""
    low, high = _SPAN
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < reached else (low, middle)
    return high
