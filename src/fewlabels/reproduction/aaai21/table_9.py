"""Table 9 of [Ji21]: the share of the pool to label before the least calibrated classes are identified."""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.metrics import CalibrationError
from fewlabels.pool import Pool
from fewlabels.questions import Identify
from fewlabels.reproduction.aaai21.table_9_published_code import EVERY, TENTHS, kept, online_mrr
from fewlabels.reproduction.base import (
    Compared,
    Experiment,
    Found,
    LabelledPool,
    Setup,
    crossing_row,
    labelled,
    steps,
)
from fewlabels.reproduction.shapes.figure_pools import ALL_FIVE, INSTEAD, FigurePool, data_sets

TABLE_9 = {  # by pool: top 1, and top m
    "cifar100-paper": ((88.0, 43.0), (90.0, 59.0)),
    "imagenet": ((89.6, 31.0), (90.0, 41.2)),
    "svhn": ((58.8, 40.7), (88.4, 77.6)),
    "20news": ((69.0, 27.9), (90.3, 50.5)),
    "banking77": ((27.9, 8.1), (89.1, 55.6)),
}
NOTHING = ((None, None), (None, None))  # is printed of other pools
FEW = {"imagenet": 5}  # runs, of a thousand classes with ten bins each
METHODS = {"IPrior": "iprior", "IPrior+TS": "iprior+ts"}
BLOCK = 25  # runs of the active arm that advance together
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


def identification(setup: Setup) -> Found:
    """Percentage of labels needed to identify the least calibrated class, and m of them."""
    rows, chosen = list[Compared](), data_sets(setup)
    for of in chosen:
        pool, some = setup.pool(of.name), replace(setup, runs=min(setup.runs, FEW.get(of.name, setup.runs)))
        online = online_runs(some, labelled(pool), (1, of.top), 1 if of.other else TENTHS)
        for top, printed in zip((1, of.top), TABLE_9.get(of.name, NOTHING), strict=True):
            rows += _as_printed(of, online, top, printed, len(pool))
            rows += _as_stated(some, of, pool, top, printed)
    few = [f"{of.title}: {FEW[of.name]} runs." for of in chosen if FEW.get(of.name, setup.runs) < setup.runs]
    return Found(rows, (*NOTES, *few, INSTEAD))


class Arm(NamedTuple):
    """What the published code is run with."""

    top: int
    active: bool
    tenth: int = 0  # held out


def online_runs(setup: Setup, items: LabelledPool, tops: tuple[int, ...], tenths: int) -> dict[Arm, Array]:
    """MRR of every arm; the active one is slow, and its runs are done in blocks."""
    starts = range(0, setup.runs, BLOCK)
    blocks = [(Arm(top, True), min(BLOCK, setup.runs - start), start) for top in tops for start in starts]
    blocks += [(Arm(top, False, tenth), setup.runs, 0) for top in tops for tenth in range(tenths)]
    found = list(zip(blocks, setup.each(partial(_block, items), blocks), strict=True))
    return {arm: np.concatenate([values for block, values in found if block[0] == arm]) for arm, _, _ in blocks}


def _block(items: LabelledPool, block: tuple[Arm, int, int]) -> Array:
    """The MRR at each look, (n_runs, n_looks), of a block: so many runs of an arm, with their seed."""
    arm, runs, seed = block
    return online_mrr(kept(items, arm.tenth), arm.top, runs, active=arm.active, seed=seed)


def _as_printed(
    of: FigurePool, online: dict[Arm, Array], top: int, printed: tuple[float | None, ...], size: int
) -> list[Compared]:
    rows = [
        _crossing(of, method, paper, online, Arm(top, method.endswith("TS")), size)
        for method, paper in zip(METHODS, printed, strict=True)
    ]
    tenths = [arm for arm in online if arm.top == top and not arm.active]
    if len(tenths) > 1:
        others = [_crossing(of, "IPrior", None, online, arm, size).ours for arm in tenths]
        what = f"{of.title}, top {top}: IPrior, median and range over the tenths held out"
        rows.append(Compared(what, None, float(np.median(others)), float("nan"), low=min(others), high=max(others)))
    return rows


def _crossing(
    of: FigurePool, method: str, paper: float | None, online: dict[Arm, Array], arm: Arm, size: int
) -> Compared:
    values = online[arm]
    percent = 100 * EVERY * (np.arange(values.shape[1]) + 1) / size
    late = slice(min(FIRST_LOOK, values.shape[1] - 1), None)
    what = f"{of.title}, top {arm.top}: {method}"
    return crossing_row(what, paper, values[:, late], percent[late], 0.99, "as printed", other_pool=of.other)


def _as_stated(setup: Setup, of: FigurePool, pool: Pool, top: int, printed: tuple[float | None, ...]) -> list[Compared]:
    question = Identify(CalibrationError(), by="predicted_class", top=top)
    result = setup.simulate(pool, question, METHODS.values(), steps(EVERY, len(pool)), ["mrr"])
    percent = 100 * np.array(result.budgets) / len(pool)
    return [
        crossing_row(
            f"{of.title}, top {top}: {method}",
            paper,
            result.of(preset, "mrr"),
            percent,
            0.99,
            "as stated",
            other_pool=of.other,
        )
        for (method, preset), paper in zip(METHODS.items(), printed, strict=True)
    ]


table_9 = Experiment(
    identification,
    "labels needed to identify the least calibrated classes",
    "[Ji21] Table 9: labels to identify the least calibrated classes, % of the pool",
    ALL_FIVE,
    100,
    ("supplement-table-2",),
)
