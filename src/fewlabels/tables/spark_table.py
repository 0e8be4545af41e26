"""Frames of Spark: which columns they have and of which types, and what queries call them."""

import re
from collections.abc import Callable
from typing import Any

from fewlabels.tables.large_tables import LargeTable
from fewlabels.tables.parquet_table import AS_TEXT
from fewlabels.tables.values import check_distinct

# Spark's names of types as DuckDB has them; others are the same in capitals.
_TYPES = {"int": "INTEGER", "string": "VARCHAR", "timestamp_ntz": "TIMESTAMP"}
_OF_TEXT = re.compile(r"TIMESTAMP|INTERVAL.*")  # what Python would be handed in the time zone of its machine


def is_spark(source: Any) -> bool:
    """Whether this is a frame of Spark, of a session here or of Spark Connect; nothing is imported to find out."""
    return type(source).__module__.startswith("pyspark.sql.") and type(source).__name__ == "DataFrame"


def spark_table(frame: Any, view: Callable[[Any], str]) -> LargeTable:
    """The rows of a frame, of which `view` makes something that queries can name.

    Spark knows no upper case in names, so that queries call columns by their places. Rows have no numbers.
    """
    names = list(frame.columns)
    check_distinct(names)
    own = [f"c{place}" for place in range(len(names))]
    kinds = [_kind(kind) for _, kind in frame.toDF(*own).dtypes]
    columns = [_as_read(column, kind) for column, kind in zip(own, kinds, strict=True)]
    return LargeTable(
        (),
        f"{view(frame.toDF(*own))} as r",
        None,
        dict(zip(names, columns, strict=True)),
        dict(zip(names, kinds, strict=True)),
        typed=True,
    )


def _kind(kind: str) -> str:
    inside = re.fullmatch(r"array<(.*)>", kind)
    return f"{_kind(inside[1])}[]" if inside else _TYPES.get(kind, kind.upper())


def _as_read(column: str, kind: str) -> str:
    """A column as it comes out of a file."""
    return f"cast({column} as string)" if AS_TEXT.fullmatch(kind) or _OF_TEXT.fullmatch(kind) else column
