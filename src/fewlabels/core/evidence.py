"""The fold of a study's events: which queries are open, what is known, and the evidence estimators read."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.design import Design, design_named
from fewlabels.core.events import Corrected, Event, Item, Planned, Query, Relocated, Skipped, Told
from fewlabels.core.odds import Odds
from fewlabels.core.outcomes import Outcome
from fewlabels.core.round import Round
from fewlabels.core.systematic import chance_by_now

_OUTSIDE = Design(chances="equal")  # labels from outside count where every item had the same chance
Columns: TypeAlias = dict[str, "array[Any]"]
_NO_ROW = -1  # in the evidence: an item without a label


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
    chance: Array | None = None  # which each row had of being asked just then; nan where it is not known
    drawn: Draws | None = None
    order: Order | None = None

    @cached_property
    def since(self) -> Ints:
        """The round from which on each row was known to be labelled or asked."""
        return np.zeros(self.count, dtype=np.int64) if self.asked_in is None else self.asked_in

    @cached_property
    def probability(self) -> Array:
        """The chance each row had of being asked just then, given all that went before; nan where it is not known."""
        return np.full(self.count, np.nan) if self.chance is None else self.chance

    @cached_property
    def draws(self) -> Draws:
        """Each draw; where none has a weight of its own, one a row."""
        if self.drawn is not None:
            return self.drawn
        return Draws(np.arange(self.count), self.since, np.full(self.count, np.nan))

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

    def moved(self, cell: Ints, predicted: Ints, score: Array) -> "Evidence":
        """The same labels with other cells, predictions and scores; chances of other cells than these are not known
        any more."""
        order = self.order
        if order is not None and not (self.equal_chances and not order.skipped):
            order = None
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


class Standing(ABC):
    """How far choosing has come: all that the step looks at, in a live study and in a simulation."""

    def __init__(self, n_cells: int) -> None:
        self.plan, self.place = Round(), 0  # what was decided for the round in progress, and how much of that is done
        self.rounds, self.draws = 0, 0  # draws count an item each time it was drawn
        self.taken = np.zeros(n_cells, dtype=np.int64)  # items of each cell that are not to be drawn any more
        self.pending = np.zeros(n_cells)  # open queries of each cell

    @abstractmethod
    def evidence(self) -> Labels:
        """What is known."""

    def drawn_in(self, cell: int, design: Design) -> Sequence[Item]:  # noqa: ARG002 - mostly nothing is drawn again
        """The items of a cell that a draw with replacement may return again, in the order of asking."""
        return ()


class History(Standing):
    """A study's state, built by applying its events in order and in no other way."""

    def __init__(self, classes: Mapping[str, int], n_cells: int) -> None:
        """`classes` are the true ones, with the index of each."""
        super().__init__(n_cells)
        self.classes = classes
        self.queries: dict[Item, Query] = {}
        self.open: dict[Item, Query] = {}  # in the order of asking
        self.labels: dict[Item, str] = {}
        self.skipped: dict[Item, Skipped] = {}
        self.apart: dict[Item, Told] = {}  # labels of unknown origin, not evidence until drawn
        self.known_before = 0  # queries whose label was there already, so that nobody was asked
        self.events = 0
        self.moved: Relocated | None = None  # where the pool was last found, if not where it came from
        self.asked = np.zeros(n_cells, dtype=np.int64)  # queries per cell
        self.in_cell: dict[int, list[Item]] = {}  # items asked, by cell and in the order of asking
        self.before, self.taken_before = self.asked.copy(), self.taken.copy()  # as the round in progress began
        self._draws: Columns = {"row": array("q"), "round": array("q"), "chance": array("d"), "cell": array("q")}
        self._waiting: dict[Item, list[int]] = {}  # draws of items without a label, whose row is _NO_ROW
        self._frames: dict[int, int] = {}
        self._planned: dict[int, int] = {}  # draws of each round
        self._rows: dict[Item, int] = {}
        self._items: list[Item] = []  # of each row
        self._columns: Columns = {name: array("q") for name in ("cell", "predicted", "label", "since")}
        self._order: Columns = {"number": array("q"), "outside": array("b")}
        self._odds: dict[int, Odds] = {}
        self._columns |= {name: array("d") for name in ("score", "chance")}
        self._designs: set[Design] = set()
        self._evidence: Evidence | None = None  # as of the last change

    def apply(self, event: Event) -> None:
        """Fold one more event."""
        self.events += 1
        match event:
            case Query():
                self._ask(event)
            case Told():
                self._tell(event)
            case Corrected():
                self._correct(event)
            case Skipped():
                self.skipped[event.item], self._evidence = event, None
                self._close(event.item)
            case Relocated():
                self.moved = event
            case Planned():
                self.plan, self.place, self._evidence = event.decided, 0, None
                self._frames[event.round], self._planned[event.round] = event.frame, len(event.arms)
                if self.plan.odds is not None:
                    self._odds[event.round] = self.plan.odds
                self._enter(event.round)

    def _enter(self, number: int) -> None:
        if number != self.rounds:
            self.rounds, self.before, self.taken_before = number, self.asked.copy(), self.taken.copy()

    def _ask(self, query: Query) -> None:
        self._follow(query)
        self._enter(query.round)
        self.draws += 1
        if query.probability is not None and design_named(query.design).weighs:
            self._note_draw(query, query.probability)
        if query.item in self.queries:  # drawn again: nobody is asked
            return
        self.queries[query.item] = query
        self.in_cell.setdefault(query.cell, []).append(query.item)
        self.asked[query.cell] += 1
        self.taken[query.cell] += 1
        if query.item in self.apart:  # its label was known already: drawn now, it becomes evidence
            del self.apart[query.item]
            self.known_before += 1
            self._add_query(query)
        else:
            self.open[query.item] = query
            self.pending[query.cell] += 1

    def _follow(self, query: Query) -> None:
        """Go on to what comes after this query in the plan; a query that is not part of it ends the round."""
        ahead = range(self.place, len(self.plan.arms)) if query.round == self.rounds else ()
        place = next((i for i in ahead if self.plan.arms[i] == query.arm), None)
        if place is None:
            self.plan, self.place = Round(), 0
        else:
            self.place = place + 1

    def _note_draw(self, query: Query, probability: float) -> None:
        row = self._rows.get(query.item, _NO_ROW)
        if row == _NO_ROW:
            self._waiting.setdefault(query.item, []).append(len(self._draws["row"]))
        for column, value in zip(self._draws.values(), (row, query.round, probability, query.cell), strict=True):
            column.append(value)
        self._evidence = None

    def _tell(self, told: Told) -> None:
        self.labels[told.item] = told.label
        if told.item in self.open:
            query = self.open[told.item]
            self._close(told.item)
            self._add_query(query)
        elif told.drawn == "unknown":
            self.apart[told.item] = told
        else:
            self.apart.pop(told.item, None)  # its origin is known now
            assert told.cell is not None  # the study records where an item never asked belongs
            assert told.predicted is not None
            assert told.score is not None
            self.taken[told.cell] += 1
            about = (told.cell, told.predicted, told.score)
            self._add(told.item, *about, _OUTSIDE, self.rounds, None, self.draws)

    def _correct(self, corrected: Corrected) -> None:
        self.labels[corrected.item] = corrected.label
        if corrected.item in self._rows:
            self._columns["label"][self._rows[corrected.item]] = self.classes[corrected.label]
            self._evidence = None
        elif corrected.item in self.skipped:
            del self.skipped[corrected.item]
            self._add_query(self.queries[corrected.item])

    def _close(self, item: Item) -> None:
        query = self.open.pop(item)
        self.pending[query.cell] -= 1

    def _add_query(self, query: Query) -> None:
        design, chance = design_named(query.design), query.probability
        about = (query.cell, query.predicted, query.score)
        self._add(query.item, *about, design, query.round, chance, query.number)

    def _add(
        self, item: Item, cell: int, predicted: str, score: float, design: Design, since: int, chance: float | None,
        number: int,
    ) -> None:  # fmt: skip
        self._rows[item] = row = len(self._items)
        for draw in self._waiting.pop(item, ()):
            self._draws["row"][draw] = row
        self._items.append(item)
        label, chance = self.labels[item], np.nan if chance is None else chance
        values = (cell, self.classes[predicted], self.classes[label], since, score, chance)
        for column, value in zip(self._columns.values(), values, strict=True):
            column.append(value)
        for column, value in zip(self._order.values(), (number, design is _OUTSIDE), strict=True):
            column.append(value)
        self._designs.add(design)
        self._evidence = None

    def drawn_in(self, cell: int, design: Design) -> Sequence[Item]:
        asked = self.in_cell.get(cell, [])
        return asked if design.whole else asked[int(self.before[cell]) :]

    def out_of_reach(self, cell: int, design: Design) -> int:
        """Items of a cell that a draw with replacement cannot return: those taken before the round, or, of draws from
        the whole, the labels from outside."""
        return int(self.taken[cell] - self.asked[cell] if design.whole else self.taken_before[cell])

    @property
    def spent(self) -> int:
        """Queries somebody answered or is still asked; what a budget counts."""
        return len(self.queries) - len(self.skipped) - self.known_before

    def evidence(self) -> Evidence:
        """What estimators read; the same object until something changes."""
        if self._evidence is None:
            cell, predicted, label, since, score, chance = map(np.array, self._columns.values())
            designs, draws = frozenset(self._designs), self._labelled_draws(cell) if self._draws["row"] else None
            rows = (list(self._items), cell, predicted, label, score)
            self._evidence = Evidence(*rows, designs, since, chance, draws, self._in_order())
        return self._evidence

    def _in_order(self) -> Order:
        number, outside = map(np.array, self._order.values())
        queries = (self.queries[item] for item in self.skipped)
        skipped = tuple(Unanswered(query.number, query.cell, query.round) for query in queries)
        return Order(number, outside.astype(bool), dict(self._odds), skipped)

    def _labelled_draws(self, cell: Ints) -> Draws:
        row, number, chance, of = map(np.array, self._draws.values())
        known = row != _NO_ROW
        by_now = None
        if any(planned in self._odds for planned in self._planned):
            by_now = chance_by_now(cell, of, number, chance, row, self._odds, self._planned)
        return Draws(row[known], number[known], chance[known], dict(self._frames), by_now)
