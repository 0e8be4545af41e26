"""Labels until a study may name its worst groups, and how often it is right then: a look after every label.

    python -m benchmarks.stops_identify --runs 40 --pools 20news,planted_20news --batches 1,10,50

Runs are on random sub-pools of the leaderboard's design pools and of pools made up against the certificate. The steps
are those of a live study (`next_draw`) and the stop is its goal; labels come back in batches, and the goal is looked at
after each of them. Beside it, uniform draws with the same belief and stop. Runs that did not stop count as the most
labels, so that ratios are smaller in truth.
"""

import argparse
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from benchmarks.leaderboard.pools import available, load
from rich.console import Console

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.certificate import sure_enough
from fewlabels.core.round import Draw
from fewlabels.engines import in_memory
from fewlabels.settling import among
from fewlabels.simulation.compiled import fast
from fewlabels.simulation.methods import Method
from fewlabels.simulation.oracle import Deck
from fewlabels.simulation.run import Counting
from fewlabels.simulation.simulate import prepare, run_seed
from fewlabels.step import next_draw

MOST = 3000  # labels of a run
PLANTED = {"planted_20news": "20news", "planted_cifar10": "cifar10_vgg16", "planted_saturated": "saturated"}
Parts = tuple[Ints, Array, Ints]  # of each item: group, score, whether it is right


