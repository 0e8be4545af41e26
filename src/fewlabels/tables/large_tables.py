"""Files too large to be held: which columns they have and of which types, and what DuckDB reads them with."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from fewlabels.errors import PoolError
from fewlabels.tables.csv_table import head_of, what_is_wrong
from fewlabels.tables.parquet_table import (
    AS_TEXT,
    check_same_columns,
    column_names,
    files_of,
    is_several,
    quoted_name,
    very_name,
)
from fewlabels.tables.read import kind_of

LARGE = 100_000_000  # bytes of files from which on a pool stays in them


@dataclass(frozen=True)
class LargeTable:
    """The rows of files, as DuckDB reads them."""

    files: tuple[Path, ...]
    rows: str  # what stands behind `from`
    row: str | None  # the number of a row, counted from 0, where rows have one
    columns: dict[str, str]  # SQL of each column by its very name
    types: dict[str, str]
    typed: bool  # whether values have types of their own

    @contextmanager
    def in_words(self) -> Iterator[None]:
        """Errors of files whose cells make no sense say which line is to blame."""
        try:
            yield
        except PoolError as error:
            if not self.typed and "DuckDB" in str(error):
                raise PoolError(what_is_wrong(self.files[0], str(error))) from error
            raise


def is_large(path: Path) -> bool:
    """Whether this is a file, or a folder or pattern, that stays where it is: Parquet or CSV of some size."""
    return may_stay(path) and bytes_of(path) >= LARGE


def may_stay(path: Path) -> bool:
    """Whether files of this kind can be read where they are."""
    return is_several(path) or kind_of(path) in (".parquet", ".csv", ".tsv")


def bytes_of(path: Path) -> int:
    """How large a file is, or all those of a folder or pattern are."""
    return sum(file.stat().st_size for file in (files_of(path) if is_several(path) else [path]))


def large_table(connection: Any, path: Path) -> LargeTable:
    """The rows of a file, or of all Parquet files of a folder or pattern in the order of their names."""
    if not is_several(path) and kind_of(path) != ".parquet":
        return _csv(path)
    files = files_of(path) if is_several(path) else [path]
    found = [_described(connection, file) for file in files]
    for file, (names, _) in zip(files, found, strict=True):
        check_same_columns(files[0], found[0][0], file, names)
    names, kinds = found[0]
    for file, (others, other_kinds) in zip(files, found, strict=True):
        theirs = dict(zip(others, other_kinds, strict=True))
        odd = next((n for n, kind in zip(names, kinds, strict=True) if theirs[n] != kind), None)
        if odd is not None or others != names:
            odd = odd or next(a for a, b in zip(names, others, strict=True) if a != b)
            raise PoolError(
                f"column {odd!r} is not in the same place, or of the same type, in {files[0].name!r} and "
                f"{file.name!r}; files of this size are not held in memory, so write all with the same columns."
            )
    listed = ", ".join("'" + very_name(file).replace("'", "''") + "'" for file in files)
    counts = [_count(connection, file) for file in files]
    before = ", ".join(map(str, accumulate(counts[:-1], initial=0)))
    called = _called(connection, files[0])
    return LargeTable(
        tuple(files),
        f"(select *, file_row_number + [{before}][cast(file_index as bigint) + 1] as row_in_pool "
        f"from read_parquet([{listed}], hive_partitioning = false)) as r",
        "row_in_pool",
        {name: _as_read(quoted_name(own), kind) for name, own, kind in zip(names, called, kinds, strict=True)},
        dict(zip(names, kinds, strict=True)),
        typed=True,
    )


def _as_read(column: str, kind: str) -> str:
    """A column as the reader of smaller files hands it over."""
    return f"cast({column} as varchar)" if AS_TEXT.fullmatch(kind) else column


def _described(connection: Any, file: Path) -> tuple[list[str], list[str]]:
    """The very names of a file's columns, and their types."""
    return column_names(connection, file), [kind for _, kind in _description(connection, file)]


def _called(connection: Any, file: Path) -> list[str]:
    """What DuckDB calls the columns: it knows no upper case, and gives Id beside id a name of its own."""
    return [name for name, _ in _description(connection, file)]


def _description(connection: Any, file: Path) -> list[tuple[str, str]]:
    query = "describe select * from read_parquet(?, hive_partitioning = false)"
    return [(name, kind) for name, kind, *_ in connection.execute(query, [very_name(file)]).fetchall()]


def _count(connection: Any, file: Path) -> int:
    query = "select num_rows from parquet_file_metadata(?)"
    return int(connection.execute(query, [very_name(file)]).fetchall()[0][0])


def _csv(path: Path) -> LargeTable:
    """A CSV file: all cells are text, and an empty one is none."""
    names, separator, lines = head_of(path)
    own: Sequence[str] = [f"c{i}" for i in range(len(names))]
    columns = ", ".join(f"'{name}': 'VARCHAR'" for name in own)
    file = "'" + very_name(path).replace("'", "''") + "'"
    sign = "\\t" if separator == "\t" else separator
    how = f"delim = e'{sign}', quote = '\"', escape = '\"', header = false, skip = {lines}, auto_detect = false"
    cells = ", ".join(f"nullif({name}, '') as {name}" for name in own)
    rows = f"read_csv({file}, {how}, columns = {{{columns}}}, nullstr = '', strict_mode = true)"
    return LargeTable(
        (path,),
        f"(select {cells}, row_number() over () - 1 as row_in_pool from {rows}) as r",
        "row_in_pool",
        dict(zip(names, own, strict=True)),
        dict.fromkeys(names, "VARCHAR"),
        typed=False,
    )
