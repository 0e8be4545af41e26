"""Does the 95 % interval of an F-score drawn by ACIS hold the truth at least 92 times in 100?

ACIS on synthetic pools of known truth, a rare one (2 % positive) and a balanced one (40 %), at 70 and 150 labels, every
run on a pool of its own, as many runs as tell. A true coverage of 92 % is refused 6 times in 1,000; one of 88 % on the
rare pool is accepted once in 100 times, as is one of 84 % on the balanced pool. The negative control, the paper's own
interval (Eq. 6), is read off the same labels and must be caught at 70 labels.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.assessment import Assessment, assess
from fewlabels.engines import gathered
from fewlabels.simulation.measures import Truth, coverage
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_draws
from sequential import held_often

LEAST = 0.92
QUESTION = fl.Estimate("f1", positive="rare")
POOLS = {"rare": (2500, 0.02), "balanced": (800, 0.4)}
ERRORS = {"rare": {"bad": 0.88, "accepted": 0.01}, "balanced": {"bad": 0.84, "accepted": 0.01}}


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
def hits(name: str, labels: int, seed: int) -> dict[str, bool]:
    """Whether each interval holds the truth after so many labels of one run."""
    pool, y = made(name, seed)
    assessment = assess(fl.StudySettings(QUESTION, strategy="acis"), QUESTION, pool, "model")
    label = np.where(y, pool.classes.index("rare"), 1 - pool.classes.index("rare"))
    rows = gathered(pool.engine.scan("model", assessment.cells.axes))
    known = Known(assessment.cells, rows.cell, rows.predicted, label, rows.hashes)
    (evidence,) = run_draws(assessment, known.deal(seed), np.array([labels]), seed)
    return {
        kind: coverage(Truth(with_interval(assessment, kind), known), evidence) == 1.0 for kind in ("cautious", "eq6")
    }


@pytest.mark.parametrize(("name", "labels"), [("rare", 150), ("balanced", 70), ("balanced", 150)])
def test_the_interval_of_an_f_score_covers(name, labels):
    found = (hits(name, labels, seed)["cautious"] for seed in count())
    assert held_often(found, LEAST, refused=0.006, **ERRORS[name])


def test_misses_that_hide_are_known_to_be_held_too_seldom_at_70_labels():
    """88.2 % of 1,000 runs, because the estimate is 4 points too high on average where a third of 50 positives hide
    among negatives. An interval or estimate that mends this belongs to the test above. That 92 % are held is taken for
    what it is 994 times in 1,000, and 84 % are taken for 88 % once in 25."""

    def found() -> Iterator[bool]:
        return (hits("rare", 70, seed)["cautious"] for seed in count())

    assert not held_often(found(), LEAST, refused=0.006, **ERRORS["rare"])
    assert held_often(found(), 0.88, bad=0.84, refused=0.006, accepted=0.04)


def test_the_interval_is_the_one_tested():
    assert fl.StudySettings(QUESTION, strategy="acis").estimator_used == fl.Averaged(interval="cautious")


def test_the_paper_s_own_interval_is_caught():
    """Eq. 6 without covariance between rounds is too short at few labels, Sec. 3.4 and Figure 7."""
    assert not held_often((hits("rare", 70, seed)["eq6"] for seed in count()), LEAST, refused=0.006, **ERRORS["rare"])
