"""Tables 3, 5 and 8 of [Ji21]: errors of accuracy by predicted class and by score bin, and of calibration error."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.groups import ScoreBins
from fewlabels.metrics import CalibrationError
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reproduction.base import (
    METHODS,
    METHODS_AS_STATED,
    Compared,
    Experiment,
    Found,
    Setup,
    Variant,
    about,
    at,
    best_note,
    mean_row,
)
from fewlabels.simulation import SimulationResult, simulate

LATE = 10  # the published code reads its log one slot late: "N" is really N + 10 labels

TABLE_3 = {"UPrior": (30.7, 20.5, 13.3), "IPrior": (15.0, 13.6, 10.9), "IPrior+TS": (15.3, 13.8, 11.4)}
TABLE_3_IMAGENET = {"UPrior": (29.4, 18.8, 11.8), "IPrior": (13.2, 12.1, 9.5), "IPrior+TS": (13.2, 11.6, 9.4)}
TABLE_5 = {"UPrior": (76.7, 40.5, 25.7), "IPrior": (26.4, 23.4, 21.5), "IPrior+TS": (28.7, 26.7, 23.2)}
TABLE_8 = {"UPrior": (23.2, 15.7, 11.0), "IPrior": (12.8, 11.3, 9.3), "IPrior+TS": (11.9, 10.0, 8.1)}
BY_BIN = (20, 50, 100)  # labels of Tables 5 and 8

NOTES = (
    "As printed: N + 10 labels, because the published code reads its log one slot late, and for UPrior a prior of "
    "strength 1e-6, which is what that code uses. As stated: N labels, and for UPrior Beta(1, 1).",
)
NOTES_5 = (
    "As printed: the estimate uses 10 bins of equal size and N + 10 labels, the truth 20 bins of equal width, so the "
    "error does not tend to zero. As stated: N labels, the truth on the estimate's bins, and for UPrior Beta(1, 1).",
)
OTHER_NETWORK = "ResNet-101 in place of the paper's ResNet-152: the numbers need not agree."


def accuracy_errors(
    setup: Setup,
    question: Estimate,
    printed: Mapping[str, tuple[float, ...]],
    labels: tuple[int, ...],
    source: str = "cifar100-paper",
    notes: tuple[str, ...] = NOTES,
) -> Found:
    """A hundred times the RMSE of the groups' accuracies."""
    result = _simulated(setup, setup.pool(source), question, labels, "rmse")
    rows = _rows(result, printed, labels, lambda values, _: 100 * values, other=source != "cifar100-paper")
    return Found(rows, (*notes, best_note("this pool", result, METHODS, (n + LATE for n in labels))))


def calibration_errors(setup: Setup) -> Found:
    """Mean percentage error of ECE, plug-in of posterior means, CIFAR-100 row."""
    pool, bins = setup.pool("cifar100-paper"), ScoreBins(10, "mass")
    result = _simulated(setup, pool, Estimate(CalibrationError(bins)), BY_BIN, "estimate")
    truth: dict[Variant, float] = {"as printed": exact_ece(pool, ScoreBins(20)), "as stated": exact_ece(pool, bins)}
    rows = _rows(result, TABLE_5, BY_BIN, lambda values, of: 100 * np.abs(values - truth[of]) / truth[of])
    return Found(rows, NOTES_5)


def exact_ece(pool: Pool, bins: ScoreBins) -> float:
    """ECE over all labels of the pool."""
    result = simulate(
        pool, None, Estimate(CalibrationError(bins)), ["uprior"], [len(pool)], 1, measures=["estimate"], workers=1
    )
    return float(result.values[0, 0, 0, 0])


def _simulated(setup: Setup, pool: Pool, question: Estimate, labels: tuple[int, ...], measure: str) -> SimulationResult:
    budgets = sorted({*labels, *(n + LATE for n in labels)})
    return setup.simulate(pool, question, [*METHODS.values(), METHODS_AS_STATED["UPrior"]], budgets, [measure])


def _rows(
    result: SimulationResult,
    printed: Mapping[str, tuple[float, ...]],
    labels: tuple[int, ...],
    percent: Callable[[Array, Variant], Array],
    *,
    other: bool = False,  # another pool than the paper's
) -> list[Compared]:
    """The mean of what is measured, as per cent, by variant, method and number of labels."""
    variants: dict[Variant, tuple[dict[str, str], int]] = {
        "as printed": (METHODS, LATE),
        "as stated": (METHODS_AS_STATED, 0),
    }
    return [
        mean_row(
            f"{method}, N = {n:,}", paper, percent(at(result, preset, n + late), variant), variant, other_pool=other
        )
        for variant, (methods, late) in variants.items()
        for method, preset in methods.items()
        for n, paper in zip(labels, printed[method], strict=True)
    ]


_BY_CLASS = Estimate("accuracy", by="predicted_class")
table_3 = Experiment(
    partial(accuracy_errors, question=_BY_CLASS, printed=TABLE_3, labels=(200, 500, 1000)),
    "RMSE of accuracy by predicted class",
    "[Ji21] Table 3: RMSE of accuracy by predicted class (× 100), CIFAR-100",
    about("cifar100-paper"),
)
table_3_imagenet = Experiment(
    partial(
        accuracy_errors,
        question=_BY_CLASS,
        printed=TABLE_3_IMAGENET,
        labels=(2000, 5000, 10_000),
        source="imagenet",
        notes=(*NOTES, OTHER_NETWORK),
    ),
    "the same on ImageNet",
    "[Ji21] Table 3: RMSE of accuracy by predicted class (× 100), ImageNet",
    about("imagenet"),
    100,
)
table_5 = Experiment(
    calibration_errors,
    "percentage error of the expected calibration error",
    "[Ji21] Table 5: percentage error of the expected calibration error, CIFAR-100",
    about("cifar100-paper"),
)
table_8 = Experiment(
    partial(accuracy_errors, question=Estimate("accuracy", by=ScoreBins(10, "mass")), printed=TABLE_8, labels=BY_BIN),
    "RMSE of accuracy by score bin",
    "[Ji21] Table 8: RMSE of accuracy by score bin (× 100), CIFAR-100",
    about("cifar100-paper"),
    aliases=("supplement-table-1",),
)
