"""Studies kept in memory, for as long as the process lives."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fewlabels.core.events import Event
from fewlabels.errors import StudyError
from fewlabels.storages.base import StudyRecord


class MemoryLog:
    """Events appended so far, and those of the block in progress."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.added: list[Event] = []

    def read(self, after: int) -> Sequence[Event]:
        return self.events[after:]

    def append(self, events: Sequence[Event]) -> None:
        self.added.extend(events)


class MemoryStorage:
    """Dictionaries and two locks: one lets one writer in at a time; the other guards the lists themselves, and is never
    held for longer than it takes to copy or extend one, so that readers do not wait for writers."""

    folds = None

    def __init__(self) -> None:
        self._records: dict[str, StudyRecord] = {}
        self._events: dict[str, list[Event]] = {}
        self._writing = threading.RLock()
        self._lists = threading.Lock()

    def create(self, record: StudyRecord) -> None:
        with self._writing, self._lists:
            if record.name in self._records:
                raise StudyError(
                    f"a study named {record.name!r} exists already; pass load_if_exists=True, or another name."
                )
            self._records[record.name] = record
            self._events[record.name] = []

    def load(self, name: str) -> StudyRecord:
        with self._lists:
            if name not in self._records:
                raise StudyError(f"no study named {name!r}; known are {', '.join(self._records) or 'none'}.")
            return self._records[name]

    def names(self) -> list[str]:
        with self._lists:
            return list(self._records)

    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        self.load(name)
        with self._lists:
            return iter(self._events[name][after:])

    @contextmanager
    def locked(self, name: str) -> Iterator[MemoryLog]:
        self.load(name)
        with self._writing:
            log = MemoryLog(self._events[name])
            yield log
            with self._lists:
                self._events[name].extend(log.added)
