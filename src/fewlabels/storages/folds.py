"""What folding a study's events came to, kept beside them: it counts only where it was made of just these events."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from fewlabels.core.events import Event
from fewlabels.errors import StudyError
from fewlabels.storages.database import Database
from fewlabels.storages.rows import Unreadable, events_of
from fewlabels.storages.schema import events, folds

_AT_ONCE = 2000  # events read at once


@dataclass(frozen=True)
class SqlFolds:
    """Folds in a table of the same database, one a study. The table is made when the first fold is kept: to versions
    that know nothing of it the studies are as they were."""

    database: Database
    reading: Callable[[Callable[[sa.Connection], Any], Any], Any]  # what work reads, or else what is given
    number: Callable[[sa.Connection, str], int | None]  # of a study

    def kept(self, name: str, mark: str) -> bytes | None:
        """What was kept by somebody who folds by this mark; None where nothing is, or events are others than those it
        was made of."""

        def look(connection: sa.Connection) -> bytes | None:
            if not sa.inspect(connection).has_table(folds.name):
                return None
            study = self.number(connection, name)
            row = connection.execute(sa.select(folds).where(folds.c.study == study, folds.c.mark == mark)).one_or_none()
            if row is None or row.digest != digest_of(connection, row.study, row.events, mark, row.content):
                return None
            content: bytes = row.content
            return content

        found: bytes | None = self.reading(look, None)
        return found

    def keep(self, name: str, mark: str, count: int, content: bytes) -> None:
        """Keep what the first `count` events came to, in place of what was kept before."""

        def made_of(connection: sa.Connection) -> tuple[int, str]:
            study = self.number(connection, name)
            assert study is not None  # its events were folded
            return study, digest_of(connection, study, count, mark, content)

        study, digest = self.database.read(made_of)  # before the lock is taken: events stay as they are
        row = {"study": study, "mark": mark, "events": count, "digest": digest, "content": content}
        with self.database.writing() as connection:
            folds.create(connection, checkfirst=True)
            connection.execute(sa.delete(folds).where(folds.c.study == study))
            connection.execute(sa.insert(folds), row)

    def event(self, name: str, number: int) -> Event:
        """One of the events, counted from 1."""

        def look(connection: sa.Connection) -> list[Event]:
            study = self.number(connection, name)
            query = sa.select(events.c.number, events.c.kind, events.c.at, events.c.who, events.c.content)
            return events_of(connection.execute(query.where(events.c.study == study, events.c.number == number)).all())

        try:
            (found,) = self.reading(look, [])
            event: Event = found
        except (Unreadable, ValueError) as error:
            raise StudyError(f"entry {number} of study {name!r} cannot be read ({error}).") from error
        return event


def digest_of(connection: sa.Connection, study: int, count: int, mark: str, content: bytes) -> str:
    """Of the first events of a study, every word of them, and of what they are said to have come to."""
    who = sa.func.coalesce(events.c.who, "")
    text = events.c.kind + "\n" + events.c.at + "\n" + who + "\n" + events.c.content
    query = sa.select(text).where(events.c.study == study, events.c.number <= count).order_by(events.c.number)
    found, seen = hashlib.sha256(f"{mark}\n{count}\n".encode() + content), 0
    for texts in connection.execute(query).scalars().partitions(_AT_ONCE):
        found.update("\n".join(texts).encode("utf-8", "surrogatepass"))
        seen += len(texts)
    return f"{seen} {found.hexdigest()}"
