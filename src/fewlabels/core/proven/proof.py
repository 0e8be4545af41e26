"""What the draws of a study prove of pairs of groups, draw by draw."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.proven.bets import Bets, Worth

_VALUES, _FEW_VALUES, _FEW_GROUPS = (
    1001,
    401,
    100,
)  # values at which groups are compared: usually, and with more groups than the third
_CASH = 0.1  # the part of a bet on higher that is never staked
_AT_FIRST, _PART = 0.25, 0.5  # staked on all groups at first; the part of the rest for a group that takes the lead
STARTS = (4, 8, 16, 32, 64, 128, 256)  # labels per group, on average, after which the lead is looked at
_SAME = 1e-9


@dataclass(frozen=True)
class Draw:
    """One draw in the order of asking."""

    group: int
    lowest: Worth  # counting each skipped item as a miss,
    highest: Worth  # or as a hit
    least: float  # the share of items that are known to be hits,
    most: float  # and of those that may be
    first: Ints  # the groups in the lead before this draw, where that is looked at


@dataclass(frozen=True)
class Proving:
    """The groups of a question. A figure is the share of hits plus the group's shift."""

    shift: Array  # (n_groups,)
    within: float


def proven(about: Proving, draws: Sequence[Draw], named: Bools) -> Array:
    """The logarithm of the largest product so far of each named group and each other group, (n_named, n_others)."""
    on = _Running(about, named)
    for draw in draws:
        on.add(draw)
    return on.most


class _Running:
    def __init__(self, about: Proving, named: Bools) -> None:
        groups, shift = len(about.shift), about.shift
        points = _FEW_VALUES if groups > _FEW_GROUPS else _VALUES
        self._values = np.linspace(shift.min(), shift.max() + 1, points)
        self._about, self._kept, self._count = about, 1 - _AT_FIRST, 0
        self._higher = [Bets(self._values - s, 1.0) for s in shift]
        self._lower = [[(_AT_FIRST / groups, self._bets_below(g))] for g in range(groups)]
        self._chosen = np.zeros(groups, dtype=bool)
        self._up = np.ones((groups, points))
        self._down = np.full((groups, points), _AT_FIRST / groups)
        self._ends = np.stack([shift, shift + 1])  # between which each figure lies for certain
        self._index, self._others = np.flatnonzero(named), np.flatnonzero(~named)
        self._row = np.cumsum(named) - 1
        self._column = np.cumsum(~named) - 1
        self.most = np.full((len(self._index), len(self._others)), -np.inf)

    def _bets_below(self, g: int) -> Bets:
        return Bets(self._values - self._about.shift[g] + self._about.within, -1.0)

    def add(self, draw: Draw) -> None:
        if self._count in [each * len(self._up) for each in STARTS]:
            self._stake_on(draw.first)
        self._count += 1
        g = draw.group
        self._higher[g].add(draw.lowest)
        self._higher[g].known(draw.least, draw.most)
        for _, bets in self._lower[g]:
            bets.add(draw.highest)
            bets.known(draw.least, draw.most)
        self._up[g] = _CASH + (1 - _CASH) * self._higher[g].won
        self._sum_up(g)
        self._ends[:, g] = np.array([draw.least, draw.most]) + self._about.shift[g]
        self._compare(g)

    def _sum_up(self, g: int) -> None:
        self._down[g] = sum((weight * bets.won for weight, bets in self._lower[g]), np.zeros(len(self._values)))

    def _stake_on(self, first: Ints) -> None:
        """Stake a part of the rest on groups that take the lead for the first time."""
        new = [g for g in first.tolist() if not self._chosen[g]]
        each = self._kept * _PART / max(len(first), 1)
        for g in new:
            bets = self._bets_below(g)
            bets.known(*(self._ends[:, g] - self._about.shift[g]))
            self._lower[g].append((each, bets))
            self._chosen[g] = True
            self._sum_up(g)
        self._kept -= each * len(new)

    def _compare(self, g: int) -> None:
        """Compare the group of the last draw. Between two values the product is at least that of the lower value for
        the named group and the upper value for the other."""
        is_named = g in self._index
        below = self._index if not is_named else np.array([g])
        above = np.array([g]) if not is_named else self._others
        down, up = self._down[below, :-1] + self._kept, self._up[above, 1:]
        won = np.log((down * up).min(axis=1))
        known = self._ends[1][below] <= self._ends[0][above] + self._about.within + _SAME
        won = np.where(known, np.inf, won)
        rows, columns = self._row[below], self._column[above]
        self.most[rows, columns] = np.maximum(self.most[rows, columns], won)
