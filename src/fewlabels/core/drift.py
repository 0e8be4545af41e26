"""Whether scores inside of cells are what they were: a test on two pools, for which no label is needed.

Inside a cell the scores of both pools are ranked together, equal ones sharing their ranks [Mann, Whitney 1947]. Where
both come from one distribution, the sum of the ranks of one has a known mean and variance. Two statistics look at all
cells: the sum of squares of the standardised sums, for shifts this way and that, and their sum by 1 / (n + m + 1)
[van Elteren 1960], for one shift in common; each is given half of the error rate.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc, logit, ndtr

from fewlabels.core.arrays import Array, Ints

FALSE_ALARM = 0.01  # how often scores that did not change are said to have changed
LEAST_ITEMS = 8  # of a cell, in either pool: below, a sum of ranks is not nearly normal
BINS = 600
_FURTHEST = 15.0  # log odds: a score nearer to one than 3e-7 counts as one


@dataclass(frozen=True)
class Drift:
    """What the test found."""

    chance: float  # of as large a difference, had nothing changed; nan where nothing could be compared
    compared: int  # cells with items enough in both pools
    furthest: int  # the cell in which scores changed most surely
    upwards: bool  # whether they are higher there than they were

    @property
    def alarm(self) -> bool:
        return bool(self.chance < FALSE_ALARM)


def by_bins(cell: Ints, score: Array, n_cells: int) -> Array:
    """How many items of each cell have a score in each of many narrow bins of its log odds, (n_cells, BINS)."""
    with np.errstate(divide="ignore"):
        at = np.clip(logit(score), -_FURTHEST, _FURTHEST)
    narrow = np.rint((at + _FURTHEST) / (2 * _FURTHEST) * (BINS - 1)).astype(np.int64)
    return np.bincount(cell * BINS + narrow, minlength=n_cells * BINS).reshape(n_cells, BINS).astype(np.float64)


def drift(then: Array, now: Array) -> Drift:
    """Whether scores inside of cells changed, from how many items each had in every bin, (n_cells, BINS)."""
    n, m = then.sum(axis=1), now.sum(axis=1)
    both, total = then + now, n + m
    middle = np.cumsum(both, axis=1) - (both - 1) / 2  # the rank that equal scores share
    sums = (now * middle).sum(axis=1) - m * (total + 1) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        ties = ((both**3 - both).sum(axis=1)) / (total * (total - 1))
        variance = n * m / 12 * (total + 1 - ties)
    seen = (n >= LEAST_ITEMS) & (m >= LEAST_ITEMS) & (variance > 1e-9)
    if not seen.any():
        return Drift(float("nan"), 0, 0, upwards=False)
    z = np.where(seen, sums / np.sqrt(np.where(seen, variance, 1.0)), 0.0)
    weight = np.where(seen, 1 / (total + 1), 0.0)
    common = float((weight * sums).sum() / np.sqrt((weight**2 * np.where(seen, variance, 0.0)).sum()))
    chances = float(chdtrc(seen.sum(), (z**2).sum())), float(2 * ndtr(-abs(common)))
    furthest = int(np.abs(z).argmax())
    return Drift(min(2 * min(chances), 1.0), int(seen.sum()), furthest, upwards=bool(z[furthest] > 0))
