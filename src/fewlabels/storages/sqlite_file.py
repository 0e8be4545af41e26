"""A SQLite file: opened to read without a lock and without writing, or to write under its one lock."""

import os
import shlex
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from fewlabels.errors import StudyError, listed
from fewlabels.storages.trouble import check_there, damaged, in_words, read_only
from fewlabels.storages.turns import turn

_T = TypeVar("_T")
_BESIDE = ("-wal", "-journal")  # where SQLite keeps what is not in the file yet


class SqliteFile:
    """What goes wrong is a StudyError; afterwards the file can be used again as soon as the trouble is over."""

    def __init__(self, file: Path, wait: float = 60.0) -> None:
        """`wait` is how many seconds another process may hold the lock before that is an error."""
        self.name, self._wait = file, wait
        self.shown, self.argument = repr(str(file)), shlex.quote(str(file))
        self._path = Path(os.path.realpath(file))  # a later change of folder changes nothing
        self._here = threading.local()  # whether this very thread may make the file
        self._reader = sa.create_engine("sqlite://", creator=self._open_to_read, poolclass=sa.NullPool)
        self._writer = sa.create_engine(
            "sqlite://", creator=self._open_to_write, poolclass=sa.QueuePool, max_overflow=-1
        )
        sa.event.listen(self._reader, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        # writers take the lock at once, never half-way through
        sa.event.listen(self._writer, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
        sa.event.listen(self._writer, "connect", self._note_identity)
        sa.event.listen(self._writer, "checkout", self._check_identity)

    def identity(self) -> tuple[int, int] | None:
        found = _stat(str(self._path))
        return (found.st_dev, found.st_ino) if found else None

    def read(self, work: Callable[[sa.Connection], _T]) -> _T:
        """What the work reads: the last commit, whoever writes meanwhile."""
        while True:
            seen, bare = self._seen(), self._bare
            with in_words(self.name, "read", self._wait), self._reader.begin() as connection:
                found = work(connection)
            if not bare or self._seen() == seen:
                return found

    @contextmanager
    def writing(self, *, create: bool = False) -> Iterator[sa.Connection]:
        """One transaction under the file's lock: all of it is on disk when the block ends, or none."""
        if self._path.exists() and not os.access(self._path, os.W_OK):
            raise read_only(self.name)  # SQLite would leave files beside it that others cannot write
        with in_words(self.name, "written", self._wait):
            try:
                with self._begin(create) as connection:
                    yield connection
            except (sa.exc.DBAPIError, sqlite3.Error):
                self._writer.dispose()  # whatever a connection remembers of the trouble is forgotten
                raise

    @contextmanager
    def _begin(self, create: bool) -> Iterator[sa.Connection]:
        self._here.creates = create
        try:
            with turn(self.identity(), self._wait), self._writer.begin() as connection:
                yield connection
        finally:
            self._here.creates = False

    def hold(self, connection: sa.Connection, study: int) -> None:
        """The file's lock, which every transaction that writes has, is that of its studies too."""

    def hold_all(self, connection: sa.Connection) -> None:
        """And that of all of them."""

    def nothing_here(self, tables: list[str]) -> StudyError:
        check_there(self.name)
        empty = "it is empty" if os.path.getsize(self._path) == 0 else "it has no tables"
        why = f"it is a database of something else, with tables {listed(tables)}" if tables else empty
        return StudyError(f"{self.shown} holds no study: {why}. Create one in it first, or check the path.")

    def damaged(self, why: object) -> StudyError:
        return damaged(self.name, why)

    # -- connections -------------------------------------------------------------------------------------------------

    @property
    def _writable(self) -> bool:
        return os.access(self._path, os.W_OK) and os.access(self._path.parent, os.W_OK)

    @property
    def _bare(self) -> bool:
        """Whether the file is whole by itself and nothing can be put beside it: then SQLite must not try to."""
        return not self._writable and not any(self._seen()[1:])

    def _open_to_read(self) -> sqlite3.Connection:
        """A reader changes nothing, beside the file neither. Where a writer is at work or was killed, its files stay
        as they are (mode=ro); where none is, SQLite clears away what it puts there itself (it would not in mode=ro)."""
        beside = any(os.path.exists(f"{self._path}{end}") for end in _BESIDE)
        mode = "immutable=1" if self._bare else "mode=ro" if beside or not self._writable else "mode=rw"
        return self._connect(mode, "PRAGMA query_only=ON")

    def _open_to_write(self) -> sqlite3.Connection:
        connection = self._connect(
            "mode=rwc" if self._here.creates else "mode=rw",
            "PRAGMA synchronous=FULL",  # what was told survives a power cut too
            "PRAGMA foreign_keys=ON",
        )
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.Error as error:
            # where it is busy, another creates the file right now and sets it
            if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_BUSY:
                connection.close()
                raise
        return connection

    def _connect(self, mode: str, *settings: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self._path.as_uri()}?{mode}",
            uri=True,
            timeout=self._wait,
            isolation_level=None,  # transactions begin where we say, not where the driver guesses
            check_same_thread=False,  # the pool hands a connection to one thread at a time
        )
        for setting in settings:
            connection.execute(setting)
        return connection

    def _seen(self) -> tuple[Any, ...]:
        """Size and time of the file, and of what lies beside it where that is not empty."""
        return tuple(
            (found.st_size, found.st_mtime_ns) if (found := _stat(f"{self._path}{end}")) and found.st_size else None
            for end in ("", *_BESIDE)
        )

    def _note_identity(self, _connection: Any, record: Any) -> None:
        record.info["identity"] = self.identity()

    def _check_identity(self, _connection: Any, record: Any, _proxy: Any) -> None:
        """Open anew where the file was moved or replaced: else labels would go into the one that is gone."""
        if record.info["identity"] != self.identity():
            raise sa.exc.DisconnectionError


def _stat(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None
