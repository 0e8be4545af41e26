"""Tables 10 and 11 of [Ji21] and Table 2 of [Ji20] v1: labels to find the classes of highest expected cost."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from fewlabels.metrics import Cost
from fewlabels.questions import Identify
from fewlabels.reproduction.base import Reproduction, Row, Variant
from fewlabels.reproduction.costs import COSTS
from fewlabels.reproduction.data import SOURCES, load_superclasses
from fewlabels.reproduction.setup import Setup, crossing_row, steps
from fewlabels.simulation import Method, SimulationResult

STEP = 50  # labels between two looks
FIFTY = 50.0  # the papers print hundreds
TOPS = (1, 10)
# Labels in thousands: {factor: {top: (UPrior, IPrior, IPrior+TS)}}
TABLE_10 = {
    1: {1: (9.6, 9.4, 5.0), 10: (10.0, 10.0, 9.4)},
    2: {1: (9.3, 9.3, 4.4), 10: (9.8, 10.0, 8.4)},
    5: {1: (9.5, 9.7, 4.5), 10: (9.6, 10.0, 7.9)},
    10: {1: (9.3, 9.1, 2.2), 10: (9.6, 9.7, 7.4)},
}
TABLE_11 = {
    1: {1: (9.9, 10.0, 2.2), 10: (9.8, 9.9, 5.9)},
    2: {1: (10.0, 10.0, 2.2), 10: (9.9, 9.9, 5.2)},
    5: {1: (9.9, 10.0, 1.8), 10: (9.9, 9.9, 5.3)},
    10: {1: (10.0, 9.8, 1.4), 10: (9.9, 9.9, 4.0)},
}
# {factor: (non-active, uninformative prior, informative prior)}, the last two with Thompson sampling
V1_TABLE_2 = {
    "Human": {2: (7.7, 2.0, 1.6), 5: (8.9, 3.1, 2.1), 10: (8.6, 5.5, 3.4), 20: (7.1, 5.2, 2.5)},
    "Superclass": {2: (9.2, 2.3, 1.7), 5: (9.9, 2.4, 2.3), 10: (9.7, 2.1, 1.8), 20: (9.6, 2.5, 2.2)},
}

UPRIOR = Method("uniform", "beta", "flat", name="flat, random item")
IPRIOR = Method("uniform", "beta", "scores", name="scores, random item")
UPRIOR_CLASS = Method("uniform_groups", "beta", "flat", name="flat, random class")
IPRIOR_CLASS = Method("uniform_groups", "beta", "scores", name="scores, random class")
NO_PRIOR_CLASS = Method("uniform_groups", "beta", "flat", 0.1, name="none, random class")  # 0.001 in each of 100 cells
UPRIOR_TS = Method("thompson", "beta", "flat", name="flat, Thompson")
IPRIOR_TS = Method("thompson", "beta", "scores", name="scores, Thompson")
Methods = dict[str, Method]
BY_VARIANT: dict[Variant, Methods] = {
    "as printed": {"UPrior": UPRIOR_CLASS, "IPrior": IPRIOR_CLASS, "IPrior+TS": IPRIOR_TS},
    "as stated": {"UPrior": UPRIOR, "IPrior": IPRIOR, "IPrior+TS": IPRIOR_TS},
}
V1_BY_VARIANT: dict[Variant, Methods] = {
    "as printed": {"Non-active": NO_PRIOR_CLASS, "Uninformative prior": UPRIOR_TS, "Informative prior": IPRIOR_TS},
    "as stated": {"Non-active": UPRIOR, "Uninformative prior": UPRIOR_TS, "Informative prior": IPRIOR_TS},
}

NOTES = (
    "Identified: the first point at which the mean reciprocal rank, averaged over the runs, exceeds the threshold; "
    "with a 99 % bootstrap interval. As printed: the non-active methods label an item of a random class, as the "
    "published code does. As stated: a random item. Dirichlet priors of strength 1.",
    "On another model than the papers', whose full probabilities are not to be had, and with matrices built from the "
    "names of classes and superclasses, theirs not being published: numbers need not agree. What can be compared is "
    "the order of the methods.",
)
ALIKE = (
    "With factor 1 both matrices are the same: every mistake costs 1. The first rows of Tables 10 and 11 are then one "
    "experiment, and equal but for the noise of 100 runs; printed are 9.6, 9.4, 5.0 and 9.9, 10.0, 2.2 thousand. The "
    "intervals beside ours tell how much of that noise can explain."
)
NO_PRIOR = (
    "As printed, the non-active method is taken to be the one without a prior in the published code, which has "
    "0.001 in each cell of the matrix."
)


def table_10(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Labels to find the classes of highest cost where mistaking a person is dear."""
    return _table("aaai-table-10", "Table 10", "Human", TABLE_10, Setup(data, runs, workers))


