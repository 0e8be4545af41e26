"""Tables from outside: files, data frames, Arrow tables; all become named arrays, no value of them changed."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.errors import MissingExtraError, PoolError, listed
from fewlabels.tables.csv_table import Wanted, read_csv
from fewlabels.tables.json_table import read_json
from fewlabels.tables.npz_table import read_npz
from fewlabels.tables.parquet_table import is_several, meant, read_folder, read_parquet
from fewlabels.tables.values import as_objects, check_distinct, column_of, is_whole_text, objects, table_of, unmasked

Table = dict[str, npt.NDArray[Any]]

_ARROW = (".arrow", ".feather", ".ipc")
_KINDS = (".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".npz", *_ARROW)
_COMPRESSED = (".gz", ".zst")
_ARROW_NUMBERS = {"halffloat", "float", "double", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64))}


def read_table(source: Any, wanted: Wanted = lambda _: ()) -> Table:
    """The columns of a file, a folder or pattern of Parquet files, a data frame or an Arrow table.

    Values keep the type the source gives them. A CSV file gives none, so all its cells are text, but for the columns
    that `wanted`, called with the names of all, chooses to be read as numbers.
    """
    if isinstance(source, str | Path):
        table = _read_file(found_file(source), wanted)
    elif isinstance(source, Mapping):
        check_distinct([_text_name(name) for name in source])
        table = {_text_name(name): _from_values(values) for name, values in source.items()}
    else:
        table = _from_frame(source)
    odd = next((name for name in table if not is_whole_text(name)), None)
    if odd is not None:
        raise PoolError(f"column {odd!r} holds half of a surrogate pair and is no text in UTF-8; call it otherwise.")
    return table


def found_file(source: str | Path) -> Path:
    """The very file or folder of this name, or else the pattern that means some; ~ is the home folder where no file is
    called so.

    Pipes and devices are refused: they may have no end, and a study could not open them again.
    """
    path = Path(source)
    try:
        if not path.exists() and str(source).startswith("~"):
            path = path.expanduser()
        exists = str(source) != "" and is_there(path)
    except (OSError, ValueError, RuntimeError) as error:
        raise PoolError(f"no file can be called {str(source)[:80]!r} ({error}); check the path.") from error
    if not exists:
        raise PoolError(f"no file {str(path)!r}; check the path (the current folder is {Path.cwd()}).")
    if not (path.is_file() or is_several(path)):
        raise PoolError(
            f"{str(path)!r} is neither a file nor a folder but a pipe or a device; save it as a file first."
        )
    return path


def is_there(path: Path) -> bool:
    """Whether there is a file or folder of this name, or files that a pattern means."""
    return path.exists() or (is_several(path) and bool(meant(path)))


def is_without_types(source: Any) -> bool:
    """Whether this is a file whose cells have no types of their own: CSV or TSV."""
    return isinstance(source, str | Path) and kind_of(Path(source)) in (".csv", ".tsv")


def is_of_arrays(source: Any) -> bool:
    """Whether this holds arrays of several lengths and dimensions rather than the columns of one table."""
    return isinstance(source, Mapping) or (isinstance(source, str | Path) and kind_of(Path(source)) == ".npz")


def kind_of(path: Path) -> str:
    """The kind of file its name says it is: '.csv', also of x.csv.gz."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in _COMPRESSED]
    return suffixes[-1] if suffixes else ""


def _read_file(path: Path, wanted: Wanted) -> Table:
    kind = kind_of(path)
    if is_several(path):
        return read_folder(path)
    if kind not in _KINDS:
        raise PoolError(f"{path.name!r} is none of the files fewlabels reads: {listed(_KINDS, len(_KINDS))}.")
    if not os.access(path, os.R_OK):
        raise PoolError(f"{str(path)!r} may not be read by this user; change its permissions.")
    if kind in (".csv", ".tsv"):
        return read_csv(path, wanted)
    if kind in (".jsonl", ".ndjson", ".json"):
        return read_json(path, lines=kind != ".json")
    if kind == ".npz":
        return {name: unmasked(values) for name, values in read_npz(path).items()}
    if kind in _ARROW:
        return _read_feather(path)
    return read_parquet(path)


