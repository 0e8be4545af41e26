"""Every class of a pool against the rest: what the experiments of [ACIS21] average over."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.keyed import combine
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reproduction.base import LabelledPool, Setup, labelled
from fewlabels.simulation import Method
from fewlabels.simulation.methods import read_methods
from fewlabels.simulation.simulate import prepare

BUDGETS = (10, 30, 40, 70, 100, 150, 310)  # the ends of the first five rounds, and what the paper's text speaks of
RARE = ("cifar100-wrn", "banking77-large", "clinc150-large")  # pools whose classes are at most 2 % of the items
RAREST = 1e-3  # the paper's regime: positives are at most 0.1 % of the items


def one_vs_rest(setup: Setup, called: str, methods: Sequence[str | Method], measures: Sequence[str]) -> Array:
    """The values of every class of a pool and trial, (n_classes, n_trials, n_methods, n_budgets, n_measures)."""
    pool = setup.pool(called)
    made = read_methods(methods, Estimate("f1", positive=pool.classes[0]))
    part = partial(_one_class, pool, made, measures, setup.runs, np.array(BUDGETS))
    return np.stack(setup.each(part, classes_of(pool)))


def classes_of(pool: Pool) -> list[int]:
    """The numbers of the classes that are looked at: those of at most 0.1 % where there are such, else all."""
    items = labelled(pool)
    share = np.bincount(items.true, minlength=len(pool.true_classes))[: len(pool.classes)] / len(items)
    rare = np.flatnonzero((share > 0) & (share <= RAREST))
    return [int(k) for k in (rare if len(rare) else range(len(pool.classes)))]


def _one_class(
    pool: Pool, methods: list[Method], measures: Sequence[str], trials: int, budgets: Ints, number: int
) -> Array:
    """The values of one class, (n_trials, n_methods, n_budgets, n_measures). The seed is that of the class."""
    question = Estimate("f1", positive=pool.classes[number])
    job = prepare(pool, None, question, methods, budgets, combine(0, number) >> 1, measures)
    return np.stack([job.run(trial) for trial in range(trials)])


def f1(items: LabelledPool, number: int) -> float:
    """F1 of one class among these items; 0 where it is neither predicted nor true of any."""
    yhat, y = items.predicted == number, items.true == number
    return float(2 * (yhat & y).sum() / max(yhat.sum() + y.sum(), 1))
