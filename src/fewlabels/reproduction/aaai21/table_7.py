"""Table 7 of [Ji21]: labels needed to assess the difference in accuracy of two groups, over all pairs of groups."""

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import cast

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import OwnBelief
from fewlabels.core.beta import BetaBelief
from fewlabels.core.comparison import change_by_a_label
from fewlabels.engines import gathered
from fewlabels.pool import Pool
from fewlabels.questions import Compare
from fewlabels.reproduction import base
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


def comparisons(setup: base.Setup) -> base.Found:
    """Mean labels over all pairs, CIFAR-100 superclasses and 20 Newsgroups; so many runs a pair."""
    superclasses = _rows(setup, "CIFAR-100 superclasses", superclass_pool(setup), TABLE_7["superclass"])
    return base.Found(superclasses + _rows(setup, "20 Newsgroups", setup.pool("20news"), TABLE_7["20news"]), NOTES)


def _rows(setup: base.Setup, called: str, pool: Pool, printed: tuple[float, ...]) -> list[base.Compared]:
    labels, right = pairwise_labels(pool, setup)
    rows = [
        base.mean_row(f"{called}: {method}", paper, values, "as stated", other_pool=True)
        for method, paper, values in zip(base.METHODS_AS_STATED, printed, labels.T, strict=True)
    ]
    return rows + [
        base.mean_row(f"{called}: {method}, % right direction at {AT_BUDGET} labels", None, values, "as stated")
        for method, values in zip(base.METHODS_AS_STATED, 100 * right.T, strict=True)
    ]


def superclass_pool(setup: base.Setup) -> Pool:
    """CIFAR-100 with superclasses for classes: probabilities summed, labels mapped."""
    pool = setup.pool("cifar100-wrn")
    superclass = base.load_superclasses("cifar100-wrn", setup.data)
    names = sorted(set(superclass.values()))
    member = np.array([[superclass[c] == name for name in names] for c in pool.classes], dtype=np.float64)
    rows = gathered(pool.engine.scan(pool.models[0], whole=True))
    assert rows.probabilities is not None
    labels = [superclass[pool.true_classes[true]] for true in base.labelled(pool).true]
    summed = np.asarray(rows.probabilities, dtype=np.float64) @ member
    return Pool.from_arrays(probabilities=summed / summed.sum(axis=1, keepdims=True), classes=names, labels=labels)


def pairwise_labels(pool: Pool, setup: base.Setup) -> tuple[Array, Array]:
    """Labels until eta and lambda are right, and whether the direction is at 100: (n_pairs * n_runs, n_methods) each.

    Pair i is simulated with seed i: the pairs' orders are independent, and each pair's methods are paired.
    """
    size = np.bincount(base.labelled(pool).predicted, minlength=len(pool.classes))
    groups = [(name, n) for name, n in zip(pool.classes, size.tolist(), strict=True) if n > 0]
    pairs = [(a, b, n + m) for (a, n), (b, m) in combinations(groups, 2)]
    found = np.concatenate(setup.each(partial(_pair, pool, setup.runs), list(enumerate(pairs))))
    return found[..., 0], found[..., 1]


def _pair(pool: Pool, runs: int, pair: tuple[int, tuple[str, str, int]]) -> Array:
    """Labels until eta and lambda are right, and whether the direction is at 100: (n_runs, n_methods, 2).

    A pair is its number, two groups and how many items they have.
    """
    number, (a, b, last) = pair
    question = Compare("accuracy", "predicted_class", a, b)
    methods, budgets = read_methods(base.METHODS_AS_STATED.values(), question), np.array([min(AT_BUDGET, last)])
    job = prepare(pool, None, question, methods, budgets, number, ["direction"], how=("population", 0.95, None))
    later = replace(job, budgets=np.arange(1, last + 1))
    return np.stack([np.stack([_until_right(later, i), job.run(i)[:, 0, 0]], axis=1) for i in range(runs)])


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


table_7 = base.Experiment(
    comparisons,
    "labels needed to compare two groups, all pairs",
    "[Ji21] Table 7: labels to assess the difference of two groups, mean over all pairs",
    f"{base.about('cifar100-wrn')}, summed by superclass; {base.about('20news')}",
    runs=1,
)
