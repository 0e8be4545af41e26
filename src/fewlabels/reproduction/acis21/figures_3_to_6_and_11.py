"""Figures 3-6 and 11 of [ACIS21]: error and bias of F1 by ACIS, its parts and its rivals."""

from functools import partial

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.estimators import Averaged
from fewlabels.reproduction.acis21.herding import herding_errors
from fewlabels.reproduction.acis21.one_vs_rest import BUDGETS, RARE, one_vs_rest
from fewlabels.reproduction.base import Compared, Experiment, Found, Panel, Setup, about, mean_curves
from fewlabels.simulation import Method, SimulationResult
from fewlabels.strategies import Acis

PRINTED, OURS, HERDING = "ACIS, as printed", "ACIS, ours", "HERDING"
BOTH: dict[str, str | Method] = {PRINTED: "acis_printed", OURS: "acis"}
RIVALS: dict[str, str | Method] = {**BOTH, "SAWADE": "sawade", "TOP-K": "top_k", "GMM": "gmm"}
LAST_PRINTED = Method(
    Acis(caution=0), Averaged(window=1, average_by="weights", reuse="printed", interval="eq6"), name="acis_printed_last"
)
PARTS: dict[str, str | Method] = {
    **BOTH,
    "ACIS-LAST, as printed": LAST_PRINTED,
    "ACIS-LAST, ours": "acis_last",
    "SAWADE": "sawade",
    "ISO": "iso",
    "PLATT": "platt",
    "RAND": "rand",
}
PLATT_PRINTED = Method(
    Acis(caution=0, calibration="platt"),
    Averaged(average_by="weights", reuse="printed", interval="eq6"),
    name="acis_printed_platt",
)
MAPS: dict[str, str | Method] = {
    "isotonic regression, as printed": "acis_printed",
    "Platt scaling, as printed": PLATT_PRINTED,
    "isotonic regression, ours": "acis",
    "Platt scaling, ours": "acis_platt",
}
SWITCHES: dict[str, str | Method] = {
    OURS: "acis",
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
    "prints curves only, so that there are no numbers to agree with but those its text names. Its positives are at "
    "most 0.1 % of the items; so they are in clinc150-rare only, where 50 classes have 15 items each.",
    "As printed: the estimate of a round plans the next one as it is, labelled items count |L|/|X| (Sec. 3.3), rounds "
    "are averaged by |W| (Eq. 5). Ours: a round's estimate is mixed with two imagined draws before it plans the next, "
    "labelled items are a stratum of their own, and rounds are averaged by their draws.",
    "HERDING goes by the vector of all classes' probabilities; it has no chance in it, and one order of items for all "
    "classes.",
    "ACIS-LAST is the last round that is not under way.",
)


def errors(setup: Setup, pools: tuple[str, ...], methods: dict[str, str | Method], *, herding: bool = False) -> Found:
    """Curves and numbers whose runs are classes, each the mean of its trials: standard errors are over classes."""
    above, below, rows, measures = list[Panel](), list[Panel](), list[Compared](), ("mse", "bias")
    for called in pools:
        names, values = tuple(methods), one_vs_rest(setup, called, list(methods.values()), measures).mean(axis=1)
        if herding:
            found = herding_errors(setup.pool(called), BUDGETS)
            names, values = (*names, HERDING), np.concatenate([values, found[:, None]], axis=1)
        result = SimulationResult("F1 of each class", names, BUDGETS, measures, values)
        above.append(Panel(f"{called}: MSE", "labels", "MSE", mean_curves(result, "mse"), log=True))
        below.append(Panel(f"{called}: bias", "labels", "mean error of F1", mean_curves(result, "bias")))
        rows += _rows(called, result)
    return Found(rows, NOTES, [*above, *below])


def _rows(called: str, result: SimulationResult) -> list[Compared]:
    mean, error = (SCALE * part[:, :, 0] for part in (result.mean, result.se))
    rows = [
        Compared(f"{called}, {labels} labels: {name}", None, float(mean[m, b]), float(error[m, b]))
        for m, name in enumerate(result.methods)
        for b, labels in enumerate(BUDGETS)
    ]
    rows += [
        Compared(
            f"{called}, {labels} labels, mean error of F1: {name}",
            None,
            float(result.mean[m, b, 1]),
            float(result.se[m, b, 1]),
            rounding=0.0005,
        )
        for m, name in enumerate(result.methods)
        for b, labels in enumerate(BUDGETS[:2])
    ]
    if "SAWADE" in result.methods:
        for place, name in enumerate(result.methods[:2]):
            saved, rival = _saving(mean, result.methods, place)
            what = f"{called}: times as many labels {rival} needs for the MSE at 70 of {name}"
            rows.append(Compared(what, 10.0, saved, float("nan"), other_pool=True))
    return rows


def _saving(mse: Array, names: tuple[str, ...], place: int) -> tuple[float, str]:
    """How many times 70 labels the best of the other methods needs for the same error: its error at the budgets,
    interpolated between logarithms; infinite where 310 labels do not reach it."""
    goal, best, who = mse[place, BUDGETS.index(70)], np.inf, "the best rival"
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


def _figure(
    words: str,
    title: str,
    pools: tuple[str, ...],
    methods: dict[str, str | Method],
    *,
    herding: bool = False,
    enough: int | None = None,
) -> Experiment:
    made = partial(errors, pools=pools, methods=methods, herding=herding)
    return Experiment(made, words, f"[ACIS21] {title}", about(*pools), 5, across=len(pools), enough=enough)


figure_3 = _figure(
    "MSE of F1: ACIS and rivals, CIFAR-100 and classes of at most 0.1 %",
    "Figure 3: MSE and bias of F1, ACIS and its rivals",
    ("cifar100-wrn", "clinc150-rare"),
    RIVALS,
    herding=True,
    enough=1,
)
figure_4 = _figure(
    "MSE of F1: ACIS and rivals, BANKING77",
    "Figure 4: MSE and bias of F1, ACIS and its rivals",
    ("banking77-large",),
    RIVALS,
    herding=True,
    enough=1,
)
figure_5 = _figure(
    "MSE of F1: ACIS and rivals, CLINC150",
    "Figure 5: MSE and bias of F1, ACIS and its rivals",
    ("clinc150-large",),
    RIVALS,
    herding=True,
    enough=1,
)
figure_6 = _figure("MSE of F1: ACIS and its parts", "Figure 6: ablation", (*RARE, "clinc150-rare"), PARTS, enough=1)
figure_11 = _figure(
    "isotonic regression and Platt scaling", "Figure 11: isotonic regression and Platt scaling", RARE, MAPS, enough=1
)
switches = _figure("parts of ACIS switched off", "each part switched off", RARE[:2], SWITCHES, enough=1)
other_pools = _figure(
    "pools of less rare classes",
    "pools ACIS was not made for",
    ("banking77-lr", "20news", "cifar10"),
    {**RIVALS, **PARTS},
    herding=True,
    enough=1,
)
