"""What is in a file too large to be held, in the words of smaller ones: every number is found by queries."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from fewlabels.cli.examine import (
    COMMONEST,
    ColumnFacts,
    Examination,
    Scores,
    form_of,
    labelled,
    model_facts,
    no_pool,
    unknown_labels,
)
from fewlabels.engines.duckdb_tables import WORDS, DuckDbTables
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.errors import PoolError
from fewlabels.pool import Pool
from fewlabels.tables.large_tables import LargeTable, is_large, large_table
from fewlabels.tables.parquet_table import AS_TEXT
from fewlabels.tables.read import found_file
from fewlabels.tables.values import NUMBER

_FLOATS = ("FLOAT", "DOUBLE")
_NUMBERS = (*_FLOATS, *(f"{u}{kind}" for u in ("", "U") for kind in ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")))
_NESTED = ("STRUCT", "MAP", "UNION")


def stays_in_files(file: str, given: dict[str, Any]) -> bool:
    """Whether this is looked at by queries: a second table would be joined to it in memory."""
    return not given.get("items") and is_large(found_file(file))


def examine_large(file: str, given: dict[str, Any], opened: Callable[[], Pool]) -> Examination:
    """What the file holds, read with the options `given`; `opened()` is the pool, or raises PoolError."""
    database = DuckDbTables()
    table = large_table(database.connection, found_file(file))
    with table.in_words():
        looked = _Columns(database, table)
        columns = tuple(looked.facts(name) for name in table.columns)
    id_column = given.get("id") or ("id" if "id" in table.columns else None)
    try:
        pool = opened()
    except PoolError as error:
        return no_pool(looked.rows, columns, id_column, error)
    engine = cast(SqlEngine, pool.engine)
    labels = _labels(engine)
    return Examination(
        rows=len(pool),
        columns=columns,
        id_column=id_column,
        text_columns=tuple(_with_texts(engine)),
        labelled=labelled(labels),
        unknown_labels=tuple(unknown_labels(labels, pool.true_classes)),
        form=form_of(pool, table.columns, given),
        classes=pool.classes,
        other_labels=pool.other_labels,
        positive=pool.positive,
        models=tuple(model_facts(pool, name, _scores(engine, name)) for name in pool.models),
        attributes=tuple(column for column in columns if column.name in pool.columns),
    )


@dataclass(frozen=True)
class _Columns:
    """The columns of a table, each looked at by a query that groups its values."""

    database: DuckDbTables
    table: LargeTable

    @property
    def rows(self) -> int:
        return int(self.database.columns(f"select count(*) from {self.table.rows}")[0][0])

    def facts(self, name: str) -> ColumnFacts:
        """What `fewlabels.cli.examine` says of the values of a column."""
        column, written = self.table.columns[name], self.table.types[name]
        kind = "VARCHAR" if AS_TEXT.fullmatch(written) else written.split("(")[0]
        known = f"{column} is not null" + (f" and not isnan({column})" if kind in _FLOATS else "")
        if kind.endswith("]") or kind in _NESTED:
            query = f"select count(*) filter ({known}), count(*) filter (not ({known})) from {self.table.rows}"
            there, missing = (int(found[0]) for found in self.database.columns(query))
            return ColumnFacts(name, "list", there, missing, ()) if there else _nothing(name, missing)
        return self._of_values(name, kind, known)

    def _of_values(self, name: str, kind: str, known: str) -> ColumnFacts:
        column, rows = self.table.columns[name], self.table.rows
        sign = f", signbit({column})" if kind in _FLOATS else ""  # 0.0 and -0.0 are two texts
        values = (
            f"select {column} as value, count(*) as times, min({self.table.row}) as first_row from {rows} "
            f"where {known} group by {column}{sign}"
        )
        number, is_number, yes_no = _read_as(kind)
        first = f"cast(times as hugeint) * {1 << 64} - first_row"  # the most frequent, of several the first there is
        sums = (
            f"select max_by(value, {first}, {COMMONEST}) as commonest, count(*) as n, sum(times) as there, "
            f"bool_and({is_number}) as numbers, min({number}) as low, max({number}) as high, bool_and({yes_no}) as "
            f"yes_no from ({values}) as v"
        )
        query = f"select unnest(commonest) as value, * exclude (commonest) from ({sums}) as s"
        commonest, *others = self.database.columns(query)
        if not commonest:
            return _nothing(name, self.rows)
        distinct, there, numbers, low, high, said_so = (found[0] for found in others)
        what = "yes/no" if said_so else "number" if numbers else "text"
        ends = (low, high) if numbers else (None, None)
        return ColumnFacts(name, what, int(distinct), self.rows - int(there), tuple(map(str, commonest)), *ends)


def _nothing(name: str, rows: int) -> ColumnFacts:
    return ColumnFacts(name, "text", 0, rows, ())


def _read_as(kind: str) -> tuple[str, str, str]:
    """Of a value of this type: the number it is, whether it is one, whether it is one of yes and no."""
    if kind in _NUMBERS:
        return "cast(value as double)", "true", "false"
    if kind == "BOOLEAN":
        return "cast(cast(value as integer) as double)", "true", "true"
    if kind != "VARCHAR":
        return "cast(null as double)", "false", "false"
    trimmed = WORDS.trimmed.format("value")
    number = f"try_cast({trimmed} as double)"
    return (
        number,
        f"{WORDS.matches.format(trimmed, NUMBER.pattern)} and not coalesce(isnan({number}), true)",
        "lower(value) in ('true', 'false')",
    )


def _labels(engine: SqlEngine) -> Counter[str] | None:
    """How many items have each label, the first there is first; None where the pool has none."""
    layout = engine.layout
    if layout.label is None:
        return None
    rows = layout.rows_for(layout.label)
    query = f"select {layout.label} as label, count(*), min({layout.row}) as first_row from {rows} group by 1"
    labels, times, _ = engine.database.columns(f"{query} order by first_row")
    return Counter({label: int(n) for label, n in zip(labels, times, strict=True)})


def _with_texts(engine: SqlEngine) -> Iterator[str]:
    """What labellers are shown, if any item has it."""
    for name, expression in engine.layout.payload.items():
        if engine.database.columns(f"select count({expression}) from {engine.layout.rows_for(expression)}")[0][0]:
            yield name


def _scores(engine: SqlEngine, model: str) -> Scores:
    score = engine.layout.models[model].score
    values = f"select {score} as value, count(*) as times from {engine.layout.rows_for(score)} group by 1"
    query = (
        "select min(value), max(value), count(*), max(times), max_by(value, row(times, -value)) "
        f"from ({values}) as v"
    )  # fmt: skip
    low, high, distinct, times, commonest = (found[0] for found in engine.database.columns(query))
    return Scores(float(low), float(high), int(distinct), int(times), float(commonest))
