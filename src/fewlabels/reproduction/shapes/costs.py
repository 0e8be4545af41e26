"""The classes of highest expected cost: the papers' CIFAR-100 experiments, with their cost matrices and methods."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.metrics import Cost
from fewlabels.pool import Pool
from fewlabels.questions import Identify
from fewlabels.reproduction.base import (
    DIFFERENCE,
    Compared,
    Found,
    Panel,
    Setup,
    Variant,
    compared_curves,
    crossing_row,
    image_panel,
    labelled,
    load_superclasses,
    steps,
)
from fewlabels.simulation import Method, SimulationResult

KINDS = ("Human", "Superclass")  # of cost matrices
OWN_KINDS = ("equal", "rare")  # of a pool without superclasses
PEOPLE = "people"  # the superclass of baby, boy, girl, man, woman
FACTOR = 10  # how much dearer the dear mistakes of a figure are
STEP = 50  # labels between two looks of a table
LOOK = 250  # labels between two points of a curve
FIFTY = 50.0  # the papers print hundreds

UPRIOR = Method("uniform", "beta", "flat", name="flat, random item")
IPRIOR = Method("uniform", "beta", "scores", name="scores, random item")
UPRIOR_CLASS = Method("uniform_groups", "beta", "flat", name="flat, random class")
IPRIOR_CLASS = Method("uniform_groups", "beta", "scores", name="scores, random class")
NO_PRIOR_CLASS = Method("uniform_groups", "beta", "flat", 0.1, name="none, random class")  # 0.001 in each of 100 cells
UPRIOR_TS = Method("thompson", "beta", "flat", name="flat, Thompson")
IPRIOR_TS = Method("thompson", "beta", "scores", name="scores, Thompson")
Methods = dict[str, Method]
CostCase = tuple[str, int, int]  # kind of matrix, factor, and how many classes are looked for

TABLE_NOTES = (
    "Identified: the first point at which the mean reciprocal rank, averaged over the runs, exceeds the threshold; "
    "with a 99 % bootstrap interval. As printed: the non-active methods label an item of a random class, as the "
    "published code does. As stated: a random item. Dirichlet priors of strength 1.",
    "On another model than the papers', whose full probabilities are not to be had, and with matrices built from the "
    "names of classes and superclasses, theirs not being published: numbers need not agree. What can be compared is "
    "the order of the methods.",
)
FIGURE_NOTES = (
    "The paper: active assessment with an informative prior finds the classes with far fewer labels than the others.",
    DIFFERENCE,
    "Another model than the papers', and matrices built from the names of classes and superclasses; the order of the "
    "methods can be compared, not the numbers. Non-active methods label random items, as stated.",
)


def cost_matrix(kind: str, classes: tuple[str, ...], superclass: dict[str, str], factor: float) -> Array:
    """c[true, predicted]: a mistake costs 1, and `factor` where the true class is a person ("Human") or where it leads
    to another superclass ("Superclass")."""
    group = np.array([superclass[name] for name in classes])
    dear = (group == PEOPLE)[:, None] if kind == "Human" else group[:, None] != group
    return np.where(np.eye(len(classes), dtype=np.bool_), 0.0, np.where(dear, factor, 1.0))


def own_cost_matrix(kind: str, pool: Pool, factor: float) -> Array:
    """The same for a pool without superclasses: every mistake costs 1 ("equal"), or `factor` where the true class is in
    the tenth of the classes that are predicted least often ("rare")."""
    often = np.bincount(labelled(pool).predicted, minlength=len(pool.classes))
    rare = np.isin(np.arange(len(often)), np.argsort(often, kind="stable")[: max(len(often) // 10, 1)])
    dear = rare[:, None] & (kind == OWN_KINDS[1])
    return np.where(np.eye(len(often), dtype=np.bool_), 0.0, np.where(dear, factor, 1.0))


def cost_runs(setup: Setup, case: CostCase, methods: Iterable[Method], measure: str, step: int) -> SimulationResult:
    """Runs that look for the classes of highest cost, to the last item."""
    kind, factor, top = case
    if setup.own is not None:
        pool, matrix = setup.own, own_cost_matrix(kind, setup.own, factor)
    else:
        pool = setup.pool("cifar100-wrn")
        matrix = cost_matrix(kind, pool.classes, load_superclasses("cifar100-wrn", setup.data), factor)
    question = Identify(Cost(matrix, pool.classes), by="predicted_class", top=top)
    return setup.simulate(pool, question, methods, steps(step, len(pool)), [measure])


def cost_table(
    setup: Setup,
    printed: Mapping[CostCase, tuple[float, ...]],  # thousands of labels, by method
    words: str,  # for a case, to be filled in
    variants: Mapping[Variant, Methods],
    threshold: float,
    note: str,
) -> Found:
    """Labels until the mean reciprocal rank exceeds the threshold, by case, variant and method."""
    methods = {method.label: method for named in variants.values() for method in named.values()}
    rows = list[Compared]()
    for case, numbers in printed.items():
        result = cost_runs(setup, case, methods.values(), "mrr", STEP)
        rows += [
            crossing_row(
                f"{words.format(*case)}: {name}",
                1000 * paper,
                result.of(method.label, "mrr"),
                np.array(result.budgets, dtype=np.float64),
                threshold,
                variant,
                of_highest=False,
                rounding=FIFTY,
                other_pool=True,
            )
            for variant, named in variants.items()
            for (name, method), paper in zip(named.items(), numbers, strict=True)
        ]
    return Found(rows, (*TABLE_NOTES, note))


def cost_curves(setup: Setup, methods: Methods, top: int, measure: str, title: str) -> Found:
    """How soon each method finds the classes of highest cost, a panel a kind of matrix; and the curves' differences."""
    named = [replace(method, name=name) for name, method in methods.items()]
    kinds = KINDS if setup.own is None else OWN_KINDS
    runs = {title.format(kind=kind): cost_runs(setup, (kind, FACTOR, top), named, measure, LOOK) for kind in kinds}
    return compared_curves(runs, measure)


def matrix_panels(setup: Setup) -> list[Panel]:
    """The two matrices, classes in the order of their superclasses, so that these show as blocks."""
    superclass = load_superclasses("cifar100-wrn", setup.data)
    classes = tuple(sorted(superclass, key=lambda name: (superclass[name], name)))
    return [image_panel(f"{kind}, factor {FACTOR}", cost_matrix(kind, classes, superclass, FACTOR)) for kind in KINDS]
