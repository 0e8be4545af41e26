"""Bets on draws with known, unequal chances, against each value that a figure may have.

The figure is a sum over the hits of the pool, a_i for a hit at item i: the share of the pool or of a group, or the
difference of two. Before a draw, U are the items left of those it speaks of, q_i the chance of each given that one of
them is drawn, c_i any prediction. With its label y the draw is worth

    X = sum over labelled items of a y + sum over U of a c + a (y - c) / q,

whose mean, given all that went before, is the figure. It cannot lie outside of [low, high], what the least and the most
favourable label of the least likely items would make of it. For each value v the capital

    1/2 mean over j of [ prod (1 + l_j (X - v)) + prod (1 + l'_j (v - X)) ],
    l_j = min(x_j / s, .9 / (v - low)),    l'_j = min(x_j / s, .9 / (high - v)),

starts at one and does not grow on average if v is true ([Waudby-Smith, Ramdas 2024], with a bet that does not depend on
the labels to come); s is the spread of the draws before. A value outside of [low, high] at any draw cannot be true.
The chance that what is won ever reaches 1 / alpha is at most alpha: against a value the most may count that it came to
at any draw (`most_won`), so that it stays given up.

Labels may be missing: nobody could tell them, or nobody told them yet. Predictions and stakes are made of what was told
before the item was asked; they are the same whatever is told later, and whenever somebody looks. Then X rises with each
hit by itself. With every missing label at its least, prod (1 + l (X - v)) is no more than with the true ones, and with
every one at its most neither is prod (1 + l' (v - X)). So their mean is at most the capital of the bets on the true
labels, which ever reaches 1 / alpha with a chance of at most alpha.
The prediction may be anything that earlier labels make it: the better, the shorter the interval; it need not be right.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fewlabels.core.anytime.capital import Capital
from fewlabels.core.arrays import Array
from fewlabels.core.loops import Loops

_STEPS = np.array([0.07, 0.13, 0.25, 0.5])  # x_j: best at about 9 / x_j ** 2 labels, that is 40 to 2,000
_MOST = 0.9  # of the capital is staked
_FIRST_VARIANCE, _FIRST = 0.1, 5.0  # before any draw, and how many draws that is worth
_SLACK = 1e-12
_LOOPS = Loops("betting")
compiled, using = _LOOPS.used, _LOOPS.using


class Worth(NamedTuple):
    """What a draw is worth to a figure: between what, where labels are missing. Stakes may not depend on labels that
    were not told when the item was asked, so that they go by bounds of their own."""

    low: float
    high: float
    least: float  # between what it was bound to lie, by all that is known now
    most: float
    bound_low: float  # and by what was known when the item was asked
    bound_high: float

    @classmethod
    def of(cls, x: float, least: float, most: float) -> "Worth":
        """Of a draw whose label was told before the next item was asked."""
        return cls(x, x, least, most, least, most)


class Bets:
    """Capitals that grow draw by draw."""

    def __init__(self, values: Array, *, all_there_are: bool, shares: int = 1) -> None:
        """`shares` is how many shares the figure is made of: two, where it is a difference."""
        self._values, self._all = values, all_there_are
        self._up, self._down = np.ones((2, len(_STEPS), len(values)))
        self._out, self._most = np.zeros(len(values), dtype=bool), np.full(len(values), 2.0)
        self._seen, self._sum, self._squares = 0, 0.0, 0.0
        self._first = _FIRST_VARIANCE * shares

    def add(self, worth: Worth, told: Sequence[float] = ()) -> None:
        """One draw, and what those before came to whose labels were told meanwhile: stakes go by their spread."""
        for x in told:
            self._seen, self._sum, self._squares = self._seen + 1, self._sum + x, self._squares + x * x
        n, v = self._seen, self._values
        seen = max(self._squares / n - (self._sum / n) ** 2, 0.0) if n > 1 else 0.0
        step = _STEPS / np.sqrt((_FIRST * self._first + n * seen) / (_FIRST + n))
        self._out |= (v < worth.least - _SLACK) | (v > worth.most + _SLACK)
        stake, most = (_stake, _most) if (loops := compiled()) is None else (loops.stake, loops.most)
        stake(self._up, v, step, _MOST, worth.low, worth.bound_low, 1.0)
        stake(self._down, v, step, _MOST, worth.high, worth.bound_high, -1.0)
        most(self._up, self._down, self._most)

    @property
    def capital(self) -> Capital:
        with np.errstate(divide="ignore", over="ignore"):
            won = (np.log(capital / 2) for capital in (self._up.mean(axis=0) + self._down.mean(axis=0), self._most))
        now, most = (np.where(self._out, np.inf, log) for log in won)
        return Capital(self._values, now, self._all, most)


def _stake(capital: Array, values: Array, steps: Array, most: float, x: float, bound: float, way: float) -> None:
    """What a draw makes of the capitals (n_steps, n_values) of bets against each value: that it is larger, and cannot
    be less than the bound, or the other way round."""
    room = way * (values - bound)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        capital *= 1 + np.minimum(steps[:, None], most / np.where(room > 0, room, np.inf)) * (way * (x - values))


def _most(up: Array, down: Array, most: Array) -> None:
    """Twice the largest capital so far, of these and what it was before; written to the last."""
    np.maximum(most, up.mean(axis=0) + down.mean(axis=0), out=most)