def _expit(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


def _exactly(rng: np.random.Generator, sizes: list[int], errors: list[int], odds: float = 3.0) -> Parts:
    """Groups with so many errors, more often at low scores; scores have nothing to do with the group."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    right, logit = np.ones(len(group), dtype=np.int64), rng.normal(odds, 1.2, len(group))
    for g, wrong in enumerate(errors):
        at = np.flatnonzero(group == g)
        spared = rng.exponential(size=len(at)) * np.exp(0.7 * logit[at])
        right[at[np.argsort(spared)[:wrong]]] = 0
    return group, _expit(logit), right


def _saturated_99(rng: np.random.Generator) -> Parts:
    errors = rng.binomial(400, np.clip(rng.normal(0.01, 0.006, 12), 0.001, 1)).tolist()
    group, _, right = _exactly(rng, [400] * 12, errors)
    return group, 1 - 10 ** -rng.uniform(4, 8, len(group)), right


AGAINST: dict[str, Callable[[np.random.Generator], Parts]] = {
    "right_999": lambda rng: _exactly(rng, [600] * 8, rng.binomial(600, 0.0008, 8).tolist(), 6.5),
    "saturated_99": _saturated_99,
    "equal_worst": lambda rng: _exactly(rng, [400] * 10, [48, 48, 20, 20, 24, 12, 12, 8, 30, 4]),
    "all_equal": lambda rng: _exactly(rng, [300] * 12, [18] * 12),
    "apart_by_the_margin": lambda rng: _exactly(rng, [500] * 8, [60, 54, 30, 25, 20, 15, 10, 40]),
    "unequal": lambda rng: _exactly(rng, [40, 60, 80, 120, 200, 400, 900, 2000], [4, 2, 6, 12, 8, 40, 30, 140]),
    "small_groups": lambda rng: _exactly(rng, [35] * 60, rng.binomial(35, rng.beta(2, 12, 60)).tolist(), 2.0),
}


def _made(group: Ints, score: Array, right: Ints) -> fl.Pool:
    count = int(group.max()) + 1
    names = np.array([f"g{i:03d}" for i in range(count)])
    label = np.where(right == 1, group, (group + 1) % count)
    return fl.Pool.from_arrays(
        predicted=names[group], score=score, classes=names.tolist(), labels=names[label].tolist()
    )


def pool_of(name: str, run: int) -> fl.Pool:
    """The pool of a run."""
    rng = np.random.default_rng([77, run])
    if name in AGAINST:
        return _made(*AGAINST[name](rng))
    entry = next(e for e in available() if e.role == "design" and e.title == PLANTED.get(name, name))
    pool = load(entry).sub_pool(run)
    if name not in PLANTED:
        return pool
    engine = in_memory(pool.engine)
    outputs, labels = engine.models["model"], engine.labels
    assert labels is not None
    predicted = np.array(pool.classes, dtype=object)[outputs.predicted]
    group, right = outputs.predicted, (np.asarray(labels, dtype=object) == predicted).astype(np.int64)
    surest = group == (np.bincount(group, outputs.score) / np.maximum(np.bincount(group), 1)).argmax()
    right[surest] = rng.random(surest.sum()) >= rng.uniform(0.20, 0.25)
    return _made(np.unique(group, return_inverse=True)[1], outputs.score, right)


class Waiting(Counting):
    """A run whose labels come back in batches."""

    def __init__(self, assessment: Assessment, deck: Deck) -> None:
        super().__init__(assessment, deck)
        self._waiting: list[tuple[int, int]] = []

    def ask(self, found: Draw) -> None:
        """Draw an item, whose label is told later."""
        before = self.counts.copy()
        self.apply(found)
        cell, code = np.argwhere(self.counts != before)[0].tolist()
        self.counts[cell, code] -= 1
        self.pending[cell] += 1
        self._waiting.append((cell, code))

    def tell(self) -> None:
        """All labels come back."""
        for cell, code in self._waiting:
            self.counts[cell, code] += 1
        self.pending[:] = 0
        self._waiting.clear()


@dataclass(frozen=True)
class Stop:
    """How a run ended."""

    labels: int
    stopped: bool
    right: bool


def run(pool: fl.Pool, question: fl.Identify, method: Method, number: int, batch: int, goal: float) -> Stop:
    """One study from its first label to its stop."""
    job = prepare(pool, None, question, [method], np.array([1]), 0, ["success"])
    assessment, known = job.assessments[0], job.known[0]
    seed = run_seed(0, number)
    at, most = Waiting(assessment, known.deal(seed)), min(MOST, int(known.cells.size.sum()))
    figures, stopped, named = assessment.certified, False, np.zeros(0, dtype=np.bool_)
    assert figures is not None
    while at.draws < most and not stopped:
        for _ in range(min(batch, most - at.draws)):
            found = next_draw(assessment, at, seed)
            assert isinstance(found, Draw)
            at.ask(found)
        at.tell()
        belief = assessment.belief(at.evidence())  # type: ignore[arg-type]  # counts are enough
        named = among(assessment.first(belief), question.top)
        sure = assessment.certifying.after(at.counts).certificate(named, question.within, figures, pool=True)
        stopped = sure_enough(goal, sure.many, sure.few) and not sure.short.any()
    value = job.truths[0].values * (1 if question.lowest_first else -1)
    right = value[named].max() <= value[~named].min() + question.within + 1e-9
    return Stop(at.draws, stopped, bool(right))


def shown(stops: list[Stop]) -> tuple[str, ...]:
    """Labels with their standard error, shares stopped and right."""
    labels, right = np.array([s.labels for s in stops]), [s.right for s in stops if s.stopped]
    error = labels.std(ddof=1) / np.sqrt(len(stops)) if len(stops) > 1 else 0.0
    of_right = f"{100 * np.mean(right):.1f}" if right else "-"
    return f"{labels.mean():.0f} ({error:.0f})", f"{100 * np.mean([s.stopped for s in stops]):.0f}", of_right


def main() -> None:
    """Print a table, a line a pool and batch as they finish."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument("--pools", default=",".join(("20news", "cifar10_vgg16", "saturated", *PLANTED, *AGAINST)))
    parser.add_argument("--top", type=int, default=1)
    parser.add_argument("--within", type=float, default=0.01)
    parser.add_argument("--goal", type=float, default=0.95)
    parser.add_argument("--batches", default="1")
    parser.add_argument("--draws", default="settle", help="settle, uniform or settle,uniform: the same belief and stop")
    options = parser.parse_args()
    question = fl.Identify("accuracy", by="predicted_class", top=options.top, within=options.within)
    methods = [Method(strategy, "stratified") for strategy in options.draws.split(",")]
    console, numbers = Console(width=140), range(options.first, options.first + options.runs)
    with fast():
        for name in options.pools.split(","):
            for batch in map(int, options.batches.split(",")):
                for method in methods:
                    start = time.process_time()
                    stops = [run(pool_of(name, n), question, method, n, batch, options.goal) for n in numbers]
                    each = (time.process_time() - start) / len(stops)
                    labels, ended, right = shown(stops)
                    console.print(
                        f"{name:28s} m={options.top} batch {batch:3d} {method.label:28s} labels {labels:>12s} "
                        f"stopped {ended:>3s} % right {right:>5s} % {each:.2f} s a run"
                    )


if __name__ == "__main__":
    main()
