"""A pool in tables that an SQL engine reads: larger than memory, summarised where it lies.

Queries give a few numbers a cell, or the first items of a cell in keyed order; nothing that grows with the pool is
handed over, but for `scan`, which goes through it part by part.
"""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import Cells
from fewlabels.core.events import Item
from fewlabels.core.groups import Grouping
from fewlabels.core.keyed import item_hash, item_hashes
from fewlabels.engines.base import Chunk, PoolItem
from fewlabels.engines.fixed_point import spread, unfixed
from fewlabels.engines.layout import Layout
from fewlabels.engines.prefixes import Found, Heads
from fewlabels.engines.sql_axes import Database, SqlAxis, axis_of
from fewlabels.engines.words import fixed_sum, ordered, then, with_bits
from fewlabels.tables.values import is_whole_number

AT_ONCE = 50_000  # items of a scan handed over together


class Tables(Database, Protocol):
    """A database that also hands over all there is, part by part."""

    def parts(self, query: str, most: int) -> Iterator[list[list[Any]]]:
        """What a query finds, column by column, so many rows at a time, always in the same order."""


@dataclass(frozen=True)
class _Crossed:
    """The cells of a crossing, and the table to look them up in by their coordinates."""

    names: tuple[tuple[str, ...], ...]
    coordinates: Ints
    size: Ints
    total: list[int]  # fixed sums of scores
    table: str


