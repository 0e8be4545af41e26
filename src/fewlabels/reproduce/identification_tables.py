"""Table 6 of [Ji21]: the share of the pool to label before the least accurate classes are identified."""

from pathlib import Path

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.questions import Identify
from fewlabels.reproduce.base import Reproduction, Row
from fewlabels.reproduce.data import SOURCES, load_pool
from fewlabels.simulation import simulate

METHODS = {"UPrior": "uprior", "IPrior": "iprior", "IPrior+TS": "iprior+ts"}
TABLE_6 = {1: (81.1, 83.4, 24.9), 10: (99.8, 99.8, 55.1)}
STEP = 10  # labels between two entries of the published log
THRESHOLD = 0.99
BOOTSTRAPS = 1000

NOTES = (
    "Identified: the first point at which the mean reciprocal rank, averaged over the runs, exceeds 0.99 (or 0.99 of "
    "its maximum). A property of the average, it depends on the number of runs; the interval is a 99 % bootstrap.",
)


def table_6(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Percentage of labels needed to identify the least accurate class, and the ten least accurate, CIFAR-100 row."""
    pool = load_pool("cifar100-paper", data)
    budgets = list(range(STEP, len(pool) + 1, STEP))
    rows = []
    for top, printed in TABLE_6.items():
        question = Identify("accuracy", by="predicted_class", top=top)
        result = simulate(
            pool,
            None,
            question,
            list(METHODS.values()),
            budgets,
            runs,
            measures=["mrr"],
            target="population",
            workers=workers,
        )
        for (method, preset), paper in zip(METHODS.items(), printed, strict=True):
            percent = np.array(budgets) * 100 / len(pool)
            ours, low, high = crossing(result.of(preset, "mrr"), percent)
            rows.append(Row(f"{method}, top {top}", paper, ours, float("nan"), low=low, high=high))
    title = "[Ji21] Table 6: labels to identify the least accurate classes, % of the pool, CIFAR-100"
    return Reproduction("aaai-table-6", title, SOURCES["cifar100-paper"].about, runs, tuple(rows), NOTES)


def crossing(values: Array, percent: Array) -> tuple[float, float, float]:
    """Where the mean curve of (n_runs, n_budgets) first passes the threshold, with a 99 % bootstrap interval."""
    rng = np.random.default_rng(0)
    runs = len(values)
    found = [
        _first(np.bincount(rng.integers(0, runs, runs), minlength=runs) @ values / runs, percent)
        for _ in range(BOOTSTRAPS)
    ]
    low, high = np.quantile(found, [0.005, 0.995])
    return _first(values.mean(axis=0), percent), float(low), float(high)


def _first(curve: Array, percent: Array) -> float:
    return float(percent[int((curve > min(THRESHOLD, THRESHOLD * curve.max())).argmax())])
