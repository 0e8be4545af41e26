"""Table 5 of [Ji21]: percentage error of the estimated expected calibration error."""

from pathlib import Path

import numpy as np

from fewlabels.core.groups import ScoreBins
from fewlabels.metrics import CalibrationError
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reproduction.accuracy_tables import LATE
from fewlabels.reproduction.base import Reproduction, Row, Variant
from fewlabels.reproduction.data import SOURCES
from fewlabels.reproduction.setup import METHODS, METHODS_AS_STATED, Setup, mean_row
from fewlabels.simulation import simulate

TABLE_5 = {"UPrior": (76.7, 40.5, 25.7), "IPrior": (26.4, 23.4, 21.5), "IPrior+TS": (28.7, 26.7, 23.2)}
LABELS = (20, 50, 100)

NOTES = (
    "As printed: the estimate uses 10 bins of equal size and N + 10 labels, the truth 20 bins of equal width, so the "
    "error does not tend to zero. As stated: N labels, the truth on the estimate's bins, and for UPrior Beta(1, 1).",
)


def table_5(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Mean percentage error of ECE, plug-in of posterior means, CIFAR-100 row."""
    setup, bins = Setup(data, runs, workers), ScoreBins(10, "mass")
    pool = setup.pool("cifar100-paper")
    budgets = sorted({*LABELS, *(n + LATE for n in LABELS)})
    presets = [*METHODS.values(), METHODS_AS_STATED["UPrior"]]
    result = setup.simulate(pool, Estimate(CalibrationError(bins)), presets, budgets, ["estimate"])
    variants: dict[Variant, tuple[dict[str, str], int, float]] = {
        "as printed": (METHODS, LATE, exact_ece(pool, ScoreBins(20))),
        "as stated": (METHODS_AS_STATED, 0, exact_ece(pool, bins)),
    }
    rows = list[Row]()
    for variant, (methods, late, truth) in variants.items():
        for method, preset in methods.items():
            error = 100 * np.abs(result.of(preset, "estimate") - truth) / truth
            for n, paper in zip(LABELS, TABLE_5[method], strict=True):
                rows.append(mean_row(f"{method}, N = {n}", paper, error[:, budgets.index(n + late)], variant))
    title = "[Ji21] Table 5: percentage error of the expected calibration error, CIFAR-100"
    return Reproduction("aaai-table-5", title, SOURCES["cifar100-paper"].about, runs, tuple(rows), NOTES)


def exact_ece(pool: Pool, bins: ScoreBins) -> float:
    """ECE over all labels of the pool."""
    result = simulate(
        pool, None, Estimate(CalibrationError(bins)), ["uprior"], [len(pool)], 1, measures=["estimate"], workers=1
    )
    return float(result.values[0, 0, 0, 0])