def _text_name(name: Any) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _from_frame(source: Any) -> Table:
    library = type(source).__module__.split(".")[0]
    if library == "polars" and hasattr(source, "collect"):
        source = source.collect()
    names = getattr(source, "column_names", getattr(source, "columns", None))
    if library not in _COLUMN_OF or names is None:
        raise PoolError(
            f"cannot read a pool from {type(source).__name__}; pass a file (Parquet, CSV, JSON lines, Feather, NPZ), a "
            "folder of Parquet files, a pandas or polars frame, an Arrow table or a dictionary of arrays."
        )
    check_distinct([_text_name(name) for name in names])
    if library == "pyarrow":
        return _from_arrow_table(source)
    return {_text_name(name): _COLUMN_OF[library](source[name]) for name in source.columns}


def _read_feather(path: Path) -> Table:
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ImportError as error:
        raise MissingExtraError(
            f"reading {path.name!r} needs pyarrow; pip install 'fewlabels[frames]', or save Parquet."
        ) from error
    broken = (pa.ArrowException, OSError, ValueError, MemoryError, EOFError)
    try:
        try:
            table = feather.read_table(path, memory_map=False)
        except broken:  # not a file with a footer: perhaps a stream
            with pa.ipc.open_stream(path.read_bytes()) as stream:
                table = stream.read_all()
        table.validate(full=True)
        check_distinct(table.column_names)
        return _from_arrow_table(table)
    except PoolError:
        raise
    except broken as error:
        raise PoolError(f"{path.name!r} cannot be read as Arrow or Feather ({error}); write it again.") from error


def _from_values(values: Any) -> npt.NDArray[Any]:
    """A column of a dictionary: an array as it is, a column of a frame by its type, a list value by value."""
    library = type(values).__module__.split(".")[0]
    if library in _COLUMN_OF and hasattr(values, "type" if library == "pyarrow" else "dtype"):
        return _COLUMN_OF[library](values)
    return table_of(values) if isinstance(values, list | tuple) else unmasked(values)


def _from_pandas(series: Any) -> npt.NDArray[Any]:
    if isinstance(series.dtype, np.dtype):
        return unmasked(series.to_numpy())
    return np.asarray(series.to_numpy(dtype=object, na_value=None))


def _from_polars(series: Any) -> npt.NDArray[Any]:
    kind = series.dtype
    if (kind.is_integer() or kind.is_float()) and series.null_count() == 0 and str(kind) not in ("Int128", "UInt128"):
        return np.asarray(series.to_numpy())
    if str(kind).startswith("Datetime") and getattr(kind, "time_zone", None) is None:
        return as_objects(series.to_numpy())  # to_list() would cut nanoseconds off
    return column_of(series.to_list())


def _from_arrow_table(table: Any) -> Table:
    return {name: _from_arrow(table.column(place)) for place, name in enumerate(table.schema.names)}


def _from_arrow(column: Any) -> npt.NDArray[Any]:
    kind = str(column.type)
    if column.null_count == 0 and kind in _ARROW_NUMBERS:
        return np.asarray(column.to_numpy())
    if kind.startswith("timestamp") and "tz=" not in kind:
        return as_objects(np.asarray(column.to_numpy(zero_copy_only=False)))  # to_pylist() would need pandas
    values = column.to_pylist()
    return objects(values) if kind == "null" else column_of(values)


_COLUMN_OF: dict[str, Callable[[Any], npt.NDArray[Any]]] = {
    "pandas": _from_pandas,
    "polars": _from_polars,
    "pyarrow": _from_arrow,
}
