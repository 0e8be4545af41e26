"""Figures of a comparison and of costs."""

from pathlib import Path
from typing import cast

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.beta import BetaBelief
from fewlabels.core.comparison import region_probabilities
from fewlabels.core.groups import ClassMap
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reproduction.base import Reproduction, Row
from fewlabels.reproduction.confusions import confusion_estimate
from fewlabels.reproduction.cost_tables import BY_VARIANT, V1_BY_VARIANT, cost_runs
from fewlabels.reproduction.costs import COSTS
from fewlabels.reproduction.data import SOURCES, load_superclasses
from fewlabels.reproduction.figure_pools import BY_NAME, about
from fewlabels.reproduction.panels import Curve, Panel, mean_curves, numbers
from fewlabels.reproduction.posteriors import posterior, random_items
from fewlabels.reproduction.setup import DIFFERENCE, Setup, difference_rows

ROPE = 0.05
DRAWS = 10_000  # of the paper
FACTOR = 10  # how much dearer the dear mistakes are
LOOK = 250  # labels between two points of a curve
PAIRS = (("people", "trees", 96.0), ("woman", "man", 82.0))
AMOUNTS = (10, 1000, None)
MATRIX_NOTE = (
    "Another model than the papers', and matrices built from the names of classes and superclasses; the order of the "
    "methods can be compared, not the numbers. Non-active methods label random items, as stated."
)


COST_NOTES = (
    "The paper: active assessment with an informative prior finds the classes with far fewer labels than the others.",
    DIFFERENCE,
    MATRIX_NOTE,
)


def figure_8(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Densities of two differences of accuracy, all labels known."""
    setup = Setup(data, runs, workers)
    pool, rows, panels = setup.pool("cifar100-paper"), [], []
    superclasses = ClassMap(load_superclasses("cifar100-paper", data))
    for (a, b, printed), by in zip(PAIRS, (superclasses, "predicted_class"), strict=True):
        reading = posterior(pool, Estimate("accuracy", by=by), random_items(pool, None), "flat")
        belief, view = cast(BetaBelief, reading.belief), reading.view  # of accuracies
        pair = [view.groups.labels.index(a), view.groups.labels.index(b)]
        alpha, beta = view.groups.sums(belief.alpha)[pair], view.groups.sums(belief.beta)[pair]
        percent = 100 * float(region_probabilities(alpha, beta, ROPE)[0])
        error = float(np.sqrt(percent * (100 - percent) / DRAWS))
        rows.append(
            Row(
                f"% probability that {a} is less accurate than {b} by 5 % or more",
                printed,
                percent,
                error,
                rounding=0.5,
            )
        )
        draws = np.random.default_rng(0).beta(alpha, beta, size=(200_000, 2))
        height, edges = np.histogram(draws[:, 0] - draws[:, 1], bins=80, density=True)
        curve = Curve("posterior", numbers((edges[1:] + edges[:-1]) / 2), numbers(height))
        panels.append(
            Panel(f"{a} − {b}", "difference of accuracy", "density", (curve,), marks=(("rope", -ROPE), ("rope", ROPE)))
        )
    title = "[Ji21] Figure 8: differences of accuracy, CIFAR-100"
    notes = (f"The paper estimates from {DRAWS:,} draws; the standard error is that of so many. Ours is an integral.",)
    return Reproduction(
        "aaai-figure-8", title, about((BY_NAME["cifar100-paper"],)), 1, tuple(rows), notes, tuple(panels)
    )


def figure_14(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """The two cost matrices."""
    title, note = "[Ji21] Figure 14: cost matrices", "Built from the names of classes and superclasses."
    return Reproduction(
        "aaai-figure-14",
        title,
        SOURCES["cifar100-wrn"].about,
        1,
        (),
        (note,),
        _matrices(Setup(data, runs, workers)),
    )


def _matrices(setup: Setup) -> tuple[Panel, ...]:
    """Classes in the order of their superclasses, so that these show as blocks."""
    superclass = load_superclasses("cifar100-wrn", setup.data)
    classes = tuple(sorted(superclass, key=lambda name: (superclass[name], name)))
    return tuple(
        _image(f"{kind}, factor {FACTOR}", costs(classes, superclass, FACTOR)) for kind, costs in COSTS.items()
    )


def _image(title: str, table: Array) -> Panel:
    return Panel(title, "predicted class", "true class", (), "image", image=tuple(numbers(row) for row in table))


def figure_3(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """MRR of the classes of highest cost against the labels."""
    setup, panels, rows = Setup(data, runs, workers), [], list[Row]()
    methods = {name: BY_VARIANT["as stated"][name] for name in ("IPrior+TS", "IPrior", "UPrior")}
    names = {name: method.label for name, method in methods.items()}
    for top in (1, 10):
        for kind in COSTS:
            result = cost_runs(setup, kind, FACTOR, top, list(methods.values()), step=LOOK)
            panels.append(Panel(f"{kind}, top {top}", "labels", "MRR", mean_curves(result, "mrr", names)))
            rows += difference_rows(panels[-1].title, result, "mrr", names)
    title = "[Ji21] Figure 3: finding the classes of highest cost, CIFAR-100"
    return Reproduction(
        "aaai-figure-3", title, SOURCES["cifar100-wrn"].about, runs, tuple(rows), COST_NOTES, tuple(panels)
    )


def v1_figure_6(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Matrices of cost, success in finding the class of highest cost, and estimates of the confusion matrix."""
    setup, stated, rows = Setup(data, runs, workers), V1_BY_VARIANT["as stated"], list[Row]()
    methods = {name: stated[name] for name in ("Informative prior", "Uninformative prior", "Non-active")}
    names = {name: method.label for name, method in methods.items()}
    panels = list(_matrices(setup))
    for kind in COSTS:
        result = cost_runs(setup, kind, FACTOR, 1, list(methods.values()), ("success",), LOOK)
        panels.append(Panel(f"success, {kind}", "labels", "share of runs", mean_curves(result, "success", names)))
        rows += difference_rows(panels[-1].title, result, "success", names)
    panels += _confusions(setup.pool("cifar100-wrn"))
    title = "[Ji20] v1 Figure 6: cost matrices, success, estimated confusion"
    note = "Panel (c) is estimated from random items here, so that both priors have the same labels."
    return Reproduction(
        "v1-figure-6", title, SOURCES["cifar100-wrn"].about, runs, tuple(rows), (*COST_NOTES, note), tuple(panels)
    )


def _confusions(pool: Pool) -> list[Panel]:
    """Posterior means of the confusion probabilities, flat and informed, from more and more labels."""
    out = []
    for prior in ("uninformative", "informative"):
        for labels in AMOUNTS:
            table = confusion_estimate(pool, random_items(pool, labels), informed=prior == "informative")
            amount = "all" if labels is None else f"{labels:,}"
            out.append(_image(f"{prior} prior, {amount} labels", table.T))
    return out
