"""A history as bytes, and back: what folding came to, so that opening a large study need not fold all of it again.

It is never a second truth: whoever keeps it keeps beside it what it was made of, and folds anew where that differs.
"""

import json
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from fewlabels.core.arrays import Ints
from fewlabels.core.design import design_named
from fewlabels.core.events import Item, Query, event_from_json, event_to_json
from fewlabels.core.history import History
from fewlabels.core.odds import Odds
from fewlabels.core.round import Round

_NUMBERS = ("place", "rounds", "draws", "spent", "events")
_BY_CELL = ("taken", "pending", "asked", "before", "taken_before")
_COLUMNS = ("_draws", "_columns", "_order")
_BY_ROUND = ("_frames", "_planned")
_SETS = ("adjudicated", "known_before")  # of items
_GIVEN = ("leases", "opinions")  # of items, by whom
_OTHERS = ("plan", "queries", "open", "labels", "skipped", "apart", "changes", "returned", "moved", "in_cell")
_INSIDE = ("classes", "_names", "_entries", "_draws_of", "_rows", "_items", "_odds", "_designs", "_joined", "_evidence")
KNOWN = {*_NUMBERS, *_BY_CELL, *_COLUMNS, *_BY_ROUND, *_SETS, *_GIVEN, *_OTHERS, *_INSIDE}
_LEVEL = 1  # of compression: half as large, at a tenth of the time of the usual one


class Asked(MutableMapping[Item, Query]):
    """Queries by item, in the order of asking, each made when somebody looks at it."""

    def __init__(self, entries: dict[Item, int], made: dict[Item, Query], query_at: Callable[[int], Query]) -> None:
        """`entries` are the places of queries among the events, from 1."""
        self._entries, self._made, self._query_at = entries, made, query_at

    def __getitem__(self, item: Item) -> Query:
        if item not in self._made:
            self._made[item] = self._query_at(self._entries[item])
        return self._made[item]

    def __setitem__(self, item: Item, query: Query) -> None:
        self._entries.setdefault(item, 0)
        self._made[item] = query

    def __delitem__(self, item: Item) -> None:
        raise TypeError(f"item {item!r} was asked; that stays so")

    def __contains__(self, item: object) -> bool:
        return item in self._entries

    def __iter__(self) -> Iterator[Item]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def to_bytes(history: History) -> bytes:
    """A history as plain numbers and text."""
    if unknown := set(vars(history)) ^ KNOWN:
        raise TypeError(f"a history has parts that would not be kept: {', '.join(sorted(unknown))}")
    items = list(dict.fromkeys([*history.queries, *history.labels]))
    place = {item: i for i, item in enumerate(items)}
    names = list(history.classes)
    arrays = {name: getattr(history, name) for name in _BY_CELL}
    arrays |= {f"{name}.{key}": np.array(c) for name in _COLUMNS for key, c in getattr(history, name).items()}
    arrays["entries"] = np.array(history._entries)
    arrays["cell"] = _cells_asked(history, place)
    arrays["labels"] = _places(history.labels, place)
    arrays["labels.class"] = np.array([history.classes[name] for name in history.labels.values()], dtype=np.int64)
    arrays["rows"] = _places(history._items, place)
    arrays["draws.item"] = _places((item for item, at in history._draws_of.items() for _ in at), place)
    arrays["draws.place"] = np.array([at for found in history._draws_of.values() for at in found], dtype=np.int64)
    at_hand = {**history.open, **{item: history.queries[item] for item in history.skipped}}
    plain = {
        "items": items,
        "classes": names,
        **{name: int(getattr(history, name)) for name in _NUMBERS},
        **{name: list(getattr(history, name).items()) for name in _BY_ROUND},
        **{name: [place[item] for item in getattr(history, name)] for name in _SETS},
        **{name: [(place[item], who) for item, who in getattr(history, name).items()] for name in _GIVEN},
        "queries": [event_to_json(query) for query in at_hand.values()],
        "open": [place[item] for item in history.open],
        "skipped": [event_to_json(event) for event in history.skipped.values()],
        "apart": [event_to_json(event) for event in history.apart.values()],
        "changes": [(event_to_json(event), labels) for event, labels in history.changes],
        "moved": [event_to_json(event) for event in history.moved.values()],
        "joined": list(history._joined),
        "returned": [int(cell) for cell in history.returned],
        "odds": [(number, odds.uniform, odds.text) for number, odds in history._odds.items()],
        "designs": sorted(design.word for design in history._designs),
        "plan": _plan_to_json(history.plan),
    }
    return _packed(plain, arrays)


