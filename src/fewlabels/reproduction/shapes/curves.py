"""Figures of curves: how soon each method identifies the extreme classes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.metrics import CalibrationError, Metric
from fewlabels.pool import Pool
from fewlabels.questions import Identify
from fewlabels.reproduction.base import Compared, Found, Setup, compared_curves, staying_row
from fewlabels.reproduction.shapes.figure_pools import FIGURE_POOLS, INSTEAD, FigurePool, data_sets, fewer_runs
from fewlabels.simulation import Method, SimulationResult

LOOKS = 40  # points of a curve
STAYS = 0.99  # the mean reciprocal rank at which a class counts as found
METRICS: dict[str, str | Metric] = {
    "accuracy": "accuracy",
    "calibration": CalibrationError(),
    "bias": "calibration_bias",
}

FREQUENTIST = Method("uniform", "beta", "flat", 1e-6)
TS = Method("thompson", "beta", "flat")
IPRIOR_TS = Method("thompson", "beta", "scores")
UNTIL = (
    "Until the mean reciprocal rank stays above 0.99: the first look from which on the average over the runs is above "
    "it to the last look; never, where it is not so at the last. With a 99 % bootstrap interval."
)

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
    more: tuple[tuple[str, OwnRuns], ...] = ()  # curves of rules that are no method
    rows: Callable[[Results], list[Compared]] = lambda results: []  # noqa: ARG005 - most have none
    further: int = 1  # how many times as far as shown in the paper, looked at as often

    def __call__(self, setup: Setup) -> Found:
        results, sizes, pools = Results(), dict[str, int](), data_sets(setup, self.pools)
        for strength, metric, several, pool in product(self.strengths, self.metrics, self.tops, pools):
            top = pool.top if several else 1
            parts = [pool.title, f"top {top}", *([metric] if len(self.metrics) > 1 else [])]
            parts += [] if strength is None else [f"strength {strength:g}"]
            title = ", ".join(parts)
            results[title], sizes[title] = (
                self._simulate(setup, pool, metric, top, strength),
                len(setup.pool(pool.name)),
            )
        shown = compared_curves(results, self.measure, sizes)
        few = dict.fromkeys(note for metric in self.metrics for note in fewer_runs(setup, pools, metric))
        until = [row for title in results for row in self._until(title, results[title], sizes[title])]
        notes = [*shown.notes, *few, *([UNTIL] if until else []), *self.notes]
        return Found([*self.rows(results), *shown.rows, *until], notes, shown.panels)

    def _until(self, title: str, result: SimulationResult, size: int) -> list[Compared]:
        """How many labels until the mean stays above 0.99, for each method, where one looks far enough to tell."""
        if self.further == 1:
            return []
        share = 100 * np.array(result.budgets) / size
        words = f"{title}: % of the pool until {{}} stays above {STAYS}"
        return [staying_row(words.format(name), result.of(name, "mrr"), share, STAYS) for name in result.methods]

    def _simulate(
        self, setup: Setup, chosen: FigurePool, metric: str, top: int, strength: float | None
    ) -> SimulationResult:
        pool, runs = setup.pool(chosen.name), chosen.runs(setup.runs, metric)
        last = chosen.reach(pool, metric, top) if self.reach is None else int(self.reach * len(pool))
        last = min(self.further * last, len(pool))
        budgets = np.unique(np.linspace(0, last, self.further * LOOKS + 1).round().astype(int))[1:].tolist()
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
