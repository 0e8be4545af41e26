"""A study of a hundred labels and one of a hundred thousand: `make bench`, or `python benchmarks/many_labels.py`.

How long opening takes (to the last label folded), and one ask and tell after that: in milliseconds of processor time of
this machine, and as ratios of the large study to the small one. Beside it, for machines that differ and are busy, a
fixed loop: 100,000 short texts read as JSON.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fewlabels as fl

GROUPS, ITEMS, STEPS = 100, 250_000, 40
COUNTS = (100, 100_000)


def make_pool() -> tuple[fl.Pool, np.ndarray]:
    rng = np.random.default_rng(0)
    predicted, score = rng.integers(0, GROUPS, ITEMS), rng.beta(8, 2, ITEMS)
    labels = np.where(rng.random(ITEMS) < score, predicted, (predicted + 1) % GROUPS)
    return fl.Pool.from_arrays(predicted=predicted, score=score), labels


def timed(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return 1000 * (time.process_time() - start)


def reference_loop() -> None:
    text = json.dumps({"item": 209989, "group": "65", "arm": 655, "cell": 655, "score": 0.8229782613812259, "round": 1})
    for _ in range(100_000):
        json.loads(text)


def measure(address: str, count: int) -> dict[str, float]:
    """Milliseconds to open, to ask and to tell, at so many labels."""
    pool, labels = make_pool()
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), storage=address)
    for _ in range(0, count, 5000):
        study.tell({query.item: int(labels[query.item]) for query in study.ask(min(count, 5000))})
    opened: list[fl.Study] = []

    def open_it() -> None:
        opened.append(fl.load_study(storage=address, pool=pool))
        assert len(opened[-1].labels) == count

    found = {"open": statistics.median(timed(open_it) for _ in range(3))}
    study, ask, tell = opened[0], [], []
    for _ in range(STEPS):
        queries: list[fl.Query] = []
        ask.append(timed(lambda queries=queries: queries.extend(study.ask(1))))
        tell.append(timed(lambda queries=queries: study.tell(queries[0], int(labels[queries[0].item]))))
    return {**found, "ask": statistics.median(ask), "tell": statistics.median(tell)}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        given = sys.argv[1] if len(sys.argv) > 1 else None  # another database, such as postgresql://…, new and empty
        few, many = (measure(given or f"sqlite:///{Path(folder) / str(count)}.db", count) for count in COUNTS)
    print(f"the fixed loop takes {statistics.median(timed(reference_loop) for _ in range(3)):.0f} ms")
    for name in few:
        print(f"{name:5} {few[name]:9.1f} ms at {COUNTS[0]:,} labels, {many[name]:9.1f} ms at {COUNTS[1]:,}: "
              f"{many[name] / few[name]:.1f} times")  # fmt: skip


if __name__ == "__main__":
    main()
