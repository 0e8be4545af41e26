"""F1 and recall where a share of the positives is scored like negatives.

    python -m benchmarks.edges hidden --runs 400 [--metric recall] [--share 0 0.3] [--prevalence 0.004] [--assume 0]
    python -m benchmarks.edges hidden --stops --runs 40 --metric f1 --goal 0.1 --share 0.3 --prevalence 0.05

The recipe: 20,000 items; y ~ Bernoulli(prevalence); the share h of the positives is hidden; z ~ N(1, 2) for positives
that are not, and N(-6, 1.6) for all other items; the score is expit(1.2 z). Each run is a pool of its own.

Prints a row a cell: how often the interval of all items held at each number of labels, the one-sided 95 % limit of that
[Clopper, Pearson 1934], its mean width, the root of the mean squared error and the bias; with --assume 0, which is what
versions before 0.2 did, as a negative control. With --stops: how many studies stopped at the goal, how many of those
were right, and the median of their labels.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
from scipy.special import betaincinv, expit

from fewlabels.answers import Finding
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reading.answer import read
from fewlabels.simulation.methods import Method
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare
from fewlabels.stopping import HalfWidth

ITEMS = 20_000
BUDGETS = (50, 100, 200, 400)
LOOKS = (*range(40, 401, 40), *range(500, 1601, 100))
FIRST_SEED = 4000


def made(prevalence: float, share: float, seed: int, items: int = ITEMS) -> tuple[Pool, np.ndarray]:
    """A pool of the recipe, and whether each item is positive."""
    rng = np.random.default_rng(seed)
    positive = rng.random(items) < prevalence
    shows = positive & (rng.random(items) >= share)
    z = np.where(shows, rng.normal(1.0, 2.0, items), rng.normal(-6.0, 1.6, items))
    score = np.round(expit(1.2 * z), 12)
    return Pool.from_arrays(positive_score=score, positive="pos"), positive


def true_value(metric: str, said: np.ndarray, positive: np.ndarray) -> float:
    found = float((said & positive).sum())
    counted = {"f1": 0.5 * (said.sum() + positive.sum()), "recall": positive.sum(), "precision": said.sum()}[metric]
    return found / float(counted)


def studied(
    metric: str, prevalence: float, share: float, run: int, assumed: float, looks: Sequence[int],
    goal: float | None = None,
) -> tuple[float, Iterator[Finding]]:  # fmt: skip
    """The true value, and what a study of one pool answers at each look, in batches of ten."""
    seed = FIRST_SEED + run
    pool, positive = made(prevalence, share, seed)
    labels = np.where(positive, "pos", pool.classes[0] if pool.classes[0] != "pos" else pool.classes[1])
    question = Estimate(metric, positive="pos")
    job = prepare(pool, labels.tolist(), question, [Method()], np.array(looks), seed, None)
    until = None if goal is None else HalfWidth(goal)
    settings = replace(job.assessments[0].settings, hidden=assumed, until=until)
    assessment = replace(job.assessments[0], settings=settings)
    told = run_draws(assessment, job.known[0].deal(seed), job.budgets, seed, (10,))
    said = job.known[0].predicted == pool.classes.index("pos")
    truth = true_value(metric, said, job.known[0].label == pool.classes.index("pos"))
    return truth, (read(assessment, evidence).overall for evidence in told)  # type: ignore[return-value]


def limit(hits: int, runs: int) -> float:
    """The one-sided 95 % limit from below of a share."""
    return float(betaincinv(hits, runs - hits + 1, 0.05)) if hits else 0.0


def cell(metric: str, prevalence: float, share: float, runs: int, assumed: float, first: int = 0) -> str:
    rows = []
    for run in range(first, first + runs):
        truth, found = studied(metric, prevalence, share, run, assumed, BUDGETS)
        rows.append([(f.value, f.low, f.high, truth) for f in found])
    value, low, high, truth = np.array(rows).transpose(2, 1, 0)
    held = (low - 1e-9 <= truth) & (truth <= high + 1e-9)
    error = np.where(np.isnan(value), 0.5, value) - truth
    columns = (
        " ".join(f"{100 * h.mean():.1f}" for h in held),
        " ".join(f"{100 * limit(int(h.sum()), runs):.1f}" for h in held),
        " ".join(f"{w:.3f}" for w in (high - low).mean(axis=1)),
        " ".join(f"{np.sqrt((e**2).mean()):.4f}" for e in error),
        " ".join(f"{e.mean():+.3f}" for e in error),
    )
    return " | ".join(columns)


def stops(metric: str, prevalence: float, share: float, runs: int, assumed: float, goal: float) -> str:
    stopped, right = [], 0
    for run in range(runs):
        truth, found = studied(metric, prevalence, share, run, assumed, LOOKS, goal)
        for look, finding in zip(LOOKS, found, strict=True):
            if finding.half_width <= goal and finding.rests_on_labels:
                stopped.append(look)
                right += finding.low - 1e-9 <= truth <= finding.high + 1e-9
                break
    median = f"{np.median(stopped):.0f}" if stopped else "-"
    share_right = f"{100 * right / len(stopped):.1f} (from {100 * limit(right, len(stopped)):.1f})" if stopped else "-"
    return f"{len(stopped)} of {runs} stop; right {share_right}; median labels {median}; wrong {len(stopped) - right}"


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--metric", nargs="+", choices=("f1", "recall"), default=["recall", "f1"])
    parser.add_argument("--share", nargs="+", type=float, default=[0.0, 0.1, 0.25, 0.3])
    parser.add_argument("--prevalence", nargs="+", type=float, default=[0.004, 0.01, 0.02])
    parser.add_argument("--assume", type=float, default=0.4)
    parser.add_argument("--stops", action="store_true")
    parser.add_argument("--goal", type=float, default=0.1)
    options = parser.parse_args(arguments)
    print("metric, prevalence, h | held % | from % | mean width | RMSE | bias, at", *BUDGETS, "labels", flush=True)
    for metric, prevalence, share in product(options.metric, options.prevalence, options.share):
        about = metric, prevalence, share, options.runs, options.assume
        print(*about[:3], "|", stops(*about, options.goal) if options.stops else cell(*about), flush=True)
