"""Does the default 95 % interval of an F-score hold the truth at least 92 times in 100?

ACIS on synthetic pools of known truth, a rare one (2 % positive, 1,000 runs) and a balanced one (40 %, 300 runs), at 70
and 150 labels, every run on a pool of its own. The bound lies 2.6 standard errors under 92 %: a true coverage of 92 %
falls below it 6 times in 1,000. One of 88 % on the rare pool reaches it 4 times in 100, one of 89 % 23 times; one of
84 % on the balanced pool 3 times in 100. The negative control, the paper's own interval (Eq. 6), is read off the same
labels and must be caught at 70 labels.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.engines import gathered
from fewlabels.simulation.measures import Truth, coverage
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_draws

LEAST = 0.92
LABELS = [70, 150]
QUESTION = fl.Estimate("f1", positive="rare")
POOLS = {"rare": (2500, 0.02), "balanced": (800, 0.4)}
RUNS = {"rare": 1000, "balanced": 300}


def bound(name: str) -> float:
    return LEAST - 2.6 * (LEAST * (1 - LEAST) / RUNS[name]) ** 0.5


def made(name: str, number: int) -> tuple[fl.Pool, np.ndarray]:
    """Scores that rank well and are not calibrated; a threshold at which precision and recall are both middling."""
    n, prevalence = POOLS[name]
    rng = np.random.default_rng([number, n])
    y = rng.uniform(size=n) < prevalence
    s = 1 / (1 + np.exp(-(3.0 * y + rng.normal(size=n) - (3.0 if name == "rare" else 1.5))))
    return fl.Pool.from_arrays(positive_score=s, threshold=0.4, positive="rare"), y


def with_interval(assessment: Assessment, kind: str) -> Assessment:
    return replace(assessment, settings=replace(assessment.settings, estimator=fl.Averaged(interval=kind)))


@cache
def hits(name: str) -> dict[tuple[str, int], float]:
    """Coverage by interval and number of labels."""
    found: dict[tuple[str, int], list[float]] = {(kind, n): [] for kind in ("cautious", "eq6") for n in LABELS}
    settings = fl.StudySettings(QUESTION)
    for seed in range(RUNS[name]):
        pool, y = made(name, seed)
        assessment = assess(settings, QUESTION, pool, "model")
        label = np.where(y, pool.classes.index("rare"), 1 - pool.classes.index("rare"))
        rows = gathered(pool.engine.scan("model", assessment.cells.axes))
        known = Known(assessment.cells, rows.cell, rows.predicted, label, rows.hashes)
        for n, evidence in zip(LABELS, run_draws(assessment, known.deal(seed), np.array(LABELS), seed), strict=True):
            for kind in ("cautious", "eq6"):
                found[kind, n].append(coverage(Truth(with_interval(assessment, kind), known), evidence))
    rates = {key: float(np.mean(values)) for key, values in found.items()}
    print(name, {key: round(value, 3) for key, value in rates.items()})
    return rates


@pytest.mark.parametrize(("name", "labels"), [("rare", 150), ("balanced", 70), ("balanced", 150)])
def test_the_default_interval_of_an_f_score_covers(name, labels):
    assert hits(name)["cautious", labels] >= bound(name)


def test_misses_that_hide_are_known_to_be_held_too_seldom_at_70_labels():
    """It does not reach the bound: 88.4 % of 1,000 runs, because the estimate is 4 points too high on average where a
    third of 50 positives hide among negatives. An interval or estimate that mends this belongs to the test above."""
    assert 0.86 < hits("rare")["cautious", 70] < bound("rare")


def test_the_default_interval_is_the_one_tested():
    assert fl.StudySettings(QUESTION).estimator_used == fl.Averaged(interval="cautious")


def test_the_paper_s_own_interval_is_caught():
    """Eq. 6 without covariance between rounds is too short at few labels, Sec. 3.4 and Figure 7."""
    assert hits("rare")["eq6", 70] < bound("rare")
