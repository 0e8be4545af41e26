"""What a storage needs of a database: reading, writing under a lock, and words for what goes wrong."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

import sqlalchemy as sa

from fewlabels.errors import StudyError

_T = TypeVar("_T")


class Database(Protocol):
    """Where the tables are. What goes wrong is a StudyError that says whether the call was recorded; afterwards the
    database can be used again as soon as the trouble is over."""

    @property
    def shown(self) -> str:
        """What it is called in messages."""

    @property
    def argument(self) -> str:
        """What a shell calls it."""

    def identity(self) -> object:
        """What tells it from another in the same place; None where nothing is there yet."""

    def read(self, work: Callable[[sa.Connection], _T]) -> _T:
        """What the work reads: what was committed, whoever writes meanwhile."""

    def writing(self, *, create: bool = False) -> AbstractContextManager[sa.Connection]:
        """One transaction: all of it is durable when the block ends, or none. With `create`, what is not there is made,
        by one process at a time."""

    def hold(self, connection: sa.Connection, study: int) -> None:
        """Wait for the study's lock, and keep it until the transaction ends."""

    def hold_all(self, connection: sa.Connection) -> None:
        """Wait until nobody writes, and let nobody until the transaction ends."""

    def nothing_here(self, tables: list[str]) -> StudyError:
        """For one that is there and holds no studies, though perhaps these tables of others."""

    def damaged(self, why: object) -> StudyError:
        """For content that makes no sense."""
