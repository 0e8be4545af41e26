"""Parquet: one file, a folder of them or those that a pattern means, each column with the file's own type and name."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.errors import PoolError, listed
from fewlabels.tables.values import as_objects, check_distinct, objects, unmasked

QUIET = "set enable_progress_bar = false"  # DuckDB would draw one on stdout, between what commands print there
# What DuckDB would hand over as rounded floats, or with a time of day that dates do not have.
AS_TEXT = re.compile(r"DECIMAL\(.*\)|U?HUGEINT|BIGNUM|VARINT|DATE|UUID")


@contextmanager
def duckdb_for(path: Path) -> Iterator[Any]:
    """A connection to read this file with; DuckDB's errors in words."""
    import duckdb

    connection = duckdb.connect()
    connection.execute(QUIET)
    try:
        yield connection
    except duckdb.Error as error:
        reason = str(error).strip().splitlines()[0]
        raise PoolError(f"DuckDB could not read {str(path)!r}: {reason} Write the file again.") from error
    finally:
        connection.close()


def read_parquet(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The columns of one file."""
    with duckdb_for(path) as connection:
        return _read(connection, path)


def _read(connection: Any, path: Path) -> dict[str, npt.NDArray[Any]]:
    file = [very_name(path)]
    names = column_names(connection, path)
    scan = "read_parquet(?, hive_partitioning = false)"  # a folder called score=0.9 says nothing about the scores
    found = connection.execute(f"describe select * from {scan}", file).fetchall()
    chosen = ", ".join(_selected(name, kind) for name, kind, *_ in found)
    columns = connection.execute(f"select {chosen} from {scan}", file).fetchnumpy()
    # DuckDB knows no upper case: it calls columns Id and id by names of its own, in the order of the file.
    return {name: unmasked(values) for name, values in zip(names, columns.values(), strict=True)}


def very_name(path: Path) -> str:
    """The path such that DuckDB takes none of its signs for a pattern."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.resolve()))


def column_names(connection: Any, path: Path) -> list[str]:
    """The very names of the columns of a file."""
    names = _names(connection.execute("select name, num_children from parquet_schema(?)", [very_name(path)]).fetchall())
    check_distinct(names)
    return names


def quoted_name(name: str) -> str:
    """A column's name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _names(schema: Sequence[tuple[str, int | None]]) -> list[str]:
    """The names of the columns: of the tree of a Parquet schema, what stands below the root."""
    names, depth = [], [1]
    for name, children in schema:
        if len(depth) == 2:
            names.append(name)
        depth[-1] -= 1
        if children:
            depth.append(children)
        while depth and depth[-1] == 0:
            depth.pop()
    return names


def _selected(name: str, kind: str) -> str:
    column = quoted_name(name)
    return f"cast({column} as varchar) as {column}" if AS_TEXT.fullmatch(kind) else column


def is_several(path: Path) -> bool:
    """Whether this is no file but a folder of them, or a pattern such as parts/*.parquet; a file that is called so is
    that file."""
    return path.is_dir() or (not path.exists() and any(sign in str(path) for sign in "*?["))


def meant(pattern: Path) -> list[Path]:
    """What a pattern fits, in the order of names."""
    whole = pattern.absolute()
    folder = next(parent for parent in whole.parents if parent.is_dir())  # its own name may have such signs
    return sorted(folder / name for name in glob(str(whole.relative_to(folder)), root_dir=folder, recursive=True))


def files_of(place: Path) -> list[Path]:
    """The Parquet files of a folder, or those that a pattern means, in the order of their names."""
    if place.is_dir():
        files = sorted(file for file in place.iterdir() if file.name.lower().endswith(".parquet"))
    else:
        files = meant(place)
    odd = next((file for file in files if not (file.is_file() and file.name.lower().endswith(".parquet"))), None)
    if odd is not None and place.is_dir():
        raise PoolError(f"{odd.name!r} in folder {str(place)!r} is not a file; move it out of the folder.")
    if odd is not None:
        raise PoolError(f"{str(odd)!r}, which {str(place)!r} means too, is no Parquet file; patterns are for those.")
    if not files and place.is_dir():
        raise PoolError(f"folder {str(place)!r} holds no .parquet files; name a file, or a folder of Parquet files.")
    return files


def check_same_columns(first: Path, names: Collection[str], other: Path, others: Collection[str]) -> None:
    """Raise where two files that are read together have other columns."""
    differing = set(others) ^ set(names)
    if differing:
        raise PoolError(
            f"{first.name!r} and {other.name!r} do not both have column {min(differing)!r}; files that are "
            f"read together need the same columns ({listed(names)})."
        )


def read_folder(folder: Path) -> dict[str, npt.NDArray[Any]]:
    """The rows of all Parquet files of a folder or pattern, in the order of their names; each by its own types."""
    files = files_of(folder)
    with duckdb_for(folder) as connection:
        tables = [_read(connection, file) for file in files]
    for file, table in zip(files, tables, strict=True):
        check_same_columns(files[0], tables[0], file, table)
    return {name: _together([table[name] for table in tables]) for name in tables[0]}


def _together(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """One column of several files; values keep their own types where those of the files differ in kind."""
    kinds = {part.dtype.kind for part in parts if len(part)}
    if len(kinds) <= 1 or kinds == {"O"}:
        return np.concatenate([part for part in parts if len(part)] or parts[:1])
    return objects([value for part in parts for value in as_objects(part).tolist()])
