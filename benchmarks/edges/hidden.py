"""F1 and recall where a share of the positives is scored like negatives.

    python -m benchmarks.edges hidden --runs 400 [--metric recall] [--share 0 0.3] [--prevalence 0.004] [--assume 0]
    python -m benchmarks.edges hidden --stops --runs 40 --metric f1 --goal 0.1 --share 0.3 --prevalence 0.05
    python -m benchmarks.edges hidden --pools --runs 20

The recipe: 20,000 items; y ~ Bernoulli(prevalence); the share h of the positives is hidden; z ~ N(1, 2) for positives
that are not, and N(-6, 1.6) for all other items; the score is expit(1.2 z). Each run is a pool of its own.

Prints a row a cell: how often the interval of all items held at each number of labels, the one-sided 95 % limit of that
[Clopper, Pearson 1934], its mean width, the root of the mean squared error and the bias; with --assume 0, which is what
versions before 0.2 did, as a negative control. With --stops: how many studies stopped at the goal, how many of those
were right, and the median of their labels.

With --recipe broad: 16,000 items, log-odds N(1.4, 1.6) of positives that show, N(-5, 1.4) of all others, with seeds of
their own; no constant was chosen on it. With --pools: the real pools of benchmarks/f_score_pools.toml, rare classes one
against the rest: the mean squared error over that of studies that assume none to hide, of the same sub-pools, classes
and seeds, and how often intervals hold.

The prior's tail of .035 and the tenth of the draws were chosen on the recipe above, at h = .3.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.special import betaincinv, expit

from fewlabels.answers import Finding
from fewlabels.core.hiding import USUAL
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reading.answer import read
from fewlabels.simulation.methods import Method
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare
from fewlabels.stopping import HalfWidth

BUDGETS = (50, 100, 200, 400)
LOOKS = (*range(40, 401, 40), *range(500, 1601, 100))


@dataclass(frozen=True)
class Recipe:
    """How many items there are, and the log-odds of those that show and of all others."""

    items: int
    shows: tuple[float, float]
    others: tuple[float, float]
    scale: float
    first_seed: int


RECIPES = {
    "narrow": Recipe(20_000, (1.0, 2.0), (-6.0, 1.6), 1.2, 4000),
    "broad": Recipe(16_000, (1.4, 1.6), (-5.0, 1.4), 1.0, 70_000),
}


def made(prevalence: float, share: float, seed: int, of: Recipe) -> tuple[Pool, np.ndarray]:
    """A pool of a recipe, and whether each item is positive."""
    rng, items = np.random.default_rng(seed), of.items
    positive = rng.random(items) < prevalence
    shows = positive & (rng.random(items) >= share)
    z = np.where(shows, rng.normal(*of.shows, items), rng.normal(*of.others, items))
    score = np.round(expit(of.scale * z), 12)
    return Pool.from_arrays(positive_score=score, positive="pos"), positive


def true_value(metric: str, said: np.ndarray, positive: np.ndarray) -> float:
    found = float((said & positive).sum())
    counted = {"f1": 0.5 * (said.sum() + positive.sum()), "recall": positive.sum(), "precision": said.sum()}[metric]
    return found / float(counted)


def studied(
    metric: str, prevalence: float, share: float, run: int, assumed: float, looks: Sequence[int], of: Recipe,
    goal: float | None = None,
) -> tuple[float, Iterator[Finding]]:  # fmt: skip
    """The true value, and what a study of one pool answers at each look, in batches of ten."""
    seed = of.first_seed + run
    pool, positive = made(prevalence, share, seed, of)
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


def cell(metric: str, prevalence: float, share: float, runs: int, assumed: float, of: Recipe) -> str:
    rows = []
    for run in range(runs):
        truth, found = studied(metric, prevalence, share, run, assumed, BUDGETS, of)
        rows.append([(f.value, f.low, f.high, truth) for f in found])
    return columns_of(np.array(rows))


def columns_of(rows: np.ndarray) -> str:
    """Of value, low, high and truth, (n_runs, n_looks, 4)."""
    runs = len(rows)
    value, low, high, truth = rows.transpose(2, 1, 0)
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


def stops(metric: str, prevalence: float, share: float, runs: int, assumed: float, of: Recipe, goal: float) -> str:
    stopped, right = [], 0
    for run in range(runs):
        truth, found = studied(metric, prevalence, share, run, assumed, LOOKS, of, goal)
        for look, finding in zip(LOOKS, found, strict=True):
            if finding.half_width <= goal and finding.rests_on_labels:
                stopped.append(look)
                right += finding.low - 1e-9 <= truth <= finding.high + 1e-9
                break
    median = f"{np.median(stopped):.0f}" if stopped else "-"
    share_right = f"{100 * right / len(stopped):.1f} (from {100 * limit(right, len(stopped)):.1f})" if stopped else "-"
    return f"{len(stopped)} of {runs} stop; right {share_right}; median labels {median}; wrong {len(stopped) - right}"


def on_real_pools(metric: str, runs: int) -> None:
    """Of each pool: the ratio of mean squared errors, its standard error by runs, and how often intervals hold."""
    from benchmarks import f_score_board as board  # noqa: PLC0415 - it reads its list of pools
    from benchmarks.leaderboard.pools import data_folder, load  # noqa: PLC0415

    for entry, rare in board.entries():
        if not (data_folder() / entry.name).exists():
            continue
        errors, held, widths = [], [], []
        for run in range(runs):
            pool = load(entry).sub_pool(run)
            for name in board.classes_of(pool, run, rare=rare):
                both = of_class(board.against_the_rest(pool, name), name, metric, run)
                errors.append(((both[:, :, 0] - both[:, :, 3]) ** 2, run))
                held.append((both[:, :, 1] - 1e-9 <= both[:, :, 3]) & (both[:, :, 3] <= both[:, :, 2] + 1e-9))
                widths.append(both[:, :, 2] - both[:, :, 1])
        squares = 1e-12 + np.nan_to_num(np.array([e for e, _ in errors]), nan=0.25)
        of_run = np.array([run for _, run in errors])
        ratio = squares[:, 1].mean(axis=0) / squares[:, 0].mean(axis=0)
        left_out = [np.mean(squares[of_run != r], axis=0) for r in np.unique(of_run)]
        each = np.array([one[1] / one[0] for one in left_out])
        se = (
            np.sqrt((len(each) - 1) / len(each) * ((each - each.mean(axis=0)) ** 2).sum(axis=0))
            if runs > 1
            else 0 * ratio
        )
        shown = " ".join(f"{r:.2f} ({s:.2f})" for r, s in zip(ratio, se, strict=True))
        shares = (" ".join(f"{100 * h:.0f}" for h in np.array(held)[:, k].mean(axis=0)) for k in (0, 1))
        wide = (" ".join(f"{w:.2f}" for w in np.array(widths)[:, k].mean(axis=0)) for k in (0, 1))
        print(
            metric,
            entry.title,
            len(errors),
            "| error over that of none",
            shown,
            "| held",
            *shares,
            "| width",
            *wide,
            flush=True,
        )


def of_class(pool: Pool, name: str, metric: str, run: int) -> np.ndarray:
    """Value, low, high and truth at each number of labels, where none is assumed to hide and as usual."""
    job = prepare(
        pool, None, Estimate(metric, positive=name), [Method("doubt", "difference")], np.array(BUDGETS), run, None
    )
    known, found = job.known[0], []
    truth = true_value(metric, known.predicted == 0, known.label == 0)
    for assumed in (0.0, USUAL):
        assessment = replace(job.assessments[0], settings=replace(job.assessments[0].settings, hidden=assumed))
        told = run_draws(assessment, known.deal(run), job.budgets, run, (10,))
        ends = [read(assessment, evidence).overall for evidence in told]
        found.append([(f.value, f.low, f.high, truth) for f in ends if f is not None])
    return np.array(found)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--metric", nargs="+", choices=("f1", "recall"), default=["recall", "f1"])
    parser.add_argument("--share", nargs="+", type=float, default=[0.0, 0.1, 0.25, 0.3])
    parser.add_argument("--prevalence", nargs="+", type=float, default=[0.004, 0.01, 0.02])
    parser.add_argument("--assume", type=float, default=0.4)
    parser.add_argument("--stops", action="store_true")
    parser.add_argument("--goal", type=float, default=0.1)
    parser.add_argument("--recipe", choices=RECIPES, default="narrow")
    parser.add_argument("--pools", action="store_true")
    options = parser.parse_args(arguments)
    if options.pools:
        for metric in options.metric:
            on_real_pools(metric, options.runs)
        return
    print("metric, prevalence, h | held % | from % | mean width | RMSE | bias, at", *BUDGETS, "labels", flush=True)
    for metric, prevalence, share in product(options.metric, options.prevalence, options.share):
        about = metric, prevalence, share, options.runs, options.assume, RECIPES[options.recipe]
        print(*about[:3], "|", stops(*about, options.goal) if options.stops else cell(*about), flush=True)
