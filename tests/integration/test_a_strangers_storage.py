"""A storage written outside, one class: all works with it, and with an engine written outside, as with our own."""

import base64
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import fewlabels as fl
from fewlabels.core.events import Event, Query, event_from_json, event_to_json
from fewlabels.storages import Storage, StudyRecord
from fewlabels.testing import check_storage
from fewlabels.testing.processes import starting
from plain_rows import BY_CLASS, CLASSES, ROWS, TRUTH, PlainRows, label_some, own_pool, strange_pool

fcntl = pytest.importorskip("fcntl")


@pytest.fixture(scope="module")
def strange() -> fl.Pool:
    return strange_pool()


class Folders:
    """Studies in folders: what each is in one file of JSON; what happened in another, a line for all written at once.

    A line without an end was cut short by a kill: it does not count, and the next writer removes it.
    """

    folds = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def create(self, record: StudyRecord) -> None:
        if record.name in self.names():
            raise fl.StudyError(f"a study named {record.name!r} exists already.")
        place, data = self.folder / record.name, {**asdict(record), "number": len(self.names())}
        place.mkdir(parents=True)
        (place / "events.jsonl").touch()
        (place / "study.json").write_text(json.dumps({**data, "cells": base64.b64encode(record.cells).decode()}))

    def load(self, name: str) -> StudyRecord:
        if name not in self.names():
            raise fl.StudyError(f"no study named {name!r}; known are {', '.join(self.names()) or 'none'}.")
        data = json.loads((self.folder / name / "study.json").read_text())
        del data["number"]
        return StudyRecord(**{**data, "cells": base64.b64decode(data["cells"])})

    def names(self) -> list[str]:
        made = [json.loads(file.read_text()) for file in self.folder.glob("*/study.json")]
        return [data["name"] for data in sorted(made, key=lambda data: data["number"])]

    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        self.load(name)
        whole, end, _ = (self.folder / name / "events.jsonl").read_text().rpartition("\n")
        told = [event for line in (whole + end).splitlines() for event in json.loads(line)]
        return iter([event_from_json(kind, data) for kind, data in told[after:]])

    @contextmanager
    def locked(self, name: str) -> Iterator["Folders.Log"]:
        self.load(name)
        with (self.folder / name / "events.jsonl").open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            log = Folders.Log(list(self.events(name)))
            yield log
            file.truncate(file.read().rfind(b"\n") + 1)
            file.seek(0, 2)
            file.write(json.dumps([event_to_json(event) for event in log.new]).encode() + b"\n")

    class Log:
        """What happened before, and what is to be added."""

        def __init__(self, before: list[Event]) -> None:
            self.before, self.new = before, list[Event]()

        def read(self, after: int) -> Sequence[Event]:
            return self.before[after:]

        def append(self, events: Sequence[Event]) -> None:
            self.new.extend(events)


def test_the_storage_keeps_the_promises_that_are_checked_for_anyone(tmp_path):
    places = (tmp_path / str(n) for n in count())
    check_storage(lambda: Folders(next(places)), lambda: partial(Folders, next(places)))


def test_a_study_is_kept_and_opened_again(strange, tmp_path):
    storage: Storage = Folders(tmp_path)
    made = fl.create_study(strange, BY_CLASS, model="one", storage=storage, name="march")
    label_some(made)
    again = fl.load_study("march", storage=Folders(tmp_path), pool=strange)
    assert again.answer() == made.answer()
    assert again.events == made.events
    assert fl.load_study("march", storage=storage).answer() == made.answer()
    with pytest.raises(fl.StudyError, match="known are march"):
        fl.load_study("may", storage=storage)
    with pytest.raises(fl.StudyError, match="exists already"):
        fl.create_study(strange, BY_CLASS, model="one", storage=storage, name="march")


@pytest.mark.parametrize("change", [{"text": "another"}, {"side": "middle"}, {"one": dict.fromkeys(CLASSES, 1 / 3)}])
def test_another_pool_is_refused(strange, tmp_path, change):
    fl.create_study(
        strange, fl.Identify("accuracy", by=("side", "predicted_class"), top=2), model="one", storage=Folders(tmp_path)
    )
    with pytest.raises(fl.StudyError, match="not the pool the study was created with"):
        fl.load_study(storage=Folders(tmp_path), pool=fl.Pool(PlainRows([{**ROWS[0], **change}, *ROWS[1:]])))


def label_until_killed(folder: str, told: Connection) -> None:
    """One process: asks and tells, and says so, one by one."""
    study = fl.load_study(storage=Folders(Path(folder)), pool=strange_pool())
    for query in iter(lambda: next(iter(study.open_queries or study.ask()), None), None):
        study.tell(query, TRUTH[query.item])
        told.send(query.item)


def test_a_study_whose_process_is_killed_goes_on_as_if_nothing_had_happened(strange, tmp_path):
    fl.create_study(strange, BY_CLASS, model="one", seed=2, storage=Folders(tmp_path))
    context, told = starting(), list[str]()
    for labels in (3, 6):
        ours, theirs = context.Pipe(duplex=False)
        worker = context.Process(target=label_until_killed, args=(str(tmp_path), theirs))
        worker.start()
        told += [ours.recv() for _ in range(labels)]
        worker.kill()
        worker.join()
    with (tmp_path / "study" / "events.jsonl").open("a") as file:
        file.write('[["told", {"item"')  # a line cut short
    again = fl.load_study(storage=Folders(tmp_path), pool=strange)
    assert set(told) <= set(again.labels)
    again.tell({query.item: TRUTH[query.item] for query in again.open_queries})
    alone = fl.create_study(own_pool(), BY_CLASS, model="one", seed=2)
    asked = label_some(alone, [1] * len(again.labels))
    assert [replace(e, at="") for e in again.events if isinstance(e, Query)] == asked
    assert label_some(again) == label_some(alone)
    assert again.answer() == alone.answer()