@dataclass(frozen=True, eq=False)
class SqlEngine:
    """Items in tables, described by a layout."""

    layout: Layout
    database: Tables
    _axes: dict[Any, SqlAxis] = field(default_factory=dict)
    _cells: dict[Any, _Crossed] = field(default_factory=dict)
    _prints: dict[Any, str] = field(default_factory=dict)
    _heads: dict[Any, Heads] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.RLock)  # one query at a time

    @property
    def count(self) -> int:
        return self.layout.count

    @property
    def classes(self) -> tuple[str, ...]:
        return self.layout.classes

    @property
    def other_labels(self) -> tuple[str, ...]:
        return self.layout.other_labels

    @property
    def models(self) -> Collection[str]:
        return self.layout.models

    @property
    def columns(self) -> Collection[str]:
        return self.layout.columns

    @property
    def whole_ids(self) -> bool:
        return self.layout.whole_ids

    @property
    def full_probabilities(self) -> bool:
        return all(said.probabilities is not None for said in self.layout.models.values())

    # -- cells -------------------------------------------------------------------------------------------------------

    def _axis(self, model: str, grouping: Grouping) -> SqlAxis:
        if (model, grouping) not in self._axes:
            self._axes[model, grouping] = axis_of(self.database, self.layout, model, grouping)
        return self._axes[model, grouping]

    def _chosen(self, expressions: Mapping[str, str]) -> str:
        """A query of these of all items, by the names they are to have."""
        chosen = ", ".join(f"{expression} as {name}" for name, expression in expressions.items())
        return f"select {chosen} from {self.layout.rows_for(*expressions.values())}"

    def _placed(self, model: str, axes: tuple[Grouping, ...], more: Mapping[str, str]) -> str:
        """A query of all items: their places along the axes as a0, a1, …, and more."""
        found = [self._axis(model, axis) for axis in axes]
        chosen = {**{f"k{i}": axis.place for i, axis in enumerate(found)}, **more}
        rows = self._chosen(chosen)
        places, joins = [], []
        for i, axis in enumerate(found):
            places.append(f"b.k{i} as a{i}" if axis.table is None else f"{_looked_up(i, axis)} as a{i}")
            joins.append("" if axis.table is None else f"left join {axis.table} as l{i} on b.k{i} = l{i}.key")
        wanted = ", ".join([*places, *(f"b.{name}" for name in more)])
        return f"select {wanted} from ({rows}) as b {' '.join(joins)}"

    def _crossed(self, model: str, axes: tuple[Grouping, ...]) -> _Crossed:
        if (model, axes) not in self._cells:
            said = {"score": self.layout.models[model].score}
            places = [f"a{i}" for i in range(len(axes))]
            sums = f"count(*) as n, {fixed_sum(self.database.words, 'score')} as total"
            query = f"select {', '.join([*places, sums])} from ({self._placed(model, axes, said)}) as t"
            found = sorted(_rows(self.database.columns(query + _grouped(places))))
            coordinates = np.array([row[:-2] for row in found], dtype=np.int64).reshape(len(found), len(axes))
            names = tuple(self._axis(model, axis).names for axis in axes)
            self._cells[model, axes] = _Crossed(
                names,
                coordinates,
                np.array([row[-2] for row in found], dtype=np.int64),
                [int(row[-1]) for row in found],
                self._table_of(coordinates, names),
            )
        return self._cells[model, axes]

    def _table_of(self, coordinates: Ints, names: tuple[tuple[str, ...], ...]) -> str:
        """A table of the cells: coordinates, number, and the hash of what their groups are called."""
        labels = [item_hash(repr([names[a][c] for a, c in enumerate(row)])) for row in coordinates.tolist()]
        columns = {f"a{i}": coordinates[:, i].tolist() for i in range(coordinates.shape[1])}
        return self.database.keep({**columns, "cell": list(range(len(labels))), "label_hash": [*map(str, labels)]})

    def summarise(self, model: str, axes: tuple[Grouping, ...], *, probabilities: bool) -> Cells:
        with self._lock:
            crossed = self._crossed(model, axes)
            sums = self._probability_sums(model, axes, crossed) if probabilities else None
        return Cells(axes, crossed.names, crossed.coordinates, crossed.size, unfixed(crossed.total), sums)

    def _probability_sums(self, model: str, axes: tuple[Grouping, ...], crossed: _Crossed) -> Array:
        said, places = self.layout.models[model], [f"a{i}" for i in range(len(axes))]
        k, words = len(self.classes), self.database.words
        shape = (len(crossed.size), k + len(self.other_labels))
        number = {tuple(row): cell for cell, row in enumerate(crossed.coordinates.tolist())}
        if said.probabilities is None:
            sums = f"predicted, count(*) as n, {fixed_sum(words, 'score')} as total"
            placed = self._placed(model, axes, {"predicted": said.predicted, "score": said.score})
            query = f"select {', '.join([*places, sums])} from ({placed}) as t" + _grouped([*places, "predicted"])
            found = _rows(self.database.columns(query))
            of_class = [(number[row[:-3]], int(row[-3]), int(row[-2]), int(row[-1])) for row in found]
            return spread(list(zip(crossed.size.tolist(), crossed.total, strict=True)), of_class, shape, k)
        table = {f"p{j}": expression for j, expression in enumerate(said.probabilities)}
        sums = ", ".join(f"{fixed_sum(words, name)} as s_{name}" for name in table)
        query = f"select {', '.join([*places, sums])} from ({self._placed(model, axes, table)}) as t" + _grouped(places)
        out = np.zeros(shape)
        for row in _rows(self.database.columns(query)):
            out[number[row[: len(axes)]], :k] = unfixed([int(total) for total in row[len(axes) :]])
        return out

    # -- items -------------------------------------------------------------------------------------------------------

    def _said(self, model: str) -> dict[str, str]:
        said = self.layout.models[model]
        return {"item": self.layout.item, "predicted": said.predicted, "score": said.score}

    def _in_cells(self, model: str, axes: tuple[Grouping, ...], more: Mapping[str, str]) -> str:
        """A query of all items with their cells."""
        placed, table = self._placed(model, axes, more), self._crossed(model, axes).table
        on = " and ".join(f"p.a{i} = c.a{i}" for i in range(len(axes))) or "1 = 1"
        wanted = ", ".join(f"p.{name}" for name in more)
        return f"select c.cell, c.label_hash, {wanted} from ({placed}) as p join {table} as c on {on}"

    def _hashed(self, query: str) -> str:
        words = self.database.words
        return then(query, hash=words.hash.format(words.text.format("item")))

    def draw(self, model: str, axes: tuple[Grouping, ...], seed: int, cell: int, after: int, n: int) -> list[PoolItem]:
        with self._lock:
            key = (model, axes, seed)
            if key not in self._heads:
                crossed = self._crossed(model, axes)

                def found(limits: Mapping[int, int]) -> list[Found]:
                    return self._below(model, axes, seed, limits)

                self._heads[key] = Heads(crossed.size, found, self._shown)
            return [self._item(row, cell) for row in self._heads[key].items(cell, after, n)]

    def _below(self, model: str, axes: tuple[Grouping, ...], seed: int, limits: Mapping[int, int]) -> list[Found]:
        """The items of these cells whose keys are at most the limit of their cell.

        Limits are joined to finished keys: some engines would put all that keys are made of into a plain condition on
        them, in place of each of their names, and plan for minutes.
        """
        words = self.database.words
        highest = [str(words.written(most)) for most in limits.values()]
        table = self.database.keep({"cell": list(limits), "highest": highest})
        items = self._in_cells(model, axes, self._said(model))
        query = self._hashed(f"select t.* from ({items}) as t join {table} as h on t.cell = h.cell")
        reach, key = words.reach.format("t.sort_key", words.whole.format("h.highest")), words.text.format("t.sort_key")
        both = f"({ordered(words, query, seed)}) as t join {table} as h on t.cell = h.cell and {reach}"
        found = self.database.columns(f"select t.cell, {key} as sort_key, t.item, t.predicted, t.score from {both}")
        return sorted(Found(int(c), int(k) % (1 << 64), i, int(p), float(s)) for c, k, i, p, s in _rows(found))

    def _item(self, row: tuple[Found, Mapping[str, Any]], cell: int) -> PoolItem:
        found, payload = row
        return PoolItem(found.item, cell, self.classes[found.predicted], found.score, payload)

    def _shown(self, items: Collection[Item]) -> dict[Item, Mapping[str, Any]]:
        """What labellers are shown of these items."""
        names = list(self.layout.payload)
        if not names or not items:
            return {item: {} for item in items}
        shown = {f"t{i}": expression for i, expression in enumerate(self.layout.payload.values())}
        found = self._only(self._chosen({"item": self.layout.item, **shown}), items)
        return {row[0]: dict(zip(names, row[1:], strict=True)) for row in found}

    def _only(self, query: str, items: Collection[Item]) -> list[tuple[Any, ...]]:
        """Of a query's rows those of these items."""
        texts = dict.fromkeys(map(str, items))
        known: list[Item] = [int(t) for t in texts if is_whole_number(t)] if self.whole_ids else list(texts)
        table = self.database.keep({"wanted": [item for item in known if isinstance(item, str) or _fits(item)]})
        return _rows(self.database.columns(f"select t.* from ({query}) as t join {table} as w on t.item = w.wanted"))

    def find(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> list[PoolItem | None]:
        if not items:
            return []
        with self._lock:
            found = self._only(self._in_cells(model, axes, self._said(model)), items)
            shown = self._shown([row[2] for row in found])
        rows = {
            str(item): PoolItem(item, int(cell), self.classes[int(predicted)], float(score), shown[item])
            for cell, _, item, predicted, score in found
        }
        return [rows.get(str(item)) for item in items]

    def outputs_of(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> tuple[Ints, Ints, Array]:
        with self._lock:
            found = self._only(self._in_cells(model, axes, self._said(model)), items) if items else []
        rows = {str(row[2]): (row[0], row[3], row[4]) for row in found}
        told = [rows[str(item)] for item in items]
        cell, predicted, score = zip(*told, strict=True) if told else ((), (), ())
        return np.array(cell, dtype=np.int64), np.array(predicted, dtype=np.int64), np.array(score, dtype=np.float64)

    def scan(self, model: str, axes: tuple[Grouping, ...] = (), *, whole: bool = False) -> Iterator[Chunk]:
        said, layout = self._said(model), self.layout
        of_items = {**layout.columns, **{f"shown {name}": e for name, e in layout.payload.items()}} if whole else {}
        table = (layout.models[model].probabilities or ()) if whole else ()
        more = [*([] if layout.label is None else [layout.label]), *of_items.values(), *table]
        wanted = {**said, "place_in_pool": layout.row, **{f"m{i}": one for i, one in enumerate(more)}}
        with self._lock:
            query = f"{self._in_cells(model, axes, wanted)} order by place_in_pool"
        for cell, _, item, predicted, score, _, *rest in self.database.parts(query, AT_ONCE):
            labels = None if layout.label is None else np.array(rest.pop(0), dtype=object)
            columns = dict(zip(of_items, rest, strict=False))
            yield Chunk(
                np.array(item, dtype=np.int64 if self.whole_ids else object),
                item_hashes(map(str, item)),
                np.array(cell, dtype=np.int64),
                np.array(predicted, dtype=np.int64),
                np.array(score, dtype=np.float64),
                labels,
                np.array(rest[len(of_items) :], dtype=np.float64).T if table else None,
                {name: np.array(columns[name], dtype=object) for name in layout.columns if whole},
                {name: columns[f"shown {name}"] for name in layout.payload if whole},
            )

    # -- fingerprints ------------------------------------------------------------------------------------------------

    def fingerprint(self, model: str, axes: tuple[Grouping, ...]) -> str:
        words = self.database.words
        with self._lock:
            if (model, axes) in self._prints:
                return self._prints[model, axes]
            query = with_bits(words, self._in_cells(model, axes, self._said(model)), "bits", "score")
            said = [words.text.format(name) for name in ("bits", "predicted", "label_hash", "item")]
            query = then(query, print=words.hash.format(" || ' ' || ".join(said)))
            self._prints[model, axes] = f"{self.count}-{self._added_up(query, 'print'):016x}"
            return self._prints[model, axes]

    def _added_up(self, query: str, column: str) -> int:
        ((total,),) = self.database.columns(f"select {self.database.words.total.format(column)} from ({query}) as t")
        return int(total or 0) % (1 << 64)

    @cached_property
    def payload_fingerprint(self) -> str:
        words, total = self.database.words, 0
        for place, expression in enumerate(self.layout.payload.values()):
            said = (
                f"{words.text.format(self.layout.item)} || ' {place} ' || coalesce({words.text.format(expression)}, '')"
            )
            with self._lock:
                total += self._added_up(self._chosen({"print": words.hash.format(said)}), "print")
        return f"{len(self.layout.payload)}-{total % (1 << 64):016x}"


def _rows(columns: list[list[Any]]) -> list[tuple[Any, ...]]:
    return list(zip(*columns, strict=True))


def _fits(item: int) -> bool:
    return -(1 << 63) <= item < 1 << 63


def _grouped(places: list[str]) -> str:
    return f" group by {', '.join(places)}" if places else ""


def _looked_up(i: int, axis: SqlAxis) -> str:
    return f"l{i}.place" if axis.otherwise is None else f"coalesce(l{i}.place, {axis.otherwise})"
