"""Table 9 of [Ji21]: the share of the pool to label before the least calibrated classes are identified."""

from pathlib import Path

import numpy as np

from fewlabels.metrics import CalibrationError
from fewlabels.pool import Pool
from fewlabels.questions import Identify
from fewlabels.reproduce.base import Reproduction, Row
from fewlabels.reproduce.data import SOURCES
from fewlabels.reproduce.online_calibration import EVERY, TENTHS, kept, online_mrr
from fewlabels.reproduce.outcomes import outcomes_of
from fewlabels.reproduce.setup import Setup, crossing_row, steps

TABLE_9 = {1: (88.0, 43.0), 10: (90.0, 59.0)}
METHODS = {"IPrior": "iprior", "IPrior+TS": "iprior+ts"}
FIRST_LOOK = 5  # the published code does not look for the crossing before the sixth entry of its log

NOTES = (
    "As printed, after the published code: nine items in ten, bins weighted by the labels seen, priors at the bins' "
    "midpoints, the non-active arm drawing classes; the crossing is looked for from the sixth look on, 99 labels are "
    "added to it, and it is divided by the size of the whole pool. 100 (i + 1) / N = 90 % thus means: not before "
    "everything was labelled.",
    "Which tenth was held out is not known; here it is drawn with seed 0. It decides how far apart the least "
    "calibrated classes are, and so the crossing: with each tenth of one permutation held out in turn the non-active "
    "method crosses anywhere in the range given, which is far wider than the bootstrap interval of any one of them. A "
    "printed value in that range is explained by another tenth.",
    "As stated: the whole pool, bins weighted by their share of it, priors at their mean scores, the non-active "
    "method drawing items. Identified: the first point at which the mean reciprocal rank, averaged over the runs, "
    "exceeds 0.99 (or 0.99 of its maximum); the interval is a 99 % bootstrap.",
)


def table_9(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Percentage of labels needed to identify the least calibrated class, and the ten of them, CIFAR-100 row."""
    setup = Setup(data, runs, workers)
    pool = setup.pool("cifar100-paper")
    rows = [row for top in TABLE_9 for row in (*_as_printed(pool, top, runs), *_as_stated(setup, pool, top))]
    title = "[Ji21] Table 9: labels to identify the least calibrated classes, % of the pool, CIFAR-100"
    return Reproduction("aaai-table-9", title, SOURCES["cifar100-paper"].about, runs, tuple(rows), NOTES)


def _as_printed(pool: Pool, top: int, runs: int) -> list[Row]:
    rows = [_online(pool, top, runs, method, paper) for method, paper in zip(METHODS, TABLE_9[top], strict=True)]
    others = [_online(pool, top, runs, "IPrior", None, tenth).ours for tenth in range(TENTHS)]
    what = f"IPrior, top {top}, median and range over the tenths held out"
    rows.append(Row(what, None, float(np.median(others)), float("nan"), low=min(others), high=max(others)))
    return rows


def _online(pool: Pool, top: int, runs: int, method: str, paper: float | None, tenth: int = 0) -> Row:
    values = online_mrr(kept(outcomes_of(pool), tenth), top, runs, active=method.endswith("TS"))
    percent = 100 * EVERY * (np.arange(values.shape[1]) + 1) / len(pool)
    late = slice(min(FIRST_LOOK, values.shape[1] - 1), None)
    return crossing_row(f"{method}, top {top}", paper, values[:, late], percent[late], 0.99, "as printed")


def _as_stated(setup: Setup, pool: Pool, top: int) -> list[Row]:
    question = Identify(CalibrationError(), by="predicted_class", top=top)
    result = setup.simulate(pool, question, METHODS.values(), steps(EVERY, len(pool)), ["mrr"])
    percent = 100 * np.array(result.budgets) / len(pool)
    return [
        crossing_row(f"{method}, top {top}", paper, result.of(preset, "mrr"), percent, 0.99, "as stated")
        for (method, preset), paper in zip(METHODS.items(), TABLE_9[top], strict=True)
    ]
