"""Figure 6 of [Ji21]: percentage error of the expected calibration error against the labels."""

from collections.abc import Sequence

import numpy as np

from fewlabels.metrics import CalibrationError
from fewlabels.questions import Estimate
from fewlabels.reproduction.base import Compared, Curve, Found, Panel, Setup, labelled, numbers, random_items
from fewlabels.reproduction.shapes.figure_pools import FIGURE_POOLS, INSTEAD, FigurePool

LABELS = (50, 100, 200, 500, 1000, 2000)


def ece_errors(setup: Setup) -> Found:
    """100 (mean estimate - truth) / truth of ECE, Bayesian and frequentist; in numbers the first point of each curve,
    where the paper sees the greatest difference."""
    panels = [_panel(setup, chosen) for chosen in FIGURE_POOLS]
    rows = [
        Compared(f"{p.title}: {c.name}, N = {c.x[0]:.0f}", None, c.y[0], (c.high[0] - c.y[0]) / 2)
        for p in panels
        for c in p.curves
        if c.high is not None
    ]
    notes = (
        "The paper averages the estimates, then takes their error: what is shown is the bias. Frequentist: the "
        "usual estimate from the labelled items alone. The third curve weights the bins by the whole pool and "
        "leaves out those without labels.",
        nearer(panels),
        INSTEAD,
    )
    return Found(rows, notes, panels)


def _panel(setup: Setup, chosen: FigurePool) -> Panel:
    pool = setup.pool(chosen.name)
    known, budgets = labelled(pool), [n for n in LABELS if n <= len(pool)]
    truth, orders = known.calibration_error(), [random_items(pool, None, seed=run) for run in range(setup.runs)]
    result = setup.simulate(pool, Estimate(CalibrationError()), ["iprior", "frequency"], budgets, ["mean_estimate"])
    values = {
        "Bayesian": result.of("iprior", "mean_estimate"),
        "Frequentist": np.array([[known.some(order[:n]).calibration_error() for n in budgets] for order in orders]),
        "Frequencies, weights of the pool": result.of("frequency", "mean_estimate"),
    }
    curves = []
    for name, found in values.items():
        error = 100 * (found - truth) / truth
        mean, spread = error.mean(axis=0), 2 * error.std(axis=0) / np.sqrt(max(setup.runs - 1, 1))
        curves.append(Curve(name, numbers(budgets), numbers(mean), numbers(mean - spread), numbers(mean + spread)))
    return Panel(chosen.title, "labels", "% error of ECE", tuple(curves))


def nearer(panels: Sequence[Panel]) -> str:
    """At how many numbers of labels the Bayesian mean is nearer to the truth, by pool."""
    parts = []
    for panel in panels:
        bayesian, frequentist = (np.abs(curve.y) for curve in panel.curves[:2])
        parts.append(f"{panel.title} {int((bayesian < frequentist).sum())} of {len(bayesian)}")
    return (
        "The paper: the Bayesian method consistently has the lower error. Here its mean is nearer to the truth than "
        f"the frequentist one at so many of the numbers of labels: {', '.join(parts)}. It leans to its prior, that "
        "scores are calibrated, and upwards, because the mean of an absolute value is above that of the mean."
    )
