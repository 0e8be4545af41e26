"""Table 6 of [Ji21]: the share of the pool to label before the least accurate classes are identified."""

from pathlib import Path

import numpy as np

from fewlabels.questions import Identify
from fewlabels.reproduce.base import Reproduction
from fewlabels.reproduce.data import SOURCES
from fewlabels.reproduce.setup import METHODS, METHODS_AS_STATED, Setup, crossing_row, mean_row, steps

TABLE_6 = {1: (81.1, 83.4, 24.9), 10: (99.8, 99.8, 55.1)}
STEP = 10  # labels between two entries of the published log
THRESHOLD = 0.99

NOTES = (
    "As printed: the first point at which the mean reciprocal rank, averaged over the runs, exceeds 0.99 (or 0.99 of "
    "its maximum). A property of the average, it depends on the number of runs; the interval is a 99 % bootstrap. "
    "UPrior has a prior of strength 1e-6.",
    "As stated: the mean over the runs of the labels each needed to exceed 0.99 for the first time, looked at every "
    "ten labels; a run that never does counts as the whole pool. UPrior is Beta(1, 1). The average can exceed 0.99 "
    "only when nearly every run does and stays there, so the printed numbers are those of the slowest runs, not of "
    "the mean one.",
)


def table_6(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Percentage of labels needed to identify the least accurate class, and the ten least accurate, CIFAR-100 row."""
    setup = Setup(data, runs, workers)
    pool = setup.pool("cifar100-paper")
    rows = []
    for top, printed in TABLE_6.items():
        question = Identify("accuracy", by="predicted_class", top=top)
        presets = dict.fromkeys([*METHODS.values(), *METHODS_AS_STATED.values()])
        result = setup.simulate(pool, question, presets, steps(STEP, len(pool)), ["mrr"])
        percent = 100 * np.array(result.budgets) / len(pool)
        for (method, preset), paper in zip(METHODS.items(), printed, strict=True):
            values = result.of(preset, "mrr")
            rows.append(crossing_row(f"{method}, top {top}", paper, values, percent, THRESHOLD, "as printed"))
        for (method, preset), paper in zip(METHODS_AS_STATED.items(), printed, strict=True):
            until = np.nan_to_num(result.labels_until_per_run(preset, "mrr", THRESHOLD), nan=len(pool))
            rows.append(mean_row(f"{method}, top {top}", paper, 100 * until / len(pool), "as stated"))
    title = "[Ji21] Table 6: labels to identify the least accurate classes, % of the pool, CIFAR-100"
    return Reproduction("aaai-table-6", title, SOURCES["cifar100-paper"].about, runs, tuple(rows), NOTES)
