"""Tables of version 0.1, as a file or a server holds them, and a labeller who still works with them."""

import itertools
import json
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from fewlabels.storages import migrations

DATA = Path(__file__).parent.parent / "data" / "v010"


def engine_of(address: str) -> sa.Engine:
    """As version 0.1 wrote: in a file one at a time."""
    url = sa.make_url(address)
    if url.drivername != "sqlite":
        return sa.create_engine(url.set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
    engine = sa.create_engine(url, poolclass=sa.NullPool, connect_args={"timeout": 600, "isolation_level": None})
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def tell_as_before(address: str, log: Path) -> None:
    """A labeller with version 0.1, who gives a label of the first study anew until the tables are later ones."""
    engine, events = engine_of(address), migrations._events_1
    acknowledged = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    last = sa.select(sa.func.max(events.c.number)).where(events.c.study == 1)
    for said in itertools.count(1):
        content = json.dumps({"item": 120, "label": "dog", "by": f"old {said}", "at": "now"})
        with engine.begin() as connection:
            if connection.exec_driver_sql("select version from fewlabels_schema").scalar_one() != 1:
                return
            row = {"study": 1, "number": connection.execute(last).scalar_one() + 1, "kind": "corrected"}
            connection.execute(sa.insert(events), {**row, "content": content})
        os.write(acknowledged, f"old {said}\n".encode())
        time.sleep(0.01)


def write(address: str) -> None:
    """Studies of version 0.1 in this place, and nothing else. It had no PostgreSQL; the tables are the same there."""
    with closing(sqlite3.connect(":memory:")) as old:
        old.executescript((DATA / "studies.sql").read_text())
        studies, events = (
            old.execute(f"select * from {name} order by 1, 2").fetchall() for name in ("studies", "events")
        )
    with engine_of(address).begin() as connection:
        there = sa.MetaData()
        there.reflect(connection)
        there.drop_all(connection)
        migrations._one.create_all(connection)
        connection.exec_driver_sql("create table fewlabels_schema (version integer primary key)")
        connection.exec_driver_sql("insert into fewlabels_schema values (1)")
        for table, rows in ((migrations._studies_1, studies), (migrations._events_1, events)):
            connection.execute(sa.insert(table), [dict(zip(table.columns.keys(), row, strict=True)) for row in rows])


def read(address: str) -> tuple[list[Any], list[Any]]:
    """The studies, and the events but for those of the labeller who goes on."""
    events = migrations._events_1
    with engine_of(address).begin() as connection:
        studies = connection.execute(sa.select(migrations._studies_1)).all()
        told = connection.execute(sa.select(events).where(events.c.content.not_like('%"by": "old %'))).all()
    return studies, told
