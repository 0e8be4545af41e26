"""Every class of a pool against the rest: what the experiments of [ACIS21] average over."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.keyed import combine
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reproduce.data import load_pool
from fewlabels.simulation import Method, SimulationResult
from fewlabels.simulation.methods import read_methods
from fewlabels.simulation.simulate import prepare, work

BUDGETS = (10, 30, 70, 150, 310)  # the ends of the first five rounds
POOLS = ("cifar100-wrn", "banking77-large", "clinc150-large")  # of prevalence below 2 %, read by many experiments


@dataclass(frozen=True)
class OneVsRest:
    """Runs of several methods for the F1 of each class; part k is class k."""

    pool: Pool
    methods: tuple[Method, ...]
    measures: tuple[str, ...]
    trials: int
    seed: int = 0
    budgets: tuple[int, ...] = BUDGETS

    def run(self, number: int) -> Array:
        """The values of one class, (n_trials, n_methods, n_budgets, n_measures)."""
        question = Estimate("f1", positive=self.pool.classes[number])
        job = prepare(
            self.pool,
            None,
            question,
            list(self.methods),
            np.array(self.budgets),
            combine(self.seed, number) >> 1,
            self.measures,
        )
        return np.stack([job.run(trial) for trial in range(self.trials)])


def one_vs_rest(
    pool: Pool,
    methods: Sequence[str | Method],
    measures: Sequence[str],
    trials: int,
    workers: int | None,
    *,
    classes: Sequence[int] | None = None,
) -> SimulationResult:
    """A result whose runs are classes: the mean over the trials of each, so that standard errors are over classes."""
    question = Estimate("f1", positive=pool.classes[0])
    made = tuple(read_methods(methods, question))
    job = OneVsRest(pool, made, tuple(measures), trials)
    numbers = list(range(len(pool.classes)) if classes is None else classes)
    found = dict(work(job, numbers, workers or os.cpu_count() or 1))
    values = np.stack([found[number].mean(axis=0) for number in numbers])
    return SimulationResult("F1 of each class", tuple(m.label for m in made), BUDGETS, job.measures, values)


def rare_pools(data: str | Path | None) -> dict[str, Pool]:
    """The pools of rare categories, by name."""
    return {name: load_pool(name, data) for name in POOLS}
