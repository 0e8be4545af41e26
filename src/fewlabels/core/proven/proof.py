"""What the draws of a study prove of pairs of groups, draw by draw."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.proven.bets import Bets, Worth

_VALUES, _FEW_VALUES, _FEW_GROUPS = 1001, 401, 100  # at which figures are compared; the second for more groups
_CASH = 0.1  # of what is bet on a group being higher is kept
_AT_FIRST, _PART = 0.25, 0.5  # staked on all groups alike; of what is kept back, on a group that comes first
STARTS = (4, 8, 16, 32, 64, 128, 256)  # labels a group, all together, after which that is looked at
_SAME = 1e-9


@dataclass(frozen=True)
class Draw:
    """One draw in the order of asking."""

    group: int
    lowest: Worth  # every item without a label being a miss,
    highest: Worth  # or a hit: the same where each has one
    least: float  # the share of hits known by now, and
    most: float  # that of those that are not known to be misses
    first: Ints  # the groups that came first before this draw, where it is looked at


@dataclass(frozen=True)
class Proving:
    """The groups of a question: a figure is a share plus the group's shift."""

    shift: Array  # (n_groups,)
    within: float


def proven(about: Proving, draws: Sequence[Draw], named: Bools) -> Array:
    """The logarithm of the most that was ever won for each named group to be at most the margin above each other one,
    (n_named, n_others)."""
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
        """A part of what is kept back, on groups that come first and did not before."""
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
        """The group that was drawn from, with those it is set against; between two values what is certain: the next
        larger one for a group that is higher."""
        is_named = g in self._index
        below = self._index if not is_named else np.array([g])
        above = np.array([g]) if not is_named else self._others
        down, up = self._down[below, :-1] + self._kept, self._up[above, 1:]
        won = np.log((down * up).min(axis=1))
        known = self._ends[1][below] <= self._ends[0][above] + self._about.within + _SAME
        won = np.where(known, np.inf, won)
        rows, columns = self._row[below], self._column[above]
        self.most[rows, columns] = np.maximum(self.most[rows, columns], won)
