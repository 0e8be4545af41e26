"""DuckDB as the database of an engine: in this process, out of files, with as much memory as it is given."""

import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import md5
from pathlib import Path
from typing import Any

import numpy as np

from fewlabels.engines.kept_passes import found_once
from fewlabels.engines.passes import passing
from fewlabels.engines.spilling import Spilling
from fewlabels.engines.words import ListWords, Words
from fewlabels.errors import PoolError
from fewlabels.tables.parquet_table import QUIET
from fewlabels.tables.values import plain_list, unmasked

COUNTED = "set enable_progress_bar = true; set enable_progress_bar_print = false"  # how far a query is; for us to say
MEMORY = "500MB"  # what DuckDB may hold; beyond that it writes to a folder for temporary files

WORDS = Words(
    text="cast({0} as varchar)",
    trimmed="trim({0}, ' ' || chr(9))",
    matches="regexp_full_match({0}, '{1}', 'i')",
    hash="md5_number_upper({0})",
    xor="xor({0}, {1})",
    right="({0} >> {1})",
    left="({0} << {1})",
    total="cast(sum({0}) as varchar)",
    reach="{0} <= {1}",
    whole="cast({0} as ubigint)",
    lists=ListWords(
        made="[{0}]",
        width="len({0})",
        known="list_count({0})",
        lowest="list_min({0})",
        highest="list_max({0})",
        added="list_sum({0})",
        each="[{1} for x in {0}]",
        at="{0}[{1}]",
        place="list_position({0}, {1})",
    ),
    bits="cast(cast({0} as bit) as ubigint)",
)


class DuckDbTables:
    """One connection, in memory but for what the queries read."""

    words = WORDS

    def __init__(self) -> None:
        import duckdb

        self._error, self._version = duckdb.Error, duckdb.__version__
        spilling = Spilling()
        beyond = str(spilling.folder / "tables")
        self.connection = duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": beyond})
        weakref.finalize(self, _end, self.connection, spilling)
        self.connection.execute(COUNTED)
        self.files: list[Path] = []  # that queries read
        self._kept: set[str] = set()
        self._made: set[str] = set()
        self._to_make: dict[str, str] = {}
        self._making = threading.Lock()

    def __reduce__(self) -> Any:
        raise TypeError("a pool in DuckDB cannot be handed to another process; open it there.")

    def columns(self, query: str) -> list[list[Any]]:
        return found_once(f"{self._version} {query}", self.files, lambda: self._found(query))

    def _found(self, query: str) -> list[list[Any]]:
        self._make(query)
        return self._plain(self._run(query, lambda found: found.fetchnumpy()))

    def parts(self, query: str, most: int) -> Iterator[list[list[Any]]]:
        self._make(query)
        found = self.connection.cursor().execute(QUIET).execute(query)  # others may ask while this goes on
        while rows := found.fetchmany(most):
            yield [list(column) for column in zip(*rows, strict=True)]

    def keep(self, columns: Mapping[str, Sequence[Any]]) -> str:
        arrays = {key: np.array(values, dtype=_type_of(values)) for key, values in columns.items()}
        name = _named("kept", repr(columns))
        if name not in self._kept:
            self.connection.register("handed_in", arrays)
            self._run(f"create table {name} as select * from handed_in")
            self.connection.unregister("handed_in")
            self._kept.add(name)
        return name

    def take(self, other: "DuckDbTables") -> None:
        """Keep what another one keeps, under the same names, so that its queries can be asked here."""
        for name in sorted(other._kept - self._kept):
            found = other.connection.execute(f"select * from {name}").fetchnumpy()
            self.keep(dict(zip(found, self._plain(found), strict=True)))
        self.files += [file for file in other.files if file not in self.files]

    def made(self, query: str) -> str:
        """The name of a table of what a query finds, which may be more than fits into memory; it is made as soon as
        another query names it."""
        name = _named("made", query)
        if name not in self._made:
            self._to_make[name] = query
        return name

    def _make(self, query: str) -> None:
        with self._making:
            for name in [name for name in self._to_make if name in query]:
                self._run(f"create table {name} as {self._to_make[name]}")
                del self._to_make[name]
                self._made.add(name)

    def _run(self, query: str, fetched: Callable[[Any], Any] = lambda _: None) -> Any:
        """What of a query is fetched; fetching goes on with the pass where executing has ended."""
        try:
            with passing(lambda: max(0.0, self.connection.query_progress()) / 100):
                return fetched(self.connection.execute(query))
        except self._error as error:
            raise PoolError(f"DuckDB could not read the pool: {str(error).strip().splitlines()[0]}") from error

    def _plain(self, found: Mapping[str, Any]) -> list[list[Any]]:
        return [plain_list(unmasked(values), name) for name, values in found.items()]


def _named(kind: str, content: str) -> str:
    """Tables are called by what they hold, so that the same query says the same in every process."""
    return f"{kind}_{md5(content.encode(), usedforsecurity=False).hexdigest()}"


def _end(connection: Any, spilling: Spilling) -> None:
    connection.close()
    spilling.end()


def _type_of(values: Sequence[Any]) -> Any:
    return {int: np.int64, float: np.float64}.get(type(values[0]) if len(values) else str, object)
