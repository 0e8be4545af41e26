"""Pools that stay in their files: roles of columns as in open_pool, the same checks with the same words, made by
queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.layout import Layout, ModelColumns
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.engines.words import double
from fewlabels.errors import PoolError
from fewlabels.pool import checks
from fewlabels.pool.pool import ONE_MODEL, Pool, check_others, labels_named, positive_named, two_classes
from fewlabels.pool.roles import PAYLOAD, PREFIX, class_columns, needed, no_predictions, split_are_attributes
from fewlabels.tables.large_tables import LargeTable, large_table
from fewlabels.tables.values import NUMBER, not_a_number

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_NAMES = (*_WHOLE, "VARCHAR", "UBIGINT", "UUID", "ENUM", "HUGEINT", "UHUGEINT", "DATE")  # types of ids and the like


def open_large(path: Path, options: Mapping[str, Any], names: Sequence[str] | None) -> Pool:
    """The pool in a large file or folder; it is read where it is, whenever something is asked of it."""
    database = DuckDbTables()
    table = large_table(database.connection, path)
    with table.in_words():
        return _Opening(database, table, options, names).pool()


@dataclass(frozen=True)
class _Opening:
    """A table, and what columns mean in it."""

    database: DuckDbTables
    table: LargeTable
    options: Mapping[str, Any]
    names: Sequence[str] | None

    def pool(self) -> Pool:
        options, columns = self.options, self.table.columns
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
        layout = Layout(
            rows, count, whole, classes, others, self.table.row, item, {ONE_MODEL: said},
            {name: sql for name, sql in columns.items() if name not in taken},
            {name: columns[name] for name in texts},
            known if label in columns else None,
        )  # fmt: skip
        return Pool(SqlEngine(layout, self.database), positive)

    def _one(self, query: str) -> Any:
        return self.database.columns(query)[0][0]

    def _first(self, where: str) -> int | None:
        """The first row that something is true of."""
        found = self._one(f"select min({self.table.row}) from {self.table.rows} where {where}")
        return None if found is None else int(found)

    def _at(self, row: int, *wanted: str) -> list[Any]:
        """What stands in a row."""
        query = f"select {', '.join(wanted)} from {self.table.rows} where {self.table.row} = {row}"
        return [column[0] for column in self.database.columns(query)]

    def _where(self, row: int) -> str:
        """A row, with its item, for a message."""
        id = self.options["id"] or "id"
        if id not in self.table.columns:
            return f"row {row}"
        return checks.where_of(row, self._at(row, self.table.columns[id])[0])

    # -- ids ---------------------------------------------------------------------------------------------------------

    def _ids(self) -> tuple[str, bool]:
        """The ids of items, and whether they are whole numbers."""
        id = self.options["id"] or "id"
        if id not in self.table.columns:
            return self.table.row, True
        column, kind = self.table.columns[id], self.table.types[id]
        if kind.split("(")[0] not in _NAMES:
            raise PoolError(
                f"column {id!r} is of type {kind}; ids in files of this size are text or whole numbers. Write them so."
            )
        whole = kind in _WHOLE
        item = f"cast({column} as {'bigint' if whole else 'varchar'})"
        row = self._first(f"{column} is null" + ("" if whole else f" or {item} = ''"))
        if row is not None:
            raise checks.no_id(row)
        twice = f"select {item} as item from {self.table.rows} group by 1 having count(*) > 1"
        if self._one(f"select count(*) from (select 1 from ({twice}) limit 1)"):
            raise self._id_twice(item, twice)
        return item, whole

    def _id_twice(self, item: str, twice: str) -> PoolError:
        rows = f"select {item} as i, {self.table.row} as r from {self.table.rows}"
        query = (
            f"select i, count(*) as times, list_sort(list(r)) as places from ({rows}) where i in ({twice}) group by i"
        )
        query = f"select i, times, places[1] as one, places[2] as two from ({query})"
        order = "two" if "varchar" in item else "i"  # as smaller files are gone through
        found, times, first, second = (
            column[0] for column in self.database.columns(f"{query} order by {order} limit 1")
        )
        return checks.id_twice(found, int(times), int(first), int(second))

    # -- what the model said -----------------------------------------------------------------------------------------

    def _outputs(self, count: int) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        """The rows, where predictions stand in them, the classes, and the columns that are used up."""
        options, columns = self.options, self.table.columns
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
        found = self._distinct(columns[predicted]) if top and len(split) > 1 else []
        if len(split) > 1 and not (top and split_are_attributes(split, [str(v) for v, _ in found], self.names)):
            return self._split(split, count)
        if top:
            return self._top(predicted, score)
        raise no_predictions(columns)

    def _number(self, column: str, name: str) -> str:
        """A column as doubles, NULL where one is missing; text is the number it is, or refused."""
        sql, kind = self.table.columns[column], self.table.types[column]
        if kind.split("(")[0] in ("FLOAT", "DOUBLE", *_WHOLE, "UBIGINT"):
            return f"cast({sql} as double)"
        if kind == "BOOLEAN":
            return f"cast(cast({sql} as integer) as double)"
        trimmed = f"trim(cast({sql} as varchar), e' \\t')"
        number = f"regexp_full_match({trimmed}, '{NUMBER.pattern}', 'i')"
        odd = self._first(f"{sql} is not null and {trimmed} != '' and not {number}")
        if odd is not None:
            raise not_a_number(name, odd, self._at(odd, sql)[0])
        return f"try_cast(nullif({trimmed}, '') as double)"

    def _scores(self, column: str, name: str) -> str:
        """Scores in [0, 1], checked and cut as in memory."""
        number = self._number(column, column)
        row = self._first(f"not coalesce({_within(number, checks.ROUNDING)}, false)")
        if row is not None:
            value = self._at(row, number)[0]
            raise checks.bad_score(name, self._where(row), float("nan") if value is None else value)
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
        column, numbers = self.table.columns[predicted], self._number(score, score)
        row = self._first(f"{column} is null or cast({column} as varchar) = ''")
        if row is not None:
            raise checks.no_class(self._where(row))
        found = self._distinct(column)
        given = [value for value, _ in found]
        texts = checks.class_texts(given, "predicted")
        names, place = checks.class_places(given, set(texts), self.names)
        keys = {text: key for text, (_, key) in zip(texts, found, strict=True)}
        missing = [text for text in texts if text not in place]
        if missing:
            lists = ", ".join("'" + keys[text].replace("'", "''") + "'" for text in missing)
            row = self._first(f"cast({column} as varchar) in ({lists})")
            assert row is not None  # they were found a moment ago
            raise checks.not_a_class(self._where(row), self._at(row, column)[0], names)
        self._scores(score, "score")
        known = self.database.keep({"key": [keys[t] for t in texts], "class_place": [place[t] for t in texts]})
        rows = self._joined(self.table.rows, known, column, "of_class")
        return rows, ModelColumns("class_place", _cut(numbers)), names, {predicted, score}

    def _joined(self, rows: str, known: str, column: str, alias: str) -> str:
        """The rows with what a small table says of the values of a column."""
        own = f"(select *, cast({column} as varchar) as key_{alias} from {rows}) as b_{alias}"
        both = f"{own} left join {known} as {alias} on key_{alias} = {alias}.key"
        return f"(select * exclude (key) from {both}) as {alias}_rows"

    def _distinct(self, column: str) -> list[tuple[Any, str]]:
        """The distinct values of a column with their texts."""
        query = f"select min({column}) as value, cast({column} as varchar) as key from {self.table.rows} group by key"
        return sorted(zip(*self.database.columns(query), strict=True), key=lambda pair: str(pair[1]))

    # -- probabilities of all classes --------------------------------------------------------------------------------

    def _split(self, split: list[str], count: int) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        """A column a class."""
        checks.check_kind(self.options["probabilities_are"])
        ordered, names = class_columns(split, self.names)
        numbers = [self._number(name, f"column {name!r}") for name in ordered]
        bad = [f"not coalesce({_within(number, checks.SUM_TOLERANCE)}, false)" for number in numbers]
        outside = self._first(" or ".join(bad))
        if outside is not None:
            values = self._at(outside, *numbers)
            self._refuse(outside, [float("nan") if value is None else value for value in values])
        self._check_sums(" + ".join(numbers), count)
        return self._of_table([_cut(number) for number in numbers], checks.check_classes(names), set(split))

    def _lists(self, column: str, count: int) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        """A list of probabilities an item."""
        checks.check_kind(self.options["probabilities_are"])
        sql, kind = self.table.columns[column], self.table.types[column]
        if kind.rstrip("[]0123456789") not in ("FLOAT", "DOUBLE", *_WHOLE) or not kind.endswith("]"):
            raise PoolError(
                f"column {column!r} is of type {kind}; in files of this size probabilities are a list of numbers an "
                f"item, or a column {PREFIX}<class> for each class. Write them so."
            )
        table = f"cast({sql} as double[])"
        row = self._first(f"{sql} is null")
        if row is not None:
            raise checks.no_probabilities(row)
        (width,) = self._at(0, f"len({sql})")
        row = self._first(f"len({sql}) != {width}")
        if row is not None:
            raise checks.uneven(row, self._at(row, f"len({sql})")[0], int(width))
        if width < 2:
            raise checks.no_table((count, int(width)))
        low, high = double(-checks.SUM_TOLERANCE), double(1 + checks.SUM_TOLERANCE)
        some = f"list_count({table}) < {width} or list_min({table}) < {low} or list_max({table}) > {high}"
        row = self._first(some)  # NaN is the highest of all
        if row is not None:
            values = self._at(row, *(f"{table}[{place + 1}]" for place in range(width)))
            self._refuse(row, [float("nan") if value is None else value for value in values])
        self._check_sums(f"list_sum({table})", count)
        names = checks.check_classes(self.names if self.names is not None else range(width))
        if len(names) != width:
            raise PoolError(
                f"classes has {len(names)} names and probabilities {width} columns; give one name a column."
            )
        return self._of_table([_cut(f"{table}[{place + 1}]") for place in range(width)], names, {column}, table)

    def _refuse(self, row: int, values: list[float]) -> None:
        low, high = -checks.SUM_TOLERANCE, 1 + checks.SUM_TOLERANCE
        place = next(place for place, value in enumerate(values) if not low <= value <= high)
        raise checks.bad_probability(self._where(row), values[place], place)

    def _check_sums(self, total: str, count: int) -> None:
        if self.options["probabilities_are"] != "exclusive":
            return
        off = f"abs({total} - 1) > {double(checks.SUM_TOLERANCE)}"
        row = self._first(off)
        if row is not None:
            rows = self._one(f"select count(*) from {self.table.rows} where {off}")
            raise checks.off_one(self._where(row), self._at(row, total)[0], int(rows), count)

    def _of_table(
        self, cut: list[str], names: tuple[str, ...], used: set[str], table: str | None = None
    ) -> tuple[str, ModelColumns, tuple[str, ...], set[str]]:
        """Each item is predicted the class of the highest probability, of several the first."""
        whole = f"[{', '.join(cut)}]" if table is None else f"[least(greatest(x, 0), 1) for x in {table}]"
        rows = f"(select *, {whole} as all_classes from {self.table.rows}) as w"
        said = ModelColumns(
            "list_position(all_classes, list_max(all_classes)) - 1", "list_max(all_classes)", tuple(cut)
        )
        return rows, said, names, used

    def _labels(self, rows: str, label: str, names: tuple[str, ...], positive: str | None) -> tuple[str, str]:
        """The rows with the names of their true classes, and where these stand."""
        found = self._distinct(self.table.columns[label])
        said = labels_named([value for value, _ in found], names, positive).tolist()
        keys = [key for _, key in found]
        known = self.database.keep({
            "key": [key for key in keys if key is not None],
            "label_name": [str(name) for name, key in zip(said, keys, strict=True) if key is not None],
        })  # fmt: skip
        missing = next((name for name, key in zip(said, keys, strict=True) if key is None), None)
        sql = "label_name" if missing is None else "coalesce(label_name, '" + str(missing).replace("'", "''") + "')"
        return self._joined(rows, known, self.table.columns[label], "of_label"), sql


def _within(number: str, tolerance: float) -> str:
    return f"{number} >= {double(-tolerance)} and {number} <= {double(1 + tolerance)}"


def _cut(number: str) -> str:
    return f"least(greatest({number}, {double(0.0)}), {double(1.0)})"
