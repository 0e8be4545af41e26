"""Table 6 of [Ji21]: the share of the pool to label before the least accurate classes are identified."""

from collections.abc import Iterator

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.questions import Identify
from fewlabels.reproduction import base
from fewlabels.reproduction.shapes.figure_pools import ALL_FIVE, INSTEAD, FigurePool, data_sets, fewer_runs
from fewlabels.simulation import SimulationResult, crossing

TABLE_6 = {  # by pool: top 1, and top m
    "cifar100-paper": ((81.1, 83.4, 24.9), (99.8, 99.8, 55.1)),
    "imagenet": ((96.9, 94.7, 9.3), (99.6, 98.5, 17.1)),
    "svhn": ((90.5, 89.8, 82.8), (100.0, 100.0, 96.0)),
    "20news": ((53.9, 55.4, 16.9), (92.0, 92.5, 42.5)),
    "banking77": ((8.0, 7.6, 11.6), (91.9, 90.2, 57.1)),
}
NOTHING = ((None, None, None), (None, None, None))  # is printed of other pools
THRESHOLD = 0.99
FEWER = (100, 50)  # runs that a printed number may be of
STEPS = {"imagenet": 100}  # labels between two looks; else those between two entries of the published log
STEP = 10

NOTES = (
    "As printed: the first point at which the mean reciprocal rank, averaged over the runs, exceeds 0.99 (or 0.99 of "
    "its maximum). A property of the average, it depends on the number of runs; the interval is a 99 % bootstrap. "
    "UPrior has a prior of strength 1e-6. A printed number is such a crossing too, of other runs, and varies as much "
    "as ours: the interval of ours alone misses it more often than once in a hundred times. The difference in standard "
    "errors counts both; one step of the log is 0.1 % of the pool.",
    "Where a printed number lies outside: 100 MRR is our average one look before it and at it. The printed average was "
    "at most 99 at the first and above 99 at the second. How far ours is from that, in its standard errors times the "
    "root of 2, is how unlikely the printed number is with as many runs. Below it: where the crossing of the average "
    "over 100, or 50, of our runs lies in 99 % of cases; a printed number inside of that is compatible with fewer runs "
    "than 1,000 behind it, which nothing else shows.",
    "As stated: the mean over the runs of the labels each needed to exceed 0.99 for the first time, looked at as "
    "often; a run that never does counts as the whole pool. UPrior is Beta(1, 1). The average exceeds 0.99 only once "
    "nearly every run does, and at the same time: the printed numbers are those of the slowest runs, not of the mean "
    "one.",
)


def identification(setup: base.Setup) -> base.Found:
    """Labels until one class is identified, and until m of them are."""
    rows, chosen = list[base.Compared](), data_sets(setup)
    for of in chosen:
        for top, numbers in zip((1, of.top), TABLE_6.get(of.name, NOTHING), strict=True):
            question = Identify("accuracy", by="predicted_class", top=top)
            presets = dict.fromkeys([*base.METHODS.values(), *base.METHODS_AS_STATED.values()])
            pool = setup.pool(of.name)
            budgets, runs = base.steps(STEPS.get(of.name, STEP), len(pool)), of.runs(setup.runs)
            result = setup.simulate(pool, question, presets, budgets, ["mrr"], runs=runs)
            rows += [*_as_printed(of, result, top, numbers), *_as_stated(of, result, top, numbers)]
    return base.Found(rows, (*NOTES, *fewer_runs(setup, chosen), INSTEAD))


def _as_printed(
    of: FigurePool, result: SimulationResult, top: int, printed: tuple[float | None, ...]
) -> Iterator[base.Compared]:
    """Where the average over the runs crosses; where that is not where it is printed to, what it is around there."""
    percent = 100 * np.array(result.budgets) / result.budgets[-1]
    for (method, preset), paper in zip(base.METHODS.items(), printed, strict=True):
        what, values = f"{of.title}, top {top}: {method}", result.of(preset, "mrr")
        row = base.crossing_row(what, paper, values, percent, THRESHOLD, "as printed", other_pool=of.other)
        yield row
        if paper is not None and row.agrees is False:
            yield from _around(what, paper, values, percent)


def _as_stated(
    of: FigurePool, result: SimulationResult, top: int, printed: tuple[float | None, ...]
) -> Iterator[base.Compared]:
    """The mean of what each run needed; the whole pool where it never got there."""
    last = result.budgets[-1]
    for (method, preset), paper in zip(base.METHODS_AS_STATED.items(), printed, strict=True):
        until = np.nan_to_num(result.labels_until_per_run(preset, "mrr", THRESHOLD), nan=last)
        what = f"{of.title}, top {top}: {method}"
        yield base.mean_row(what, paper, 100 * until / last, "as stated", other_pool=of.other)


def _around(what: str, paper: float, values: Array, percent: Array) -> list[base.Compared]:
    """100 times our mean reciprocal rank where the printed average crossed, one look before and there; and where the
    average over fewer runs would cross."""
    place = int(np.abs(percent - paper).argmin())
    rows = [
        base.mean_row(f"{what}: 100 MRR at {percent[at]:.1f} %", None, 100 * values[:, at]) for at in (place - 1, place)
    ]
    for runs in (n for n in FEWER if n < len(values)):
        found = crossing(values, percent, THRESHOLD, of_highest=True, of=runs)
        row = base.Compared(
            f"{what}: were it of {runs} runs", None, found.labels, np.nan, low=found.low, high=found.high
        )
        rows.append(row)
    return rows


table_6 = base.Experiment(
    identification,
    "labels needed to identify the least accurate classes",
    "[Ji21] Table 6: labels to identify the least accurate classes, % of the pool",
    ALL_FIVE,
    any_pool=True,
)
