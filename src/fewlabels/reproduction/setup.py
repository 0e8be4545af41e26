"""What every experiment is run with: where the pools are, how many runs, how many processes. The seed is 0."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.reproduction.base import Row, Variant
from fewlabels.reproduction.data import load_pool
from fewlabels.reproduction.outcomes import model_of
from fewlabels.simulation import Method, SimulationResult, crossing, simulate
from fewlabels.simulation.workers import Runnable, work

METHODS = {"UPrior": "uprior", "IPrior": "iprior", "IPrior+TS": "iprior+ts"}
METHODS_AS_STATED = METHODS | {"UPrior": "uprior2"}
PROGRESS: ContextVar[Callable[[int, int], None] | None] = ContextVar("progress", default=None)  # of each simulation
HUNDREDTH = 0.005  # differences of curves are shown to thousandths
DIFFERENCE = (
    "Differences are of the curves' mean heights over the labels shown, paired by run; above zero the first is better."
)


@dataclass(frozen=True)
class Setup:
    """A folder of pools, a number of runs and of processes."""

    data: str | Path | None
    runs: int
    workers: int | None
    pools: dict[str, Pool] = field(default_factory=dict, repr=False, compare=False)  # read once each

    def pool(self, name: str) -> Pool:
        """The pool of this name."""
        if name not in self.pools:
            self.pools[name] = load_pool(name, self.data)
        return self.pools[name]

    def simulate(
        self,
        pool: Pool,
        question: Question,
        methods: Iterable[str | Method],
        budgets: Iterable[int],
        measures: Sequence[str],
        *,
        runs: int | None = None,
    ) -> SimulationResult:
        """The papers' estimates are posterior means of the population's rates, so that is the target."""
        return simulate(
            pool,
            None,
            question,
            methods,
            budgets,
            runs or self.runs,
            measures=measures,
            model=model_of(pool),
            target="population",
            workers=self.workers,
            progress=PROGRESS.get(),
        )

    def parts(self, job: Runnable, count: int) -> list[Array]:
        """All parts of a job, in order, shared by the processes; the first ones are begun first."""
        found, progress = dict[int, Array](), PROGRESS.get()
        with closing(work(job, list(range(count)), self.workers or os.cpu_count() or 1)) as finished:
            for number, values in finished:
                found[number] = values
                if progress:
                    progress(len(found), count)
        return [found[number] for number in range(count)]


def mean_row(
    what: str, paper: float | None, values: Array, variant: Variant, *, rounding: float = 0.05, other_pool: bool = False
) -> Row:
    """The mean over runs and its standard error."""
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return Row(what, paper, float(values.mean()), error, variant, rounding=rounding, other_pool=other_pool)


def crossing_row(
    what: str,
    paper: float | None,
    values: Array,
    budgets: Array,
    threshold: float,
    variant: Variant,
    *,
    of_highest: bool = True,
    rounding: float = 0.05,
    other_pool: bool = False,
) -> Row:
    """Where the average over runs first exceeds a threshold, with its 99 % bootstrap interval.

    The standard error is that of the bootstrap, read off the interval as if it were a normal one.
    """
    found = crossing(values, budgets, threshold, of_highest=of_highest)
    error = (found.high - found.low) / (2 * 2.576)
    return Row(
        what,
        paper,
        found.labels,
        error if np.isfinite(error) else float("nan"),
        variant,
        found.low,
        found.high,
        rounding,
        other_pool,
    )


def difference_rows(title: str, result: SimulationResult, measure: str, names: dict[str, str]) -> list[Row]:
    """The first method's mean over the labels shown less that of each other, run by run; {legend: method}."""
    mean = {name: result.of(method, measure).mean(axis=1) for name, method in names.items()}
    first, *others = names
    return [
        mean_row(f"{title}: {first} − {name}", None, mean[first] - mean[name], "as stated", rounding=HUNDREDTH)
        for name in others
    ]


def best_note(
    called: str, result: SimulationResult, measure: str, names: dict[str, str], budgets: Iterable[int]
) -> str:
    """Which method is best at each number of labels, and Wilcoxon's p-value against the next; {legend: method}."""
    parts = []
    for labels in budgets:
        place = result.budgets.index(labels)
        means = {name: float(result.of(method, measure)[:, place].mean()) for name, method in names.items()}
        first, second = sorted(means, key=lambda name: means[name])[:2]
        p = result.p_value(names[first], names[second], measure, labels)
        parts.append(f"{first} at {labels:,} (next {second}, p {'< 0.001' if p < 0.001 else f'= {p:.3f}'})")
    return f"Best on {called}, by Wilcoxon's signed-rank test on paired runs: {'; '.join(parts)}."


def steps(step: int, last: int) -> list[int]:
    """Every so many labels, and the last of all."""
    return sorted({*range(step, last + 1, step), last})
