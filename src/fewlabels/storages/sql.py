"""Studies kept in an SQL database; SQLite files today, the same schema for PostgreSQL."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa

from fewlabels.core.events import Event, event_from_json, event_to_json
from fewlabels.errors import StudyError, listed
from fewlabels.storages.base import StudyRecord
from fewlabels.storages.sqlite_file import SqliteFile
from fewlabels.storages.trouble import check_there, damaged

_T = TypeVar("_T")

SCHEMA_VERSION = 1
_metadata = sa.MetaData()

_schema = sa.Table("fewlabels_schema", _metadata, sa.Column("version", sa.Integer, primary_key=True))
_studies = sa.Table(
    "studies",
    _metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("created", sa.Text, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("pool", sa.Text, nullable=False),
    sa.Column("cells", sa.LargeBinary, nullable=False),
)
_events = sa.Table(
    "events",
    _metadata,
    sa.Column("study", sa.Integer, sa.ForeignKey("studies.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("content", sa.Text, nullable=False),
)


class SqlLog:
    """A study's events inside one transaction."""

    def __init__(self, connection: sa.Connection, study: int, file: Path) -> None:
        self._connection, self._study, self._file = connection, study, file

    def read(self, after: int) -> Sequence[Event]:
        return _read(self._connection, self._study, after, self._file)

    def append(self, events: Sequence[Event]) -> None:
        if not events:
            return
        last = self._connection.execute(
            sa.select(sa.func.max(_events.c.number)).where(_events.c.study == self._study)
        ).scalar()
        rows = [
            {"study": self._study, "number": number, "kind": kind, "content": json.dumps(content, ensure_ascii=False)}
            for number, (kind, content) in enumerate(map(event_to_json, events), start=(last or 0) + 1)
        ]
        self._connection.execute(sa.insert(_events), rows)


class SqlStorage:
    """One file, any number of studies. Reading takes no lock and writes nothing; nothing is written at all before the
    first study is created."""

    def __init__(self, file: Path, *, must_exist: bool = False, wait: float = 60.0) -> None:
        """`wait` is how many seconds another process may hold the lock before that is an error."""
        self._file = SqliteFile(file, wait)
        self._checked: object = None  # the file whose schema was looked at and is ours
        if must_exist:
            check_there(file)
            if not self._file.read(self._has_schema):
                empty = "it is empty" if file.stat().st_size == 0 else "it has no tables"
                raise StudyError(f"{str(file)!r} holds no study: {empty}. Create one in it first, or check the path.")

    def _has_schema(self, connection: sa.Connection) -> bool:
        """Whether studies can be here; an empty file has none, one of something else is an error."""
        name, tables = repr(str(self._file.name)), set(sa.inspect(connection).get_table_names())
        if not tables:
            return False
        if _schema.name not in tables:
            raise StudyError(
                f"{name} is a database of something else (it has tables {listed(sorted(tables))}); name another file."
            )
        found = connection.execute(sa.select(_schema.c.version)).scalar_one_or_none()
        if found != SCHEMA_VERSION:
            raise StudyError(
                f"{name} has schema version {found}, this fewlabels reads {SCHEMA_VERSION}; install the one that "
                "wrote it."
            )
        return True

    def _known(self, work: Callable[[sa.Connection], _T], nothing: _T) -> _T:
        """What the work reads, or `nothing` where no study was created yet."""
        if not self._file.exists:
            return nothing
        file = self._file.identity()

        def look(connection: sa.Connection) -> _T:
            if file != self._checked and not self._has_schema(connection):
                return nothing
            self._checked = file
            return work(connection)

        return self._file.read(look)

    def create(self, record: StudyRecord) -> None:
        row = {
            "name": record.name,
            "created": record.created,
            "settings": json.dumps(record.settings),
            "pool": json.dumps(record.pool),
            "cells": record.cells,
        }
        self.names()  # a database of something else is refused before it is touched
        self._file.may_create = True
        try:
            with self._file.writing() as connection:
                if not self._has_schema(connection):
                    _metadata.create_all(connection)
                    connection.execute(sa.insert(_schema), {"version": SCHEMA_VERSION})
                if self._id(connection, record.name) is not None:
                    raise StudyError(
                        f"a study named {record.name!r} exists already; pass load_if_exists=True, or another name."
                    )
                connection.execute(sa.insert(_studies), row)
        finally:
            self._file.may_create = False

    def load(self, name: str) -> StudyRecord:
        query = sa.select(_studies).where(_studies.c.name == name)
        row = self._known(lambda connection: connection.execute(query).one_or_none(), None)
        if row is None:
            raise self._unknown(name)
        try:
            return StudyRecord(row.name, json.loads(row.settings), json.loads(row.pool), row.cells, row.created)
        except (ValueError, TypeError) as error:
            raise damaged(self._file.name, f"study {name!r} cannot be read: {error}") from error

    def names(self) -> list[str]:
        query = sa.select(_studies.c.name).order_by(_studies.c.id)
        return self._known(lambda connection: list(connection.execute(query).scalars()), [])

    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        def read(connection: sa.Connection) -> list[Event] | None:
            study = self._id(connection, name)
            return None if study is None else _read(connection, study, after, self._file.name)

        found = self._known(read, None)
        if found is None:
            raise self._unknown(name)
        return iter(found)

    @contextmanager
    def locked(self, name: str) -> Iterator[SqlLog]:
        with self._file.writing() as connection:
            study = self._id(connection, name)
            if study is None:
                raise self._unknown(name)
            yield SqlLog(connection, study, self._file.name)

    def _id(self, connection: sa.Connection, name: str) -> int | None:
        return connection.execute(sa.select(_studies.c.id).where(_studies.c.name == name)).scalar_one_or_none()

    def _unknown(self, name: str) -> StudyError:
        known = ", ".join(self.names()) or "none"
        return StudyError(f"no study named {name!r} in {str(self._file.name)!r}; known are {known}.")


def _read(connection: sa.Connection, study: int, after: int, file: Path) -> list[Event]:
    query = (
        sa.select(_events.c.number, _events.c.kind, _events.c.content)
        .where(_events.c.study == study, _events.c.number > after)
        .order_by(_events.c.number)
    )
    found: list[Event] = []
    for number, kind, content in connection.execute(query):
        try:
            found.append(event_from_json(kind, json.loads(content)))
        except (ValueError, TypeError, KeyError) as error:
            raise damaged(file, f"entry {number} of the study cannot be read: {error!r}") from error
    return found
