"""Figure 6 of [Ji21]: percentage error of the expected calibration error against the labels."""

from collections.abc import Sequence

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.metrics import CalibrationError
from fewlabels.questions import Estimate
from fewlabels.reproduction.base import Compared, Curve, Found, Panel, Setup, labelled, mean_row, numbers, random_items
from fewlabels.reproduction.shapes.figure_pools import INSTEAD, FigurePool, data_sets, fewer_runs

LABELS = (50, 100, 200, 500, 1000, 2000)


def ece_errors(setup: Setup) -> Found:
    """100 (mean estimate - truth) / truth of ECE, Bayesian and frequentist, and which is nearer to zero."""
    chosen = data_sets(setup)
    found = [_of_pool(setup, of) for of in chosen]
    panels, rows = [panel for panel, _ in found], [row for _, rows in found for row in rows]
    notes = (
        "The paper averages the estimates, then takes their error: what is shown is the bias. Frequentist: the "
        "usual estimate from the labelled items alone. The third curve weights the bins by the whole pool and "
        "leaves out those without labels.",
        nearer(panels),
        *fewer_runs(setup, chosen),
        INSTEAD,
    )
    return Found(rows, notes, panels)


def _of_pool(setup: Setup, chosen: FigurePool) -> tuple[Panel, list[Compared]]:
    pool, runs = setup.pool(chosen.name), chosen.runs(setup.runs)
    known, budgets = labelled(pool), [n for n in LABELS if n <= len(pool)]
    truth, orders = known.calibration_error(), [random_items(pool, None, seed=run) for run in range(runs)]
    question, methods = Estimate(CalibrationError()), ["iprior", "frequency"]
    result = setup.simulate(pool, question, methods, budgets, ["mean_estimate"], runs=runs)
    values = {
        "Bayesian": result.of("iprior", "mean_estimate"),
        "Frequentist": np.array([[known.some(order[:n]).calibration_error() for n in budgets] for order in orders]),
        "Frequencies, weights of the pool": result.of("frequency", "mean_estimate"),
    }
    errors = {name: 100 * (found - truth) / truth for name, found in values.items()}
    curves = []
    for name, error in errors.items():
        mean, spread = error.mean(axis=0), 2 * error.std(axis=0) / np.sqrt(max(runs - 1, 1))
        curves.append(Curve(name, numbers(budgets), numbers(mean), numbers(mean - spread), numbers(mean + spread)))
    rows = [row for place, n in enumerate(budgets) for row in _rows(f"{chosen.title}, N = {n}", errors, place)]
    return Panel(chosen.title, "labels", "% error of ECE", tuple(curves)), rows


def _rows(what: str, errors: dict[str, Array], place: int) -> list[Compared]:
    """The bias of both, and how much further from zero the first is; signed by their means, run by run."""
    bayesian, frequentist = (errors[name][:, place] for name in ("Bayesian", "Frequentist"))
    nearer = np.sign(bayesian.mean()) * bayesian - np.sign(frequentist.mean()) * frequentist
    return [
        mean_row(f"{what}: Bayesian", None, bayesian),
        mean_row(f"{what}: frequentist", None, frequentist),
        mean_row(f"{what}: |bias|, Bayesian − frequentist", None, nearer),
    ]


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
