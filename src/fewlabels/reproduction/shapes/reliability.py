"""Reliability diagrams from some and from all labels, and the posterior of calibration error."""

from collections.abc import Callable
from itertools import product

import numpy as np

from fewlabels.core.priors import PriorName
from fewlabels.metrics import CalibrationError, Reliability
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reading.cells import CellReading
from fewlabels.reproduction.base import (
    Compared,
    Curve,
    Found,
    Panel,
    Setup,
    density_panel,
    labelled,
    numbers,
    posterior,
    random_items,
    with_intervals,
)
from fewlabels.reproduction.shapes.figure_pools import FIGURE_POOLS, INSTEAD

AMOUNTS = {"100 labels": 100, "1,000 labels": 1000, "all labels": None}
BARS = 40  # of the histogram of a posterior
TRUE_ECE = 9.869599923480106  # per cent, CIFAR-100, published beside the papers


def reliability(pool: Pool, labels: int | None, strength: float | None, prior: PriorName = "scores") -> CellReading:
    """Accuracy by score bin, from the labels of so many random items."""
    return posterior(pool, Estimate(Reliability()), labels, prior, strength)


def diagrams(
    setup: Setup,
    read: Callable[[Pool, int | None, float | None], CellReading] = reliability,
    strengths: tuple[float | None, ...] = (None,),
    notes: tuple[str, ...] = (INSTEAD,),
) -> Found:
    """Accuracy by score bin, posterior means and 95 % intervals, from 100, 1,000 and all labels."""
    panels = []
    for chosen, strength, amount in product(FIGURE_POOLS, strengths, AMOUNTS):
        of = "" if strength is None else f", strength {strength:g}"
        reading = read(setup.pool(chosen.name), AMOUNTS[amount], strength)
        panels.append(_diagram(f"{chosen.title}, {amount}{of}", reading))
    return Found((), notes, panels)


def _diagram(title: str, reading: CellReading) -> Panel:
    score = numbers(reading.view.units.mean_score)
    curve = Curve("accuracy, 95 % interval", score, *with_intervals(reading.findings))
    return Panel(title, "score", "accuracy", (curve,), "points", diagonal=True)


def ece_posterior(setup: Setup, prior: PriorName = "scores") -> Found:
    """CIFAR-100: reliability diagrams, and below them the posterior density of ECE."""
    pool = setup.pool("cifar100-paper")
    known = labelled(pool)
    truth = known.calibration_error()
    panels = [_diagram(amount, reliability(pool, n, None, prior)) for amount, n in AMOUNTS.items()]
    rows = [Compared("% ECE from all labels, ten bins of equal width", TRUE_ECE, 100 * truth, 0.0, rounding=0.0005)]
    for amount, labels in AMOUNTS.items():
        draws = posterior(pool, Estimate(CalibrationError()), labels, prior).row_draws[:, 0]
        plain = known.some(random_items(pool, labels)).calibration_error()
        marks = (("truth", round(truth, 5)), ("frequencies", round(plain, 5)))
        panels.append(density_panel(f"posterior of ECE, {amount}", "ECE", draws, BARS, marks))
        mean, (low, high) = float((100 * draws).mean()), np.quantile(100 * draws, [0.005, 0.995]).tolist()
        rows += [
            Compared(f"% ECE, posterior mean, {amount}", None, mean, float("nan"), low=low, high=high),
            Compared(f"% ECE, plain frequencies, {amount}", None, 100 * plain, float("nan")),
        ]
    note = (
        "One random sample, as in the paper: its numbers are one draw, and only the truth can be compared. That "
        "frequencies overestimate ECE from 100 labels holds on average (Figure 6), not in every sample."
    )
    return Found(rows, (note,), panels)
