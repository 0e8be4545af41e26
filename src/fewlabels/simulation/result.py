"""What a simulation found: one number a run, method, budget and measure, and their means."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fewlabels.answers.notebook import frame_of, html_of
from fewlabels.core.arrays import Array
from fewlabels.errors import QuestionError, listed
from fewlabels.simulation.crossings import Crossing, crossing
from fewlabels.simulation.measures import FALLING, GOOD_END

if TYPE_CHECKING:
    import pandas as pd


EQUAL = 1e-5  # values nearer than this are equal: priors of strength 1e-6 differ from none by less


@dataclass(frozen=True)
class Best:
    """Which method was best at a budget, which came next, and how sure that order is."""

    method: str
    next: str
    p_value: float  # Wilcoxon's signed-rank test on the paired runs
    agrees: bool = True  # the ranks of the paired runs point the same way as the means

    @property
    def clear(self) -> bool:
        """As the papers' tables set a value in bold; a mean that a few runs make best is not clearly best."""
        return self.p_value < 0.05 and self.agrees


@dataclass(frozen=True)
class Needed:
    """How many labels a method needs until a measure passes a threshold; inf for more than were looked at."""

    method: str
    reached: float  # share of the runs that have passed it for good
    first: float  # until a run passes it for the first time, mean over the runs,
    first_se: float  # with its standard error
    settled: float  # until it has passed it for good
    settled_se: float
    average: Crossing  # until the average of the runs passes it for the first time


