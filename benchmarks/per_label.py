"""Processor time of a label at a million items: `python benchmarks/per_label.py [ITEMS]`.

Against an importance sampler that looks at every item for every label, as plainly as NumPy lets it: the chance of each
item from its score, recalibrated by the labels so far, then cumulative sums and one search. Arrays are reused, and
nothing is fitted but one number. All in turns, in one run. Ours is `ask(1)` and `tell`, and `ask(50)` and one `tell` of
all of them, with the study in memory; and the same choice without a study around it, as simulations make it.
"""

import sys
import time

import numpy as np

import fewlabels as fl

LABELS, TURNS, SIMULATED = 50, 9, (1000, 101_000)


class EveryItem:
    """Draws items with chances in proportion to √(p (1 − p)), p the score moved by what labels tell."""

    def __init__(self, score: np.ndarray) -> None:
        self.score, self.chance, self.sums = score, np.empty_like(score), np.empty_like(score)
        self.left, self.right, self.told, self.expected = np.ones_like(score), 0.0, 0, 0.0

    def label(self, rng: np.random.Generator, truth: np.ndarray) -> float:
        moved = (self.right + 1) / (self.expected + 1)
        np.multiply(self.score, moved, out=self.chance)
        np.clip(self.chance, 0.01, 0.99, out=self.chance)
        np.subtract(1, self.chance, out=self.sums)
        np.multiply(self.chance, self.sums, out=self.chance)
        np.sqrt(self.chance, out=self.chance)
        np.multiply(self.chance, self.left, out=self.chance)
        np.cumsum(self.chance, out=self.sums)
        item = int(np.searchsorted(self.sums, rng.random() * self.sums[-1]))
        self.left[item] = 0
        self.told, self.right, self.expected = self.told + 1, self.right + truth[item], self.expected + self.score[item]
        return float(self.sums[-1] / self.chance[item])


def simulated(pool: fl.Pool, predicted: np.ndarray, truth: np.ndarray, question: fl.Estimate) -> float:
    """Seconds of one more label of a simulation: what a longer one takes more than a short one."""
    labels = np.where(truth, predicted.astype(str), "other")
    took = []
    for budget in (100, *SIMULATED):  # the first compiles
        start = time.process_time()
        fl.simulate(pool, labels, question, methods=["iprior+ts"], budgets=[budget], runs=1, workers=1)
        took.append(time.process_time() - start)
    return (took[-1] - took[-2]) / (SIMULATED[1] - SIMULATED[0])


def main() -> None:
    items = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng(0)
    score = rng.beta(5, 2, items)
    truth = rng.random(items) < score
    predicted = rng.integers(0, 10, items)
    pool = fl.Pool.from_arrays(predicted=predicted, score=score, other_labels=["other"])
    question = fl.Estimate("accuracy", by="predicted_class")
    every = EveryItem(score)
    papers = {"strategy": "thompson", "estimator": "beta"}
    ways = {
        f"{name}, {batch} at once": (batch, fl.create_study(pool, question, **parts))
        for name, parts in (("papers' Thompson sampling", papers), ("the default", {}))
        for batch in (1, LABELS)
    }
    took: dict[str, list[float]] = {"every item": [], **{name: [] for name in ways}}
    for _, study in ways.values():
        study.ask(1)  # what is made once
    for _ in range(TURNS):
        start = time.process_time()
        for _ in range(LABELS):
            every.label(rng, truth)
        took["every item"].append((time.process_time() - start) / LABELS)
        for name, (batch, study) in ways.items():
            start = time.process_time()
            for _ in range(LABELS // batch):
                study.tell({query.item: query.predicted for query in study.ask(batch)})
            took[name].append((time.process_time() - start) / LABELS)
    took["Thompson sampling, simulated"] = [simulated(pool, predicted, truth, question)]
    rival = np.median(took["every item"])
    for name, times in took.items():
        print(f"{name:38} {np.median(times) * 1e3:8.3f} ms a label, 1/{rival / np.median(times):.1f}", flush=True)


if __name__ == "__main__":
    main()
