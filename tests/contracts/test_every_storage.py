"""The promises of storages/base.py, kept by every storage."""

import multiprocessing
import threading
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from multiprocessing.synchronize import Barrier
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.events import Corrected, Planned, Skipped, Told
from fewlabels.storages import MemoryStorage, Storage, StudyRecord, open_storage

CEILING = 3600  # seconds after which a test gives up waiting; a machine has to be very busy for a hundredth of it
BY_CLASS = fl.Estimate("accuracy", by="predicted_class")
RECORD = StudyRecord(
    "march", {"seed": 7, "level": 0.95, "none": None}, {"classes": ["a", "b"], "é": "ü"}, b"\x00\x01\xff", "2024-01-01"
)
QUERY = fl.Query("i1", "a", 0, 3, "a", 0.1 + 0.2, 1, 1, "adaptive", None, {"text": "naïve “quoted”\n", "n": 3}, "now")
EVENTS = [
    Planned(1, (0, 2), "adaptive", "now"),
    QUERY,
    replace(QUERY, item=2**60, number=2, probability=1 / 3, design="uniform", payload={}),
    Told("i1", "b", "ann", at="now"),
    Told("i7", "a", None, "uniform", 4, "b", 1e-17, "now"),
    Told("i8", "a", None, "unknown", 4, "b", 1.0, "now"),
    Corrected("i1", "a", None, "now"),
    Skipped(2**60, "unreadable", None, "now"),
]


@pytest.fixture(params=["memory", "sqlite"])
def storage(request, tmp_path) -> Storage:
    return open_storage(None if request.param == "memory" else f"sqlite:///{tmp_path}/s.db")


def add(storage: Storage, events: list, name: str = "march") -> None:
    with storage.locked(name) as log:
        log.append(events)


# -- records -----------------------------------------------------------------------------------------------------------


def test_a_record_comes_back_as_it_went_in(storage):
    storage.create(RECORD)
    assert storage.load("march") == RECORD


def test_a_taken_name_is_refused_and_the_study_kept(storage):
    storage.create(RECORD)
    add(storage, EVENTS)
    with pytest.raises(fl.StudyError, match=r"'march' exists already.*load_if_exists"):
        storage.create(replace(RECORD, settings={}))
    assert storage.load("march") == RECORD
    assert list(storage.events("march")) == EVENTS


def test_an_unknown_name_lists_the_known_ones(storage):
    with pytest.raises(fl.StudyError, match=r"'may'.*none"):
        storage.load("may")
    storage.create(RECORD)
    storage.create(replace(RECORD, name="april"))
    with pytest.raises(fl.StudyError, match=r"'may'.*march, april"):
        storage.load("may")


def test_names_are_listed_oldest_first(storage):
    for name in ("z", "a", "m"):
        storage.create(replace(RECORD, name=name))
    assert storage.names() == ["z", "a", "m"]


# -- events ------------------------------------------------------------------------------------------------------------


def test_events_come_back_as_they_went_in_and_in_order(storage):
    storage.create(RECORD)
    add(storage, EVENTS[:3])
    add(storage, EVENTS[3:])
    assert list(storage.events("march")) == EVENTS
    assert [type(e.item) for e in storage.events("march") if isinstance(e, fl.Query)] == [str, int]


def test_events_are_read_past_those_already_known(storage):
    storage.create(RECORD)
    add(storage, EVENTS)
    for after in (0, 1, 5, len(EVENTS), len(EVENTS) + 3):
        assert list(storage.events("march", after)) == EVENTS[after:]
        with storage.locked("march") as log:
            assert list(log.read(after)) == EVENTS[after:]


def test_studies_do_not_mix(storage):
    storage.create(RECORD)
    storage.create(replace(RECORD, name="april"))
    add(storage, EVENTS[:3])
    add(storage, EVENTS[3:], "april")
    assert list(storage.events("march")) == EVENTS[:3]
    assert list(storage.events("april")) == EVENTS[3:]


def test_adding_nothing_is_allowed(storage):
    storage.create(RECORD)
    add(storage, [])
    assert list(storage.events("march")) == []


def test_a_block_that_raises_leaves_nothing(storage):
    storage.create(RECORD)
    add(storage, EVENTS[:2])

    def fail_halfway() -> None:
        with storage.locked("march") as log:
            log.append(EVENTS[2:4])
            log.append(EVENTS[4:])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_halfway()
    assert list(storage.events("march")) == EVENTS[:2]
    add(storage, EVENTS[2:])
    assert list(storage.events("march")) == EVENTS


def test_several_appends_of_one_block_are_kept_together(storage):
    storage.create(RECORD)
    with storage.locked("march") as log:
        log.append(EVENTS[:4])
        log.append(EVENTS[4:])
    assert list(storage.events("march")) == EVENTS


def test_the_lock_lets_one_writer_in_at_a_time(storage):
    """Eight threads read, think and add one more than they read: none overwrites another."""
    storage.create(RECORD)

    def add_one() -> None:
        for _ in range(5):
            with storage.locked("march") as log:
                known = list(log.read(0))
                log.append([Skipped(f"i{len(known)}")])

    threads = [threading.Thread(target=add_one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [event.item for event in storage.events("march")] == [f"i{n}" for n in range(40)]


def test_events_and_records_are_read_while_another_holds_the_lock(storage):
    """A report or an answer does not wait for a labeller's ask to end."""
    storage.create(RECORD)
    add(storage, EVENTS[:2])
    read: list = []
    reader = threading.Thread(target=lambda: read.append((list(storage.events("march")), storage.load("march"))))
    with storage.locked("march") as log:
        log.append(EVENTS[2:])
        reader.start()
        reader.join(CEILING)
        waiting = reader.is_alive()
    reader.join()
    assert not waiting
    assert read == [(EVENTS[:2], RECORD)]


def test_an_event_list_once_read_does_not_change(storage):
    storage.create(RECORD)
    add(storage, EVENTS[:2])
    read = storage.events("march")
    add(storage, EVENTS[2:])
    assert list(read) == EVENTS[:2]


# -- studies on storages -----------------------------------------------------------------------------------------------


def make_pool(items: int = 40, **more) -> fl.Pool:
    return fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1], items), **more)


