"""Negative controls: storages that break a promise are noticed, and it is said which."""

import json
import pickle
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fewlabels.core.events import Event, event_from_json, event_to_json
from fewlabels.errors import StudyError
from fewlabels.storages import MemoryStorage, StudyRecord
from fewlabels.storages.memory import MemoryLog
from fewlabels.testing import check_storage, processes


class KeepsHalves(MemoryStorage):
    """Appends at once, whatever becomes of the block."""

    @contextmanager
    def locked(self, name: str) -> Iterator[MemoryLog]:
        with super().locked(name) as log:
            log.append = log.events.extend  # type: ignore[method-assign]
            yield log


class NoLock(MemoryStorage):
    """Lets every writer in, and takes its time."""

    @contextmanager
    def locked(self, name: str) -> Iterator[MemoryLog]:
        self.load(name)
        log = MemoryLog(self._events[name])
        yield log
        time.sleep(0.002)
        log.events.extend(log.added)


class RoundsNumbers(MemoryStorage):
    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        for event in super().events(name, after):
            kind, data = event_to_json(event)
            rounded = {key: round(value, 9) if isinstance(value, float) else value for key, value in data.items()}
            yield event_from_json(kind, rounded)


class Overwrites(MemoryStorage):
    def create(self, record: StudyRecord) -> None:
        self._records.pop(record.name, None)
        super().create(record)


class Silent(MemoryStorage):
    def load(self, name: str) -> StudyRecord:
        if name not in self._records:
            raise StudyError(f"{name}: not found")
        return super().load(name)


class ReadersWait(MemoryStorage):
    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        with self._writing:
            return super().events(name, after)


class Alphabetical(MemoryStorage):
    def names(self) -> list[str]:
        return sorted(super().names())


class Living(MemoryStorage):
    """What was read goes on to change."""

    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        return super().events(name, after) if after else iter(self._events[name])


BROKEN: dict[str, tuple[type[MemoryStorage], str]] = {
    "keeps half a block": (KeepsHalves, "A block that raises leaves nothing"),
    "rounds": (RoundsNumbers, "Events come back as they went in"),
    "overwrites": (Overwrites, "A taken name is refused"),
    "does not list": (Silent, "the known ones are listed"),
    "lists by the alphabet": (Alphabetical, "the oldest first"),
    "what was read changes": (Living, "Events once read do not change"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_storage_is_noticed(name):
    made, promise = BROKEN[name]
    with pytest.raises(AssertionError, match=promise):
        check_storage(made)


def test_a_storage_whose_readers_wait_is_noticed(monkeypatch):
    from fewlabels.testing import storages

    monkeypatch.setattr(storages, "CEILING", 0.2)
    with pytest.raises(AssertionError, match="a reader waited for a writer"):
        storages.readers_do_not_wait(ReadersWait())


def test_a_storage_that_lets_every_writer_in_is_noticed():
    from fewlabels.testing.storages import one_writer_at_a_time

    with pytest.raises(AssertionError, match="events went in"):
        one_writer_at_a_time(NoLock())


class NoBlocks:
    """A file of events, each written as soon as it is appended; and no lock."""

    folds = None

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, record: StudyRecord) -> None:
        self.path.with_suffix(".record").write_bytes(pickle.dumps(record))
        self.path.touch()

    def load(self, name: str) -> StudyRecord:  # noqa: ARG002
        record: StudyRecord = pickle.loads(self.path.with_suffix(".record").read_bytes())
        return record

    def names(self) -> list[str]:
        return [self.load("").name] if self.path.exists() else []

    def events(self, name: str, after: int = 0) -> Iterator[Event]:  # noqa: ARG002
        lines = self.path.read_text().splitlines()
        return iter([event_from_json(*json.loads(line)) for line in lines][after:])

    def read(self, after: int) -> Sequence[Event]:
        return list(self.events("", after))

    def append(self, events: Sequence[Event]) -> None:
        with self.path.open("a") as file:
            file.writelines(json.dumps(event_to_json(event)) + "\n" for event in events)

    @contextmanager
    def locked(self, name: str) -> Iterator[Any]:  # noqa: ARG002
        yield self


def test_a_storage_that_keeps_the_half_of_a_block_after_a_kill_is_noticed(tmp_path):
    with pytest.raises(AssertionError, match=r"'i0', 'i1', 'i2'\] are kept"):
        processes.a_kill_leaves_whole_blocks(partial(NoBlocks, tmp_path / "events"))
