"""Reliability diagrams from some and from all labels, and the posterior of calibration error."""

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np

from fewlabels.core.priors import PriorName
from fewlabels.metrics import CalibrationError, Reliability
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reading.cells import CellReading
from fewlabels.reproduction.base import (
    GAP,
    SCORES,
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
from fewlabels.reproduction.shapes.figure_pools import INSTEAD, data_sets

AMOUNTS = {"100 labels": 100, "1,000 labels": 1000, "all labels": None}
BARS = 40  # of the histogram of a posterior
HISTOGRAM = 20  # bars of that of the scores
Reader = Callable[[Pool, int | None, float | None], CellReading]
TRUE_ECE = 9.869599923480106  # per cent, CIFAR-100, published beside the papers


def reliability(pool: Pool, labels: int | None, strength: float | None, prior: PriorName = "scores") -> CellReading:
    """Accuracy by score bin, from the labels of so many random items."""
    return posterior(pool, Estimate(Reliability()), labels, prior, strength)


def diagrams(
    setup: Setup,
    read: Reader = reliability,
    strengths: tuple[float | None, ...] = (None,),
    notes: tuple[str, ...] = (INSTEAD,),
) -> Found:
    """Accuracy by score bin, posterior means and 95 % intervals, from 100, 1,000 and all labels."""
    panels, rows = [], list[Compared]()
    for strength in strengths:
        of = "" if strength is None else f", strength {strength:g}"
        for amount, chosen in product(AMOUNTS, data_sets(setup)):
            pool = setup.pool(chosen.name)
            panels.append(_diagram(f"{chosen.title}, {amount}{of}", pool, AMOUNTS[amount], strength, read))
        for chosen in data_sets(setup):
            pool = setup.pool(chosen.name)
            seen, few = (read(pool, labels, strength) for labels in (None, AMOUNTS["100 labels"]))
            rows += _numbers(f"{chosen.title}{of}", seen, few)
    return Found(rows, notes, panels)


def _numbers(called: str, seen: CellReading, few: CellReading) -> list[Compared]:
    """How much of the pool lies in bins that are over-confident for sure, and how much of the calibration error that
    all labels show 100 labels do; both from posterior means."""
    weight, score = seen.view.units.weight, np.asarray(seen.view.units.mean_score)
    below = np.array([f.high for f in seen.findings]) < score
    gap, early = (float(weight @ np.abs(np.array([f.value for f in r.findings]) - score)) for r in (seen, few))
    unknown = float("nan")
    return [
        Compared(
            f"{called}, all labels: % of items in bins whose interval lies below the diagonal",
            None,
            float(100 * weight[below].sum() / weight.sum()),
            unknown,
        ),
        Compared(f"{called}: % of the calibration error seen after 100 labels", None, 100 * early / gap, unknown),
    ]


def _diagram(title: str, pool: Pool, labels: int | None, strength: float | None, read: Reader) -> Panel:
    """Accuracy by score bin, the gap to the diagonal, and how the scores of these items lie."""
    reading = read(pool, labels, strength)
    score = numbers(reading.view.units.mean_score)
    values = with_intervals(reading.findings)
    share = np.histogram(labelled(pool).score[random_items(pool, labels)], HISTOGRAM, (0.0, 1.0))[0]
    middle = numbers((np.arange(HISTOGRAM) + 0.5) / HISTOGRAM)
    curves = (
        Curve(SCORES, middle, numbers(share / max(share.sum(), 1))),
        Curve(GAP, score, values[0], score, values[0]),
        Curve("accuracy, 95 % interval", score, *values),
    )
    return Panel(title, "score", "accuracy", curves, "reliability", diagonal=True)


def ece_posterior(setup: Setup, prior: PriorName = "scores") -> Found:
    """CIFAR-100: reliability diagrams, and below them the posterior density of ECE."""
    pool = setup.pool("cifar100-paper")
    known = labelled(pool)
    truth = known.calibration_error()
    read = partial(reliability, prior=prior)
    panels = [_diagram(amount, pool, n, None, read) for amount, n in AMOUNTS.items()]
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
