"""What folding a study's events came to, kept beside them: it counts only where it was made of just these events."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from fewlabels.core.events import Event
from fewlabels.errors import StudyError
from fewlabels.storages.database import Database
from fewlabels.storages.rows import Unreadable, events_of
from fewlabels.storages.schema import events, folds

_AT_ONCE = 2000  # events read at once


class Digests:
    """Of the first events of a study, every word of them, and of what they are said to have come to.

    Events never change once they are there, so that those read once are not read again.
    """

    def __init__(self) -> None:
        self._read = 0, 0, hashlib.sha256()  # of which study how many events, and their digest; never changed in place

    def of(self, connection: sa.Connection, study: int, count: int, mark: str, content: bytes) -> str:
        """For the first `count` events."""
        last, after, read = self._read
        if last != study or after > count:
            after, read = 0, hashlib.sha256()
        seen, found = after, read.copy()
        for texts in connection.execute(_words(study, after, count)).scalars().partitions(_AT_ONCE):
            found.update(("\n".join(texts) + "\n").encode("utf-8", "surrogatepass"))
            seen += len(texts)
        self._read = study, seen, found
        said = hashlib.sha256(f"{mark}\n{count}\n{found.hexdigest()}\n".encode() + content)
        return f"{seen} {said.hexdigest()}"


@dataclass(frozen=True)
class SqlFolds:
    """Folds in a table of the same database, one a study. The table is made when the first fold is kept: to versions
    that know nothing of it the studies are as they were."""

    database: Database
    reading: Callable[[Callable[[sa.Connection], Any], Any], Any]  # what work reads, or else what is given
    number: Callable[[sa.Connection, str], int | None]  # of a study
    digests: Digests = field(default_factory=Digests)

    def kept(self, name: str, mark: str) -> bytes | None:
        """What was kept by somebody who folds by this mark; None where nothing is, or events are others than those it
        was made of."""

        def look(connection: sa.Connection) -> bytes | None:
            if not sa.inspect(connection).has_table(folds.name):
                return None
            study = self.number(connection, name)
            row = connection.execute(sa.select(folds).where(folds.c.study == study, folds.c.mark == mark)).one_or_none()
            if row is None or row.digest != self.digests.of(connection, row.study, row.events, mark, row.content):
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
            return study, self.digests.of(connection, study, count, mark, content)

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


def _words(study: int, after: int, count: int) -> sa.Select[Any]:
    who = sa.func.coalesce(events.c.who, "")
    text = events.c.kind + "\n" + events.c.at + "\n" + who + "\n" + events.c.content
    among = events.c.number.between(after + 1, count)
    return sa.select(text).where(events.c.study == study, among).order_by(events.c.number)
