"""Figures of curves: how soon each method identifies the extreme classes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.metrics import CalibrationError, Metric
from fewlabels.pool import Pool
from fewlabels.questions import Identify
from fewlabels.reproduction.base import Compared, Found, Setup, compared_curves
from fewlabels.reproduction.shapes.figure_pools import FIGURE_POOLS, INSTEAD, FigurePool
from fewlabels.simulation import Method, SimulationResult

LOOKS = 40  # points of a curve
METRICS: dict[str, str | Metric] = {
    "accuracy": "accuracy",
    "calibration": CalibrationError(),
    "bias": "calibration_bias",
}

FREQUENTIST = Method("uniform", "beta", "flat", 1e-6)
TS = Method("thompson", "beta", "flat")
IPRIOR_TS = Method("thompson", "beta", "scores")
ROBUST = "the gain of active assessment is relatively robust to the strength of the prior."

Results = dict[str, SimulationResult]  # by title of their panel
OwnRuns = Callable[[Pool, Identify, list[int], int], Array]  # the measure at these budgets in so many runs, by run


@dataclass(frozen=True)
class Curves:
    """MRR or success against labels: a panel a pool and number of classes looked for."""

    methods: dict[str, Method]
    metrics: tuple[str, ...] = ("accuracy",)
    measure: str = "mrr"
    pools: tuple[FigurePool, ...] = FIGURE_POOLS
    tops: tuple[bool, ...] = (False, True)  # one class, and m of them
    strengths: tuple[float | None, ...] = (None,)
    notes: tuple[str, ...] = (INSTEAD,)
    reach: float | None = None  # share of the pool to look at, where it is the same for all
    claim: str = ""  # what the paper says of it
    more: tuple[tuple[str, OwnRuns], ...] = ()  # curves of rules that are no method
    rows: Callable[[Results], list[Compared]] = lambda results: []  # noqa: ARG005 - most have none

    def __call__(self, setup: Setup) -> Found:
        results = Results()
        for strength, metric, several, pool in product(self.strengths, self.metrics, self.tops, self.pools):
            top = pool.top if several else 1
            parts = [pool.title, f"top {top}", *([metric] if len(self.metrics) > 1 else [])]
            parts += [] if strength is None else [f"strength {strength:g}"]
            results[", ".join(parts)] = self._simulate(setup, pool, metric, top, strength)
        shown, claim = compared_curves(results, self.measure), [f"The paper: {self.claim}"] if self.claim else []
        notes = [*claim, *shown.notes, *self._fewer_runs(setup.runs), *self.notes]
        return Found([*self.rows(results), *shown.rows], notes, shown.panels)

    def _simulate(
        self, setup: Setup, chosen: FigurePool, metric: str, top: int, strength: float | None
    ) -> SimulationResult:
        pool, runs = setup.pool(chosen.name), chosen.runs(setup.runs, metric)
        last = chosen.reach(pool, metric, top) if self.reach is None else int(self.reach * len(pool))
        budgets = np.unique(np.linspace(0, last, LOOKS + 1).round().astype(int))[1:].tolist()
        methods = [
            replace(method, name=name, prior_strength=method.prior_strength or strength)
            for name, method in self.methods.items()
        ]
        question = Identify(METRICS[metric], by="predicted_class", top=top)
        result = setup.simulate(pool, question, methods, budgets, [self.measure], runs=runs)
        for name, own_runs in self.more:
            found = own_runs(pool, question, budgets, runs)[:, None, :, None]
            values = np.concatenate([result.values, found], axis=1)
            result = replace(result, methods=(*result.methods, name), values=values)
        return result

    def _fewer_runs(self, runs: int) -> list[str]:
        """Where fewer runs were done than elsewhere."""
        return [
            f"{pool.title}: {pool.runs(runs, metric)} runs."
            for pool in self.pools
            for metric in self.metrics
            if pool.runs(runs, metric) < runs
        ]
