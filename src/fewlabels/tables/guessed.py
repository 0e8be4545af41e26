"""Tables as version 0.1.0 read them: DuckDB guessed types from a file's first rows. Only its studies need this."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.errors import PoolError
from fewlabels.tables.parquet_table import duckdb_for, very_name
from fewlabels.tables.read import Table, kind_of, read_table
from fewlabels.tables.values import as_objects, objects, unmasked, written_number

_READERS = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".jsonl": "read_ndjson",
    ".ndjson": "read_ndjson",
    ".json": "read_json",
}


def read_guessed(path: Path) -> Table:
    """The columns of the file as they were read then."""
    if path.is_dir():
        return _duckdb("select * from read_parquet(?)", str(path / "*.parquet"))
    if kind_of(path) in _READERS:
        return _duckdb(f"select * from {_READERS[kind_of(path)]}(?)", str(path))
    return {name: _bytes_as_then(values) for name, values in read_table(path).items()}


def _duckdb(query: str, path: str) -> Table:
    with duckdb_for(Path(path)) as connection:
        columns = connection.execute(query, [path]).fetchnumpy()
    return {name: unmasked(values) for name, values in columns.items()}


def _bytes_as_then(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype.kind not in "SO" or values.ndim != 1:
        return values
    return objects([str(value) if isinstance(value, bytes) else value for value in as_objects(values).tolist()])


def misread(path: Path, guessed: Table, columns: list[str]) -> str | None:
    """The first number of these columns that was another one then than in the file, in words; None if all are right."""
    written = _written(path)
    for column in columns:
        if column not in guessed or column not in written:
            continue
        then, now = guessed[column], written[column]
        if len(then) != len(now):
            return f"{len(then):,} rows were read then, and the file has {len(now):,}"
        for row, (value, cell) in enumerate(zip(then.tolist(), now.tolist(), strict=True)):
            if _differ(value, cell):
                return f"row {row} of column {column!r} is {cell!r} in the file, and was read as {value!r}"
    return None


def _written(path: Path) -> Table:
    try:
        return read_table(path)
    except PoolError:
        if kind_of(path) not in (".csv", ".tsv"):
            raise
    # a file with remarks above its head, or another thing that was skipped then: the cells by the same rules, as text
    return _duckdb("select * from read_csv(?, all_varchar = true, hive_partitioning = false)", very_name(path))


def _differ(then: Any, now: Any) -> bool:
    if isinstance(then, list | tuple | np.ndarray) and isinstance(now, list | tuple | np.ndarray):
        return len(then) != len(now) or any(_differ(a, b) for a, b in zip(list(then), list(now), strict=True))
    numbers = [written_number(v) if isinstance(v, str) else v for v in (then, now)]
    return all(isinstance(v, int | float) and v == v for v in numbers) and bool(numbers[0] != numbers[1])
