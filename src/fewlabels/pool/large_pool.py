"""Pools that stay where they are, in files or on a cluster: roles of columns as in open_pool, the same checks with the
same words, made by queries."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.layout import Layout, ModelColumns
from fewlabels.engines.narrow import narrowed
from fewlabels.engines.refusals import MOST_GROUPS
from fewlabels.engines.spark_tables import SparkTables
from fewlabels.engines.sql_engine import SqlEngine, Tables
from fewlabels.engines.words import double
from fewlabels.errors import PoolError
from fewlabels.pool import checks
from fewlabels.pool.pool import ONE_MODEL, Pool, check_others, labels_named, positive_named, two_classes
from fewlabels.pool.roles import MODEL, PAYLOAD, PREFIX, class_columns, needed, no_predictions, split_are_attributes
from fewlabels.tables.large_tables import LargeTable, large_table
from fewlabels.tables.spark_table import spark_table
from fewlabels.tables.values import NUMBER, not_a_number

MANY_CLASSES = 16  # from so many columns on it costs less to keep the highest than to find it again
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_NAMES = (*_WHOLE, "VARCHAR", "UBIGINT", "UUID", "ENUM", "HUGEINT", "UHUGEINT", "DATE")  # types of ids and the like


def open_large(
    path: Path, options: Mapping[str, Any], names: Sequence[str] | None, database: DuckDbTables | None = None
) -> Pool:
    """The pool in a large file or folder; it is read where it is, whenever something is asked of it.

    Those that are to be joined share a database, and with it the memory it may take.
    """
    database = database or DuckDbTables()
    table = large_table(database.connection, path)
    database.files.extend(table.files)
    with table.in_words():
        layout = _Opening(database, table, options, names).layout()
    if layout.models[ONE_MODEL].probabilities is not None and len(layout.classes) >= MANY_CLASSES:
        layout = narrowed(layout, database)
    return _pool(layout, database, options)


def open_spark(frame: Any, options: Mapping[str, Any], names: Sequence[str] | None) -> Pool:
    """The pool in a frame of Spark; it stays on the cluster, which is asked whenever something is asked of it."""
    database = SparkTables(frame.sparkSession)
    return _pool(_Opening(database, spark_table(frame, database.view), options, names).layout(), database, options)


def _pool(layout: Layout, database: Tables, options: Mapping[str, Any]) -> Pool:
    return Pool(SqlEngine(layout, database), positive_named(options["positive"], layout.classes))


def columns_of(path: Path, database: DuckDbTables) -> Collection[str]:
    """The names of a large file's columns."""
    return large_table(database.connection, path).columns


class _Row(NamedTuple):
    """A row that something is wrong with."""

    row: str  # which one, for a message
    where: str  # the same with its item
    values: list[Any]  # what stands there


