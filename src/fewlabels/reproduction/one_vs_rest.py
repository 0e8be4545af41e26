"""Every class of a pool against the rest: what the experiments of [ACIS21] average over."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.keyed import combine
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.simulation import Method, SimulationResult
from fewlabels.simulation.methods import read_methods
from fewlabels.simulation.simulate import prepare
from fewlabels.simulation.workers import work

BUDGETS = (10, 30, 70, 100, 150, 310)  # the ends of the first five rounds, and the 100 labels the paper speaks of
RARE = ("cifar100-wrn", "banking77-large", "clinc150-large")  # pools whose classes are at most 2 % of the items
TRIALS = 5  # of each class


@dataclass(frozen=True)
class OneVsRest:
    """Runs of several methods for the F1 of each class; part k is class k."""

    pool: Pool
    methods: tuple[Method, ...]
    measures: tuple[str, ...]
    trials: int
    budgets: tuple[int, ...]

    def run(self, number: int) -> Array:
        """The values of one class, (n_trials, n_methods, n_budgets, n_measures). The seed is that of the class."""
        question = Estimate("f1", positive=self.pool.classes[number])
        seed, budgets = combine(0, number) >> 1, np.array(self.budgets)
        job = prepare(self.pool, None, question, list(self.methods), budgets, seed, self.measures)
        return np.stack([job.run(trial) for trial in range(self.trials)])


def by_class(
    pool: Pool, methods: Sequence[str | Method], measures: Sequence[str], trials: int, workers: int | None
) -> Array:
    """The values of every class and trial, (n_classes, n_trials, n_methods, n_budgets, n_measures)."""
    made = tuple(read_methods(methods, Estimate("f1", positive=pool.classes[0])))
    job = OneVsRest(pool, made, tuple(measures), trials, BUDGETS)
    numbers = list(range(len(pool.classes)))
    found = dict(work(job, numbers, workers or os.cpu_count() or 1))
    return np.stack([found[number] for number in numbers])


def over_classes(
    pool: Pool, methods: Sequence[str], measures: Sequence[str], trials: int, workers: int | None
) -> SimulationResult:
    """A result whose runs are classes, each the mean of its trials: standard errors are over classes."""
    values = by_class(pool, methods, measures, trials, workers).mean(axis=1)
    return SimulationResult("F1 of each class", tuple(methods), BUDGETS, tuple(measures), values)
