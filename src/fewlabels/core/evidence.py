"""The fold of a study's events: which queries are open, what is known, and the evidence estimators read."""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.events import Corrected, Design, Event, Item, Planned, Query, Skipped, Told


@dataclass(frozen=True)
class Evidence:
    """One row per answered query. Counts do not depend on the order of the rows."""

    items: Sequence[Item]
    cell: Ints
    predicted: Ints  # index of the predicted class
    label: Ints  # index of the true class; classes no model predicts come after the predicted ones
    score: Array
    designs: frozenset[Design] = frozenset()

    @property
    def count(self) -> int:
        return len(self.cell)

    @property
    def correct(self) -> Array:
        return np.asarray(self.predicted == self.label, dtype=np.float64)

    def moved(self, rows: Sequence[tuple[int, int, float]]) -> "Evidence":
        """The same labels with other cells, predictions and scores, one (cell, predicted, score) a row."""
        cell, predicted = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
        return replace(self, cell=cell, predicted=predicted, score=np.array([row[2] for row in rows], dtype=np.float64))

    def per_cell(self, outcome: Array, n_cells: int) -> Array:
        """Sums of an outcome (one number a row) over the rows of each cell."""
        return np.bincount(self.cell, weights=outcome, minlength=n_cells).astype(np.float64)

    def labels_per_cell(self, n_cells: int) -> Array:
        """How many labels each cell has."""
        return np.bincount(self.cell, minlength=n_cells).astype(np.float64)

    def per_cell_and_class(self, n_cells: int, n_true: int) -> Array:
        """Labels by cell and true class, (n_cells, n_true)."""
        flat = np.bincount(self.cell * n_true + self.label, minlength=n_cells * n_true)
        return flat.reshape(n_cells, n_true).astype(np.float64)


@dataclass
class History:
    """A study's state, built by applying its events in order and in no other way."""

    classes: Mapping[str, int]  # true class -> index
    n_cells: int
    queries: dict[Item, Query] = field(default_factory=dict)
    open: dict[Item, Query] = field(default_factory=dict)  # in the order of asking
    labels: dict[Item, str] = field(default_factory=dict)
    skipped: dict[Item, Skipped] = field(default_factory=dict)
    apart: dict[Item, Told] = field(default_factory=dict)  # labels of unknown origin, not evidence until drawn
    rounds: int = 0
    plan: list[int] = field(default_factory=list)  # arms left of a round in progress
    plan_design: Design = "adaptive"
    known_before: int = 0  # queries whose label was there already, so that nobody was asked
    events: int = 0

    def __post_init__(self) -> None:
        self.asked = np.zeros(self.n_cells, dtype=np.int64)  # queries per cell
        self.taken = np.zeros(self.n_cells, dtype=np.int64)  # queries and uniform outside labels per cell
        self.pending = np.zeros(self.n_cells)  # open queries per cell
        self._rows: dict[Item, int] = {}
        self._items: list[Item] = []
        self._columns = {name: array("q") for name in ("cell", "predicted", "label")}
        self._score = array("d")
        self._designs: set[Design] = set()

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
                self.skipped[event.item] = event
                self._close(event.item)
            case Planned():
                self.plan, self.plan_design = list(event.arms), event.design
                self.rounds = event.round

    def _ask(self, query: Query) -> None:
        self.queries[query.item] = query
        self.asked[query.cell] += 1
        self.taken[query.cell] += 1
        in_plan = query.round == self.rounds and query.arm in self.plan
        self.plan = self.plan[self.plan.index(query.arm) + 1 :] if in_plan else []
        self.rounds = query.round
        if query.item in self.apart:  # its label was known already: drawn now, it becomes evidence
            del self.apart[query.item]
            self.known_before += 1
            self._add(query.item, query.cell, query.predicted, query.score, query.design)
        else:
            self.open[query.item] = query
            self.pending[query.cell] += 1

    def _tell(self, told: Told) -> None:
        self.labels[told.item] = told.label
        if told.item in self.open:
            query = self.open[told.item]
            self._close(told.item)
            self._add(query.item, query.cell, query.predicted, query.score, query.design)
        elif told.drawn == "unknown":
            self.apart[told.item] = told
        else:
            self.apart.pop(told.item, None)  # its origin is known now
            assert told.cell is not None  # the study records where an item never asked belongs
            assert told.predicted is not None
            assert told.score is not None
            self.taken[told.cell] += 1
            self._add(told.item, told.cell, told.predicted, told.score, "outside")

    def _correct(self, corrected: Corrected) -> None:
        self.labels[corrected.item] = corrected.label
        if corrected.item in self._rows:
            self._columns["label"][self._rows[corrected.item]] = self.classes[corrected.label]
        elif corrected.item in self.skipped:
            del self.skipped[corrected.item]
            query = self.queries[corrected.item]
            self._add(query.item, query.cell, query.predicted, query.score, query.design)

    def _close(self, item: Item) -> None:
        query = self.open.pop(item)
        self.pending[query.cell] -= 1

    def _add(self, item: Item, cell: int, predicted: str, score: float, design: Design) -> None:
        self._rows[item] = len(self._items)
        self._items.append(item)
        self._columns["cell"].append(cell)
        self._columns["predicted"].append(self.classes[predicted])
        self._columns["label"].append(self.classes[self.labels[item]])
        self._score.append(score)
        self._designs.add(design)

    @property
    def spent(self) -> int:
        """Queries somebody answered or is still asked; what a budget counts."""
        return len(self.queries) - len(self.skipped) - self.known_before

    def evidence(self) -> Evidence:
        """What estimators read."""
        cell, predicted, label = (
            np.array(self._columns[name], dtype=np.int64) for name in ("cell", "predicted", "label")
        )
        return Evidence(
            self._items, cell, predicted, label, np.array(self._score, dtype=np.float64), frozenset(self._designs)
        )
