"""Table 7 of [Ji21]: labels needed to assess the difference in accuracy of two groups, over all pairs of groups."""

from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import cast

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import OwnBelief
from fewlabels.core.beta import BetaBelief
from fewlabels.core.comparison import change_by_a_label
from fewlabels.engines import gathered
from fewlabels.pool import Pool
from fewlabels.questions import Compare
from fewlabels.reproduction.base import Reproduction, Row
from fewlabels.reproduction.data import SOURCES, load_superclasses
from fewlabels.reproduction.outcomes import outcomes_of
from fewlabels.reproduction.setup import METHODS_AS_STATED, Setup, mean_row
from fewlabels.simulation import run_seed
from fewlabels.simulation.compiled import runner_for
from fewlabels.simulation.measures import LAMBDA_ERROR, Truth, regions
from fewlabels.simulation.methods import read_methods
from fewlabels.simulation.simulate import Job, prepare

TABLE_7 = {"superclass": (203.5, 129.0, 121.9), "20news": (197.3, 157.4, 136.1)}
SLACK = 1e-6  # for the error of quadrature
AT_BUDGET = 100  # labels at which the rate of the right direction is given too

NOTES = (
    "As stated: the first label after which the likeliest region is that of all labels and its probability within 5 % "
    "of theirs, both under the same prior of strength 2, by quadrature. A run cannot fail: with all labels it is "
    "right.",
    "The published code tests the probability of the true difference's region only, not whether that region is the "
    "likeliest; takes lambda* from a nearly flat prior by 1,000 draws, whatever the prior of the run; and counts a run "
    "that never succeeds as one label. The first and the last shorten its counts. Its superclass row takes the "
    "superclass of the prediction for the label, so that accuracies there are near 1, every difference is of no "
    "practical importance, and the mean lambda* is 0.9995.",
    "One run a pair, the standard error being that over pairs. Both pools are of other models than the papers', "
    "because summed superclass scores need full probabilities: the numbers need not agree.",
)


