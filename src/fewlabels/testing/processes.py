"""What a storage promises that several processes can open: nothing is lost or asked twice, not even by a kill."""

import multiprocessing
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.synchronize import Barrier
from typing import Any, TypeAlias

import numpy as np

from fewlabels.core.events import Query, Skipped, Told
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.storages import Storage, StudyRecord
from fewlabels.study.creation import create_study, load_study

Opener: TypeAlias = Callable[[], Storage]  # opens the storage in one place; it can be pickled
CEILING = 3600  # seconds after which one gives up waiting; a machine has to be very busy for a hundredth of it
ITEMS = 120
_RECORD = StudyRecord("march", {}, {}, b"", "now")


def starting() -> ForkServerContext | SpawnContext:
    """What starts processes of their own: where the system can, from one that has imported what they all need."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    drivers = ["sqlalchemy.dialects.sqlite", "sqlalchemy.dialects.postgresql.psycopg", "psycopg"]
    context.set_forkserver_preload(["pytest", __name__, *drivers])  # where they are installed
    return context


def make_pool(items: int, **more: Any) -> Pool:
    """A pool of two classes, the same for the same number of items."""
    return Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1], items), **more)


def _label_half(opener: Opener, worker: int, start: Barrier, report: Connection) -> None:
    """One process: when the other is ready too, asks and tells sixty items, and reports which."""
    study = load_study(storage=opener(), pool=make_pool(ITEMS))
    told: list[int] = []
    start.wait(CEILING)
    while len(told) < ITEMS // 2:
        for query in study.ask(1 + worker):
            study.tell(query, int(query.item) % 2, by=f"worker-{worker}")
            told.append(int(query.item))
    report.send(told)


def two_processes_lose_nothing(opener: Opener) -> None:
    """Two processes that share a place ask no item twice and lose nothing."""
    create_study(make_pool(ITEMS), Estimate("accuracy", by="predicted_class"), storage=opener())
    told = _told_by_two(opener)
    assert sorted(told[0] + told[1]) == list(range(ITEMS)), "items were told twice, or never"
    study = load_study(storage=opener())
    queries = [event for event in study.events if isinstance(event, Query)]
    assert sorted(int(query.item) for query in queries) == list(range(ITEMS)), "items were asked twice, or never"
    assert [query.number for query in queries] == list(range(1, ITEMS + 1)), "queries are not numbered in order"
    assert study.labels == {item: str(item % 2) for item in range(ITEMS)}, "labels were lost"
    by = {event.item: event.by for event in study.events if isinstance(event, Told)}
    assert all(by[item] == f"worker-{n}" for n in range(2) for item in told[n]), "labels are under another's name"


def _told_by_two(opener: Opener) -> list[list[int]]:
    context = starting()
    start, pipes = context.Barrier(2), [context.Pipe(duplex=False) for _ in range(2)]
    workers = [context.Process(target=_label_half, args=(opener, n, start, pipes[n][1])) for n in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(CEILING)
    codes = [worker.exitcode for worker in workers]
    assert codes == [0, 0], f"the two processes ended with {codes}"
    return [pipe.recv() for pipe, _ in pipes]


def _append_and_wait(opener: Opener, report: Connection) -> None:
    """One process: a whole block, and then the half of one, in which it waits to be killed."""
    storage = opener()
    with storage.locked("march") as log:
        log.append([Skipped("i0"), Skipped("i1")])
    with storage.locked("march") as log:
        log.append([Skipped("i2")])
        report.send("half done")
        time.sleep(CEILING)


def a_kill_leaves_whole_blocks(opener: Opener) -> None:
    """A process killed in the middle leaves the blocks it ended, nothing of the one it was in, and the lock free."""
    storage = opener()
    storage.create(_RECORD)
    context = starting()
    here, there = context.Pipe(duplex=False)
    worker = context.Process(target=_append_and_wait, args=(opener, there))
    worker.start()
    there.close()
    try:
        here.recv()  # raises where the process ended before it got there
    finally:
        worker.kill()
        worker.join()
    for place in (storage, opener()):
        items = [event.item for event in place.events("march") if isinstance(event, Skipped)]
        assert items == ["i0", "i1"], f"of a block of i0 and i1 and the half of another, {items} are kept"
    with opener().locked("march") as log:
        log.append([Skipped("i2")])
    assert len(list(storage.events("march"))) == 3, "after a kill nothing can be added"
