"""Skips that depend on the answer, and an item that nobody answers.

python -m benchmarks.edges skips coverage --pool cifar10_vgg16 --runs 100
python -m benchmarks.edges skips stops --goal 0.06 --runs 100
python -m benchmarks.edges skips open --runs 20

Labellers skip 40 % of what the model got wrong and 3 % of the rest. Pools are random sub-pools of 6,000 items of
cifar10_vgg16 or 20news, or made: scores .5 to 1 of Beta(8, 1.2), right with the score. Each line is one cell: how often
the interval held, with its standard error and the one-sided 95 % limit, and its mean half-width.
"""

import argparse
import os
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import beta

import fewlabels as fl
from fewlabels.core.arrays import Array, Bools

SKIPS_OF_WRONG, SKIPS_OF_RIGHT = 0.40, 0.03
LOOKS, ITEMS = (50, 150, 400), 6000


class Made(NamedTuple):
    """A pool, the true class of each item, and whether labellers would skip it."""

    pool: fl.Pool
    truth: list[str]
    skipped: Bools
    right: Bools


def made(name: str, run: int, of_wrong: float = SKIPS_OF_WRONG, of_right: float = SKIPS_OF_RIGHT) -> Made:
    """The pool of a run."""
    rng = np.random.default_rng([90_000, run])
    predicted, score, label, groups = _made(rng) if name == "beta" else _sub_pool(name, rng)
    right = predicted == label
    skipped = rng.random(len(label)) < np.where(right, of_right, of_wrong)
    pool = fl.Pool.from_arrays(predicted=predicted.tolist(), score=score, columns={"part": groups.tolist()})
    return Made(pool, label.tolist(), skipped, right)


def _made(rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    score = np.clip(rng.beta(8, 1.2, 4000), 0.5, 1)
    predicted = np.where(rng.random(4000) < 0.5, "a", "b")
    wrong = np.where(predicted == "a", "b", "a")
    label = np.where(rng.random(4000) < score, predicted, wrong)
    return predicted, score, label, rng.choice(["x", "y"], 4000)


def _sub_pool(name: str, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    found = np.load(Path(os.environ.get("FEWLABELS_DATA", "../shared/data")) / f"{name}.npz")
    some = rng.choice(len(found["label"]), min(ITEMS, len(found["label"])), replace=False)
    chances, label = found["probabilities"][some], found["label"][some]
    predicted = chances.argmax(axis=1)
    named = np.array([f"c{k}" for k in range(chances.shape[1])])
    score = np.clip(chances.max(axis=1).astype(float), 0, 1)
    return named[predicted], score, named[label], rng.choice(["x", "y"], len(some))


def truth_of(of: Made, metric: str) -> float:
    """What the figure is, of all items."""
    if metric == "accuracy":
        return float(of.right.mean())
    every = fl.create_study(of.pool, fl.Estimate(metric, positive="a") if metric == "f1" else fl.Estimate(metric))
    every.tell(dict(enumerate(of.truth)), drawn="uniform")
    return every.answer().overall.value  # type: ignore[union-attr]


def label(study: fl.Study, of: Made, queries: list[Any]) -> int:
    """Tell or skip each of these; how many were told."""
    told = 0
    with study.together():
        for query in queries:
            if of.skipped[int(query.item)]:
                study.skip(query)
            else:
                study.tell(query, of.truth[int(query.item)])
                told += 1
    return told


def coverage(pool: str, runs: int, metric: str, skips: Any) -> Iterator[tuple[int, bool, float]]:
    """Of each run and look: whether the interval holds the truth, and its half-width."""
    for run in range(runs):
        of = made(pool, run)
        about = {"positive": "a"} if metric == "f1" else {}
        study, true = (
            fl.create_study(of.pool, fl.Estimate(metric, **about), seed=run, skips=skips),
            truth_of(of, metric),
        )
        labels = 0
        for look in LOOKS:
            while labels < look:
                labels += label(study, of, study.ask(min(10, look - labels)))
            found = study.answer().overall
            assert found is not None
            yield look, bool(found.low <= true <= found.high), found.half_width


def stops(pool: str, runs: int, goal: float, skips: Any, most: int) -> Iterator[tuple[bool, bool, int]]:
    """Of each run: whether the study stopped, whether its interval then held, and after how many labels."""
    for run in range(runs):
        of = made(pool, run)
        until = fl.HalfWidth(goal, of="overall")
        study, true = (
            fl.create_study(of.pool, fl.Estimate("accuracy"), until=until, seed=run, skips=skips),
            of.right.mean(),
        )
        labels = 0
        while labels < most and not study.done:
            labels += label(study, of, study.ask(10))
        found = study.answer().overall
        assert found is not None
        yield study.done, bool(found.low <= true <= found.high), labels


def one_open(run: int, forgotten: int | None, goal: float = 0.04, most: int = 1000, batch: int = 10) -> int:
    """Labels until a study is done whose first batch has one item that is never answered; `most` if it is not."""
    of = made("beta", run)
    study = fl.create_study(of.pool, fl.Estimate("accuracy"), until=fl.HalfWidth(goal), seed=run)
    labels = 0
    while labels < most and not study.done:
        for query in study.ask(batch):
            if query.number - 1 != forgotten:
                study.tell(query, of.truth[int(query.item)])
                labels += 1
    return labels


def _line(name: str, held: list[bool], more: str) -> str:
    n, k = len(held), sum(held)
    share = k / n
    least = 0.0 if k == 0 else float(beta.ppf(0.05, k, n - k + 1))
    return f"{name}: {share:.1%} of {n} (se {100 * sqrt(share * (1 - share) / n):.1f}, shown to be {least:.1%}); {more}"


def main(given: list[str]) -> None:
    """Print one line a cell."""
    parser = argparse.ArgumentParser(prog="benchmarks.edges skips")
    parser.add_argument("what", choices=["coverage", "stops", "open"])
    parser.add_argument("--pool", default="cifar10_vgg16")
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--metric", default="accuracy")
    parser.add_argument("--skips", default="worst")
    parser.add_argument("--goal", type=float, default=0.06)
    parser.add_argument("--most", type=int, default=800)
    asked = parser.parse_args(given)
    if asked.what == "coverage":
        found = list(coverage(asked.pool, asked.runs, asked.metric, asked.skips))
        for look in LOOKS:
            held, half = [h for n, h, _ in found if n == look], [w for n, _, w in found if n == look]
            print(_line(f"{asked.pool} {asked.metric} {asked.skips} {look} labels", held, f"±{np.mean(half):.3f}"))
    elif asked.what == "stops":
        every = list(stops(asked.pool, asked.runs, asked.goal, asked.skips, asked.most))
        held = [held for done, held, _ in every if done]
        about = f"{len(held)} of {len(every)} stopped, at {np.median([n for done, _, n in every if done] or [0]):.0f}"
        print(_line(f"{asked.pool} ±{asked.goal} {asked.skips}", held, about) if held else f"none stopped; {about}")
    else:
        for run in range(asked.runs):
            print(f"run {run}: {one_open(run, None)} labels without a gap, {one_open(run, 3)} with one")