def table_7(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Mean labels over all pairs, CIFAR-100 superclasses and 20 Newsgroups; so many runs a pair."""
    setup = Setup(data, runs, workers)
    rows = _rows(setup, "CIFAR-100 superclasses", superclass_pool(setup), TABLE_7["superclass"])
    rows += _rows(setup, "20 Newsgroups", setup.pool("20news"), TABLE_7["20news"])
    about = f"{SOURCES['cifar100-wrn'].about}, summed by superclass; {SOURCES['20news'].about}"
    title = "[Ji21] Table 7: labels to assess the difference of two groups, mean over all pairs"
    return Reproduction("aaai-table-7", title, about, runs, tuple(rows), NOTES)


def superclass_pool(setup: Setup) -> Pool:
    """CIFAR-100 with superclasses for classes: probabilities summed, labels mapped."""
    pool = setup.pool("cifar100-wrn")
    superclass = load_superclasses("cifar100-wrn", setup.data)
    names = sorted(set(superclass.values()))
    member = np.array([[superclass[c] == name for name in names] for c in pool.classes], dtype=np.float64)
    rows = gathered(pool.engine.scan(pool.models[0], whole=True))
    assert rows.probabilities is not None
    assert rows.labels is not None
    labels = [superclass[str(label)] for label in rows.labels]
    summed = np.asarray(rows.probabilities, dtype=np.float64) @ member
    return Pool.from_arrays(probabilities=summed / summed.sum(axis=1, keepdims=True), classes=names, labels=labels)


def _rows(setup: Setup, called: str, pool: Pool, printed: tuple[float, ...]) -> list[Row]:
    labels, right = pairwise_labels(pool, setup)
    rows = [
        mean_row(f"{called}: {method}", paper, labels[:, place], "as stated", other_pool=True)
        for place, (method, paper) in enumerate(zip(METHODS_AS_STATED, printed, strict=True))
    ]
    rows += [
        mean_row(
            f"{called}: {method}, % right direction at {AT_BUDGET} labels", None, 100 * right[:, place], "as stated"
        )
        for place, method in enumerate(METHODS_AS_STATED)
    ]
    return rows


def pairwise_labels(pool: Pool, setup: Setup) -> tuple[Array, Array]:
    """Labels until eta and lambda are right, and whether the direction is at 100: (n_pairs * n_runs, n_methods) each.

    Pair i is simulated with seed i: the pairs' orders are independent, and each pair's methods are paired.
    """
    size = np.bincount(outcomes_of(pool).predicted, minlength=len(pool.classes))
    groups = [(name, n) for name, n in zip(pool.classes, size.tolist(), strict=True) if n > 0]
    pairs = tuple((a, b, n + m) for (a, n), (b, m) in combinations(groups, 2))
    found = np.concatenate(setup.parts(Pairs(pool, pairs, setup.runs), len(pairs)))
    return found[..., 0], found[..., 1]


@dataclass(frozen=True)
class Pairs:
    """Runs that compare two groups each; part k is pair k, simulated with seed k."""

    pool: Pool
    pairs: tuple[tuple[str, str, int], ...]  # two groups, and how many items they have
    runs: int

    def run(self, number: int) -> Array:
        """Labels until eta and lambda are right, and whether the direction is at 100: (n_runs, n_methods, 2)."""
        a, b, last = self.pairs[number]
        question = Compare("accuracy", "predicted_class", a, b)
        methods, budgets = read_methods(METHODS_AS_STATED.values(), question), np.array([min(AT_BUDGET, last)])
        job = prepare(
            self.pool, None, question, methods, budgets, number, ["direction"], how=("population", 0.95, None)
        )
        later = replace(job, budgets=np.arange(1, last + 1))
        return np.stack([np.stack([_until_right(later, i), job.run(i)[:, 0, 0]], axis=1) for i in range(self.runs)])


def _until_right(job: Job, number: int) -> Array:
    """Labels of one run until eta and lambda are right, by method; labels that cannot make them so are passed over."""
    seed = run_seed(job.seed, number)
    found = []
    for assessment, known in zip(job.assessments, job.known, strict=True):
        truth, prior = Truth(assessment, known), cast(BetaBelief, assessment.prior_belief)
        trace = runner_for(assessment)(known.deal(seed), job.budgets, seed)
        changes, place = _changes(trace.counts, prior), 0
        while place < len(changes) and (missing := _missing(truth, prior.after(trace.counts[place]))) >= 0:
            place = max(place + 1, int(np.searchsorted(changes, changes[place] + missing - SLACK)))
        found.append(job.budgets[place] if place < len(changes) else np.nan)
    return np.array(found, dtype=np.float64)


def _missing(truth: Truth, belief: OwnBelief) -> float:
    """How much a region's probability must at least change for eta and lambda to be right; negative where they are."""
    mu, final = regions(truth, belief), truth.regions
    eta, most = int(final.argmax()), float(final.max())
    if mu.argmax() == eta and abs(mu.max() - most) / most < LAMBDA_ERROR:
        return -1.0
    return max(float(abs(mu[eta] - most)) - LAMBDA_ERROR * most, float(mu.max() - mu[eta]) / 2, 0.0)


def _changes(counts: Array, prior: BetaBelief) -> Array:
    """The most that any probability can have changed since the first label, after each label."""
    place, cell, outcome = np.nonzero(np.diff(counts, axis=0))  # one label each
    alpha = prior.prior_alpha[cell] + counts[place, cell, 0]
    beta = prior.prior_beta[cell] + counts[place, cell, 1]
    hit, miss = change_by_a_label(alpha, beta)
    known = np.minimum(alpha, beta) >= np.broadcast_to(prior.floor, prior.size.shape)[cell]  # else more is shown
    return np.concatenate([[0.0], np.cumsum(np.where(known, np.where(outcome == 0, hit, miss), 1.0))])
