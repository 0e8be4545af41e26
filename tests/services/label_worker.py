"""A labeller's process: asks in its own name and tells, as fast as it can; reports what it got and how long it took."""

import time
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier

import numpy as np

import fewlabels as fl

ITEMS = 50_000
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS))


def make_study(address: str) -> None:
    fl.create_study(POOL, fl.Estimate("accuracy"), strategy="uniform", storage=address)


def label(address: str, name: str, labels: int, seconds: float, start: Barrier, report: Connection) -> None:
    """So many labels, or as many as fit in so many seconds; (item, seconds of ask, seconds of tell) of each."""
    study = fl.load_study(storage=address, pool=POOL)
    study.leased_to(name)
    start.wait(600)
    told: list[tuple[int, float, float]] = []
    until = time.monotonic() + seconds
    while len(told) < labels and time.monotonic() < until:
        before = time.perf_counter()
        (query,) = study.ask(1, by=name)
        asked = time.perf_counter()
        study.tell(query, query.item % 3, by=name)
        told.append((query.item, asked - before, time.perf_counter() - asked))
    report.send(told)
