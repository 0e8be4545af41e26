"""Do 95 % intervals hold the truth 95 times in 100?

Truths are drawn from the prior, labels chosen adaptively by Thompson sampling: a credible interval then covers at its
level on average, whatever the choice rule. As many replications as tell: a true coverage of 95 % is refused as too low
once in 2,400, and as too high as often; one of 92 % is accepted once in 100, as is one of 97.5 %. Population intervals
are tested on both sides, pool intervals, whose ends are attained shares, on the lower side. So are those shown by
default, which are wider and take longer: of them 92 % is accepted once in 20. Each check has negative controls that
must fail: intervals of another level, passed off as 95 % ones.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import count
from typing import cast

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import draws_interval
from fewlabels.engines import Chunk, gathered
from fewlabels.reading import cells as reading_of_beliefs
from fewlabels.reading.cells import CellReading
from fewlabels.settings import StudySettings
from fewlabels.simulation.compiled import Runner, fast, runner_for
from fewlabels.simulation.oracle import Known
from sequential import Often

DRAWS = 2_000  # of each posterior, a fifth of the usual: 50 beyond either end of an interval still tell where it ends


@pytest.fixture(scope="module", autouse=True)
def _fewer_draws() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch, fast():
        patch.setattr(reading_of_beliefs, "DRAWS", DRAWS)
        yield


def covers(finding: fl.Finding, truth: float) -> bool:
    return finding.low - 1e-12 <= truth <= finding.high + 1e-12


_made: dict[int, tuple[Assessment, Chunk, Runner]] = {}  # by pool, whose question is always the same


def run(pool: fl.Pool, labels: np.ndarray, question: object, budget: int, seed: int) -> tuple[Assessment, Evidence]:
    """A study by Thompson sampling, a label at a time, as simulations run it; labels (indices of classes) as given."""
    if id(pool) not in _made:
        settings = StudySettings(question, strategy="thompson", prior="scores", target="population").resolved()
        assessment = assess(settings, question, pool, pool.model_named(None))
        rows = gathered(pool.engine.scan(pool.model_named(None), assessment.cells.axes))
        by_counts = replace(assessment, settings=replace(assessment.settings, estimator="beta"))  # chooses alike
        _made[id(pool)] = assessment, rows, runner_for(by_counts)
    assessment, rows, runner = _made[id(pool)]
    known = Known(assessment.cells, rows.cell, rows.predicted, labels.astype(np.int64), rows.hashes)
    (counts,) = runner(known.deal(seed), np.array([budget]), seed).counts
    return replace(assessment, settings=replace(assessment.settings, seed=seed)), evidence_of(assessment, rows, counts)


def evidence_of(assessment: Assessment, rows: Chunk, counts: np.ndarray) -> Evidence:
    """Labels of which these are the counts, by cell and what they say; every cell is of one predicted class."""
    predicted = np.zeros(assessment.cells.count, dtype=np.int64)
    predicted[rows.cell] = rows.predicted
    cell, said = (np.repeat(i.ravel(), counts.astype(np.int64).ravel()) for i in np.indices(counts.shape))
    wrong = (predicted[cell] + 1) % len(assessment.true_classes)
    label = np.where(said == 0, predicted[cell], wrong) if assessment.outcome.rates else said
    return Evidence(range(len(cell)), cell, predicted[cell], label, np.full(len(cell), np.nan))


def read(
    assessment: Assessment, evidence: Evidence, target: str, level: float = 0.95, estimator: str = "beta"
) -> CellReading:
    settings = replace(assessment.settings, target=target, estimator=estimator)
    return CellReading(replace(assessment, settings=settings), evidence, level, "equal-tailed")


TARGETS = ("population", "pool")
WIDE = {"good": 0.95, "bad": 0.92, "refused": 1 / 2400, "accepted": 0.01}  # of intervals that hold
NARROW = {"good": 0.05, "bad": 0.025, "refused": 1 / 2400, "accepted": 0.01}  # of those that do not
# What is looked at, what it is to be, and whether it is; the last two are negative controls.
CHECKS = [
    ("population", WIDE, True),
    ("population", NARROW, True),
    ("pool", WIDE, True),
    ("default", {**WIDE, "accepted": 0.05}, True),
    ("population at 91 %", WIDE, False),
    ("population at 98 %", NARROW, False),
]
Looks = dict[str, Callable[[], list[bool]]]  # of one replication: whether intervals hold, worked out when asked for


def judge(replication: Callable[[int], Looks]) -> None:
    """Replications are made until every check is decided."""
    tests = [Often(**shares) for _, shares, _ in CHECKS]
    for number in count():
        waiting = [(check, test) for check, test in zip(CHECKS, tests, strict=True) if test.verdict is None]
        if not waiting:
            break
        looks = replication(number)
        for (what, shares, _), test in waiting:
            for held in looks[what]():
                test.add(held if shares is not NARROW else not held)
    for (what, shares, _), test in zip(CHECKS, tests, strict=True):
        print(f"{what}, {'narrow' if shares is NARROW else 'wide'} enough: {test.verdict} after {test.number}")
    assert [test.verdict for test in tests] == [expected for _, _, expected in CHECKS]


def looks_at(number: int, assessment: Assessment, evidence: Evidence, truth: dict[str, float]) -> Looks:
    """At the overall finding, and at that which is shown by default; at other levels of the same draws."""
    population = cache(lambda: read(assessment, evidence, "population"))
    target = TARGETS[number % 2]

    def at(level: float) -> list[bool]:
        low, high = draws_interval(population().row_draws, level, "equal-tailed")
        return [bool(low[0] <= truth["population"] <= high[0])]

    return {
        "population": lambda: [covers(population().overall, truth["population"])],
        "pool": lambda: [covers(read(assessment, evidence, "pool").overall, truth["pool"])],
        "default": lambda: [covers(read(assessment, evidence, target, estimator="auto").overall, truth[target])],
        "population at 91 %": lambda: at(0.91),
        "population at 98 %": lambda: at(0.98),
    }


# -- accuracy of five groups of different size and mean score, and overall ---------------------------------------------

SIZES, MEANS = np.array([60, 40, 80, 30, 50]), np.array([0.9, 0.6, 0.75, 0.5, 0.85])
PREDICTED = np.repeat(np.arange(5), SIZES)
FIVE_GROUPS = fl.Pool.from_arrays(predicted=PREDICTED, score=np.repeat(MEANS, SIZES), classes=list("abcdef"))


def labelled(number: int) -> tuple[Assessment, Evidence, dict[str, np.ndarray]]:
    """A replication, and the true accuracy of each group."""
    rng = np.random.default_rng([0, number])
    theta = rng.beta(2 * MEANS, 2 * (1 - MEANS))
    right = rng.random(len(PREDICTED)) < theta[PREDICTED]
    question = fl.Estimate("accuracy", by="predicted_class")
    assessment, evidence = run(FIVE_GROUPS, np.where(right, PREDICTED, 5), question, 30, number)
    return assessment, evidence, {"population": theta, "pool": np.bincount(PREDICTED, weights=right) / SIZES}


def of_groups(number: int) -> Looks:
    """Groups are independent of one another, and every one is a look; but by default they learn from one another."""
    assessment, evidence, truth = labelled(number)
    target, group = TARGETS[number % 2], number % len(SIZES)

    def at(target: str, level: float) -> list[bool]:
        findings = read(assessment, evidence, target, level).findings
        return [covers(f, t) for f, t in zip(findings, truth[target], strict=True)]

    def shown() -> list[bool]:
        findings = read(assessment, evidence, target, estimator="auto").findings
        return [covers(findings[group], truth[target][group])]

    return {
        "population": lambda: at("population", 0.95),
        "pool": lambda: at("pool", 0.95),
        "default": shown,
        "population at 91 %": lambda: at("population", 0.91),
        "population at 98 %": lambda: at("population", 0.98),
    }


def overall(number: int) -> Looks:
    """Read off a belief in groups that learn from one another, the same whatever the target."""
    assessment, evidence, by_group = labelled(number)
    truth, target = {name: float(SIZES @ each / SIZES.sum()) for name, each in by_group.items()}, TARGETS[number % 2]
    reading = cache(lambda target: read(assessment, evidence, target, estimator="auto"))
    shared = cache(lambda: reading("population").of_overall.belief)
    drawn = cache(lambda target: replace(reading(target), believed=shared()).rates @ (SIZES / SIZES.sum())[:, None])

    def at(target: str, level: float) -> list[bool]:
        low, high = draws_interval(drawn(target), level, "equal-tailed")
        return [bool(low[0] - 1e-12 <= truth[target] <= high[0] + 1e-12)]

    return {
        "population": lambda: at("population", 0.95),
        "pool": lambda: at("pool", 0.95),
        "default": lambda: [covers(cast(fl.Finding, reading(target).overall), truth[target])],
        "population at 91 %": lambda: at("population", 0.91),
        "population at 98 %": lambda: at("population", 0.98),
    }


def test_groupwise_accuracy_intervals_cover():
    judge(of_groups)


def test_overall_accuracy_intervals_cover():
    judge(overall)


# -- calibration error -------------------------------------------------------------------------------------------------

BINS, SCORES = np.repeat(np.arange(4), [30, 40, 60, 90]), np.array([0.35, 0.55, 0.75, 0.95])
FOUR_BINS = fl.Pool.from_arrays(predicted=np.zeros(len(BINS), dtype=int), score=SCORES[BINS], classes=["a", "b"])


def calibration_error(number: int) -> Looks:
    rng = np.random.default_rng([1, number])
    theta = rng.beta(2 * SCORES, 2 * (1 - SCORES))
    right = rng.random(len(BINS)) < theta[BINS]
    size = np.bincount(BINS)
    rates = {"population": theta, "pool": np.bincount(BINS, weights=right) / size}
    truth = {target: float(size @ np.abs(each - SCORES) / size.sum()) for target, each in rates.items()}
    made = run(FOUR_BINS, np.where(right, 0, 1), fl.Estimate("calibration_error"), 25, number)
    return looks_at(number, *made, truth)


def test_calibration_error_intervals_cover():
    judge(calibration_error)


# -- cost --------------------------------------------------------------------------------------------------------------

PRIOR = np.array([[0.7, 0.2, 0.1], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]])
CLASSES = np.repeat([0, 1, 2], [50, 70, 40])
THREE_CLASSES = fl.Pool.from_arrays(probabilities=PRIOR[CLASSES])
COST = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [10.0, 1.0, 0.0]])  # [true, predicted]


def cost(number: int) -> Looks:
    rng = np.random.default_rng([2, number])
    theta = np.stack([rng.dirichlet(row) for row in PRIOR])
    labels = (rng.random((len(CLASSES), 1)) > theta[CLASSES].cumsum(axis=1)).sum(axis=1)
    shares = np.stack([np.bincount(labels[k == CLASSES], minlength=3) / (k == CLASSES).sum() for k in range(3)])
    rates, weight = {"population": theta, "pool": shares}, np.bincount(CLASSES) / len(CLASSES)
    truth = {target: float(weight @ (each * COST.T).sum(axis=1)) for target, each in rates.items()}
    return looks_at(number, *run(THREE_CLASSES, labels, fl.Estimate(fl.Cost(COST)), 25, number), truth)


def test_cost_intervals_cover():
    judge(cost)
