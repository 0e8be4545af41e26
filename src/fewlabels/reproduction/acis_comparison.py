"""Figures 3-6 and 11 of [ACIS21]: error and bias of F1 by ACIS, its parts and its rivals."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.reproduction.base import Reproduction, Row
from fewlabels.reproduction.data import SOURCES, load_pool
from fewlabels.reproduction.one_vs_rest import BUDGETS, RARE, over_classes
from fewlabels.reproduction.panels import Panel, mean_curves
from fewlabels.simulation import SimulationResult

RIVALS = {"ACIS": "acis", "SAWADE": "sawade", "TOP-K": "top_k", "GMM": "gmm", "HERDING": "herding"}
PARTS = {
    "ACIS": "acis",
    "ACIS-LAST": "acis_last",
    "SAWADE": "sawade",
    "ISO": "iso",
    "PLATT": "platt",
    "RAND": "rand",
}
MAPS = {"isotonic regression": "acis", "Platt scaling": "acis_platt"}
SWITCHES = {
    "ACIS": "acis",
    "no caution": "acis_no_caution",
    "averaged by |W|": "acis_eq5",
    "no reuse": "acis_no_reuse",
    "no mixing": "acis_no_mixing",
    "no top K": "acis_no_top_k",
    "without replacement": "acis_once",
    "as printed": "acis_printed",
}
SCALE = 1e4
NOTES = (
    "MSE × 10⁴ of F1, means over all classes of the pool, each against the rest; standard errors over classes. Labels "
    "are items somebody had to label: one drawn again costs nothing. An F1 of which nothing is known counts as 0.",
    "The paper's ImageNet and iNaturalist models are not to be had; the pools here stand in for them, and the paper "
    "prints curves only, so that there are no numbers to agree with but those its text names.",
    "ACIS-LAST is the last round that is not under way. Its curves were computed a second time, after it had been the "
    "last round of all, of one draw perhaps.",
)


def _figure(
    name: str, title: str, pools: tuple[str, ...], methods: dict[str, str]
) -> Callable[[str | Path | None, int, int | None], Reproduction]:
    def make(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        panels, rows = list[Panel](), list[Row]()
        for called in pools:
            pool = load_pool(called, data)
            result = over_classes(pool, tuple(methods.values()), ("mse", "bias"), runs, workers)
            panels += _panels(called, result, methods)
            rows += _rows(called, result, methods)
        about = "; ".join(SOURCES[called].about for called in pools)
        return Reproduction(name, f"[ACIS21] {title}", about, runs, tuple(rows), NOTES, tuple(panels))

    return make


def _panels(called: str, result: SimulationResult, methods: dict[str, str]) -> list[Panel]:
    return [
        Panel(f"{called}: MSE", "labels", "MSE", mean_curves(result, "mse", methods), log=True),
        Panel(f"{called}: bias", "labels", "mean error of F1", mean_curves(result, "bias", methods)),
    ]


def _rows(called: str, result: SimulationResult, methods: dict[str, str]) -> list[Row]:
    mean, error = (SCALE * part[:, :, 0] for part in (result.mean, result.se))
    rows = [
        Row(f"{called}, {name}, {labels} labels", None, float(mean[m, b]), float(error[m, b]))
        for m, name in enumerate(methods)
        for b, labels in enumerate(BUDGETS)
        if labels != 100
    ]
    if "SAWADE" not in methods:
        return rows
    saved, rival = _saving(mean, tuple(methods))
    rows.append(
        Row(f"{called}: labels {rival} needs for ACIS's MSE at 70, over 70", 10.0, saved, float("nan"), other_pool=True)
    )
    return rows


def _saving(mse: Array, names: tuple[str, ...]) -> tuple[float, str]:
    """How many times 70 labels the best of the other methods needs for the same error: its error at the budgets,
    interpolated between logarithms; infinite where 310 labels do not reach it."""
    goal, best, who = mse[0, BUDGETS.index(70)], np.inf, names[1]
    for curve, name in zip(mse[1:], names[1:], strict=True):
        if name.startswith("ACIS"):
            continue
        below = np.flatnonzero(curve <= goal)
        if len(below) == 0:
            continue
        i = int(below[0])
        labels = float(BUDGETS[i])
        if i > 0:
            x, y = np.log(BUDGETS[i - 1 : i + 1]), np.log(curve[i - 1 : i + 1])
            labels = float(np.exp(x[0] + (x[1] - x[0]) * (np.log(goal) - y[0]) / (y[1] - y[0])))
        if labels < best:
            best, who = labels, name
    return float(best / 70), who


ACIS_COMPARISONS = {
    "acis-figure-3": _figure("acis-figure-3", "Figure 3: MSE of F1, rivals", ("cifar100-wrn",), RIVALS),
    "acis-figure-4": _figure("acis-figure-4", "Figure 4: MSE of F1, rivals", ("banking77-large",), RIVALS),
    "acis-figure-5": _figure("acis-figure-5", "Figure 5: MSE of F1, rivals", ("clinc150-large",), RIVALS),
    "acis-figure-6": _figure("acis-figure-6", "Figure 6: ablation", RARE, PARTS),
    "acis-figure-11": _figure("acis-figure-11", "Figure 11: isotonic regression and Platt scaling", RARE, MAPS),
    "acis-switches": _figure("acis-switches", "each part switched off", ("cifar100-wrn", "banking77-large"), SWITCHES),
    "acis-other-pools": _figure(
        "acis-other-pools", "pools ACIS was not made for", ("banking77-lr", "20news", "cifar10"), RIVALS | PARTS
    ),
}
