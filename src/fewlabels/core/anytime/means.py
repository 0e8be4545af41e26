"""Bets on draws that are uniform without replacement, against each mean that the values of a part may have.

Values lie in [0, 1] once scaled; S is the sum of those drawn before, of `size` in all. If the mean is m, the next has
the mean m_t = (size m - S) / (size - t + 1), given all that went before. For each m the capital

    1/2 mean over c of [ prod (1 + c (x_t - m_t) / m_t) + prod (1 + c (m_t - x_t) / (1 - m_t)) ]

starts at one and does not grow on average if m is true ([Waudby-Smith, Ramdas 2024], Eq. 24 with the mean of what is
left, their section 5): c is the share of all that could be staked. A mean that leaves no room for the rest is ruled
out.
"""

import numpy as np

from fewlabels.core.anytime.capital import Capital
from fewlabels.core.arrays import Array

MOST_MEANS = 1001  # that bets are made against
_STAKES = np.array([0.03, 0.06, 0.12, 0.2, 0.3, 0.45, 0.65, 0.9])[:, None]
_SLACK = 1e-9


class MeanBets:
    """Capitals that grow draw by draw, against each mean of `size` values between low and high; `steps` is how many
    equally long steps from low to high a single value may be away from low, where it cannot lie between two of them."""

    def __init__(self, size: int, low: float, high: float, steps: int | None = None) -> None:
        self._size, self._low, self._range = size, low, high - low
        every = steps is not None and size * steps + 1 <= MOST_MEANS
        if size == 0 or low == high:  # nothing is open
            every, points = True, 1
        else:
            points = size * steps + 1 if every and steps is not None else MOST_MEANS
        self._mean, self._every = np.linspace(0.0, 1.0, points), every
        self._up, self._down = np.ones((2, len(_STAKES), points))
        self._few, self._many = np.zeros((2, points), dtype=bool)  # means that leave too little, or too much
        self._drawn, self._told = 0, 0.0

    def add(self, value: float) -> None:
        """One more draw."""
        x, left = (value - self._low) / self._range, self._size - self._drawn
        m = np.clip((self._size * self._mean - self._told) / left, 0.0, 1.0)
        with np.errstate(over="ignore"):
            for capital, room, gained in ((self._up, m, x - m), (self._down, 1 - m, m - x)):
                capital *= 1 + _STAKES * np.divide(gained, room, out=np.zeros_like(m), where=room > _SLACK)
        self._drawn, self._told = self._drawn + 1, self._told + x
        rest = self._size * self._mean - self._told
        self._few |= rest < -_SLACK
        self._many |= rest > self._size - self._drawn + _SLACK

    @property
    def capital(self) -> Capital:
        return self.over(self)

    def over(self, most: "MeanBets") -> Capital:
        """Of draws some of which are known only to lie between those made here and those of `most`: bets that the mean
        is larger grow with each value, and bets that it is smaller fall with each, so that these are the least."""
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            won = np.log((self._up.mean(axis=0) + most._down.mean(axis=0)) / 2)
        return Capital(self._low + self._range * self._mean, np.where(self._few | most._many, np.inf, won), self._every)


def of_mean(
    drawn: Array, size: int, low: float, high: float, steps: int | None = None, most: Array | None = None
) -> Capital:  # fmt: skip
    """Against each mean of `size` values, of which these were drawn, in their order; see MeanBets. Where some are not
    known, `drawn` is the least that they may be, and `most` the most."""
    bets, others = MeanBets(size, low, high, steps), MeanBets(size, low, high, steps)
    for value in drawn.tolist():
        bets.add(value)
    for value in () if most is None else most.tolist():
        others.add(value)
    return bets.over(bets if most is None else others)
