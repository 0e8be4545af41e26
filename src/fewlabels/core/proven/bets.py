"""One-sided bets that the figure of a group is higher, or lower, than each of some values."""

from typing import NamedTuple

import numpy as np

from fewlabels.core.anytime import betting
from fewlabels.core.arrays import Array

# Each stake is best for one distance between the share and the value. All weigh the same.
_GAPS = np.array([0.01, 0.02, 0.04, 0.08, 0.16, 0.32])
_JUMP = 0.5  # how much a large possible loss lowers the stake
_MOST = 0.9  # of the capital is staked
_LARGEST = 1e120  # capitals stay finite
_SLACK = 1e-12


class Worth(NamedTuple):
    """What one draw says of the share of hits in its group, and the limits that were known before it."""

    x: float  # its mean, given the draws before, is the share
    low: float  # no draw could have been less,
    high: float  # or more
    middle: float  # the mean by the predicted rates
    spread: float  # the standard deviation by the predicted rates
    asked_low: float  # no draw could have been less, by the labels that were known when the item was asked,
    asked_high: float  # or more


class Bets:
    """Capitals (n_gaps, n_values) that bet that a share is higher than each value (`way` 1), or lower (-1). They start
    at one. If the share is the value they do not grow on average. Bets on higher win less against larger values."""

    def __init__(self, values: Array, way: float) -> None:
        self._values, self._way, self._capital = values, way, np.ones((len(_GAPS), len(values)))

    def add(self, worth: Worth) -> None:
        """One more draw. Stakes follow from what was known when the item was asked. A value changes them only where
        there is little room."""
        bound = worth.low if self._way > 0 else worth.high
        asked = worth.asked_low if self._way > 0 else worth.asked_high
        jump = _JUMP * max(self._way * (worth.middle - bound), 0.0)
        steps = _GAPS / (worth.spread**2 + _GAPS * jump + _SLACK)
        loops = betting.compiled()
        stake = betting._stake if loops is None else loops.stake
        stake(self._capital, self._values, steps, _MOST, worth.x, asked, self._way)
        np.minimum(self._capital, _LARGEST, out=self._capital)
        self.known(worth.low, worth.high)

    def known(self, least: float, most: float) -> None:
        """The share lies between these for certain, so that all other values are ruled out."""
        out = self._values < least - _SLACK if self._way > 0 else self._values > most + _SLACK
        self._capital[:, out] = _LARGEST

    @property
    def won(self) -> Array:
        """The capital against each value, the mean over all stakes."""
        return np.asarray(self._capital.mean(axis=0))
