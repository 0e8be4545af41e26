"""A study's queries once more: each must be the one that the labels before it lead to."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fewlabels.core.cells import Cells
from fewlabels.core.design import design_named
from fewlabels.core.events import Event, Extended, Item, Planned, Query, Told
from fewlabels.core.history import History
from fewlabels.core.keyed import item_hashes, item_order
from fewlabels.engines import PoolItem
from fewlabels.pool import Pool
from fewlabels.settings import RULES, StudySettings
from fewlabels.step import ItemAt, ahead, first_free, is_taken, next_event
from fewlabels.storages import StudyRecord
from fewlabels.study.terms import Agreed, Terms

_SAME = 1e-9  # a chance computed on another machine may differ in its last digits
_OF_QUERY = (
    "round",
    "number",
    "arm",
    "cell",
    "group",
    "item",
    "predicted",
    "score",
    "design",
    "probability",
    "of_part",
)
_OF_ROUND = ("round", "arms", "design", "probabilities", "frame", "uniform", "worth")


@dataclass(frozen=True)
class Difference:
    """Something that is not as it must be, and where."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class Replay:
    """A study as a receipt tells it, event by event; with the pool, items are drawn from it again."""

    def __init__(self, record: StudyRecord, pool: Pool | None = None) -> None:
        labels = tuple(record.pool["classes"]) + tuple(record.pool["other_labels"])
        cells = Cells.from_bytes(record.cells)
        self._agreed = Agreed(StudySettings.from_json(record.settings).as_kept(), cells, labels)
        self.history = History({name: i for i, name in enumerate(labels)}, cells.count)
        self._model, self._whole_ids = record.pool["model"], record.pool["whole_ids"]
        self._pool = pool
        self._from_pool = None if pool is None else ahead(self._draw)
        self.as_recorded = 0  # draws made under older rules, which nobody computes again
        self._last_key: dict[int, int] = {}  # of each cell, where in the keyed order its last query stands

    def differences(self, events: Sequence[Event]) -> Iterator[Difference]:
        """Of all events, in order; what cannot be applied ends it."""
        for number, event in enumerate(events, start=1):
            where = _name(event, number)
            try:
                yield from (Difference(where, what) for what in self._wrong(event))
                self.history.apply(event)
            except (KeyError, IndexError, ValueError, TypeError, AssertionError) as error:
                yield Difference(where, f"it makes no sense after what came before ({error!r})")
                return

    def _wrong(self, event: Event) -> Iterator[str]:
        if isinstance(event, Planned | Query) and self._terms.settings.rules < RULES:
            yield from self._wrong_under_any_rules(event)
        elif isinstance(event, Planned):
            yield from self._wrong_round(event)
        elif isinstance(event, Query):
            yield from self._wrong_query(event)
        elif isinstance(event, Told) and event.drawn is not None and self._pool is not None:
            yield from self._wrong_label(event, self._pool)
        elif isinstance(event, Extended) and (items := int(event.cells.size.sum())) != event.pool["count"]:
            yield f"its cells hold {items:,} items, and it is said to be of {event.pool['count']:,}"

    def _wrong_round(self, event: Planned) -> Iterator[str]:
        """What differs from the round that the study would have planned; older studies did not keep for how many
        items it was, and it was for one or for as many as there are."""
        tries = [event.wanted] if event.wanted > 1 else sorted({1, len(event.arms)})
        found: list[str] = []
        for wanted in tries:
            found = list(_unlike(event, self._next(wanted, self._no_item), _OF_ROUND))
            if not found:
                return
        yield from found

    def _wrong_query(self, event: Query) -> Iterator[str]:
        expected = self._next(1, self._from_pool or self._of(event))
        yield from _unlike(event, expected, _OF_QUERY)
        yield from self._out_of_order(event)

    def _wrong_under_any_rules(self, event: Planned | Query) -> Iterator[str]:
        """What is wrong whatever the rules: another item of its cell was due, or the pool says otherwise of it."""
        if isinstance(event, Planned):
            return
        self.as_recorded += 1
        yield from self._out_of_order(event)
        if self._from_pool is not None and not design_named(event.design).repeats:
            row = first_free(self.history, event.cell, self._from_pool)
            due, stated = (row.item, row.predicted, row.score), (event.item, event.predicted, event.score)
            if due != stated:
                yield f"it is of {stated}, and of its cell the pool has {due} next"

    @property
    def _terms(self) -> Terms:
        """What the study was to find out at this point, changes included."""
        return self._agreed.after(self.history.changes)

    def _next(self, wanted: int, item_at: ItemAt) -> Planned | Query | None:
        assessment, settings = self._terms.assessment, self._terms.settings
        return next_event(assessment, self.history, item_at, seed=settings.seed, budget=settings.budget, wanted=wanted)

    def _of(self, event: Query) -> ItemAt:
        """Without the pool: the item that was asked, whatever cell it is drawn from; its order is judged apart."""

        def item_at(cell: int, position: int) -> PoolItem:  # noqa: ARG001 - there is one item to give
            if is_taken(self.history, event.item):
                raise ValueError(f"item {event.item!r} was asked or labelled before")
            return PoolItem(event.item, cell, event.predicted, event.score, {})

        return item_at

    @staticmethod
    def _no_item(cell: int, position: int) -> PoolItem | None:
        raise ValueError(f"a round was planned where item {position} of cell {cell} was due")

    def _out_of_order(self, event: Query) -> Iterator[str]:
        """Items of a cell are asked in an order that the seed and their ids alone decide."""
        if event.item in self.history.queries or event.cell in self.history.returned:
            return  # drawn again, or perhaps passed over while it had a label from outside
        key = int(item_order(self._terms.settings.seed, item_hashes([str(event.item)]))[0])
        if key < self._last_key.get(event.cell, 0):
            yield f"item {event.item!r} is out of order: with this seed it comes before others of its cell"
        self._last_key[event.cell] = max(key, self._last_key.get(event.cell, 0))

    def _draw(self, cell: int, after: int, n: int) -> list[PoolItem]:
        assert self._pool is not None  # it is asked only where there is one
        axes = self._terms.assessment.cells.axes
        rows = self._pool.engine.draw(self._model, axes, self._terms.settings.seed, cell, after, n)
        return [replace(row, item=self._called(row.item)) for row in rows]

    def _called(self, item: Any) -> Item:
        return int(item) if self._whole_ids else str(item)

    def _wrong_label(self, event: Told, pool: Pool) -> Iterator[str]:
        (row,) = pool.engine.find(self._model, self._terms.assessment.cells.axes, [event.item])
        if row is None:
            yield f"item {event.item!r} is not in the pool"
        elif (row.cell, row.predicted, row.score) != (event.cell, event.predicted, event.score):
            yield f"the pool says otherwise of item {event.item!r}"


def _name(event: Event, number: int) -> str:
    if isinstance(event, Query):
        return f"query {event.number}"
    if isinstance(event, Planned):
        return f"round {event.round}"
    return f"entry {number}, {type(event).__name__.lower()}"


def _unlike(event: Planned | Query, expected: Planned | Query | None, fields: Sequence[str]) -> Iterator[str]:
    """The first field in which the event is not what it should be."""
    if type(expected) is not type(event):
        due = "nothing" if expected is None else "a query" if isinstance(expected, Query) else "a new round"
        yield f"{due} was due here"
        return
    for name in fields:
        stated, due = getattr(event, name), getattr(expected, name)
        if not _same(stated, due):
            yield f"its {name} is {_short(stated)}, and what was known before leads to {_short(due)}"
            return


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float | tuple) and isinstance(b, float | tuple):
        one, other = np.atleast_1d(a), np.atleast_1d(b)
        return one.shape == other.shape and bool(np.allclose(one, other, rtol=_SAME, atol=0))
    return bool(a == b)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
