"""Tables 3 and 8 of [Ji21]: root mean squared error of accuracy by predicted class, and by score bin."""

from pathlib import Path

import numpy as np

from fewlabels.core.groups import ScoreBins
from fewlabels.questions import Estimate
from fewlabels.reproduce.base import Reproduction, Row
from fewlabels.reproduce.data import SOURCES, load_pool
from fewlabels.simulation import SimulationResult, simulate

METHODS = {"UPrior": "uprior", "IPrior": "iprior", "IPrior+TS": "iprior+ts"}
LATE = 10  # the published code reads its log one slot late: "N" is really N + 10 labels

TABLE_3 = {"UPrior": (30.7, 20.5, 13.3), "IPrior": (15.0, 13.6, 10.9), "IPrior+TS": (15.3, 13.8, 11.4)}
TABLE_8 = {"UPrior": (23.2, 15.7, 11.0), "IPrior": (12.8, 11.3, 9.3), "IPrior+TS": (11.9, 10.0, 8.1)}

NOTES = (
    "As printed: N + 10 labels, because the published code reads its log one slot late, and for UPrior a prior of "
    "strength 1e-6, which is what that code uses. As stated: N labels, and for UPrior Beta(1, 1).",
)


def table_3(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """RMSE of classwise accuracy, CIFAR-100 row."""
    question = Estimate("accuracy", by="predicted_class")
    return _table(
        "aaai-table-3", "RMSE of accuracy by predicted class", question, TABLE_3, (200, 500, 1000), data, runs, workers
    )


def table_8(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """RMSE of binwise accuracy, ten bins of equal size, CIFAR-100 row."""
    question = Estimate("accuracy", by=ScoreBins(10, "mass"))
    return _table(
        "aaai-table-8", "RMSE of accuracy by score bin", question, TABLE_8, (20, 50, 100), data, runs, workers
    )


def _table(
    name: str,
    title: str,
    question: Estimate,
    paper: dict[str, tuple[float, float, float]],
    labels: tuple[int, ...],
    data: str | Path | None,
    runs: int,
    workers: int | None,
) -> Reproduction:
    pool = load_pool("cifar100-paper", data)
    late = [n + LATE for n in labels]
    result = simulate(
        pool,
        None,
        question,
        [*METHODS.values(), "uprior2"],
        sorted({*labels, *late}),
        runs,
        measures=["rmse"],
        target="population",
        workers=workers,
    )
    rows = []
    for method, preset in METHODS.items():
        for n, printed in zip(labels, paper[method], strict=True):
            rows.append(_row(f"{method}, N = {n}", printed, result, preset, n + LATE, "as printed"))
    for method, preset in (METHODS | {"UPrior": "uprior2"}).items():
        for n, printed in zip(labels, paper[method], strict=True):
            rows.append(_row(f"{method}, N = {n}", printed, result, preset, n, "as stated"))
    return Reproduction(
        name, f"[Ji21] {title} (× 100), CIFAR-100", SOURCES["cifar100-paper"].about, runs, tuple(rows), NOTES
    )


def _row(what: str, paper: float, result: SimulationResult, preset: str, labels: int, variant: str) -> Row:
    values = 100 * result.of(preset, "rmse")[:, result.budgets.index(labels)]
    error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")
    return Row(what, paper, float(values.mean()), error, variant)  # type: ignore[arg-type]  # one of the two variants