@dataclass(frozen=True)
class _Opening:
    """A table, and what columns mean in it."""

    database: Tables
    table: LargeTable
    options: Mapping[str, Any]
    names: Sequence[str] | None

    def layout(self) -> Layout:
        options, columns = self.options, self.columns
        for role in ("id", "text", "label", "predicted", "score", "probabilities", "positive_score"):
            if options[role] is not None:
                needed(columns, options[role], role)
        count = self._one(f"select count(*) from {self.table.rows}")
        if count == 0:
            raise PoolError("the pool is empty: there is no item to label. Pass at least one.")
        item, whole = self._ids()
        rows, said, classes, used = self._outputs(count)
        others, positive = check_others(options["other_labels"], classes), positive_named(options["positive"], classes)
        id, label = options["id"] or "id", options["label"] or "label"
        texts = [name for name in dict.fromkeys((options["text"] or "text", *PAYLOAD)) if name in columns]
        taken = {*used, id, label, *texts}
        if label in columns:
            rows, known = self._labels(rows, label, classes + others, positive)
        return Layout(
            rows, count, whole, classes, others, self.table.row or item, item, {ONE_MODEL: said},
            {name: sql for name, sql in columns.items() if name not in taken},
            {name: columns[name] for name in texts},
            known if label in columns else None,
        )  # fmt: skip

    def _one(self, query: str) -> Any:
        return self.database.columns(query)[0][0]

    def _first(self, where: str, *wanted: str) -> _Row | None:
        """The first row that something is true of, and what stands in it; on a cluster, that of the first id."""
        id = self.columns.get(self.options["id"] or "id")
        place = self.table.row or id
        chosen = ", ".join([f"{place} as place", f"{id or place} as item", *wanted])
        query = f"select {chosen} from {self.table.rows} where {where} order by place limit 1"
        found = [column[0] for column in self.database.columns(query) if column]
        if not found:
            return None
        row, item, *values = found
        if self.table.row is None:
            return _Row(f"item {item!r}", f"item {item!r}", values)
        return _Row(f"row {row}", f"row {row}" if id is None else checks.where_of(row, item), values)

    @cached_property
    def columns(self) -> dict[str, str]:
        return self.table.columns

    def _text(self, value: str) -> str:
        return self.database.words.text.format(value)

    # -- ids ---------------------------------------------------------------------------------------------------------

    def _ids(self) -> tuple[str, bool]:
        """The ids of items, and whether they are whole numbers."""
        id = self.options["id"] or "id"
        if id not in self.columns:
            if self.table.row is None:
                raise PoolError("rows in Spark have no numbers to call items by; name the column of ids with id=.")
            return self.table.row, True
        column, kind = self.columns[id], self.table.types[id]
        if kind.split("(")[0] not in _NAMES:
            raise PoolError(
                f"column {id!r} is of type {kind}; ids in files of this size are text or whole numbers. Write them so."
            )
        whole = kind in _WHOLE
        item = f"cast({column} as bigint)" if whole else self._text(column)
        bad = self._first(f"{column} is null" + ("" if whole else f" or {item} = ''"))
        if bad is not None:
            raise checks.no_id("a row" if self.table.row is None else bad.row)
        twice = f"select {item} as item from {self.table.rows} group by 1 having count(*) > 1"
        if self._one(f"select count(*) from (select 1 from ({twice}) as t limit 1) as u"):
            if MODEL in self.columns:
                raise PoolError(
                    f"ids appear more than once, and there is a column {MODEL!r}; tables of this size hold one model. "
                    "Give each model one of its own."
                )
            raise self._id_twice(item, twice, whole)
        return item, whole

    def _id_twice(self, item: str, twice: str, whole: bool) -> PoolError:
        rows = f"select {item} as i, {self.table.row or item} as r from {self.table.rows}"
        order = "over (partition by i order by r)"
        numbered = (
            f"select i, r, row_number() {order} as n, lag(r) {order} as before, count(*) over (partition by i) "
            f"as times from ({rows}) as t where i in ({twice})"
        )
        found = f"select i, times, before, r from ({numbered}) as t where n = 2"
        by = "i" if whole else "r"  # as smaller files are gone through
        id, times, one, two = (column[0] for column in self.database.columns(f"{found} order by {by} limit 1"))
        return checks.id_twice(id, int(times), None if self.table.row is None else (int(one), int(two)))

    # -- what the model said -----------------------------------------------------------------------------------------

    def _outputs(self, count: int) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        """The rows, where predictions stand in them, the classes, and the columns that are used up."""
        options, columns = self.options, self.columns
        if options["threshold"] is not None and options["positive_score"] is None:
            raise PoolError(
                f"threshold={options['threshold']!r} cuts a positive_score, and none is given; pass both or neither."
            )
        if options["positive_score"] is not None:
            return self._binary(options["positive_score"])
        together = options["probabilities"] or "probabilities"
        if together in columns:
            return self._lists(together, count)
        predicted, score = options["predicted"] or "predicted", options["score"] or "score"
        split = [name for name in columns if name.startswith(PREFIX)]
        top = predicted in columns and score in columns
        found = self._distinct(predicted) if top and len(split) > 1 else []
        if len(split) > 1 and not (top and split_are_attributes(split, [str(v) for v, _ in found], self.names)):
            return self._split(split, count)
        if top:
            return self._top(predicted, score)
        raise no_predictions(columns)

    def _number(self, column: str, name: str) -> str:
        """A column as doubles, NULL where one is missing; text is the number it is, or refused."""
        sql, kind = self.columns[column], self.table.types[column]
        if kind.split("(")[0] in ("FLOAT", "DOUBLE", *_WHOLE, "UBIGINT"):
            return f"cast({sql} as double)"
        if kind == "BOOLEAN":
            return f"cast(cast({sql} as integer) as double)"
        trimmed = self.database.words.trimmed.format(self._text(sql))
        number = self.database.words.matches.format(trimmed, NUMBER.pattern)
        odd = self._first(f"{sql} is not null and {trimmed} != '' and not {number}", sql)
        if odd is not None:
            raise not_a_number(name, odd.row, odd.values[0])
        return f"try_cast(nullif({trimmed}, '') as double)"

    def _scores(self, column: str, name: str) -> str:
        """Scores in [0, 1], checked and cut as in memory."""
        number = self._number(column, column)
        bad = self._first(f"not coalesce({_within(number, checks.ROUNDING)}, false)", number)
        if bad is not None:
            raise checks.bad_score(name, bad.where, _or_nan(bad.values[0]))
        return _cut(number)

    def _binary(self, column: str) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        classes, threshold = two_classes(self.options["threshold"], self.options["positive"], self.names)
        which, score = classes.index(str(self.options["positive"])), self._scores(column, "positive_score")
        hit = f"{score} >= {double(float(threshold))}"
        both = (score, f"(1 - {score})") if which == 0 else (f"(1 - {score})", score)
        said = ModelColumns(
            f"case when {hit} then {which} else {1 - which} end",
            f"case when {hit} then {score} else 1 - {score} end",
            both,
        )
        return self.table.rows, said, classes, {column}

    def _top(self, predicted: str, score: str) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        column, numbers = self.columns[predicted], self._number(score, score)
        bad = self._first(f"{column} is null or {self._text(column)} = ''")
        if bad is not None:
            raise checks.no_class(bad.where)
        found = self._distinct(predicted)
        given = [value for value, _ in found]
        texts = checks.class_texts(given, "predicted")
        names, place = checks.class_places(given, set(texts), self.names)
        keys = {text: key for text, (_, key) in zip(texts, found, strict=True)}
        if missing := [keys[text] for text in texts if text not in place]:
            bad = self._first(
                f"{self._text(column)} in (select key from {self.database.keep({'key': missing})})", column
            )
            assert bad is not None  # they were found a moment ago
            raise checks.not_a_class(bad.where, bad.values[0], names)
        self._scores(score, "score")
        known = self.database.keep({"key": [keys[t] for t in texts], "class_place": [place[t] for t in texts]})
        rows = self._joined(self.table.rows, known, column, "class_place")
        return rows, ModelColumns("class_place", _cut(numbers)), names, {predicted, score}

    def _joined(self, rows: str, known: str, column: str, told: str) -> str:
        """The rows with what a small table tells of the values of a column."""
        own = f"(select *, {self._text(column)} as key_of_{told} from {rows}) as b"
        return f"(select b.*, k.{told} from {own} left join {known} as k on b.key_of_{told} = k.key) as with_{told}"

    def _distinct(self, name: str) -> list[tuple[Any, str]]:
        """The distinct values of a column with their texts."""
        column = self.columns[name]
        query = f"select min({column}) as value, {self._text(column)} as key from {self.table.rows} group by 2"
        found = list(zip(*self.database.columns(f"{query} limit {MOST_GROUPS + 1}"), strict=True))
        if len(found) > MOST_GROUPS:
            raise PoolError(
                f"column {name!r} has more than {MOST_GROUPS:,} distinct values: too many to be classes. Name the "
                "column that holds them."
            )
        return sorted(found, key=lambda pair: str(pair[1]))

    # -- probabilities of all classes --------------------------------------------------------------------------------

    def _split(self, split: list[str], count: int) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        """A column a class."""
        checks.check_kind(self.options["probabilities_are"])
        ordered, names = class_columns(split, self.names)
        numbers = [self._number(name, f"column {name!r}") for name in ordered]
        bad = [f"not coalesce({_within(number, checks.SUM_TOLERANCE)}, false)" for number in numbers]
        self._refuse(self._first(" or ".join(bad), *numbers))
        self._check_sums(_added(numbers), count)
        cut = [_cut(number) for number in numbers]
        whole = self.database.words.lists.made.format(", ".join(numbers))
        return self._of_table(cut, checks.check_classes(names), set(split), whole)

    def _lists(self, column: str, count: int) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        """A list of probabilities an item."""
        checks.check_kind(self.options["probabilities_are"])
        sql, kind = self.columns[column], self.table.types[column]
        if kind.rstrip("[]0123456789") not in ("FLOAT", "DOUBLE", *_WHOLE) or not kind.endswith("]"):
            raise PoolError(
                f"column {column!r} is of type {kind}; in files of this size probabilities are a list of numbers an "
                f"item, or a column {PREFIX}<class> for each class. Write them so."
            )
        words = self.database.words.lists
        wide = words.width.format(sql)
        bad = self._first(f"{sql} is null")
        if bad is not None:
            raise checks.no_probabilities(bad.row)
        first = self._first("1 = 1" if self.table.row is None else f"{self.table.row} = 0", wide)
        assert first is not None  # the pool is not empty
        width = int(first.values[0])
        bad = self._first(f"{wide} != {width}", wide)
        if bad is not None:
            raise checks.uneven(bad.row, int(bad.values[0]), width)
        if width < 2:
            raise checks.no_table((count, width))
        low, high = double(-checks.SUM_TOLERANCE), double(1 + checks.SUM_TOLERANCE)
        lowest, highest = words.lowest.format(sql), words.highest.format(sql)
        entries = [f"cast({words.at.format(sql, place + 1)} as double)" for place in range(width)]
        some = f"{words.known.format(sql)} < {width} or {lowest} < {low} or {highest} > {high}"
        self._refuse(self._first(some, *entries))  # NaN is the highest of all
        self._check_sums(words.added.format(sql), count)
        names = checks.check_classes(self.names if self.names is not None else range(width))
        if len(names) != width:
            raise PoolError(
                f"classes has {len(names)} names and probabilities {width} columns; give one name a column."
            )
        return self._of_table([_cut(entry) for entry in entries], names, {column}, sql)

    def _refuse(self, bad: _Row | None) -> None:
        if bad is not None:
            values = [_or_nan(value) for value in bad.values]
            low, high = -checks.SUM_TOLERANCE, 1 + checks.SUM_TOLERANCE
            place = next(place for place, value in enumerate(values) if not low <= value <= high)
            raise checks.bad_probability(bad.where, values[place], place)

    def _check_sums(self, total: str, count: int) -> None:
        if self.options["probabilities_are"] != "exclusive":
            return
        off = f"abs({total} - 1) > {double(checks.SUM_TOLERANCE)}"
        bad = self._first(off, total)
        if bad is not None:
            rows = self._one(f"select count(*) from {self.table.rows} where {off}")
            raise checks.off_one(bad.where, bad.values[0], int(rows), count)

    def _of_table(
        self, cut: list[str], names: tuple[str, ...], used: set[str], whole: str
    ) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        """Each item is predicted the class of the highest probability, of several the first; `whole` is the list of
        them, before they are cut to [0, 1]. Few rows have anything to cut, and only those pay for it."""
        words = self.database.words.lists
        lists = f"(select *, {whole} as all_classes from {self.table.rows}) as l"
        rows = f"(select *, {words.highest.format('all_classes')} as top from {lists}) as w"
        first, first_cut = (
            words.place.format("all_classes", "top"),
            words.place.format(words.each.format("all_classes", _cut("x")), double(1.0)),
        )
        place = f"case when top <= 0 then 0 when top <= 1 then {first} - 1 else {first_cut} - 1 end"
        return rows, ModelColumns(place, _cut("cast(top as double)"), tuple(cut)), names, used

    def _labels(self, rows: str, label: str, names: tuple[str, ...], positive: str | None) -> tuple[str, str]:
        """The rows with the names of their true classes, and where these stand."""
        found = self._distinct(label)
        keys = [key for _, key in found]
        said = [str(name) for name in labels_named([value for value, _ in found], names, positive)]
        missing = next((name for name, key in zip(said, keys, strict=True) if key is None), None)
        known = self.database.keep({
            "key": [key for key in keys if key is not None],
            "label_name": [name for name, key in zip(said, keys, strict=True) if key is not None],
        })  # fmt: skip
        with_names = self._joined(rows, known, self.columns[label], "label_name")
        if missing is None:
            return with_names, "label_name"
        other = self.database.keep({"name_of_none": [missing]})
        return f"(select * from {with_names} cross join {other}) as with_labels", "coalesce(label_name, name_of_none)"


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _within(number: str, tolerance: float) -> str:
    return f"{number} >= {double(-tolerance)} and {number} <= {double(1 + tolerance)}"


def _added(numbers: list[str]) -> str:
    """The sum, in halves: engines read no more than some thousand signs that stand inside of one another."""
    if len(numbers) == 1:
        return numbers[0]
    half = len(numbers) // 2
    return f"({_added(numbers[:half])} + {_added(numbers[half:])})"


def _cut(number: str) -> str:
    return f"least(greatest({number}, {double(0.0)}), {double(1.0)})"