@dataclass(frozen=True)
class SimulationResult:
    """Values by run, method, budget and measure. Runs are paired: one run's methods saw the same order of items."""

    question: str
    methods: tuple[str, ...]
    budgets: tuple[int, ...]
    measures: tuple[str, ...]
    values: Array  # (n_runs, n_methods, n_budgets, n_measures)

    @property
    def runs(self) -> int:
        return len(self.values)

    def of(self, method: str, measure: str) -> Array:
        """The values of one method and measure, (n_runs, n_budgets)."""
        return np.asarray(self.values[:, _place(method, self.methods), :, _place(measure, self.measures)])

    @property
    def mean(self) -> Array:
        """Over the runs, (n_methods, n_budgets, n_measures)."""
        return np.asarray(self.values.mean(axis=0))

    @property
    def se(self) -> Array:
        """The standard error of that mean; nan for a single run."""
        if self.runs == 1:
            return np.full(self.values.shape[1:], np.nan)
        return np.asarray(self.values.std(axis=0, ddof=1) / np.sqrt(self.runs))

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary a method, budget and measure: mean over runs, its standard error, and how many runs."""
        mean, error = self.mean.tolist(), self.se.tolist()
        return [
            {
                "method": method,
                "labels": labels,
                "measure": measure,
                "mean": mean[i][j][k],
                "se": error[i][j][k],
                "runs": self.runs,
            }
            for i, method in enumerate(self.methods)
            for k, measure in enumerate(self.measures)
            for j, labels in enumerate(self.budgets)
        ]

    def to_frame(self) -> "pd.DataFrame":
        """The same as a pandas DataFrame."""
        return frame_of(self.to_dicts())

    def _repr_html_(self) -> str:
        heads = ["method", "labels", "measure", "mean over runs"]
        rows = [
            [d["method"], f"{d['labels']:,}", d["measure"], f"{d['mean']:.4g} ± {d['se']:.2g}"] for d in self.to_dicts()
        ]
        return html_of(f"{self.question}: {self.runs:,} runs", [], heads, rows)

    def labels_until(self, method: str, measure: str, threshold: float) -> int | None:
        """The first budget at which the mean over runs passes the threshold; None if it never does.

        Errors and widths have to fall below it, all else to exceed it. A property of the average over the runs, as in
        the published tables: it depends on how many runs there are.
        """
        sign = _sign(measure)
        past = np.flatnonzero(sign * self.of(method, measure).mean(axis=0) > sign * threshold)
        return self.budgets[int(past[0])] if len(past) else None

    def crossing(self, method: str, measure: str, threshold: float, *, level: float = 0.99) -> Crossing:
        """The same with a bootstrap interval over the runs; inf for never."""
        values, sign = self.of(method, measure), _sign(measure)
        return crossing(sign * values, np.array(self.budgets, dtype=np.float64), sign * threshold, level=level)

    def needed(self, measure: str, threshold: float) -> tuple[Needed, ...]:
        """Labels each method needs, run by run and by the average of the runs."""
        found = []
        for method in self.methods:
            first = self.labels_until_per_run(method, measure, threshold)
            settled = self.labels_until_per_run(method, measure, threshold, for_good=True)
            reached, average = float(1 - np.isnan(settled).mean()), self.crossing(method, measure, threshold)
            found.append(Needed(method, reached, *_mean_and_se(first), *_mean_and_se(settled), average))
        return tuple(found)

    def labels_until_per_run(
        self, method: str, measure: str, threshold: float = 0.5, *, for_good: bool = False
    ) -> Array:
        """The first budget at which each run passes the threshold, or does for good; nan for runs that never do.

        The default threshold suits measures that are 0 or 1: success, direction, lambda_right.
        """
        sign = _sign(measure)
        above = sign * self.of(method, measure) > sign * threshold
        if for_good:
            above = np.logical_and.accumulate(above[:, ::-1], axis=1)[:, ::-1]
        first = np.array(self.budgets, dtype=np.float64)[above.argmax(axis=1)]
        return np.where(above.any(axis=1), first, np.nan)

    def p_value(self, better: str, worse: str, measure: str, labels: int) -> float:
        """Wilcoxon's signed-rank test on the paired runs, two-sided; 1 where all runs agree."""
        return self._wilcoxon(better, worse, measure, labels)[0]

    def _wilcoxon(self, one: str, other: str, measure: str, labels: int) -> tuple[float, float]:
        """The test's p-value, and the sum of signed ranks it looks at: above zero where the first rather has the larger
        values. Runs of which one is not known are left out, and differ by nought where they are as good as equal."""
        from scipy.stats import rankdata, wilcoxon  # noqa: PLC0415 - a slow import that few results need

        place = _place(labels, self.budgets)
        a, b = self.of(one, measure)[:, place], self.of(other, measure)[:, place]
        difference = np.where(np.isclose(a, b, rtol=EQUAL, atol=EQUAL), 0.0, a - b)
        known = difference[~np.isnan(difference)]
        p_value, apart = float(wilcoxon(known).pvalue) if known.any() else 1.0, known[known != 0]
        return p_value, float((rankdata(np.abs(apart)) * np.sign(apart)).sum())

    def best(self, measure: str, labels: int) -> "Best | None":
        """The method of the best mean at a budget, the next, and Wilcoxon's p-value between them.

        None where no method is better than another: a single method, all means equal, or a measure without a good end.
        """
        if measure not in GOOD_END or len(self.methods) < 2:
            return None
        place = _place(labels, self.budgets)
        means = np.array([self.of(method, measure)[:, place].mean() for method in self.methods])
        order = np.argsort(means if GOOD_END[measure] == "low" else -means, kind="stable")
        first, second = (self.methods[i] for i in order[:2])
        if np.isnan(means).any() or np.isclose(means[order[0]], means[order[1]], rtol=EQUAL, atol=EQUAL):
            return None
        p_value, ranks = self._wilcoxon(first, second, measure, labels)
        return Best(first, second, p_value, agrees=ranks * (-1 if GOOD_END[measure] == "low" else 1) > 0)

    def __str__(self) -> str:
        lines = [f"{self.question}: means of {self.runs:,} runs ± standard error"]
        width = max(len(name) for name in (*self.methods, *self.measures))
        mean, error = self.mean, self.se
        for k, measure in enumerate(self.measures):
            lines.append(f"{measure:<{width}}  " + "  ".join(f"{b:>15,}" for b in self.budgets))
            for i, method in enumerate(self.methods):
                cells = (f"{m:>8.4g} ± {e:<4.2g}" for m, e in zip(mean[i, :, k], error[i, :, k], strict=True))
                lines.append(f"{method:<{width}}  " + "  ".join(f"{c:>15}" for c in cells))
        return "\n".join(lines)


def _mean_and_se(labels: Array) -> tuple[float, float]:
    """Over the runs; inf and nan where a run never gets there."""
    if np.isnan(labels).any():
        return float("inf"), float("nan")
    return float(labels.mean()), float(labels.std(ddof=1) / np.sqrt(len(labels))) if len(labels) > 1 else float("nan")


def _sign(measure: str) -> float:
    return -1.0 if measure in FALLING else 1.0


def _place(name: Any, names: tuple[Any, ...]) -> int:
    if name not in names:
        raise QuestionError(f"the simulation has no {name!r}; it has {listed(names)}.")
    return names.index(name)