PAYLOADS = {
    "numbers of numpy": np.arange(40),
    "single precision": np.arange(40, dtype=np.float32),
    "text of numpy": np.array(["x"] * 40),
    "nothing": [None] * 40,
    "truth values": np.array([True, False] * 20),
    "lists": [["a", 1]] * 40,
}


@pytest.mark.parametrize("values", PAYLOADS.values(), ids=PAYLOADS.keys())
def test_any_plain_payload_can_be_asked_and_comes_back(storage, values):
    study = fl.create_study(make_pool(payload={"shown": values}), fl.Estimate("accuracy"), storage=storage)
    query = study.ask()[0]
    expected = values[query.item]
    assert query.payload == {"shown": expected}
    assert study.open_queries == [query]
    assert study.events == [query]
    study.tell(query, 0)
    assert len(study.labels) == 1


def test_a_payload_that_cannot_be_kept_is_refused_when_the_pool_is_made():
    """Not when an item is asked, when it would block the study, or be kept as another value than was shown."""
    for value in (datetime(2024, 1, 1, tzinfo=UTC), b"\xff", object()):
        with pytest.raises(fl.PoolError, match=r"shown of row 3\b.*text"):
            make_pool(payload={"shown": [*"abc", value, *"x" * 36]})


def test_an_open_storage_holds_several_studies(storage):
    pool = make_pool()
    first = fl.create_study(pool, fl.Estimate("accuracy"), storage=storage, name="first")
    second = fl.create_study(pool, BY_CLASS, storage=storage, name="second")
    first.tell(first.ask()[0], 0)
    assert second.labels == {}
    assert fl.load_study("first", storage=storage).labels == first.labels
    assert fl.load_study("second", storage=storage).settings == second.settings


def test_threads_sharing_a_storage_never_ask_the_same_item(storage):
    pool = make_pool(120)
    fl.create_study(pool, BY_CLASS, storage=storage)
    asked: list[int] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            study = fl.load_study(storage=storage, pool=pool)
            for _ in range(10):
                for query in study.ask(3):
                    asked.append(query.item)
                    study.tell(query, query.item % 2)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert sorted(asked) == list(range(120))
    study = fl.load_study(storage=storage)
    assert study.labels == {item: str(item % 2) for item in range(120)}
    assert study.open_queries == []


def test_of_many_who_create_a_study_at_once_all_get_the_same_one(storage, monkeypatch):
    """Between looking for the name and taking it another may be faster: that is no error with load_if_exists."""
    pool = make_pool()
    faster = fl.create_study(pool, BY_CLASS, storage=storage)
    faster.tell(faster.ask()[0], 0)
    names, looks = storage.names, count()
    monkeypatch.setattr(storage, "names", lambda: names() if next(looks) else [])  # the first look comes too early
    assert fl.create_study(pool, BY_CLASS, storage=storage, load_if_exists=True).labels == faster.labels


# -- SQLite alone ------------------------------------------------------------------------------------------------------


def label_half(folder: str, worker: int, start: Barrier) -> None:
    """One process: when the other is ready too, asks and tells sixty items, and writes down which."""
    study = fl.load_study(storage=f"sqlite:///{folder}/s.db", pool=make_pool(120))
    told: list[int] = []
    start.wait(CEILING)
    while len(told) < 60:
        for query in study.ask(1 + worker):
            study.tell(query, query.item % 2, by=f"worker-{worker}")
            told.append(query.item)
    Path(folder, f"worker-{worker}.txt").write_text("\n".join(str(item) for item in told))


def test_two_processes_on_one_file_ask_no_item_twice_and_lose_nothing(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    fl.create_study(make_pool(120), BY_CLASS, storage=where)
    spawn = multiprocessing.get_context("spawn")
    start = spawn.Barrier(2)
    workers = [spawn.Process(target=label_half, args=(str(tmp_path), n, start)) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(CEILING)
    assert [worker.exitcode for worker in workers] == [0, 0]
    told = [[int(line) for line in (tmp_path / f"worker-{n}.txt").read_text().splitlines()] for n in range(2)]
    assert sorted(told[0] + told[1]) == list(range(120))
    study = fl.load_study(storage=where)
    asked = [event.item for event in study.events if isinstance(event, fl.Query)]
    assert sorted(asked) == list(range(120))
    assert [event.number for event in study.events if isinstance(event, fl.Query)] == list(range(1, 121))
    assert study.labels == {item: str(item % 2) for item in range(120)}
    by = {event.item: event.by for event in study.events if isinstance(event, Told)}
    assert all(by[item] == f"worker-{n}" for n in range(2) for item in told[n])


def test_a_file_written_by_a_newer_version_is_refused(tmp_path):
    import sqlite3
    from contextlib import closing

    where = f"sqlite:///{tmp_path}/s.db"
    fl.create_study(make_pool(), fl.Estimate("accuracy"), storage=where)
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("update fewlabels_schema set version = 99")
    with pytest.raises(fl.StudyError, match=r"version 99"):
        fl.load_study(storage=where)


def test_memory_is_the_storage_when_none_is_named():
    assert isinstance(open_storage(None), MemoryStorage)
    storage = MemoryStorage()
    assert open_storage(storage) is storage
