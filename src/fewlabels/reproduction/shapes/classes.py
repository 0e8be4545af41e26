"""Figures of classwise accuracy, calibration and rank, from all labels."""

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.ranking import beta_rank_distribution
from fewlabels.metrics import CalibrationError
from fewlabels.reproduction.base import (
    DRAWN,
    OTHERS,
    Compared,
    Curve,
    Found,
    Panel,
    Setup,
    by_class,
    numbers,
    probability_row,
    with_intervals,
)
from fewlabels.reproduction.shapes.figure_pools import FIGURE_POOLS, INSTEAD, FigurePool, data_sets

BOTH_ENDS = 10  # classes shown at either end of a ranking


def scatter(setup: Setup, pools: tuple[FigurePool, ...] = FIGURE_POOLS, notes: tuple[str, ...] = (INSTEAD,)) -> Found:
    """Accuracy and calibration error of each predicted class, posterior means and 95 % intervals."""
    rows, panels = [], []
    for chosen in data_sets(setup, pools):
        pool, top = setup.pool(chosen.name), chosen.top
        accuracy, error = by_class(pool, "accuracy").findings, by_class(pool, CalibrationError(), "scores").findings
        means = [f.value for f in accuracy]
        order = np.argsort(means, kind="stable")
        parts = {f"{top} least accurate": order[:top], f"{top} most accurate": order[-top:], OTHERS: order[top:-top]}
        curves = []
        for name, which in parts.items():
            x, x_low, x_high = with_intervals(accuracy[i] for i in which)
            curves.append(Curve(name, x, *with_intervals(error[i] for i in which), x_low, x_high))
        panels.append(Panel(chosen.title, "accuracy", "ECE", tuple(curves), "points"))
        rows += _association(chosen.title, np.array(means), np.array([f.value for f in error]))
    return Found(rows, notes, panels)


def _association(title: str, accuracy: Array, error: Array) -> list[Compared]:
    """The correlation over classes, with Fisher's 95 % interval, and how much accuracy differs between them."""
    known = ~(np.isnan(accuracy) | np.isnan(error))
    r, n = float(np.corrcoef(accuracy[known], error[known])[0, 1]), int(known.sum())
    low, high = (float(np.tanh(np.arctanh(r) + side * 1.96 / np.sqrt(max(n - 3, 1)))) for side in (-1, 1))
    spread = float(accuracy[known].std(ddof=1))
    return [
        Compared(
            f"{title}: correlation of accuracy and ECE", None, r, float("nan"), low=low, high=high, rounding=0.005
        ),
        Compared(f"{title}: spread of accuracy", None, spread, spread / np.sqrt(2 * max(n - 1, 1)), rounding=0.0005),
    ]


def biases(setup: Setup, pool: FigurePool, notes: tuple[str, ...] = ()) -> Found:
    """Accuracy and calibration bias of the ten most and least accurate classes."""
    chosen = setup.pool(pool.name)
    found = {metric: by_class(chosen, metric).findings for metric in ("accuracy", "calibration_bias")}
    shown = _both_ends(np.argsort([-f.value for f in found["accuracy"]], kind="stable"))
    panels = []
    for metric, findings in found.items():
        title, which = metric.replace("_", " "), [findings[i] for i in shown]
        curve = Curve(title, numbers(range(len(shown))), *with_intervals(which))
        panels.append(Panel(title, "", title, (curve,), "points", tuple(f.group for f in which)))
    bias, unknown = found["calibration_bias"], float("nan")
    rows = [
        Compared("least calibration bias of a class, %", None, 100 * min(f.value for f in bias), unknown),
        Compared(
            "classes whose 95 % interval of bias holds zero", None, sum(f.low <= 0 <= f.high for f in bias), unknown
        ),
    ]
    return Found(rows, notes, panels)


def ranks(
    setup: Setup,
    pool: FigurePool,
    printed: float | None = None,  # per cent: the least accurate class is so likely that
    rounding: float = 0.5,
    notes: tuple[str, ...] = (),
    *,
    intervals: bool = False,
) -> Found:
    """The probabilities of being the most and the least accurate class, and before them intervals of ranks."""
    reading = by_class(setup.pool(pool.name), "accuracy")
    marginals, names = reading.marginals, np.array(reading.assessment.view.groups.labels)
    assert marginals is not None  # accuracy by class has them
    shares = beta_rank_distribution(marginals.alpha, marginals.beta)  # rank 1 is the least accurate
    panels = [
        *([_rank_panel(names, shares)] if intervals else []),
        _extreme_panel("most accurate", names, shares[:, -1]),
        _extreme_panel("least accurate", names, shares[:, 0]),
    ]
    least, most = int(shares[:, 0].argmax()), int(shares[:, -1].argmax())
    rows = [
        probability_row(f"% probability that {names[least]} is least accurate", printed, shares[least, 0], rounding),
        probability_row(f"% probability that {names[most]} is most accurate", None, shares[most, -1]),
    ]
    return Found(rows, (DRAWN, *notes), panels)


def _rank_panel(names: Array, shares: Array) -> Panel:
    """Mean rank (1 the most accurate) and its 95 % interval, of the classes at both ends."""
    mean = shares @ np.arange(len(names), 0, -1)
    shown = _both_ends(np.argsort(mean, kind="stable"))
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


def _both_ends(order: Ints) -> Ints:
    """The first and the last of an order, all where they are few."""
    return np.concatenate([order[:BOTH_ENDS], order[-BOTH_ENDS:]]) if len(order) > 2 * BOTH_ENDS else order
