"""What a storage is: it keeps studies as settings, cells and an ever-growing list of events."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from fewlabels.core.events import Event
from fewlabels.core.first_items import FirstItem


@dataclass(frozen=True)
class StudyRecord:
    """What is written once, when a study is created."""

    name: str
    settings: Mapping[str, Any]
    pool: Mapping[str, Any]  # classes, ids, fingerprint, how to reopen: all a study needs of a pool it does not have
    cells: bytes
    created: str = ""


class Log(Protocol):
    """A study's events, held under its lock."""

    def read(self, after: int) -> Sequence[Event]:
        """The events past the first `after`."""

    def append(self, events: Sequence[Event]) -> None:
        """Add events at the end; they are kept when the lock is released without an error, all or none."""


class Folds(Protocol):
    """What folding a study's events came to, kept beside them so that opening a large study is fast.

    A storage may do without (`folds = None`). Events alone are the state: a fold that was not made of just these
    events, or by another way of folding (its mark), is as good as none.
    """

    def kept(self, name: str, mark: str) -> bytes | None:
        """What the first events came to; None where nothing is kept that holds."""

    def keep(self, name: str, mark: str, count: int, content: bytes) -> None:
        """Keep what the first events came to."""

    def event(self, name: str, number: int) -> Event:
        """One of the events, counted from 1."""


class Firsts(Protocol):
    """The first items of each cell of a pool in the order of a seed, kept so that asking needs no look at a large one.

    A storage may do without (`firsts = None`): a study then looks into its pool.
    """

    def items(self, name: str, seed: int, cell: int | None, after: int, n: int) -> Sequence[FirstItem]:
        """The next n items of a cell, or of each cell, past the first `after`, as far as they are kept; in order."""

    def keep(self, name: str, seed: int, items: Iterable[FirstItem]) -> None:
        """Keep these too, all or none; those that are kept already stay as they are."""


class Storage(Protocol):
    """Keeps studies.

    Promises: one writer at a time holds a study's lock, in any number of processes; what a lock's block appended is
    durable when the block ends, and not there at all when it raises or the process dies; events are never changed.
    """

    @property
    def folds(self) -> Folds | None:
        """Where it keeps what folding came to; None where it does not."""

    @property
    def firsts(self) -> Firsts | None:
        """Where it keeps the first items of large pools; None where it does not."""

    def create(self, record: StudyRecord) -> None:
        """Keep a new study; an error where the name is taken."""

    def load(self, name: str) -> StudyRecord:
        """The study of this name; an error that lists the known names where there is none."""

    def names(self) -> list[str]:
        """The studies kept here, oldest first."""

    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        """The events past the first `after`, without a lock."""

    def locked(self, name: str) -> AbstractContextManager[Log]:
        """Hold the study's lock."""
