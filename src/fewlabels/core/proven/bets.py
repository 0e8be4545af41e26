"""One-sided bets that the figure of a group is higher, or lower, than each of some values."""

from typing import NamedTuple

import numpy as np

from fewlabels.core.anytime import betting
from fewlabels.core.arrays import Array

# How far the figure may be from the value bet against: a stake is best for one of these. All weigh the same.
_GAPS = np.array([0.01, 0.02, 0.04, 0.08, 0.16, 0.32])
_JUMP = 0.5  # how much less is staked where one draw may lose much
_MOST = 0.9  # of the capital is staked
_LARGEST = 1e120  # capitals stay finite
_SLACK = 1e-12


class Worth(NamedTuple):
    """What one draw is worth to the share of hits in its group, and what was known of that before the draw."""

    x: float  # its mean, given all that went before, is the share
    low: float  # between what it was bound to lie
    high: float
    middle: float  # where it is expected, and
    spread: float  # how far from that, if rates are as predicted


class Bets:
    """Capitals (n_gaps, n_values) that a share is higher than each value (`way` 1), or lower (-1): they start at one,
    and do not grow on average if it is not. The larger the value, the less is won by betting on higher."""

    def __init__(self, values: Array, way: float) -> None:
        self._values, self._way, self._capital = values, way, np.ones((len(_GAPS), len(values)))

    def add(self, worth: Worth) -> None:
        """One more draw; what is staked follows from those before, and not from the value but for the room there is."""
        bound = worth.low if self._way > 0 else worth.high
        jump = _JUMP * max(self._way * (worth.middle - bound), 0.0)
        steps = _GAPS / (worth.spread**2 + _GAPS * jump + _SLACK)
        loops = betting.compiled()
        stake = betting._stake if loops is None else loops.stake
        stake(self._capital, self._values, steps, _MOST, worth.x, bound, self._way)
        np.minimum(self._capital, _LARGEST, out=self._capital)
        self.known(worth.low, worth.high)

    def known(self, least: float, most: float) -> None:
        """Between these the share lies for certain, whatever the labels to come: as the mean of any draw does."""
        out = self._values < least - _SLACK if self._way > 0 else self._values > most + _SLACK
        self._capital[:, out] = _LARGEST

    @property
    def won(self) -> Array:
        """Of each value, all stakes together."""
        return np.asarray(self._capital.mean(axis=0))
