"""Reliability diagrams from some and from all labels, the posterior of calibration error, its percentage error."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fewlabels.core.groups import ScoreBins
from fewlabels.core.priors import Prior
from fewlabels.metrics import CalibrationError, Reliability
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reading.cells import CellReading
from fewlabels.reproduction.base import Maker, Reproduction, Row
from fewlabels.reproduction.figure_pools import BY_NAME, FIGURE_POOLS, INSTEAD, FigurePool, about
from fewlabels.reproduction.outcomes import outcomes_of
from fewlabels.reproduction.panels import Curve, Panel, numbers
from fewlabels.reproduction.posteriors import posterior, random_items
from fewlabels.reproduction.setup import Setup

AMOUNTS = (100, 1000, None)  # labels; None for all
BARS = 40  # of the histogram of a posterior
ECE_LABELS = (50, 100, 200, 500, 1000, 2000)
TRUE_ECE = 9.869599923480106  # per cent, CIFAR-100, published beside the papers
EDGE = "edge"  # v1 Figure 9's prior: Beta(j/10, 1 - j/10)

EDGE_NOTE = (
    "The prior Beta(j/10, 1 - j/10) of the text is centred on the upper edges of the bins, not on the diagonal, and "
    "for j = 10 it is Beta(1, 0), which is improper: its mean is taken as 1 - 1e-6 here."
)


def _reliability(pool: Pool, labels: int | None, prior: str, strength: float | None) -> CellReading:
    question, items = Estimate(Reliability()), random_items(pool, labels)
    if prior != EDGE:
        return posterior(pool, question, items, "scores" if prior == "scores" else "diagonal", strength)
    return posterior(pool, Estimate("accuracy", by=ScoreBins()), items, _edge_prior(pool), None)


def _edge_prior(pool: Pool) -> Prior:
    """Mean j/10 for bin j, of strength 1; a pool without scores in a bin has no such group."""
    reading = posterior(pool, Estimate("accuracy", by=ScoreBins()), random_items(pool, 0))
    cells = reading.view.cells
    return Prior({reading.view.groups.labels[g]: (cells.coordinates[g, 0] + 1) / 10 for g in range(cells.count)}, 1.0)


def _diagram(title: str, reading: CellReading) -> Panel:
    found, score = reading.findings, reading.view.units.mean_score
    curve = Curve(
        "accuracy, 95 % interval",
        numbers(score),
        numbers(f.value for f in found),
        numbers(f.low for f in found),
        numbers(f.high for f in found),
    )
    return Panel(title, "score", "accuracy", (curve,), "points", diagonal=True)


def _amount(labels: int | None) -> str:
    return "all labels" if labels is None else f"{labels:,} labels"


@dataclass(frozen=True)
class ReliabilityFigure:
    """Accuracy by score bin, posterior means and 95 % intervals, from 100, 1,000 and all labels."""

    name: str
    title: str
    prior: str = "scores"
    strengths: tuple[float | None, ...] = (None,)
    notes: tuple[str, ...] = (INSTEAD,)

    def __call__(self, data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        setup, panels = Setup(data, runs, workers), []
        for chosen in FIGURE_POOLS:
            pool = setup.pool(chosen.name)
            for strength in self.strengths:
                for labels in AMOUNTS:
                    of = "" if strength is None else f", strength {strength:g}"
                    reading = _reliability(pool, labels, self.prior, strength)
                    panels.append(_diagram(f"{chosen.title}, {_amount(labels)}{of}", reading))
        return Reproduction(self.name, self.title, about(FIGURE_POOLS), 1, (), self.notes, tuple(panels))


@dataclass(frozen=True)
class EcePosteriorFigure:
    """CIFAR-100: reliability diagrams, and below them the posterior density of ECE."""

    name: str
    title: str
    prior: str = "scores"

    def __call__(self, data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        pool = Setup(data, runs, workers).pool("cifar100-paper")
        outcomes = outcomes_of(pool)
        truth = outcomes.calibration_error()
        panels = [_diagram(_amount(n), _reliability(pool, n, self.prior, None)) for n in AMOUNTS]
        rows = [Row("% ECE from all labels, ten bins of equal width", TRUE_ECE, 100 * truth, 0.0, rounding=0.0005)]
        for labels in AMOUNTS:
            items = random_items(pool, labels)
            reading = posterior(
                pool, Estimate(CalibrationError()), items, "scores" if self.prior == "scores" else "diagonal"
            )
            plain = outcomes.some(items).calibration_error()
            panels.append(_density(f"posterior of ECE, {_amount(labels)}", reading, truth, plain))
            draws = 100 * reading.row_draws[:, 0]
            low, high = np.quantile(draws, [0.005, 0.995])
            rows.append(
                Row(
                    f"% ECE, posterior mean, {_amount(labels)}",
                    None,
                    float(draws.mean()),
                    float("nan"),
                    low=float(low),
                    high=float(high),
                )
            )
            rows.append(Row(f"% ECE, plain frequencies, {_amount(labels)}", None, 100 * plain, float("nan")))
        notes = (
            "One random sample, as in the paper: its numbers are one draw, and only the truth can be compared. That "
            "frequencies overestimate ECE from 100 labels holds on average (Figure 6), not in every sample.",
        )
        return Reproduction(
            self.name, self.title, about((BY_NAME["cifar100-paper"],)), 1, tuple(rows), notes, tuple(panels)
        )


def _density(title: str, reading: CellReading, truth: float, plain: float) -> Panel:
    height, edges = np.histogram(reading.row_draws[:, 0], bins=BARS, density=True)
    curve = Curve("posterior", numbers((edges[1:] + edges[:-1]) / 2), numbers(height))
    return Panel(
        title, "ECE", "density", (curve,), marks=(("truth", round(truth, 5)), ("frequencies", round(plain, 5)))
    )


@dataclass(frozen=True)
class EceErrorFigure:
    """100 (mean estimate - truth) / truth of ECE against the labels, Bayesian and frequentist."""

    name: str
    title: str

    def __call__(self, data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        setup = Setup(data, runs, workers)
        panels = [self._panel(setup, chosen) for chosen in FIGURE_POOLS]
        rows = [row for panel in panels for row in _low_budget_rows(panel)]
        notes = (
            "The paper averages the estimates, then takes their error: what is shown is the bias. Frequentist: the "
            "usual estimate from the labelled items alone. The third curve weights the bins by the whole pool and "
            "leaves out those without labels.",
            nearer(panels),
            INSTEAD,
        )
        return Reproduction(self.name, self.title, about(FIGURE_POOLS), runs, tuple(rows), notes, tuple(panels))

    def _panel(self, setup: Setup, chosen: FigurePool) -> Panel:
        pool = setup.pool(chosen.name)
        outcomes, budgets = outcomes_of(pool), [n for n in ECE_LABELS if n <= len(pool)]
        truth = outcomes.calibration_error()
        plain = np.empty((setup.runs, len(budgets)))
        for run in range(setup.runs):
            order = random_items(pool, None, seed=run)
            plain[run] = [outcomes.some(order[:n]).calibration_error() for n in budgets]
        result = setup.simulate(pool, Estimate(CalibrationError()), ["iprior", "frequency"], budgets, ["mean_estimate"])
        values = {
            "Bayesian": result.of("iprior", "mean_estimate"),
            "Frequentist": plain,
            "Frequencies, weights of the pool": result.of("frequency", "mean_estimate"),
        }
        curves = []
        for name, found in values.items():
            error = 100 * (found - truth) / truth
            spread = 2 * error.std(axis=0) / np.sqrt(max(setup.runs - 1, 1))
            mean = error.mean(axis=0)
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


def _low_budget_rows(panel: Panel) -> list[Row]:
    """The first point of each curve, where the paper sees the greatest difference."""
    return [
        Row(f"{panel.title}: {curve.name}, N = {curve.x[0]:.0f}", None, curve.y[0], (curve.high[0] - curve.y[0]) / 2)
        for curve in panel.curves
        if curve.high is not None
    ]


RELIABILITY_FIGURES: dict[str, Maker] = {
    "aaai-figure-4": ReliabilityFigure("aaai-figure-4", "[Ji21] Figure 4: Bayesian reliability diagrams"),
    "aaai-figure-5": EcePosteriorFigure(
        "aaai-figure-5", "[Ji21] Figure 5: reliability and posterior of ECE, CIFAR-100"
    ),
    "aaai-figure-6": EceErrorFigure("aaai-figure-6", "[Ji21] Figure 6: percentage error of ECE"),
    "aaai-figure-17": ReliabilityFigure(
        "aaai-figure-17",
        "[Ji21] Figure 17: reliability diagrams under priors of strength 10 and 100",
        strengths=(10.0, 100.0),
    ),
    "v1-figure-2": EcePosteriorFigure(
        "v1-figure-2",
        "[Ji20] v1 Figure 2: reliability and posterior of ECE, CIFAR-100, prior on the diagonal",
        "diagonal",
    ),
    "v1-figure-9": ReliabilityFigure(
        "v1-figure-9",
        "[Ji20] v1 Figure 9: Bayesian reliability diagrams, prior Beta(j/10, 1 - j/10)",
        EDGE,
        notes=(EDGE_NOTE, INSTEAD),
    ),
}
