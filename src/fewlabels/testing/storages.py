"""What every storage promises: what went in comes out, one writer at a time, all of a block or nothing of it."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from fewlabels.core.events import (
    Changed,
    Corrected,
    Event,
    Extended,
    Planned,
    Query,
    Relocated,
    Skipped,
    Told,
    Withdrawn,
)
from fewlabels.errors import StudyError
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.storages import Storage, StudyRecord
from fewlabels.study.creation import create_study, load_study
from fewlabels.testing import processes
from fewlabels.testing.processes import CEILING, Opener
from fewlabels.testing.promises import Promise, check_all, message_of

OnStorage: TypeAlias = Callable[[Storage], None]
BY_CLASS = Estimate("accuracy", by="predicted_class")
RECORD = StudyRecord(
    "march", {"seed": 7, "level": 0.95, "none": None}, {"classes": ["a", "b"], "é": "ü"}, b"\x00\x01\xff", "2024-01-01"
)
_QUERY = Query("i1", "a", 0, 3, "a", 0.1 + 0.2, 1, 1, "adaptive", None, {"text": "naïve “quoted”\n", "n": 3}, "now")
EVENTS: Sequence[Event] = (
    Planned(1, (0, 2), "adaptive", "now"),
    _QUERY,
    replace(_QUERY, item=2**60, number=2, probability=1 / 3, design="uniform", payload={}),
    Told("i1", "b", "ann", at="now"),
    Told("i7", "a", None, "uniform", 4, "b", 1e-17, "now"),
    Told("i8", "a", None, "unknown", 4, "b", 1.0, "now"),
    Corrected("i1", "a", None, "now"),
    Skipped(2**60, "unreadable", None, "now"),
    Withdrawn(2**60, "ben", "later"),
    Changed({"budget": 800, "until": {"name": "half_width", "width": 0.1 + 0.2}}, "ann", "later"),
    Relocated("new/mail.csv", None, "ann", "later"),
    Extended({"count": 3, "source": None, "é": "ü"}, "AAH/", "ann", "later"),
    Relocated("new/more.csv", "new/texts.csv", None, "later", 1),
)
PAYLOADS: Mapping[str, Any] = MappingProxyType(
    {
        "numbers of numpy": np.arange(40),
        "single precision": np.arange(40, dtype=np.float32),
        "text of numpy": np.array(["x"] * 40),
        "nothing": [None] * 40,
        "truth values": np.array([True, False] * 20),
        "lists": [["a", 1]] * 40,
    }
)


def check_storage(make: Callable[[], Storage], between_processes: Callable[[], Opener] | None = None) -> None:
    """Raise where a storage breaks a promise. `make` gives a new and empty one each time it is called.

    For one that several processes can open, `between_processes` gives a new and empty place each time: a call that
    can be pickled, such as `functools.partial(MyStorage, path)`, and opens the storage there. Processes are started,
    and killed, so this belongs into a test, not at the top of a script.
    """
    check_all("the storage", _promises(make, between_processes))


def _promises(make: Callable[[], Storage], between_processes: Callable[[], Opener] | None) -> Iterator[Promise]:
    for promise in ON_A_STORAGE:
        yield partial(promise, make())
    for values in PAYLOADS.values():
        yield partial(any_plain_payload_comes_back, make(), values)
    if between_processes is not None:
        yield partial(processes.two_processes_lose_nothing, between_processes())
        yield partial(processes.a_kill_leaves_whole_blocks, between_processes())


def add(storage: Storage, events: Sequence[Event], name: str = "march") -> None:
    """Append events under the lock."""
    with storage.locked(name) as log:
        log.append(events)


def _expect(storage: Storage, events: Sequence[Event], name: str = "march") -> None:
    found = list(storage.events(name))
    assert found == list(events), f"{len(events)} events went in, and {found} came out"


# -- records and events, one promise each --------------------------------------------------------------------------


def a_record_comes_back(storage: Storage) -> None:
    """A record comes back as it went in."""
    storage.create(RECORD)
    assert storage.load("march") == RECORD, f"{RECORD} came back as {storage.load('march')}"


def a_taken_name_is_refused(storage: Storage) -> None:
    """A taken name is refused, and the study kept."""
    storage.create(RECORD)
    add(storage, EVENTS)
    assert "march" in message_of(StudyError, lambda: storage.create(replace(RECORD, settings={})))
    assert storage.load("march") == RECORD, "the study there was is not the same any more"
    _expect(storage, EVENTS)


def an_unknown_name_lists_the_known_ones(storage: Storage) -> None:
    """An unknown name is refused, and the known ones are listed."""
    assert "may" in message_of(StudyError, lambda: storage.load("may"))
    for name in ("march", "april"):
        storage.create(replace(RECORD, name=name))
    message = message_of(StudyError, lambda: storage.load("may"))
    assert all(name in message for name in ("may", "march", "april")), message


def names_are_listed_oldest_first(storage: Storage) -> None:
    """Names are listed, the oldest first."""
    for name in ("z", "a", "m"):
        storage.create(replace(RECORD, name=name))
    assert list(storage.names()) == ["z", "a", "m"], f"z, a and m are listed as {storage.names()}"


def events_come_back_in_order(storage: Storage) -> None:
    """Events come back as they went in, to the last bit and type, and in order."""
    storage.create(RECORD)
    add(storage, EVENTS[:3])
    add(storage, EVENTS[3:])
    _expect(storage, EVENTS)
    kinds = [type(event.item) for event in storage.events("march") if isinstance(event, Query)]
    assert kinds == [str, int], f"ids came back as {kinds}"


def events_are_read_past_those_known(storage: Storage) -> None:
    """Events are read past those already known, with the lock and without."""
    storage.create(RECORD)
    add(storage, EVENTS)
    for after in (0, 1, 5, len(EVENTS), len(EVENTS) + 3):
        expected = list(EVENTS[after:])
        assert list(storage.events("march", after)) == expected, f"other events past the first {after}"
        with storage.locked("march") as log:
            assert list(log.read(after)) == expected, f"other events past the first {after}, under the lock"


def studies_do_not_mix(storage: Storage) -> None:
    """Events of two studies do not mix."""
    for name in ("march", "april"):
        storage.create(replace(RECORD, name=name))
    add(storage, EVENTS[:3])
    add(storage, EVENTS[3:], "april")
    _expect(storage, EVENTS[:3])
    _expect(storage, EVENTS[3:], "april")


def adding_nothing_is_allowed(storage: Storage) -> None:
    """Adding nothing is allowed, and adds nothing."""
    storage.create(RECORD)
    add(storage, [])
    _expect(storage, [])


def a_block_that_raises_leaves_nothing(storage: Storage) -> None:
    """A block that raises leaves nothing, and the lock free."""
    storage.create(RECORD)
    add(storage, EVENTS[:2])

    def fail_halfway() -> None:
        with storage.locked("march") as log:
            log.append(EVENTS[2:4])
            log.append(EVENTS[4:])
            raise ZeroDivisionError

    message_of(ZeroDivisionError, fail_halfway)
    _expect(storage, EVENTS[:2])
    add(storage, EVENTS[2:])
    _expect(storage, EVENTS)


def appends_of_one_block_are_kept_together(storage: Storage) -> None:
    """Several appends of one block are kept together."""
    storage.create(RECORD)
    with storage.locked("march") as log:
        log.append(EVENTS[:4])
        log.append(EVENTS[4:])
    _expect(storage, EVENTS)


def one_writer_at_a_time(storage: Storage) -> None:
    """The lock lets one writer in at a time: eight threads each add one more than they read."""
    storage.create(RECORD)

    def add_one() -> None:
        for _ in range(5):
            with storage.locked("march") as log:
                log.append([Skipped(f"i{len(list(log.read(0)))}")])

    _together([add_one] * 8)
    _expect(storage, [Skipped(f"i{n}") for n in range(40)])


def readers_do_not_wait(storage: Storage) -> None:
    """Events and records are read while another holds the lock, as they were before."""
    storage.create(RECORD)
    add(storage, EVENTS[:2])
    read: list[object] = []
    reader = threading.Thread(target=lambda: read.append((list(storage.events("march")), storage.load("march"))))
    with storage.locked("march") as log:
        log.append(EVENTS[2:])
        reader.start()
        reader.join(CEILING)
        waiting = reader.is_alive()
    reader.join()
    assert not waiting, "a reader waited for a writer"
    assert read == [(list(EVENTS[:2]), RECORD)], f"{read} was read"


def what_was_read_does_not_change(storage: Storage) -> None:
    """Events once read do not change when others are added."""
    storage.create(RECORD)
    add(storage, EVENTS[:2])
    read = storage.events("march")
    add(storage, EVENTS[2:])
    assert list(read) == list(EVENTS[:2]), "what was added later is in what was read before"


def _together(work: Sequence[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=one) for one in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# -- studies on storages -------------------------------------------------------------------------------------------


def any_plain_payload_comes_back(storage: Storage, values: Any) -> None:
    """Any plain payload can be asked, and comes back."""
    pool = processes.make_pool(40, payload={"shown": values})
    study = create_study(pool, Estimate("accuracy"), storage=storage)
    query = study.ask()[0]
    assert query.payload == {"shown": values[int(query.item)]}, f"another payload is shown: {query.payload}"
    assert study.open_queries == [query], f"{query} is kept as {study.open_queries}"
    asked = [event for event in study.events if isinstance(event, Query)]
    assert asked == [query], f"{query} is kept as {asked}"
    study.tell(query, 0)
    assert len(study.labels) == 1, f"labels are {study.labels}"


def several_studies_are_held(storage: Storage) -> None:
    """An open storage holds several studies, each with its own settings and labels."""
    pool = processes.make_pool(40)
    first = create_study(pool, Estimate("accuracy"), storage=storage, name="first")
    second = create_study(pool, BY_CLASS, storage=storage, name="second")
    first.tell(first.ask()[0], 0)
    assert second.labels == {}, f"a label of another study is here: {second.labels}"
    assert load_study("first", storage=storage).labels == first.labels
    assert load_study("second", storage=storage).settings == second.settings


def threads_never_ask_the_same(storage: Storage) -> None:
    """Threads that share a storage never ask the same item, and lose no label."""
    pool: Pool = processes.make_pool(120)
    create_study(pool, BY_CLASS, storage=storage)
    asked: list[int] = []
    problems: list[BaseException] = []

    def work() -> None:
        try:
            study = load_study(storage=storage, pool=pool)
            for _ in range(10):
                for query in study.ask(3):
                    asked.append(int(query.item))
                    study.tell(query, int(query.item) % 2)
        except BaseException as error:
            problems.append(error)

    _together([work] * 4)
    assert problems == [], f"threads failed: {problems}"
    assert sorted(asked) == list(range(120)), "items were asked twice, or never"
    study = load_study(storage=storage)
    assert study.labels == {item: str(item % 2) for item in range(120)}, "labels were lost"
    assert study.open_queries == [], f"queries are open still: {study.open_queries}"


class _LooksTooEarly:
    """A storage whose list of names is read before another study is there, the first time."""

    def __init__(self, storage: Storage) -> None:
        self._storage, self._looks, self.folds = storage, 0, storage.folds
        self.create, self.load, self.events, self.locked = storage.create, storage.load, storage.events, storage.locked

    def names(self) -> list[str]:
        self._looks += 1
        return self._storage.names() if self._looks > 1 else []


def all_who_create_at_once_get_the_same(storage: Storage) -> None:
    """Of many who create a study at once all get the same one, where they say that it may exist."""
    pool = processes.make_pool(40)
    faster = create_study(pool, BY_CLASS, storage=storage)
    faster.tell(faster.ask()[0], 0)
    slower = create_study(pool, BY_CLASS, storage=_LooksTooEarly(storage), load_if_exists=True)
    assert slower.labels == faster.labels, "the slower one has another study"


ON_A_STORAGE: tuple[OnStorage, ...] = (
    a_record_comes_back,
    a_taken_name_is_refused,
    an_unknown_name_lists_the_known_ones,
    names_are_listed_oldest_first,
    events_come_back_in_order,
    events_are_read_past_those_known,
    studies_do_not_mix,
    adding_nothing_is_allowed,
    a_block_that_raises_leaves_nothing,
    appends_of_one_block_are_kept_together,
    one_writer_at_a_time,
    readers_do_not_wait,
    what_was_read_does_not_change,
    several_studies_are_held,
    threads_never_ask_the_same,
    all_who_create_at_once_get_the_same,
)
