"""How long asking takes: `make bench`, or `python benchmarks/ask.py`.

Times are compared with a fixed NumPy loop run interleaved in the same process, because machines differ and are busy:
the ratio is what to compare between machines and commits.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import fewlabels as fl

GROUPS, ITEMS, STEPS = 1000, 50_000, 300
SHARED_ITEMS, TURNS = 500_000, 10  # of a pool that many studies ask in turn


def reference_loop() -> None:
    """A fixed piece of NumPy work: 200 passes over a thousand numbers."""
    values = np.linspace(0.1, 0.9, GROUPS)
    for _ in range(200):
        values = values * (1 - values) / (values + 1.0) + 0.5


def timed(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def make_pool() -> tuple[fl.Pool, np.ndarray]:
    rng = np.random.default_rng(0)
    predicted = rng.integers(0, GROUPS, ITEMS)
    score = rng.beta(8, 2, ITEMS)
    labels = np.where(rng.random(ITEMS) < score, predicted, (predicted + 1) % GROUPS)
    return fl.Pool.from_arrays(predicted=predicted, score=score), labels


def ask_times(question: object, storage: str | None, **settings: object) -> dict[str, float]:
    """Medians in milliseconds: ask(1), tell, and the reference loop between them."""
    pool, labels = make_pool()
    study = fl.create_study(pool, question, storage=storage, **settings)
    ask, tell, reference = [], [], []
    for _ in range(STEPS):
        found: list[fl.Query] = []
        ask.append(timed(lambda found=found: found.extend(study.ask(1))))
        tell.append(timed(lambda found=found: study.tell(found[0], int(labels[found[0].item]))))
        reference.append(timed(reference_loop))
    median = {"ask": statistics.median(ask), "tell": statistics.median(tell), "reference": statistics.median(reference)}
    return {name: 1000 * value for name, value in median.items()}


def ask_in_turn(counts: tuple[int, ...]) -> dict[int, float]:
    """Median milliseconds of ask(1), that many studies on one pool asking in turn; the first turn is left out."""
    rng = np.random.default_rng(0)
    score = rng.beta(8, 2, SHARED_ITEMS)
    pool = fl.Pool.from_arrays(predicted=rng.integers(0, 10, SHARED_ITEMS), score=score)
    out = {}
    for count in counts:
        studies = [fl.create_study(pool, fl.Estimate("accuracy"), strategy="uniform", seed=s) for s in range(count)]
        times = [[timed(study.ask) for study in studies] for _ in range(TURNS)]
        out[count] = 1000 * statistics.median(t for turn in times[1:] for t in turn)
    return out


def main() -> None:
    estimate = fl.Estimate("accuracy", by="predicted_class")
    worst, worst_ten = (fl.Identify("accuracy", by="predicted_class", top=m) for m in (1, 10))
    with tempfile.TemporaryDirectory() as folder:
        file = f"sqlite:///{Path(folder) / 'study.db'}"
        cases = {
            "estimate accuracy, memory": (estimate, None, {}),
            "estimate accuracy, SQLite file": (estimate, file, {}),
            "find the worst group, memory": (worst, None, {}),
            "find the worst ten, memory": (worst_ten, None, {}),
            "uniform, memory": (estimate, None, {"strategy": "uniform"}),
        }
        print(f"{GROUPS:,} groups, {ITEMS:,} items; medians of {STEPS}")
        print(f"{'case':34}{'ask ms':>9}{'ask / loop':>12}{'tell ms':>9}{'loop ms':>9}")
        for name, (question, storage, settings) in cases.items():
            t = ask_times(question, storage, **settings)
            ratio = t["ask"] / t["reference"]
            print(f"{name:34}{t['ask']:9.2f}{ratio:12.2f}{t['tell']:9.2f}{t['reference']:9.2f}")
    one, many = ask_in_turn((1, 20)).values()
    print(
        f"{SHARED_ITEMS:,} items: ask {one:.2f} ms by one study, {many:.2f} by twenty in turn: {many / one:.1f} times"
    )


if __name__ == "__main__":
    main()
