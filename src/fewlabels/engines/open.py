"""Tables from outside: files read by DuckDB or NumPy, data frames, Arrow tables; all become named arrays."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from fewlabels.errors import MissingExtraError, PoolError, listed

Table = dict[str, npt.NDArray[Any]]

_READERS = {
    ".parquet": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".jsonl": "read_ndjson",
    ".ndjson": "read_ndjson",
    ".json": "read_json",
}

_ARROW_NUMBERS = {"halffloat", "float", "double", *(f"{u}int{n}" for u in ("", "u") for n in (8, 16, 32, 64))}


def read_table(source: Any) -> Table:
    """The columns of a file, a folder of Parquet files, a data frame or an Arrow table."""
    if isinstance(source, str | Path):
        return _read_path(Path(source))
    if isinstance(source, Mapping):
        return {str(k): np.asarray(v) for k, v in source.items()}
    library = type(source).__module__.split(".")[0]
    if library == "polars" and hasattr(source, "collect"):
        return read_table(source.collect())
    names = getattr(source, "column_names", None) or getattr(source, "columns", None)
    if library in ("pandas", "polars", "pyarrow") and names is not None:
        _check_distinct([str(name) for name in names])
        return _from_frame(source, library)
    raise PoolError(
        f"cannot read a pool from {type(source).__name__}; pass a file (Parquet, CSV, JSON lines, Feather, NPZ), a "
        "folder of Parquet files, a pandas or polars frame, an Arrow table or a dictionary of arrays."
    )


def _check_distinct(names: list[str]) -> None:
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise PoolError(f"column {twice!r} appears twice; give each column a name of its own.")


def _from_frame(source: Any, library: str) -> Table:
    if library == "pandas":
        return {str(name): _from_pandas(source[name]) for name in source.columns}
    if library == "polars":
        return {name: _from_polars(source[name]) for name in source.columns}
    return {name: _from_arrow(source.column(name)) for name in source.schema.names}


def _read_path(path: Path) -> Table:
    if not path.exists():
        raise PoolError(f"no file {str(path)!r}; check the path (the current folder is {Path.cwd()}).")
    if path.is_dir():
        if not list(path.glob("*.parquet")):
            raise PoolError(f"folder {str(path)!r} holds no .parquet files; name a file, or a folder of Parquet files.")
        return _read_duckdb("read_parquet", str(path / "*.parquet"))
    suffixes = [s for s in path.suffixes if s not in (".gz", ".zst")]
    suffix = suffixes[-1].lower() if suffixes else ""
    if suffix == ".npz":
        return _read_npz(path)
    if suffix in (".arrow", ".feather", ".ipc"):
        return _read_feather(path)
    if suffix not in _READERS:
        raise PoolError(
            f"{path.name!r} is none of the files fewlabels reads: {listed([*_READERS, '.npz', '.arrow', '.feather'])}."
        )
    return _read_duckdb(_READERS[suffix], str(path))


def _read_duckdb(reader: str, path: str) -> Table:
    import duckdb

    connection = duckdb.connect()
    try:
        columns = connection.execute(f"select * from {reader}(?)", [path]).fetchnumpy()  # reader is one of _READERS
    except duckdb.Error as error:
        raise PoolError(f"DuckDB could not read {path!r}: {str(error).strip().splitlines()[0]}") from error
    finally:
        connection.close()
    return {name: _unmask(values) for name, values in columns.items()}


def _unmask(values: Any) -> npt.NDArray[Any]:
    """Missing numbers as NaN, missing text as None."""
    if not isinstance(values, np.ma.MaskedArray):
        return np.asarray(values)
    if not np.ma.getmaskarray(values).any():
        return np.asarray(values.data)
    if values.dtype.kind == "f":
        return np.asarray(values.filled(np.nan))
    return np.array(
        [None if m else v for v, m in zip(values.data.tolist(), np.ma.getmaskarray(values), strict=True)], dtype=object
    )


def _read_npz(path: Path) -> Table:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, EOFError, ValueError, BadZipFile, AttributeError) as error:
        raise PoolError(
            f"{path.name!r} cannot be read as NPZ ({error}); save plain arrays with numpy.savez."
        ) from error


def _read_feather(path: Path) -> Table:
    try:
        import pyarrow as pa
        from pyarrow import feather
    except ImportError as error:
        raise MissingExtraError(
            f"reading {path.name!r} needs pyarrow; pip install 'fewlabels[frames]', or save Parquet."
        ) from error
    try:
        return read_table(feather.read_table(path))
    except pa.ArrowInvalid:
        pass  # not a file with a footer: perhaps a stream
    try:
        with pa.ipc.open_stream(path.read_bytes()) as stream:
            return read_table(stream.read_all())
    except pa.ArrowInvalid as error:
        raise PoolError(f"{path.name!r} cannot be read as Arrow or Feather ({error}); write it again.") from error


def _from_pandas(series: Any) -> npt.NDArray[Any]:
    plain = isinstance(series.dtype, np.dtype)
    return np.asarray(series.to_numpy() if plain else series.to_numpy(dtype=object, na_value=None))


def _from_polars(series: Any) -> npt.NDArray[Any]:
    plain = series.dtype.is_numeric() and series.null_count() == 0
    return np.asarray(series.to_numpy()) if plain else _from_list(series.to_list())


def _from_arrow(column: Any) -> npt.NDArray[Any]:
    plain = column.null_count == 0 and str(column.type) in _ARROW_NUMBERS
    return np.asarray(column.to_numpy()) if plain else _from_list(column.to_pylist())


def _from_list(values: list[Any]) -> npt.NDArray[Any]:
    if any(isinstance(v, list) for v in values):
        return _objects(values)
    if any(v is None for v in values):
        numbers = all(v is None or isinstance(v, float) for v in values)
        return np.array([np.nan if v is None else v for v in values]) if numbers else np.array(values, dtype=object)
    return np.asarray(values)


def _objects(values: list[Any]) -> npt.NDArray[Any]:
    out = np.empty(len(values), dtype=object)
    out[:] = values
    return out
