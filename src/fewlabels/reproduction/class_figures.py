"""Figures of classwise accuracy, calibration and rank, from all labels."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.ranking import EXACT_GROUPS, beta_rank_distribution
from fewlabels.metrics import CalibrationError, Metric
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reading.cells import CellReading
from fewlabels.reproduction.base import Maker, Reproduction, Row
from fewlabels.reproduction.figure_pools import BY_NAME, FIGURE_POOLS, INSTEAD, FigurePool, about
from fewlabels.reproduction.panels import OTHERS, Curve, Panel, numbers
from fewlabels.reproduction.posteriors import posterior, random_items
from fewlabels.reproduction.setup import Setup

BOTH_ENDS = 10  # classes shown at either end of a ranking
DRAWS = 10_000  # of the papers
LIZARD = 68.0  # per cent, [Ji21] supplement; the workshop paper has 68.25


def _by_class(pool: Pool, metric: str | Metric, prior: str = "flat") -> CellReading:
    question = Estimate(metric, by="predicted_class")
    return posterior(pool, question, random_items(pool, None), "flat" if prior == "flat" else "scores")


def _intervals(reading: CellReading, which: Ints) -> tuple[Array, Array, Array]:
    found = [reading.findings[i] for i in which]
    return np.array([f.value for f in found]), np.array([f.low for f in found]), np.array([f.high for f in found])


@dataclass(frozen=True)
class ScatterFigure:
    """Accuracy and calibration error of each predicted class, posterior means and 95 % intervals."""

    name: str
    title: str
    pools: tuple[FigurePool, ...] = FIGURE_POOLS
    notes: tuple[str, ...] = (INSTEAD,)

    def __call__(self, data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        setup, panels, rows = Setup(data, runs, workers), [], []
        for chosen in self.pools:
            panel, correlation = self._panel(setup.pool(chosen.name), chosen)
            panels.append(panel)
            rows.append(Row(f"{chosen.title}: correlation of accuracy and ECE", None, correlation, float("nan")))
        return Reproduction(self.name, self.title, about(self.pools), 1, tuple(rows), self.notes, tuple(panels))

    def _panel(self, pool: Pool, chosen: FigurePool) -> tuple[Panel, float]:
        accuracy, error = _by_class(pool, "accuracy"), _by_class(pool, CalibrationError(), "scores")
        means = np.array([f.value for f in accuracy.findings])
        order = np.argsort(means, kind="stable")
        parts = {
            f"{chosen.top} least accurate": order[: chosen.top],
            f"{chosen.top} most accurate": order[-chosen.top :],
            OTHERS: order[chosen.top : -chosen.top],
        }
        curves = []
        for name, which in parts.items():
            x, y = _intervals(accuracy, which), _intervals(error, which)
            curves.append(
                Curve(name, numbers(x[0]), numbers(y[0]), numbers(y[1]), numbers(y[2]), numbers(x[1]), numbers(x[2]))
            )
        correlation = float(np.corrcoef(means, [f.value for f in error.findings])[0, 1])
        return Panel(chosen.title, "accuracy", "ECE", tuple(curves), "points"), correlation


@dataclass(frozen=True)
class RankFigure:
    """Ranks of accuracy, and the probabilities of being the most and the least accurate class."""

    name: str
    title: str
    pool: FigurePool
    ranks: bool = True
    printed: float | None = None  # per cent: the least accurate class is so likely that
    rounding: float = 0.5
    notes: tuple[str, ...] = ()

    def __call__(self, data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        pool = Setup(data, runs, workers).pool(self.pool.name)
        reading = _by_class(pool, "accuracy")
        marginals = reading.marginals
        assert marginals is not None  # accuracy by class has them
        names = np.array(reading.assessment.view.groups.labels)
        shares = _rank_shares(marginals.alpha, marginals.beta)  # rank 1 is the least accurate
        panels = [_rank_panel(names, shares)] if self.ranks else []
        panels += [
            _extreme_panel("most accurate", names, shares[:, -1]),
            _extreme_panel("least accurate", names, shares[:, 0]),
        ]
        least = int(shares[:, 0].argmax())
        percent = 100 * float(shares[least, 0])
        error = float(np.sqrt(percent * (100 - percent) / DRAWS))
        row = Row(
            f"% probability that {names[least]} is least accurate", self.printed, percent, error, rounding=self.rounding
        )
        note = f"The paper estimates from {DRAWS:,} draws; the standard error is that of so many. Ours is an integral."
        return Reproduction(self.name, self.title, about((self.pool,)), 1, (row,), (note, *self.notes), tuple(panels))


def _rank_shares(alpha: Array, beta: Array) -> Array:
    if len(alpha) <= EXACT_GROUPS:
        return beta_rank_distribution(alpha, beta)
    order = np.random.default_rng(0).beta(alpha, beta, size=(DRAWS, len(alpha))).argsort(axis=1)
    out = np.zeros((len(alpha), len(alpha)))
    np.add.at(out, (order, np.broadcast_to(np.arange(len(alpha)), order.shape)), 1 / DRAWS)
    return out


def _rank_panel(names: Array, shares: Array) -> Panel:
    """Mean rank (1 the most accurate) and its 95 % interval, of the classes at both ends."""
    count = len(names)
    rank = count - np.arange(count)
    mean = shares @ rank
    order = np.argsort(mean, kind="stable")
    shown = np.concatenate([order[:BOTH_ENDS], order[-BOTH_ENDS:]]) if count > 2 * BOTH_ENDS else order
    upto = np.cumsum(shares[:, ::-1], axis=1)  # from rank 1 on
    low, high = ((upto >= tail).argmax(axis=1) + 1 for tail in (0.025, 0.975))
    curve = Curve("rank", numbers(range(len(shown))), numbers(mean[shown]), numbers(low[shown]), numbers(high[shown]))
    return Panel(
        "rank of accuracy", "", "rank, 1 being the most accurate", (curve,), "points", tuple(map(str, names[shown]))
    )


def _extreme_panel(which: str, names: Array, probability: Array) -> Panel:
    order = np.argsort(-probability, kind="stable")[:BOTH_ENDS]
    curve = Curve(f"P({which})", numbers(range(len(order))), numbers(probability[order]))
    return Panel(f"{which} class", "", "probability", (curve,), "bars", tuple(map(str, names[order])))


@dataclass(frozen=True)
class BiasFigure:
    """Accuracy and calibration bias of the ten most and least accurate classes."""

    name: str
    title: str
    pool: FigurePool
    notes: tuple[str, ...] = ()

    def __call__(self, data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
        pool = Setup(data, runs, workers).pool(self.pool.name)
        accuracy, bias = _by_class(pool, "accuracy"), _by_class(pool, "calibration_bias")
        means = np.array([f.value for f in accuracy.findings])
        order = np.argsort(-means, kind="stable")
        shown = np.concatenate([order[:BOTH_ENDS], order[-BOTH_ENDS:]]) if len(order) > 2 * BOTH_ENDS else order
        names = tuple(accuracy.findings[i].group for i in shown)
        panels = []
        for title, reading in (("accuracy", accuracy), ("calibration bias", bias)):
            value, low, high = _intervals(reading, shown)
            curve = Curve(title, numbers(range(len(shown))), numbers(value), numbers(low), numbers(high))
            panels.append(Panel(title, "", title, (curve,), "points", names))
        return Reproduction(self.name, self.title, about((self.pool,)), 1, (), self.notes, tuple(panels))


CIFAR = BY_NAME["cifar100-paper"]
DIALOGUES = replace(BY_NAME["20news"], called="Dialogues", instead="20 Newsgroups instead")
CLASS_FIGURES: dict[str, Maker] = {
    "aaai-figure-1": ScatterFigure(
        "aaai-figure-1", "[Ji21] Figure 1: accuracy and ECE by predicted class, CIFAR-100", (CIFAR,), ()
    ),
    "aaai-figure-7": ScatterFigure("aaai-figure-7", "[Ji21] Figure 7: accuracy and ECE by predicted class"),
    "aaai-figure-9": RankFigure(
        "aaai-figure-9", "[Ji21] Figure 9: ranks of accuracy, and the extreme classes, CIFAR-100", CIFAR, True, LIZARD
    ),
    "workshop-figure-1": BiasFigure(
        "workshop-figure-1", "[Ji19] Figure 1: accuracy and calibration bias of the extreme classes, CIFAR-100", CIFAR
    ),
    "workshop-figure-2": RankFigure(
        "workshop-figure-2",
        "[Ji19] Figure 2: probabilities of the extreme classes, CIFAR-100",
        CIFAR,
        False,
        68.25,
        0.005,
    ),
    "workshop-figure-5": BiasFigure(
        "workshop-figure-5", "[Ji19] Figure 5: accuracy and calibration bias, SVHN", BY_NAME["cifar10"], (INSTEAD,)
    ),
    "workshop-figure-6": RankFigure(
        "workshop-figure-6",
        "[Ji19] Figure 6: probabilities of the extreme classes, SVHN",
        BY_NAME["cifar10"],
        False,
        notes=(INSTEAD,),
    ),
    "workshop-figure-8": BiasFigure(
        "workshop-figure-8", "[Ji19] Figure 8: accuracy and calibration bias, medical dialogues", DIALOGUES, (INSTEAD,)
    ),
    "workshop-figure-9": RankFigure(
        "workshop-figure-9",
        "[Ji19] Figure 9: probabilities of the extreme classes, medical dialogues",
        DIALOGUES,
        False,
        notes=(INSTEAD,),
    ),
}
