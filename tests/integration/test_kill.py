"""A labeller's process killed at any moment loses nothing that tell had returned for."""

import gc
import random
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

import fewlabels as fl
from fewlabels.testing.processes import starting

ITEMS = 400
KILLS = 15


def make_pool() -> fl.Pool:
    return fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS))


def ask_and_tell(where: str, test: Connection) -> None:
    """One process: asks and tells, and says so. It waits for leave to take a step, so that it is the test that decides
    how far this goes."""
    study = fl.load_study(storage=where, pool=make_pool())

    def tell(query: fl.Query) -> None:
        test.recv()
        study.tell(query, query.item % 3)
        test.send(("told", query.item, str(query.item % 3)))

    test.send("ready")
    for query in study.open_queries:
        tell(query)
    while True:
        test.recv()
        queries = study.ask(2)
        test.send("asked")
        for query in queries:
            tell(query)


def run_and_kill(where: str, steps: int) -> list[str | tuple[str, int, str]]:
    """Let a process ask and tell so many times, kill it somewhere in one step more, and give back what it said."""
    ours, theirs = starting().Pipe()
    worker = starting().Process(target=ask_and_tell, args=(where, theirs))
    worker.start()
    theirs.close()
    assert ours.recv() == "ready"
    for _ in range(steps + 1):
        ours.send("go on")
    said = [ours.recv() for _ in range(steps)]
    worker.kill()
    with suppress(EOFError, OSError):  # it may have got further before it was killed, or be cut short
        while True:
            said.append(ours.recv())
    worker.join()
    assert worker.exitcode == -signal.SIGKILL
    return said


def test_every_label_told_before_a_kill_is_kept_and_the_study_goes_on(tmp_path: Path):
    where = f"sqlite:///{tmp_path}/s.db"
    fl.create_study(make_pool(), fl.Estimate("accuracy", by="predicted_class"), storage=where)
    steps = random.Random(1)
    told: dict[int, str] = {}
    for _ in range(KILLS):
        for said in run_and_kill(where, steps.randrange(8)):
            if said != "asked":
                _, item, label = said
                assert item not in told
                told[item] = label
        gc.collect()  # while a connection of an earlier study is open, a commit cut short may show only later
        study = fl.load_study(storage=where, pool=make_pool())
        kept = study.labels
        assert told.items() <= kept.items()
        assert all(label == str(item % 3) for item, label in kept.items())
        # a label may have reached the file though the process died before it could say so
        assert len(kept) - len(told) <= 1
        told = {**told, **kept}
        asked = [event.item for event in study.events if isinstance(event, fl.Query)]
        assert len(set(asked)) == len(asked)
        assert len(study.open_queries) == len(asked) - len(kept) <= 2
    assert len(told) > KILLS
    study = fl.load_study(storage=where, pool=make_pool())
    while queries := [*study.open_queries, *study.ask(50)]:
        study.tell({query.item: query.item % 3 for query in queries})
    assert study.labels == {item: str(item % 3) for item in range(ITEMS)}
    assert study.done


def test_a_killed_study_goes_on_as_one_never_interrupted(tmp_path: Path):
    where = f"sqlite:///{tmp_path}/s.db"
    fl.create_study(make_pool(), fl.Estimate("accuracy", by="predicted_class"), storage=where)
    for steps in (2, 5, 3):
        run_and_kill(where, steps)
    killed = fl.load_study(storage=where, pool=make_pool())
    twin = fl.create_study(make_pool(), fl.Estimate("accuracy", by="predicted_class"))
    for event in killed.events:
        if isinstance(event, fl.Query):
            opened = {query.item for query in twin.open_queries}
            if event.item not in opened:
                assert event.item in {query.item for query in twin.ask(2)}
        elif hasattr(event, "label"):
            twin.tell(event.item, event.label)
    assert twin.labels == killed.labels
    assert twin.answer() == killed.answer()
    assert [query.item for query in twin.ask(5)] == [query.item for query in killed.ask(5)]
