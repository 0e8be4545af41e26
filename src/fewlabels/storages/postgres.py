"""A PostgreSQL database: any number of studies of a team, each with a lock of its own."""

import shlex
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import sqlalchemy as sa

from fewlabels.errors import StudyError
from fewlabels.storages.schema import schema, studies

_T = TypeVar("_T")
_CREATING = 0x6665776C  # the key of the lock under which tables are made
_UNKNOWN = (
    "It is not known whether this call was recorded (if so, its items are among the open ones or have their labels; to "
    "tell a label again is harmless)"
)
_UNTOUCHED = "Nothing of this call was recorded"


class Postgres:
    """Reading takes no lock. A writer holds the row of its study, so that studies do not wait for one another."""

    def __init__(self, address: str, wait: float = 60.0) -> None:
        """`wait` is how many seconds another process may hold a lock, or a server be silent, until that is an error."""
        try:
            url = sa.make_url(address).set(drivername="postgresql+psycopg")
            # statements see what was committed before them, so that a writer who waited for its lock sees all
            self._engine = sa.create_engine(
                url, isolation_level="READ COMMITTED", pool_pre_ping=True, max_overflow=-1,
                connect_args={"connect_timeout": max(2, int(wait)), "application_name": "fewlabels"},
            )  # fmt: skip
        except sa.exc.ArgumentError as error:
            raise StudyError(
                f"storage {address!r} cannot be read; write postgresql://user:password@server/database."
            ) from error
        except ModuleNotFoundError as error:
            raise StudyError("PostgreSQL needs a driver: pip install 'fewlabels[postgres]'.") from error
        weakref.finalize(self, self._engine.dispose)  # connections end with the storage, not some time later
        self.shown = repr(url.set(drivername="postgresql").render_as_string(hide_password=True))
        self.argument = shlex.quote(url.set(drivername="postgresql").render_as_string(hide_password=True))
        self._wait = wait

    def identity(self) -> object:
        return self.shown

    def read(self, work: Callable[[sa.Connection], _T]) -> _T:
        with self._in_words("read"), self._engine.connect() as connection:
            return work(connection)

    @contextmanager
    def writing(self, *, create: bool = False) -> Iterator[sa.Connection]:
        with self._in_words("written") as reached, self._engine.begin() as connection:
            # what a server's own settings promise is not enough: a commit is on disk when it is acknowledged
            connection.exec_driver_sql(
                f"SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = {int(1000 * self._wait)}"
            )
            if create:
                connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_CREATING)))
            yield connection
            reached.append("commit")

    def hold(self, connection: sa.Connection, study: int) -> None:
        connection.execute(sa.select(studies.c.id).where(studies.c.id == study).with_for_update())

    def hold_all(self, connection: sa.Connection) -> None:
        """Whoever writes has read the version of the tables, which is a lock that this one waits for."""
        connection.exec_driver_sql(f"LOCK TABLE {schema.name} IN ACCESS EXCLUSIVE MODE")

    def nothing_here(self, tables: list[str]) -> StudyError:  # noqa: ARG002 - others' tables are no hint of a mistake
        return StudyError(f"{self.shown} holds no study. Create one in it first, or check the address.")

    def damaged(self, why: object) -> StudyError:
        return StudyError(f"{self.shown} is damaged ({why}). Restore it from a copy.")

    @contextmanager
    def _in_words(self, doing: str) -> Iterator[list[str]]:
        reached: list[str] = []
        try:
            yield reached
        except sa.exc.DBAPIError as error:
            undone = "Nothing was changed" if doing == "read" else _UNKNOWN if reached else _UNTOUCHED
            self._raise(error, doing, undone)

    def _raise(self, error: sa.exc.DBAPIError, doing: str, undone: str) -> NoReturn:
        cause: Any = error.orig
        state, why = getattr(cause, "sqlstate", None) or "", " ".join(str(cause).split())
        if state == "55P03":
            what = f"another process has held its lock for over {self._wait:g} s"
            todo = "wait for that process or end it, then try again"
        elif state in ("53100", "53200", "53300"):
            what, todo = f"the server has no room ({why})", "make room, then try again"
        elif state in ("42501", "25006"):
            what, todo = f"you may only read it ({why})", "ask its owner for the right to write"
        elif state.startswith("28") or state == "3D000":
            what, todo = why, "check name, password and database"
        else:
            what, todo = why, "look whether the server runs and can be reached, then try again"
        raise StudyError(f"{self.shown} cannot be {doing}: {what}. {undone}; {todo}.") from error
