"""What is known: one row per labelled item, with how it came to be drawn. All that estimators read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.design import Design
from fewlabels.core.events import Item
from fewlabels.core.odds import Odds
from fewlabels.core.outcomes import Outcome

NO_ROW = -1  # among the rows of the evidence: an item without a label


@dataclass(frozen=True)
class Draws:
    """Each time a labelled item was drawn with unequal chances; more often than once only with replacement."""

    row: Ints  # of the evidence
    round: Ints
    probability: Array  # which the item had in that draw; nan where it is not known
    frames: Mapping[int, int] = field(default_factory=dict)  # the lowest stratum in reach of each round, 0 for all
    by_now: Array | None = None  # of each row of the evidence: its chance to be labelled by now, where rounds tell it


class Unanswered(NamedTuple):
    """A query nobody could answer."""

    number: int
    cell: int
    round: int


@dataclass(frozen=True)
class Order:
    """In which order the rows of the evidence were drawn, and by which chances: what holds at every look is read in it,
    as the same numbers come out whenever somebody looks, and in whichever order labels were told."""

    number: Ints  # of each row's query; of a label from outside, of the last query before it
    outside: Bools
    odds: Mapping[int, Odds]  # of rounds, where they are known
    skipped: tuple[Unanswered, ...] = ()
    joined: tuple[int, ...] = ()  # of each further part of the pool: after which round it could be drawn from
    open: tuple[Unanswered, ...] = ()  # queries that wait for their label
    told: Ints | None = None  # how many queries there were when each row's label was told; None: at once
    left_out: tuple[int, ...] = ()  # queries nobody could answer, where these are taken to be like the others


NO_ORDER = Order(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool), {})


class InOrder(NamedTuple):
    """Draws in the order of asking, those without a label too."""

    row: Ints  # of the evidence
    cell: Ints
    round: Ints
    outside: Bools
    seen: Ints  # of each draw: the first draw that was made when its label was known

    @property
    def known(self) -> Bools:
        """Whether the item has a label; else nobody could give one, or none is given yet."""
        return np.asarray(self.row != NO_ROW)

    def of(self, values: Array, otherwise: float = 0.0) -> Array:
        """What each draw is worth, from that of each row of the evidence."""
        return np.append(values, otherwise)[self.row]


def _first_missing(numbers: Ints) -> int:
    """The least number from 1 on that is not among these."""
    there = np.unique(numbers)
    gaps = np.flatnonzero(there != np.arange(1, len(there) + 1))
    return int(gaps[0]) + 1 if len(gaps) else len(there) + 1


def _best_end(answered: Bools) -> int:
    """After how many draws to stop: where the answered ones are most ahead of those that wait, the last such place.
    What holds at every look holds after each number of draws at once, so that any may be picked by what is seen."""
    ahead = np.cumsum(np.concatenate([[0], np.where(answered, 1, -1)]))
    return int(np.flatnonzero(ahead == ahead.max())[-1])


def _seen(number: Ints, outside: Bools, told: Ints) -> Ints:
    """Of each draw, in order, the first one that was made when its label was known: what bets may learn from it."""
    return np.where(outside, np.arange(1, len(number) + 1), np.searchsorted(number, told, side="right"))


@dataclass(frozen=True)
class Evidence:
    """One row per labelled item. Counts do not depend on the order of the rows."""

    items: Sequence[Item]
    cell: Ints
    predicted: Ints  # index of the predicted class
    label: Ints  # index of the true class; classes no model predicts come after the predicted ones
    score: Array
    designs: frozenset[Design] = frozenset()
    asked_in: Ints | None = None  # the round of each row; for labels from outside, the rounds there had been
    chance: Array | None = None  # which each row had, in its part of the pool, of being asked; nan where not known
    drawn: Draws | None = None
    order: Order | None = None

    @cached_property
    def since(self) -> Ints:
        """The round from which on each row was known to be labelled or asked."""
        return np.zeros(self.count, dtype=np.int64) if self.asked_in is None else self.asked_in

    @cached_property
    def probability(self) -> Array:
        """The chance each row had of being asked just then, given all that went before, and that an item of its part of
        the pool was asked; nan where it is not known."""
        return np.full(self.count, np.nan) if self.chance is None else self.chance

    @cached_property
    def draws(self) -> Draws:
        """Each draw; where none has a weight of its own, one a row."""
        if self.drawn is not None:
            return self.drawn
        return Draws(np.arange(self.count), self.since, np.full(self.count, np.nan))

    @cached_property
    def in_order(self) -> "InOrder":
        """The draws in the order of asking, as far as more of them were answered than wait."""
        order = self.order or NO_ORDER
        without = (*order.skipped, *order.open)
        number = np.concatenate([order.number, [s.number for s in without]]).astype(np.int64)
        outside = np.concatenate([order.outside, np.zeros(len(without), dtype=bool)])
        answered = np.arange(len(number)) < len(order.number) + len(order.skipped)
        keep = np.lexsort((outside, number))
        there = np.concatenate([number[~outside], order.left_out]).astype(np.int64)
        keep = keep[number[keep] < _first_missing(there)]
        keep = keep[: _best_end(answered[keep])]
        row = np.concatenate([np.arange(self.count), np.full(len(without), NO_ROW)])
        cell = np.concatenate([self.cell, [s.cell for s in without]]).astype(np.int64)
        rounds = np.concatenate([self.since, [s.round for s in without]]).astype(np.int64)
        told = number if order.told is None else np.concatenate([order.told, number[len(order.told) :]])
        seen = _seen(number[keep], outside[keep], told[keep])
        return InOrder(row[keep], cell[keep], rounds[keep], outside[keep], seen)

    @cached_property
    def leaving_out(self) -> "Evidence":
        """The same without skipped items, which are taken to be like the others."""
        order = self.order
        if order is None or not order.skipped:
            return self
        return replace(self, order=replace(order, skipped=(), left_out=tuple(s.number for s in order.skipped)))

    @property
    def equal_chances(self) -> bool:
        """Whether every item had the same chance of being labelled."""
        return all(design.equal for design in self.designs)

    @property
    def of_whole(self) -> bool:
        """Whether draws were from the whole pool, labelled items too."""
        return any(design.whole for design in self.designs)

    @property
    def count(self) -> int:
        return len(self.cell)

    def moved(self, cell: Ints, predicted: Ints, score: Array, *, evenly: bool = False) -> "Evidence":
        """The same labels with other cells, predictions and scores; chances of other cells than these are not known
        any more, unless those of all items in question were the same (`evenly`)."""
        order = self.order
        if order is not None and not ((self.equal_chances or evenly) and not order.skipped):
            order = None
        elif order is not None and order.open:  # where those that wait lie is not known
            order = replace(order, open=())
        return replace(self, cell=cell, predicted=predicted, score=score, order=order)

    def labels_per_cell(self, n_cells: int) -> Array:
        """How many labels each cell has."""
        return np.bincount(self.cell, minlength=n_cells).astype(np.float64)

    @cached_property
    def _counted(self) -> dict[tuple[Outcome, int], Array]:
        """Counts made before: several beliefs may be read off the same labels."""
        return {}

    def counts(self, outcome: Outcome, n_cells: int) -> Array:
        """Labels by cell and what they say, (n_cells, n_codes)."""
        if (known := self._counted.get((outcome, n_cells))) is not None:
            return known
        width = outcome.width
        flat = np.bincount(self.cell * width + outcome.codes(self.label, self.predicted), minlength=n_cells * width)
        self._counted[outcome, n_cells] = found = flat.reshape(n_cells, width).astype(np.float64)
        return found


@dataclass(frozen=True)
class Counted:
    """Labels of which nothing but their counts is kept."""

    by_cell: Array  # (n_cells, n_codes)

    def counts(self, outcome: Outcome, n_cells: int) -> Array:  # noqa: ARG002 - they were counted before
        return self.by_cell


Labels: TypeAlias = Evidence | Counted  # the latter where their counts are all that is looked at
_NONE = np.zeros(0, dtype=np.int64)
NO_EVIDENCE = Evidence([], _NONE, _NONE, _NONE, np.zeros(0))
