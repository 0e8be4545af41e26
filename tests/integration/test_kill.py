"""A labeller's process killed at any moment loses nothing that tell had returned for."""

import gc
import random
import subprocess
import sys
from pathlib import Path

import numpy as np

import fewlabels as fl

ITEMS = 400
KILLS = 15

WORKER = f"""
import sys
import numpy as np
import fewlabels as fl

pool = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], {ITEMS}))
study = fl.load_study(storage=sys.argv[1], pool=pool)

def wait():  # for leave to take one more step, so that it is the test that decides how far this goes
    if not sys.stdin.readline():
        sys.exit()

def tell(query):
    wait()
    study.tell(query, query.item % 3)
    print("told", query.item, query.item % 3, flush=True)

print("ready", flush=True)
for query in study.open_queries:
    tell(query)
while True:
    wait()
    queries = study.ask(2)
    print("asked", flush=True)
    for query in queries:
        tell(query)
"""


def make_pool() -> fl.Pool:
    return fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS))


def run_and_kill(where: str, steps: int) -> list[str]:
    """Let a process ask and tell so many times, kill it somewhere in one step more, and give back what it printed."""
    command = [sys.executable, "-c", WORKER, where]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "ready\n"
        process.stdin.write("\n" * (steps + 1))
        process.stdin.flush()
        lines = [process.stdout.readline() for _ in range(steps)]
        process.kill()
        lines += process.stdout.readlines()  # it may have got further before it was killed
        process.stdin.close()
    assert process.returncode == -9
    return [line for line in lines if line.endswith("\n")]


def test_every_label_told_before_a_kill_is_kept_and_the_study_goes_on(tmp_path: Path):
    where = f"sqlite:///{tmp_path}/s.db"
    fl.create_study(make_pool(), fl.Estimate("accuracy", by="predicted_class"), storage=where)
    steps = random.Random(1)
    told: dict[int, str] = {}
    for _ in range(KILLS):
        for line in run_and_kill(where, steps.randrange(8)):
            if line.startswith("told"):
                _, item, label = line.split()
                assert int(item) not in told
                told[int(item)] = label
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
