"""Studies kept in an SQL database, a SQLite file or a PostgreSQL server: the same tables, the same statements."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

import sqlalchemy as sa

from fewlabels.core.events import Event, event_to_json
from fewlabels.core.undisturbed import undisturbed
from fewlabels.errors import StudyError
from fewlabels.storages import schema
from fewlabels.storages.base import StudyRecord
from fewlabels.storages.database import Database
from fewlabels.storages.firsts import SqlFirsts
from fewlabels.storages.folds import SqlFolds
from fewlabels.storages.migrations import upgrade
from fewlabels.storages.rows import Unreadable, event_row, events_of, pool_of
from fewlabels.storages.schema import events, pools, studies

_T = TypeVar("_T")
_VERSION = sa.select(schema.schema.c.version)
_ID = sa.select(studies.c.id).where(studies.c.name == sa.bindparam("name"))
_LAST = sa.select(sa.func.max(events.c.number)).where(events.c.study == sa.bindparam("study"))
_AFTER = (
    sa.select(events.c.number, events.c.kind, events.c.at, events.c.who, events.c.content)
    .where(events.c.study == sa.bindparam("study"), events.c.number > sa.bindparam("after"))
    .order_by(events.c.number)
)
_APPEND = sa.insert(events)


class SqlLog:
    """A study's events inside one transaction."""

    def __init__(self, connection: sa.Connection, study: int, database: Database) -> None:
        self._connection, self._study, self._database = connection, study, database

    def read(self, after: int) -> Sequence[Event]:
        return _read(self._connection, self._study, after, self._database)

    def append(self, events_: Sequence[Event]) -> None:
        if not events_:
            return
        last = self._connection.execute(_LAST, {"study": self._study}).scalar()
        numbered = enumerate(map(event_to_json, events_), start=(last or 0) + 1)
        rows = [event_row(self._study, number, kind, content) for number, (kind, content) in numbered]
        self._connection.execute(_APPEND, rows)


class SqlStorage:
    """One database, any number of studies. Reading takes no lock and writes nothing; nothing is written at all before
    the first study is created."""

    def __init__(self, database: Database, *, must_exist: bool = False) -> None:
        self._database = database
        self._checked: object = None  # the database whose tables were looked at and are ours
        if must_exist:
            self._check_there()
            self.names()  # tables of another version are refused

    def _check_there(self) -> int:
        """The version of the tables; an error where there are none."""

        def look(connection: sa.Connection) -> tuple[int | None, list[str]]:
            found = _version(connection)
            return found, [] if found is not None else sorted(sa.inspect(connection).get_table_names())

        there = self._database.identity() is not None
        found, others = self._database.read(look) if there else (None, [])
        if found is None:
            raise self._database.nothing_here(others)
        return found

    def _has_tables(self, connection: sa.Connection) -> bool:
        """Whether studies can be here; tables of another version are an error."""
        found = _version(connection)
        if found is not None:
            self._check_version(found)
        return found is not None

    def _check_version(self, found: int) -> None:
        name = self._database.shown
        if found < schema.VERSION:
            raise StudyError(
                f"{name} holds studies as an older fewlabels keeps them (version {found} of the tables; this one has "
                f"{schema.VERSION}); bring them up to date with: fewlabels upgrade {self._database.argument}"
            )
        if found > schema.VERSION:
            raise StudyError(
                f"{name} has schema version {found}, this fewlabels reads {schema.VERSION}; install the one that "
                "wrote it."
            )

    def _known(self, work: Callable[[sa.Connection], _T], nothing: _T) -> _T:
        """What the work reads, or `nothing` where no study was created yet."""
        identity = self._database.identity()
        if identity is None:
            return nothing

        def look(connection: sa.Connection) -> _T:
            if identity != self._checked and not self._has_tables(connection):
                return nothing
            self._checked = identity
            return work(connection)

        return self._database.read(look)

    def create(self, record: StudyRecord) -> None:
        self.names()  # tables of another version are refused before they are touched
        with self._database.writing(create=True) as connection:
            if not self._has_tables(connection):
                schema.metadata.create_all(connection)
                connection.execute(sa.insert(schema.schema), {"version": schema.VERSION})
            if self._id(connection, record.name) is not None:
                raise StudyError(
                    f"a study named {record.name!r} exists already; pass load_if_exists=True, or another name."
                )
            row = {"name": record.name, "created": record.created, "settings": json.dumps(record.settings)}
            connection.execute(sa.insert(studies), {**row, "pool": pool_of(connection, record.pool, record.cells)})

    def upgrade(self) -> tuple[int, int]:
        """Bring the tables of an older version up to date, all or none; from which version, and to which."""
        if self._check_there() == schema.VERSION:
            return schema.VERSION, schema.VERSION
        with self._database.writing() as connection:
            self._database.hold_all(connection)
            found = _version(connection)
            if found is None or found >= schema.VERSION:  # another process was quicker, or a newer version wrote it
                self._has_tables(connection)
                return schema.VERSION, schema.VERSION
            upgrade(connection, found)
        return found, schema.VERSION

    @property
    def folds(self) -> SqlFolds:
        """What folding came to, kept beside the events."""
        return SqlFolds(self._database, self._known, self._id)

    @property
    def firsts(self) -> SqlFirsts:
        """The first items of large pools."""
        return SqlFirsts(self._database, self._known)

    def load(self, name: str) -> StudyRecord:
        query = sa.select(studies, pools.c.about, pools.c.cells).join(pools).where(studies.c.name == name)
        row = self._known(lambda connection: connection.execute(query).one_or_none(), None)
        if row is None:
            raise self._unknown(name)
        try:
            settings, about = json.loads(row.settings), json.loads(row.about)
        except (ValueError, TypeError) as error:
            raise self._database.damaged(f"study {name!r} cannot be read: {error}") from error
        return StudyRecord(row.name, settings, about, row.cells, row.created)

    def names(self) -> list[str]:
        query = sa.select(studies.c.name).order_by(studies.c.id)
        return self._known(lambda connection: list(connection.execute(query).scalars()), [])

    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        def read(connection: sa.Connection) -> list[Event] | None:
            study = self._id(connection, name)
            return None if study is None else _read(connection, study, after, self._database)

        found = self._known(read, None)
        if found is None:
            raise self._unknown(name)
        return iter(found)

    @contextmanager
    def locked(self, name: str) -> Iterator[SqlLog]:
        with self._database.writing() as connection:
            version = connection.execute(_VERSION).scalar_one_or_none()
            if version is None:
                raise self._database.nothing_here([])
            self._check_version(version)  # which somebody may have changed since the study was opened
            study = self._id(connection, name)
            if study is None:
                raise self._unknown(name)
            self._database.hold(connection, study)
            yield SqlLog(connection, study, self._database)

    def _id(self, connection: sa.Connection, name: str) -> int | None:
        return connection.execute(_ID, {"name": name}).scalar_one_or_none()

    def _unknown(self, name: str) -> StudyError:
        known = ", ".join(self.names()) or "none"
        return StudyError(f"no study named {name!r} in {self._database.shown}; known are {known}.")


def _version(connection: sa.Connection) -> int | None:
    """The version of the tables; None where there are none."""
    if not sa.inspect(connection).has_table(schema.schema.name):
        return None
    return connection.execute(_VERSION).scalar_one_or_none()


def _read(connection: sa.Connection, study: int, after: int, database: Database) -> list[Event]:
    try:
        with undisturbed():
            return events_of(connection.execute(_AFTER, {"study": study, "after": after}).all())
    except Unreadable as error:
        raise database.damaged(error) from error