def from_bytes(fresh: History, content: bytes, query_at: Callable[[int], Query]) -> History:
    """The history, in one that has nothing applied yet; `query_at` gives the query among the events at a place."""
    plain, arrays = _unpacked(content)
    items: list[Item] = plain["items"]
    if unknown := set(vars(fresh)) ^ KNOWN or list(fresh.classes) != plain["classes"]:
        raise ValueError(f"another history was kept: {unknown}")
    for name in _NUMBERS:
        setattr(fresh, name, plain[name])
    for name in _BY_CELL:
        setattr(fresh, name, arrays[name].astype(getattr(fresh, name).dtype))
    for name in _COLUMNS:
        for key, column in getattr(fresh, name).items():
            column.frombytes(arrays[f"{name}.{key}"].astype(np.dtype(column.typecode)).tobytes())
    for name in _BY_ROUND:
        setattr(fresh, name, dict(map(tuple, plain[name])))
    for name in _SETS:
        setattr(fresh, name, {items[i] for i in plain[name]})
    for name in _GIVEN:
        setattr(fresh, name, {items[i]: who for i, who in plain[name]})
    _restore_events(fresh, plain)
    _restore_items(fresh, arrays, items, plain, query_at)
    return fresh


def _restore_events(fresh: History, plain: Mapping[str, Any]) -> None:
    fresh.skipped = {event.item: event for event in _events(plain["skipped"])}
    fresh.apart = {event.item: event for event in _events(plain["apart"])}
    changes = (((kind, data), labels) for (kind, data), labels in plain["changes"])
    fresh.changes = tuple((_event(*event), labels) for event, labels in changes)
    fresh.moved, fresh._joined = {event.part: event for event in _events(plain["moved"])}, tuple(plain["joined"])
    fresh.returned = set(plain["returned"])
    fresh._odds = {number: Odds.from_text(uniform, text) for number, uniform, text in plain["odds"]}
    fresh._designs = {design_named(word) for word in plain["designs"]}
    arms, probabilities, design, frame, odds = plain["plan"]
    chances = None if odds is None else Odds.from_text(*odds)
    fresh.plan = Round(tuple(arms), tuple(probabilities), design_named(design), frame, chances)


def _restore_items(
    fresh: History,
    arrays: Mapping[str, Ints],
    items: list[Item],
    plain: Mapping[str, Any],
    query_at: Callable[[int], Query],
) -> None:
    made = {query.item: query for query in _events(plain["queries"])}
    entries = arrays["entries"].tolist()
    asked, names = items[: len(entries)], list(fresh.classes)
    fresh._entries = array("q", entries)
    fresh.queries = Asked(dict(zip(asked, entries, strict=True)), made, query_at)
    fresh.open = {item: made[item] for item in (items[i] for i in plain["open"])}
    labels, classes = arrays["labels"].tolist(), arrays["labels.class"].tolist()
    fresh.labels = {items[i]: names[k] for i, k in zip(labels, classes, strict=True)}
    fresh._items = [items[i] for i in arrays["rows"].tolist()]
    fresh._rows = {item: row for row, item in enumerate(fresh._items)}
    for i, at in zip(arrays["draws.item"].tolist(), arrays["draws.place"].tolist(), strict=True):
        fresh._draws_of.setdefault(items[i], []).append(at)
    for item, cell in zip(asked, arrays["cell"].tolist(), strict=True):
        fresh.in_cell.setdefault(cell, []).append(item)


def _places(items: Iterable[Item], place: Mapping[Item, int]) -> Ints:
    return np.array([place[item] for item in items], dtype=np.int64)


def _cells_asked(history: History, place: Mapping[Item, int]) -> Ints:
    """The cell of each query, in the order of asking."""
    cell = np.zeros(len(history.queries), dtype=np.int64)
    for number, items in history.in_cell.items():
        cell[_places(items, place)] = number
    return cell


def _plan_to_json(plan: Round) -> list[Any]:
    odds = None if plan.odds is None else (plan.odds.uniform, plan.odds.text)
    return [list(plan.arms), list(plan.probabilities), plan.design.word, plan.frame, odds]


def _event(kind: str, data: Mapping[str, Any]) -> Any:
    return event_from_json(kind, data)


def _events(found: Iterable[Sequence[Any]]) -> Iterator[Any]:
    return (_event(kind, data) for kind, data in found)


def _packed(plain: Mapping[str, Any], arrays: Mapping[str, Any]) -> bytes:
    """Text and arrays of numbers in one: how they lie behind one another comes first."""
    text = json.dumps(plain).encode()
    lies = {name: (values.dtype.str, len(values)) for name, values in arrays.items()}
    head = json.dumps([len(text), lies]).encode()
    parts = [len(head).to_bytes(8, "big"), head, text, *(values.tobytes() for values in arrays.values())]
    return zlib.compress(b"".join(parts), _LEVEL)


def _unpacked(content: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    data = zlib.decompress(content)
    at = 8 + int.from_bytes(data[:8], "big")
    length, lies = json.loads(data[8:at])
    plain, at = json.loads(data[at : at + length]), at + length
    arrays = {}
    for name, (kind, count) in lies.items():
        arrays[name] = np.frombuffer(data, dtype=np.dtype(kind), count=count, offset=at)
        at += arrays[name].nbytes
    return plain, arrays
