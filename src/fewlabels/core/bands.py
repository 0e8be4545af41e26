"""Bands that hold a whole curve: the level of each interval at which all of them hold together."""

import numpy as np
from scipy.special import ndtr

from fewlabels.core.arrays import Array

_DRAWS, _SEED = 2000, 0


def one_by_one(level: float, figures: int) -> float:
    """By Bonferroni's inequality, whatever figures have to do with one another."""
    return 1 - (1 - level) / max(figures, 1)


def together(level: float, moves: Array, own: Array) -> float:
    """For figures whose errors are sums over labels, each moving many of them: `moves` (n_figures, n_labels) is the
    spread that a label gives each figure, `own` (n_figures,) a variance that a figure has for itself.

    The level at which the farthest of the figures, in units of its own spread, lies inside, by normal draws and with
    half of the error that is allowed: sums over few labels are farther off than normal ones.

    >>> same, apart = np.ones((20, 1)), np.eye(20)
    >>> round(together(0.95, same, np.zeros(20)), 2), round(together(0.95, apart, np.zeros(20)), 4)
    (0.98, 0.9975)
    """
    spread = np.sqrt((moves**2).sum(axis=1) + own)
    known = spread > 0
    if not known.any():
        return level
    rng = np.random.default_rng(_SEED)
    drawn = rng.standard_normal((_DRAWS, moves.shape[1])) @ moves[known].T
    drawn += rng.standard_normal((_DRAWS, int(known.sum()))) * np.sqrt(own[known])
    farthest = np.abs(drawn / spread[known]).max(axis=1)
    alone = float(2 * ndtr(np.quantile(farthest, 1 - (1 - level) / 2)) - 1)
    return min(max(alone, level), one_by_one(level, int(known.sum())))
