"""The fold of a study's events: which queries are open, what is known, and the evidence estimators read."""

from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping, MutableMapping, Sequence
from copy import copy
from typing import Any, TypeAlias

import numpy as np

from fewlabels.core.arrays import Ints
from fewlabels.core.consensus import majority
from fewlabels.core.design import Design, design_named
from fewlabels.core.events import (
    Changed,
    Corrected,
    Event,
    Extended,
    Item,
    Leased,
    Planned,
    Query,
    Released,
    Relocated,
    Skipped,
    Told,
    Withdrawn,
)
from fewlabels.core.evidence import NO_ROW, Draws, Evidence, Labels, Order, Unanswered
from fewlabels.core.odds import Odds
from fewlabels.core.round import Round
from fewlabels.core.systematic import chance_by_now

_OUTSIDE = Design(chances="equal")  # labels from outside count where every item had the same chance
Columns: TypeAlias = dict[str, "array[Any]"]


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
        self.classes, self._names = classes, list(classes)
        self.queries: MutableMapping[Item, Query] = {}
        self.open: dict[Item, Query] = {}  # in the order of asking
        self.labels: dict[Item, str] = {}
        self.skipped: dict[Item, Skipped] = {}
        self.apart: dict[Item, Told] = {}  # labels of unknown origin, not evidence until drawn
        self.leases: dict[Item, dict[str, str]] = {}  # of open queries: to whom, and until when
        self.opinions: dict[Item, dict[str, str]] = {}  # of queries that want several labels: who said what
        self.adjudicated: set[Item] = set()  # of these, those whose class somebody settled
        self.spent = 0  # labels that were given or are still asked for; what a budget counts
        self.known_before: set[Item] = set()  # queries whose label was there already, so that nobody was asked
        self.changes: tuple[tuple[Changed | Extended, int], ...] = ()  # and how many labels there were then
        self.returned: set[int] = set()  # cells of which a label from outside was taken back
        self.events = 0
        self.moved: dict[int, Relocated] = {}  # where a part of the pool was last found, if not where it came from
        self.asked = np.zeros(n_cells, dtype=np.int64)  # queries per cell
        self.in_cell: dict[int, list[Item]] = {}  # items asked, by cell and in the order of asking
        self.before, self.taken_before = self.asked.copy(), self.taken.copy()  # as the round in progress began
        self._draws: Columns = {"row": array("q"), "round": array("q"), "chance": array("d"), "cell": array("q")}
        self._draws_of: dict[Item, list[int]] = {}  # their places; of items without a label their row is NO_ROW
        self._entries = array("q")  # of each item asked: which event that was, from 1
        self._frames: dict[int, int] = {}
        self._planned: dict[int, int] = {}  # draws of each round
        self._rows: dict[Item, int] = {}
        self._items: list[Item] = []  # of each row
        self._columns: Columns = {name: array("q") for name in ("cell", "predicted", "label", "since")}
        self._order: Columns = {"number": array("q"), "outside": array("b"), "told": array("q")}
        self._odds: dict[int, Odds] = {}
        self._joined: tuple[int, ...] = ()
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
            case Withdrawn():
                self._withdraw(event)
            case Skipped():
                self.skipped[event.item], self._evidence = event, None
                self.spent -= self._close(event.item).labels
            case Leased():
                self.leases.setdefault(event.item, {})[event.by] = event.until
            case Released():
                self.leases[event.item].pop(event.by, None)
            case Relocated():
                self.moved[event.part] = event
            case Changed() | Extended():
                self._change(event)
            case Planned():
                self.plan, self.place, self._evidence = event.decided, 0, None
                self._frames[event.round], self._planned[event.round] = event.frame, len(event.arms)
                if self.plan.odds is not None:
                    self._odds[event.round] = self.plan.odds
                self._enter(event.round)

    def _change(self, event: Changed | Extended) -> None:
        """What holds from here on. With further cells the round in progress ends, for it was planned without them."""
        self.changes = (*self.changes, (event, len(self._items)))
        if isinstance(event, Changed):
            return
        cells = event.cells.count
        self.plan, self.place, self._evidence = Round(), 0, None
        for name in ("taken", "pending", "asked", "before", "taken_before"):
            setattr(self, name, np.append(getattr(self, name), np.zeros(cells, dtype=getattr(self, name).dtype)))
        self._odds = {number: odds.among(len(self.taken)) for number, odds in self._odds.items()}
        self._joined = (*self._joined, self.rounds)

    @property
    def extensions(self) -> list[Extended]:
        """What the pool was extended by."""
        return [event for event, _ in self.changes if isinstance(event, Extended)]

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
        self._entries.append(self.events)
        self.in_cell.setdefault(query.cell, []).append(query.item)
        self.asked[query.cell] += 1
        self.taken[query.cell] += 1
        if query.item in self.apart:  # its label was known already: drawn now, it becomes evidence
            del self.apart[query.item]
            self.known_before.add(query.item)
            self._add_query(query)
        else:
            self._open(query)
            self.spent += query.labels

    def _follow(self, query: Query) -> None:
        """Go on to what comes after this query in the plan; a query that is not part of it ends the round."""
        ahead = range(self.place, len(self.plan.arms)) if query.round == self.rounds else ()
        place = next((i for i in ahead if self.plan.arms[i] == query.arm), None)
        if place is None:
            self.plan, self.place = Round(), 0
        else:
            self.place = place + 1

    def _note_draw(self, query: Query, probability: float) -> None:
        row = self._rows.get(query.item, NO_ROW)
        self._draws_of.setdefault(query.item, []).append(len(self._draws["row"]))
        for column, value in zip(self._draws.values(), (row, query.round, probability, query.cell), strict=True):
            column.append(value)
        self._evidence = None

    def _tell(self, told: Told) -> None:
        label = told.label
        if told.item in self.open:
            query = self.open[told.item]
            if query.labels > 1:
                given = self.opinions.setdefault(told.item, {})
                given[str(told.by)] = label
                self.leases.get(told.item, {}).pop(str(told.by), None)
                if len(given) < query.labels:
                    return
                label = majority(given)
            self.labels[told.item] = label
            self._close(told.item)
            self._add_query(query)
            return
        self.labels[told.item] = label
        if told.drawn == "unknown":
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
        if corrected.item in self.opinions:
            self.adjudicated.add(corrected.item)
        if corrected.item in self._rows:
            self._columns["label"][self._rows[corrected.item]] = self.classes[corrected.label]
            self._evidence = None
        elif corrected.item in self.skipped:
            del self.skipped[corrected.item]
            self.spent += self.queries[corrected.item].labels
            self._add_query(self.queries[corrected.item])

    def _withdraw(self, withdrawn: Withdrawn) -> None:
        item, given = withdrawn.item, self.opinions.get(withdrawn.item, {})
        if given.pop(str(withdrawn.by), None) is None:  # one's own label among several, or all there are
            given.clear()
        query = self.queries.get(item)
        if query is not None and (item in self.skipped or item in self.known_before):
            self.spent += query.labels
        for kept in (self.labels, self.skipped, self.apart):
            kept.pop(item, None)
        self.known_before.discard(item)
        self.adjudicated.discard(item)
        cell = self._remove(item) if item in self._rows else None
        if query is not None and item not in self.open:
            self._open(query)
            self.open = dict(sorted(self.open.items(), key=lambda pair: pair[1].number))
        elif query is None and cell is not None:
            self.taken[cell] -= 1
            self.returned.add(cell)
        self._evidence = None

    def _remove(self, item: Item) -> int:
        """Take an item out of the evidence, where the last row takes its place; gives back its cell."""
        row, last = self._rows.pop(item), self._items.pop()
        self._point_draws(item, NO_ROW)
        cell = int(self._columns["cell"][row])
        for column in (*self._columns.values(), *self._order.values()):
            value = column.pop()
            if last != item:
                column[row] = value
        if last != item:
            self._items[row], self._rows[last] = last, row
            self._point_draws(last, row)
        return cell

    def _point_draws(self, item: Item, row: int) -> None:
        for draw in self._draws_of.get(item, ()):
            self._draws["row"][draw] = row

    def _open(self, query: Query) -> None:
        self.open[query.item] = query
        self.pending[query.cell] += 1

    def _close(self, item: Item) -> Query:
        query = self.open.pop(item)
        self.leases.pop(item, None)
        self.pending[query.cell] -= 1
        return query

    def _add_query(self, query: Query) -> None:
        design, chance = design_named(query.design), query.probability
        if chance is not None:  # in the part of the pool that it is of
            chance = None if query.of_part is None else chance / query.of_part
        about = (query.cell, query.predicted, query.score)
        self._add(query.item, *about, design, query.round, chance, query.number)

    def _add(
        self, item: Item, cell: int, predicted: str, score: float, design: Design, since: int, chance: float | None,
        number: int,
    ) -> None:  # fmt: skip
        self._rows[item] = row = len(self._items)
        self._point_draws(item, row)
        self._items.append(item)
        columns = self._columns
        columns["cell"].append(cell)
        columns["predicted"].append(self.classes[predicted])
        columns["label"].append(self.classes[self.labels[item]])
        columns["since"].append(since)
        columns["score"].append(score)
        columns["chance"].append(np.nan if chance is None else chance)
        self._order["number"].append(number)
        self._order["outside"].append(design is _OUTSIDE)
        self._order["told"].append(self.draws)
        self._designs.add(design)
        self._evidence = None

    def drawn_in(self, cell: int, design: Design) -> Sequence[Item]:
        asked = self.in_cell.get(cell, [])
        return asked if design.whole else asked[int(self.before[cell]) :]

    def out_of_reach(self, cell: int, design: Design) -> int:
        """Items of a cell that a draw with replacement cannot return: those taken before the round, or, of draws from
        the whole, the labels from outside."""
        return int(self.taken[cell] - self.asked[cell] if design.whole else self.taken_before[cell])

    def predicted(self, item: Item) -> str:
        """What was predicted of an item that was asked."""
        row = self._rows.get(item)
        return self.queries[item].predicted if row is None else self._names[self._columns["predicted"][row]]

    def evidence(self) -> Evidence:
        """What estimators read; the same object until something changes."""
        if self._evidence is None:
            cell, predicted, label, since, score, chance = map(np.array, self._columns.values())
            designs, draws = frozenset(self._designs), self._labelled_draws(cell) if self._draws["row"] else None
            rows = (list(self._items), cell, predicted, label, score)
            self._evidence = Evidence(*rows, designs, since, chance, draws, self._in_order())
        return self._evidence

    def supposing(self, labels: Mapping[Item, str]) -> Evidence:
        """The evidence, had skipped and open items these labels: its last rows."""
        other = copy(self)
        for name in ("labels", "skipped", "open", "leases", "adjudicated", "pending", "_rows", "_items", "_designs"):
            setattr(other, name, copy(getattr(self, name)))
        for name in ("_columns", "_order", "_draws"):
            setattr(other, name, {key: column[:] for key, column in getattr(self, name).items()})
        for item, label in labels.items():
            if item in other.open:
                other.labels[item] = label
                other._add_query(other._close(item))
            else:
                other._correct(Corrected(item, label))
        return other.evidence()

    def _in_order(self) -> Order:
        number, outside, told = map(np.array, self._order.values())
        queries = (self.queries[item] for item in self.skipped)
        skipped = tuple(Unanswered(query.number, query.cell, query.round) for query in queries)
        waiting = tuple(Unanswered(query.number, query.cell, query.round) for query in self.open.values())
        return Order(number, outside.astype(bool), dict(self._odds), skipped, self._joined, waiting, told)

    def _labelled_draws(self, cell: Ints) -> Draws:
        row, number, chance, of = map(np.array, self._draws.values())
        known = row != NO_ROW
        by_now = None
        if any(planned in self._odds for planned in self._planned):
            by_now = chance_by_now(cell, of, number, chance, row, self._odds, self._planned)
        return Draws(row[known], number[known], chance[known], dict(self._frames), by_now)
