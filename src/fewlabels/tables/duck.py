"""DuckDB, imported only where a file needs it; its errors in words."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fewlabels.errors import PoolError


@contextmanager
def duckdb_for(path: Path) -> Iterator[Any]:
    """A connection to read this file with."""
    import duckdb

    connection = duckdb.connect()
    try:
        yield connection
    except duckdb.Error as error:
        reason = str(error).strip().splitlines()[0]
        raise PoolError(f"DuckDB could not read {str(path)!r}: {reason} Write the file again.") from error
    finally:
        connection.close()
