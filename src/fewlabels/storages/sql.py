"""Studies kept in an SQL database; SQLite files today, the same schema for PostgreSQL."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from fewlabels.core.events import Event, event_from_json, event_to_json
from fewlabels.errors import StudyError, listed
from fewlabels.storages.base import StudyRecord

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

    def __init__(self, connection: sa.Connection, study: int) -> None:
        self._connection = connection
        self._study = study

    def read(self, after: int) -> Sequence[Event]:
        return _read(self._connection, self._study, after)

    def append(self, events: Sequence[Event]) -> None:
        if not events:
            return
        last = self._connection.execute(
            sa.select(sa.func.max(_events.c.number)).where(_events.c.study == self._study)
        ).scalar()
        rows = []
        for number, event in enumerate(events, start=(last or 0) + 1):
            kind, content = event_to_json(event)
            rows.append(
                {
                    "study": self._study,
                    "number": number,
                    "kind": kind,
                    "content": json.dumps(content, ensure_ascii=False),
                }
            )
        self._connection.execute(sa.insert(_events), rows)


class SqlStorage:
    """One database, any number of studies; the database's own lock lets one writer in at a time."""

    def __init__(self, url: str) -> None:
        self._engine = sa.create_engine(url, connect_args={"timeout": 60} if url.startswith("sqlite") else {})
        self._ids: dict[str, int] = {}
        if url.startswith("sqlite"):
            sa.event.listen(self._engine, "connect", _prepare_sqlite)
            sa.event.listen(self._engine, "begin", _begin)
        self._writer = self._engine.execution_options(fewlabels_writes=True)
        try:
            with self._writer.begin() as connection:
                found = self._prepare(connection, url)
        except sa.exc.DatabaseError as error:
            raise StudyError(
                f"{url} cannot be opened as a fewlabels study: {error.orig}. Name another file."
            ) from error
        if found != SCHEMA_VERSION:
            raise StudyError(
                f"{url} has schema version {found}, this fewlabels reads {SCHEMA_VERSION}; install the one that "
                "wrote it."
            )

    def _prepare(self, connection: sa.Connection, url: str) -> int:
        """The schema version found; an empty database gets the schema, one of something else is left alone."""
        tables = set(sa.inspect(connection).get_table_names())
        if _schema.name not in tables:
            if tables:
                raise StudyError(
                    f"{url} is a database of something else (it has tables {listed(sorted(tables))}); name "
                    "another file."
                )
            _metadata.create_all(connection)
            connection.execute(sa.insert(_schema), {"version": SCHEMA_VERSION})
        return int(connection.execute(sa.select(_schema.c.version)).scalar_one())

    def create(self, record: StudyRecord) -> None:
        row = {
            "name": record.name,
            "created": record.created,
            "settings": json.dumps(record.settings),
            "pool": json.dumps(record.pool),
            "cells": record.cells,
        }
        try:
            with self._writer.begin() as connection:
                connection.execute(sa.insert(_studies), row)
        except sa.exc.IntegrityError as error:
            raise StudyError(
                f"a study named {record.name!r} exists already; pass load_if_exists=True, or another name."
            ) from error

    def load(self, name: str) -> StudyRecord:
        with self._engine.begin() as connection:
            row = connection.execute(sa.select(_studies).where(_studies.c.name == name)).one_or_none()
        if row is None:
            raise StudyError(
                f"no study named {name!r} in {self._engine.url}; known are {', '.join(self.names()) or 'none'}."
            )
        return StudyRecord(row.name, json.loads(row.settings), json.loads(row.pool), row.cells, row.created)

    def names(self) -> list[str]:
        with self._engine.begin() as connection:
            return list(connection.execute(sa.select(_studies.c.name).order_by(_studies.c.id)).scalars())

    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        with self._engine.begin() as connection:
            return iter(_read(connection, self._id(connection, name), after))

    @contextmanager
    def locked(self, name: str) -> Iterator[SqlLog]:
        with self._writer.begin() as connection:
            yield SqlLog(connection, self._id(connection, name))

    def _id(self, connection: sa.Connection, name: str) -> int:
        if name not in self._ids:
            found = connection.execute(sa.select(_studies.c.id).where(_studies.c.name == name)).scalar_one_or_none()
            if found is None:
                raise StudyError(f"no study named {name!r} in {self._engine.url}; create it first.")
            self._ids[name] = found
        return self._ids[name]


def _read(connection: sa.Connection, study: int, after: int) -> list[Event]:
    query = (
        sa.select(_events.c.kind, _events.c.content)
        .where(_events.c.study == study, _events.c.number > after)
        .order_by(_events.c.number)
    )
    return [event_from_json(kind, json.loads(content)) for kind, content in connection.execute(query)]


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where _begin says, not where the driver guesses
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")  # what was told survives a power cut too
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    """Writers take the lock at once, never half-way through; readers see the last commit and wait for nobody."""
    writes = connection.get_execution_options().get("fewlabels_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
