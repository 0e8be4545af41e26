"""Figures 3-6 and 11 of [ACIS21]: error and bias of F1 by ACIS, its parts and its rivals."""

from functools import partial

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.reproduction.acis21.one_vs_rest import BUDGETS, RARE, one_vs_rest
from fewlabels.reproduction.base import Compared, Experiment, Found, Panel, Setup, about, mean_curves
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


def errors(setup: Setup, pools: tuple[str, ...], methods: dict[str, str]) -> Found:
    """Curves and numbers whose runs are classes, each the mean of its trials: standard errors are over classes."""
    panels, rows, measures = list[Panel](), list[Compared](), ("mse", "bias")
    for called in pools:
        values = one_vs_rest(setup, called, list(methods.values()), measures).mean(axis=1)
        result = SimulationResult("F1 of each class", tuple(methods), BUDGETS, measures, values)
        panels += [
            Panel(f"{called}: MSE", "labels", "MSE", mean_curves(result, "mse"), log=True),
            Panel(f"{called}: bias", "labels", "mean error of F1", mean_curves(result, "bias")),
        ]
        rows += _rows(called, result)
    return Found(rows, NOTES, panels)


def _rows(called: str, result: SimulationResult) -> list[Compared]:
    mean, error = (SCALE * part[:, :, 0] for part in (result.mean, result.se))
    rows = [
        Compared(f"{called}, {name}, {labels} labels", None, float(mean[m, b]), float(error[m, b]))
        for m, name in enumerate(result.methods)
        for b, labels in enumerate(BUDGETS)
        if labels != 100
    ]
    if "SAWADE" in result.methods:
        saved, rival = _saving(mean, result.methods)
        what = f"{called}: labels {rival} needs for ACIS's MSE at 70, over 70"
        rows.append(Compared(what, 10.0, saved, float("nan"), other_pool=True))
    return rows


def _saving(mse: Array, names: tuple[str, ...]) -> tuple[float, str]:
    """How many times 70 labels the best of the other methods needs for the same error: its error at the budgets,
    interpolated between logarithms; infinite where 310 labels do not reach it."""
    goal, best, who = mse[0, BUDGETS.index(70)], np.inf, names[1]
    for curve, name in zip(mse, names, strict=True):
        below = np.flatnonzero(curve <= goal)
        if name.startswith("ACIS") or len(below) == 0:
            continue
        i = int(below[0])
        labels = float(BUDGETS[i])
        if i > 0:
            x, y = np.log(BUDGETS[i - 1 : i + 1]), np.log(curve[i - 1 : i + 1])
            labels = float(np.exp(x[0] + (x[1] - x[0]) * (np.log(goal) - y[0]) / (y[1] - y[0])))
        if labels < best:
            best, who = labels, name
    return float(best / 70), who


def _figure(words: str, title: str, pools: tuple[str, ...], methods: dict[str, str]) -> Experiment:
    return Experiment(partial(errors, pools=pools, methods=methods), words, f"[ACIS21] {title}", about(*pools), 5)


figure_3 = _figure("MSE of F1: ACIS and rivals, CIFAR-100", "Figure 3: MSE of F1, rivals", ("cifar100-wrn",), RIVALS)
figure_4 = _figure("MSE of F1: ACIS and rivals, BANKING77", "Figure 4: MSE of F1, rivals", ("banking77-large",), RIVALS)
figure_5 = _figure("MSE of F1: ACIS and rivals, CLINC150", "Figure 5: MSE of F1, rivals", ("clinc150-large",), RIVALS)
figure_6 = _figure("MSE of F1: ACIS and its parts", "Figure 6: ablation", RARE, PARTS)
figure_11 = _figure(
    "isotonic regression and Platt scaling", "Figure 11: isotonic regression and Platt scaling", RARE, MAPS
)
switches = _figure("parts of ACIS switched off", "each part switched off", RARE[:2], SWITCHES)
other_pools = _figure(
    "pools of less rare classes", "pools ACIS was not made for", ("banking77-lr", "20news", "cifar10"), RIVALS | PARTS
)
