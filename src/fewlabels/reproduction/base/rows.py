"""Numbers of a table from the values of runs: means, crossings and differences, and which method is best."""

from collections.abc import Iterable, Mapping

import numpy as np

from fewlabels.core.arrays import Array, Bools
from fewlabels.reproduction.base.compared import ROUNDING, Compared, Variant
from fewlabels.reproduction.base.experiment import Found
from fewlabels.reproduction.base.panels import Panel, mean_curves
from fewlabels.simulation import SimulationResult, crossing

RESAMPLES = 400  # of the runs, for an interval
HUNDREDTH = 0.005  # differences of curves are shown to thousandths
DRAWS = 10_000  # that the papers estimate a probability from
DRAWN = f"The paper estimates from {DRAWS:,} draws; the standard error is that of so many. Ours is an integral."
DIFFERENCE = (
    "Differences are of the curves' mean heights over the labels shown, paired by run; above zero the first is better."
)


def at(result: SimulationResult, method: str, labels: int) -> Array:
    """The values of one method at so many labels, one a run; of the first measure."""
    return np.asarray(result.of(method, result.measures[0])[:, result.budgets.index(labels)])


def mean_row(
    what: str,
    paper: float | None,
    values: Array,
    variant: Variant = "as printed",
    *,
    rounding: float = ROUNDING,
    other_pool: bool = False,
) -> Compared:
    """The mean over runs and its standard error."""
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return Compared(what, paper, float(values.mean()), error, variant, rounding=rounding, other_pool=other_pool)


def crossing_row(
    what: str,
    paper: float | None,
    values: Array,
    budgets: Array,
    threshold: float,
    variant: Variant,
    *,
    of_highest: bool = True,
    rounding: float = ROUNDING,
    other_pool: bool = False,
) -> Compared:
    """Where the average over runs first exceeds a threshold, with its 99 % bootstrap interval.

    The standard error is that of the bootstrap, read off the interval as if it were a normal one.
    """
    found = crossing(values, budgets, threshold, of_highest=of_highest)
    error = (found.high - found.low) / (2 * 2.576)
    se = error if np.isfinite(error) else float("nan")
    return Compared(what, paper, found.labels, se, variant, found.low, found.high, rounding, other_pool)


def staying_row(what: str, values: Array, budgets: Array, threshold: float) -> Compared:
    """Where the average over runs is above a threshold for good, as far as one looks; 99 % bootstrap interval."""
    rng, runs = np.random.default_rng(0), len(values)
    weights = [np.ones(runs), *(np.bincount(rng.integers(0, runs, runs), minlength=runs) for _ in range(RESAMPLES))]
    found = [_stays(weight @ values / runs > threshold, budgets) for weight in weights]
    low, high = np.quantile(found[1:], [0.005, 0.995], method="inverted_cdf")
    return Compared(what, None, found[0], float("nan"), "as stated", float(low), float(high))


def _stays(above: Bools, budgets: Array) -> float:
    below = np.flatnonzero(~above)
    after = 0 if len(below) == 0 else int(below[-1]) + 1
    return float(budgets[after]) if after < len(budgets) else float("inf")


def probability_row(what: str, paper: float | None, probability: float, rounding: float = 0.5) -> Compared:
    """A probability in per cent that the paper estimates from draws, with the standard error of so many."""
    percent = 100 * float(probability)
    return Compared(what, paper, percent, float(np.sqrt(percent * (100 - percent) / DRAWS)), rounding=rounding)


def difference_rows(title: str, result: SimulationResult, measure: str) -> list[Compared]:
    """The first method's mean over the labels shown less that of each other, run by run."""
    mean = {name: result.of(name, measure).mean(axis=1) for name in result.methods}
    first, *others = mean
    return [
        mean_row(f"{title}: {first} − {name}", None, mean[first] - mean[name], "as stated", rounding=HUNDREDTH)
        for name in others
    ]


def compared_curves(
    results: Mapping[str, SimulationResult], measure: str, sizes: Mapping[str, int] | None = None
) -> Found:
    """How soon each method finds the classes, a panel a simulation by its title; and the differences of its curves.

    With the pools' sizes labels are shown as shares of the pool.
    """
    label, along = (
        "MRR" if measure == "mrr" else "share of runs",
        "labels" if sizes is None else "% of the pool labelled",
    )
    panels = [
        Panel(title, along, label, mean_curves(result, measure, None if sizes is None else sizes[title]))
        for title, result in results.items()
    ]
    rows = [row for title, result in results.items() for row in difference_rows(title, result, measure)]
    return Found(rows, (DIFFERENCE,), panels)


def best_note(called: str, result: SimulationResult, names: dict[str, str], budgets: Iterable[int]) -> str:
    """Which method is best at each number of labels, and Wilcoxon's p-value against the next; {legend: method}."""
    parts = []
    for labels in budgets:
        means = {name: float(at(result, method, labels).mean()) for name, method in names.items()}
        first, second = sorted(means, key=lambda name: means[name])[:2]
        p = result.p_value(names[first], names[second], result.measures[0], labels)
        parts.append(f"{first} at {labels:,} (next {second}, p {'< 0.001' if p < 0.001 else f'= {p:.3f}'})")
    return f"Best on {called}, by Wilcoxon's signed-rank test on paired runs: {'; '.join(parts)}."
