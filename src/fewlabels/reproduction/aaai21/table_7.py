"""Table 7 of [Ji21]: labels needed to assess the difference in accuracy of two groups, over all pairs of groups."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import cast

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.beta import BetaBelief
from fewlabels.core.comparison import change_by_a_label, region_probabilities
from fewlabels.engines import gathered
from fewlabels.pool import Pool
from fewlabels.questions import Compare
from fewlabels.reproduction import base
from fewlabels.reproduction.shapes.figure_pools import DBPEDIA, INSTEAD, NEWS, SVHN, FigurePool, data_sets
from fewlabels.simulation import run_seed
from fewlabels.simulation.compiled import runner_for
from fewlabels.simulation.measures import LAMBDA_ERROR, Truth, regions
from fewlabels.simulation.methods import read_methods
from fewlabels.simulation.simulate import Job, prepare

TABLE_7 = {
    "superclass": (203.5, 129.0, 121.9),
    "svhn": (391.1, 205.2, 172.0),
    "20news": (197.3, 157.4, 136.1),
    "banking77": (217.5, 4.3, 2.8),
}
NOTHING = (None, None, None)  # is printed of other pools
SUPERCLASSES = FigurePool("superclass", "CIFAR-100 superclasses", 3, "WideResNet-16-4")
ROPE = 0.05
SLACK = 1e-6  # for the error of quadrature
FAINT = 1e-6  # that the published code adds to accuracies
Goal = Callable[[Array], float]  # how much a region's probability must at least change yet; negative: it is reached
AT_BUDGET = 100  # labels at which the rate of the right direction is given too

NOTES = (
    "As stated: the first label after which the likeliest region is that of all labels and its probability within 5 % "
    "of theirs, both under the same prior of strength 2, by quadrature. A run cannot fail: with all labels it is "
    "right.",
    "As printed: the published code tests the probability of the true difference's region only, not whether that "
    "region is the likeliest; takes lambda* from Beta(T_g theta_g, T_g (1 - theta_g)), whatever the prior of the run; "
    "and counts a run that never succeeds as one label. Its superclass row takes the superclass of the prediction for "
    "the label, so that accuracies there are near 1, every difference is of no practical importance, and the mean "
    "lambda* is 0.9995. Its probabilities are shares of 10,000 draws (1,000 for lambda*), with a standard error up to "
    "0.005 and 0.016; here they are integrals, so that a run cannot succeed by noise.",
    "One run a pair, the standard error being that over pairs.",
    INSTEAD,
)


def comparisons(setup: base.Setup) -> base.Found:
    """Mean labels over all pairs of groups; so many runs a pair."""
    rows = list[base.Compared]()
    for of in data_sets(setup, (SUPERCLASSES, SVHN, NEWS, DBPEDIA)):
        own = of.name != SUPERCLASSES.name
        pool = setup.pool(of.name) if own else superclass_pool(setup)
        rows += _rows(setup, of, pool, "as stated")
        rows += _rows(setup, of, pool if own else superclass_pool(setup, of_prediction=True), "as printed")
    return base.Found(rows, NOTES)


def _rows(setup: base.Setup, of: FigurePool, pool: Pool, variant: base.Variant) -> list[base.Compared]:
    labels, right = pairwise_labels(pool, setup, variant)
    rows = [
        base.mean_row(f"{of.title}: {method}", paper, values, variant, other_pool=of.other)
        for method, paper, values in zip(base.METHODS_AS_STATED, TABLE_7.get(of.name, NOTHING), labels.T, strict=True)
    ]
    return rows + [
        base.mean_row(f"{of.title}: {method}, % right direction at {AT_BUDGET} labels", None, values, variant)
        for method, values in zip(base.METHODS_AS_STATED, 100 * right.T, strict=True)
        if variant == "as stated"
    ]


def superclass_pool(setup: base.Setup, *, of_prediction: bool = False) -> Pool:
    """CIFAR-100 with superclasses for classes: probabilities summed, labels mapped; as labels those of the predicted
    classes, which the published code took."""
    pool = setup.pool("cifar100-wrn")
    superclass = base.load_superclasses("cifar100-wrn", setup.data)
    names = sorted(set(superclass.values()))
    member = np.array([[superclass[c] == name for name in names] for c in pool.classes], dtype=np.float64)
    rows = gathered(pool.engine.scan(pool.models[0], whole=True))
    assert rows.probabilities is not None
    known = base.labelled(pool)
    labels = [superclass[pool.true_classes[k]] for k in (known.predicted if of_prediction else known.true)]
    summed = np.asarray(rows.probabilities, dtype=np.float64) @ member
    return Pool.from_arrays(probabilities=summed / summed.sum(axis=1, keepdims=True), classes=names, labels=labels)


def pairwise_labels(pool: Pool, setup: base.Setup, variant: base.Variant) -> tuple[Array, Array]:
    """Labels until eta and lambda are right, and whether the direction is at 100: (n_pairs * n_runs, n_methods) each.

    Pair i is simulated with seed i: the pairs' orders are independent, and each pair's methods are paired.
    """
    size = np.bincount(base.labelled(pool).predicted, minlength=len(pool.classes))
    groups = [(name, n) for name, n in zip(pool.classes, size.tolist(), strict=True) if n > 0]
    pairs = [(a, b, n + m) for (a, n), (b, m) in combinations(groups, 2)]
    found = np.concatenate(setup.each(partial(_pair, pool, setup.runs, variant), list(enumerate(pairs))))
    return found[..., 0], found[..., 1]


def _pair(pool: Pool, runs: int, variant: base.Variant, pair: tuple[int, tuple[str, str, int]]) -> Array:
    """Labels until eta and lambda are right, and whether the direction is at 100: (n_runs, n_methods, 2).

    A pair is its number, two groups and how many items they have.
    """
    number, (a, b, last) = pair
    question = Compare("accuracy", "predicted_class", a, b)
    methods, budgets = read_methods(base.METHODS_AS_STATED.values(), question), np.array([min(AT_BUDGET, last)])
    job = prepare(pool, None, question, methods, budgets, number, ["direction"], how=("population", 0.95, None))
    later = replace(job, budgets=np.arange(1, last + 1))
    goal = stated_goal if variant == "as stated" else published_goal
    return np.stack([np.stack([_until_right(later, i, goal), job.run(i)[:, 0, 0]], axis=1) for i in range(runs)])


def _until_right(job: Job, number: int, goal: Callable[[Truth], Goal]) -> Array:
    """Labels of one run until it has its goal, by method; labels that cannot bring it there are passed over."""
    seed = run_seed(job.seed, number)
    found = []
    for assessment, known in zip(job.assessments, job.known, strict=True):
        truth, prior = Truth(assessment, known), cast(BetaBelief, assessment.prior_belief)
        trace, missing = runner_for(assessment)(known.deal(seed), job.budgets, seed), goal(truth)
        changes, place = _changes(trace.counts, prior), 0
        while place < len(changes):
            lack = missing(regions(truth, prior.after(trace.counts[place])))
            if lack < 0:
                break
            place = max(place + 1, int(np.searchsorted(changes, changes[place] + lack - SLACK)))
        found.append(job.budgets[place] if place < len(changes) else 1)  # never: as the published code counts it
    return np.array(found, dtype=np.float64)


def stated_goal(truth: Truth) -> Goal:
    """The likeliest region is that of all labels, and its probability within 5 % of theirs."""
    final = truth.regions
    eta, most = int(final.argmax()), float(final.max())

    def missing(mu: Array) -> float:
        if mu.argmax() == eta and abs(mu.max() - most) / most < LAMBDA_ERROR:
            return -1.0
        return max(float(abs(mu[eta] - most)) - LAMBDA_ERROR * most, float(mu.max() - mu[eta]) / 2, 0.0)

    return missing


def published_goal(truth: Truth) -> Goal:
    """The probability of the region that holds the true difference is within 5 % of what all labels alone give it."""
    hits, misses = (truth.known.counts(truth.assessment.outcome)[truth.pair, side] for side in (0, 1))
    size = hits + misses
    alpha, beta = hits + size * FAINT, misses + size * FAINT
    difference = float(hits[0] / size[0] - hits[1] / size[1])
    region = 0 if difference < -ROPE else 2 if difference > ROPE else 1
    final = float(region_probabilities(alpha, beta, ROPE)[region])

    def missing(mu: Array) -> float:
        apart = float(abs(mu[region] - final))
        return -1.0 if apart / final < LAMBDA_ERROR else apart - LAMBDA_ERROR * final

    return missing


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
    f"{base.about('cifar100-wrn')}, summed by superclass; {base.about('svhn', '20news', 'banking77')}",
    runs=1,
)
