"""Table 6 of [Ji21]: the share of the pool to label before the least accurate classes are identified."""

from functools import partial

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.questions import Identify
from fewlabels.reproduction import base
from fewlabels.reproduction.aaai21.tables_3_5_8 import OTHER_NETWORK

TABLE_6 = {1: (81.1, 83.4, 24.9), 10: (99.8, 99.8, 55.1)}
TABLE_6_IMAGENET = {1: (96.9, 94.7, 9.3), 10: (99.6, 98.5, 17.1)}
THRESHOLD = 0.99

NOTES = (
    "As printed: the first point at which the mean reciprocal rank, averaged over the runs, exceeds 0.99 (or 0.99 of "
    "its maximum). A property of the average, it depends on the number of runs; the interval is a 99 % bootstrap. "
    "UPrior has a prior of strength 1e-6. A printed number is such a crossing too, of other runs, and varies as much "
    "as ours: the interval of ours alone misses it more often than once in a hundred times. The difference in standard "
    "errors counts both; one step of the log is 0.1 % of the pool.",
    "Where a printed number lies outside: 100 MRR is our average one look before it and at it. The printed average was "
    "at most 99 at the first and above 99 at the second. How far ours is from that, in its standard errors times the "
    "root of 2, is how unlikely the printed number is with as many runs.",
    "As stated: the mean over the runs of the labels each needed to exceed 0.99 for the first time, looked at as "
    "often; a run that never does counts as the whole pool. UPrior is Beta(1, 1). The average exceeds 0.99 only once "
    "nearly every run does, and at the same time: the printed numbers are those of the slowest runs, not of the mean "
    "one.",
)


def identification(
    setup: base.Setup,
    printed: dict[int, tuple[float, float, float]],
    source: str = "cifar100-paper",
    step: int = 10,  # labels between two entries of the published log
    notes: tuple[str, ...] = NOTES,
) -> base.Found:
    """A row of the table: labels until one class is identified, and ten of them."""
    pool, rows = setup.pool(source), list[base.Compared]()
    for top, numbers in printed.items():
        question = Identify("accuracy", by="predicted_class", top=top)
        presets = dict.fromkeys([*base.METHODS.values(), *base.METHODS_AS_STATED.values()])
        result = setup.simulate(pool, question, presets, base.steps(step, len(pool)), ["mrr"])
        percent = 100 * np.array(result.budgets) / len(pool)
        other = source != "cifar100-paper"
        for (method, preset), paper in zip(base.METHODS.items(), numbers, strict=True):
            what, values = f"{method}, top {top}", result.of(preset, "mrr")
            row = base.crossing_row(what, paper, values, percent, THRESHOLD, "as printed", other_pool=other)
            rows += [row, *([] if row.agrees is not False else _around(what, paper, values, percent))]
        for (method, preset), paper in zip(base.METHODS_AS_STATED.items(), numbers, strict=True):
            until = np.nan_to_num(result.labels_until_per_run(preset, "mrr", THRESHOLD), nan=len(pool))
            share = 100 * until / len(pool)
            rows.append(base.mean_row(f"{method}, top {top}", paper, share, "as stated", other_pool=other))
    return base.Found(rows, notes)


def _around(what: str, paper: float, values: Array, percent: Array) -> list[base.Compared]:
    """100 times our mean reciprocal rank where the printed average crossed: one look before, and there."""
    place = int(np.abs(percent - paper).argmin())
    return [
        base.mean_row(f"{what}: 100 MRR at {percent[at]:.1f} %", None, 100 * values[:, at]) for at in (place - 1, place)
    ]


_TITLE = "[Ji21] Table 6: labels to identify the least accurate classes, % of the pool"
table_6 = base.Experiment(
    partial(identification, printed=TABLE_6),
    "labels needed to identify the least accurate classes",
    f"{_TITLE}, CIFAR-100",
    base.about("cifar100-paper"),
)
table_6_imagenet = base.Experiment(
    partial(identification, printed=TABLE_6_IMAGENET, source="imagenet", step=100, notes=(*NOTES, OTHER_NETWORK)),
    "the same on ImageNet",
    f"{_TITLE}, ImageNet",
    base.about("imagenet"),
    100,
)