def table_11(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """Labels to find the classes of highest cost where leaving the superclass is dear."""
    return _table("aaai-table-11", "Table 11", "Superclass", TABLE_11, Setup(data, runs, workers))


def _table(
    name: str, number: str, kind: str, printed: Mapping[int, Mapping[int, tuple[float, ...]]], setup: Setup
) -> Reproduction:
    rows = []
    for factor, by_top in printed.items():
        for top in TOPS:
            result = cost_runs(setup, kind, factor, top, [UPRIOR_CLASS, IPRIOR_CLASS, UPRIOR, IPRIOR, IPRIOR_TS])
            what = f"factor {factor}, top {top}"
            rows += _crossings(what, result, BY_VARIANT, by_top[top], 0.99)
    title = f"[Ji21] {number}: labels to find the classes of highest cost, '{kind}', MRR > 0.99"
    about = SOURCES["cifar100-wrn"].about
    return Reproduction(name, title, about, setup.runs, tuple(rows), (*NOTES, ALIKE))


def v1_table_2(data: str | Path | None, runs: int, workers: int | None) -> Reproduction:
    """The first version's table: factors 2 to 20, and a threshold of 0.95."""
    setup, rows = Setup(data, runs, workers), list[Row]()
    for kind, by_factor in V1_TABLE_2.items():
        for factor, printed in by_factor.items():
            result = cost_runs(setup, kind, factor, 1, [NO_PRIOR_CLASS, UPRIOR, UPRIOR_TS, IPRIOR_TS])
            rows += _crossings(f"{kind}, factor {factor}", result, V1_BY_VARIANT, printed, 0.95)
    title = "[Ji20] v1 Table 2: labels to find the class of highest cost, MRR > 0.95"
    return Reproduction("v1-table-2", title, SOURCES["cifar100-wrn"].about, runs, tuple(rows), (*NOTES, NO_PRIOR))


def cost_runs(
    setup: Setup,
    kind: str,
    factor: float,
    top: int,
    methods: list[Method],
    measures: tuple[str, ...] = ("mrr",),
    step: int | None = None,
) -> SimulationResult:
    """Runs that look for the classes of highest cost, to the last item."""
    pool = setup.pool("cifar100-wrn")
    matrix = COSTS[kind](pool.classes, load_superclasses("cifar100-wrn", setup.data), factor)
    question = Identify(Cost(matrix, pool.classes), by="predicted_class", top=top)
    return setup.simulate(pool, question, methods, steps(step or STEP, len(pool)), measures)


def _crossings(
    what: str, result: SimulationResult, variants: dict[Variant, Methods], printed: tuple[float, ...], threshold: float
) -> list[Row]:
    budgets = np.array(result.budgets, dtype=np.float64)
    return [
        crossing_row(
            f"{what}: {name}",
            1000 * paper,
            result.of(method.label, "mrr"),
            budgets,
            threshold,
            variant,
            of_highest=False,
            rounding=FIFTY,
            other_pool=True,
        )
        for variant, methods in variants.items()
        for (name, method), paper in zip(methods.items(), printed, strict=True)
    ]
