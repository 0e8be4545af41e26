"""From the tables of an older version to those of this one. A step is part of one transaction: a process that dies in
it leaves the tables as they were, for the version that wrote them."""

import json
from collections.abc import Callable

import sqlalchemy as sa

from fewlabels.storages import schema
from fewlabels.storages.rows import event_row, pool_of

CHUNK = 1000  # events copied at once

_one = sa.MetaData()
_studies_1 = sa.Table(
    "studies",
    _one,
    sa.Column("id", sa.Integer, primary_key=True),
    *(sa.Column(name, sa.Text) for name in ("name", "created", "settings", "pool")),
    sa.Column("cells", sa.LargeBinary),
)
_events_1 = sa.Table(
    "events",
    _one,
    sa.Column("study", sa.Integer, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    *(sa.Column(name, sa.Text) for name in ("kind", "content")),
)


def _from_1(connection: sa.Connection) -> None:
    """Tables of versions 0.1: pools were a part of their studies, and who and when a part of the content."""
    schema.metadata.create_all(connection)
    for study in connection.execute(sa.select(_studies_1).order_by(_studies_1.c.id)).all():
        pool = pool_of(connection, json.loads(study.pool), study.cells)
        row = {name: getattr(study, name) for name in ("id", "name", "created", "settings")}
        connection.execute(sa.insert(schema.studies), {**row, "pool": pool})
        _copy_events_1(connection, study.id)
    for table in (_events_1, _studies_1):
        table.drop(connection)


def _copy_events_1(connection: sa.Connection, study: int) -> None:
    query = sa.select(_events_1).where(_events_1.c.study == study).order_by(_events_1.c.number).limit(CHUNK)
    last = 0
    while found := connection.execute(query.where(_events_1.c.number > last)).all():
        rows = [event_row(study, row.number, row.kind, json.loads(row.content)) for row in found]
        connection.execute(sa.insert(schema.events), rows)
        last = found[-1].number


STEPS: dict[int, Callable[[sa.Connection], None]] = {1: _from_1}


def upgrade(connection: sa.Connection, version: int) -> None:
    """Take every step from a version to this one."""
    while version < schema.VERSION:
        STEPS[version](connection)
        version += 1
        connection.execute(sa.update(schema.schema).values(version=version))
