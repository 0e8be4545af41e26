"""A comparison that is looked at after every label, until something is shown: seldom wrong, whatever the truth.

Two groups that are exactly equal are the hardest: a posterior looked at again and again is sure of a difference there
in a third of the studies; a test made for one look is the negative control. Of 20 studies of which 5 % are wrong, five
or more are once in 400 such tests; of 200, 19 or more once in 200.
"""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.answers import Proof
from fewlabels.assessment import Assessment, assess
from fewlabels.core.evidence import Evidence
from fewlabels.engines import gathered
from fewlabels.reading.every_look import EveryLook
from fewlabels.settings import StudySettings
from fewlabels.simulation.compiled import fast
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import run_seed

ROPE, GOAL, FLOOR = 0.05, 0.95, 10
QUESTION = fl.Compare("accuracy", by="side", a="left", b="right", rope=ROPE)
# Items and misses of each group, and whether all scores are next to one.
PAIRS = {
    "equal": ((300, 300), (30, 30), False),
    "equal, of unequal size": ((150, 600), (15, 60), False),
    "equal, scores saturated": ((300, 300), (30, 30), True),
    "apart by exactly the rope": ((300, 300), (30, 45), False),
    "nearly always right": ((400, 400), (4, 4), False),
    "apart": ((300, 300), (20, 60), False),
}


def study_of(pair: str, run: int) -> tuple[Assessment, Known, float]:
    """The study on shuffled items, which know their labels, and the true difference."""
    size, misses, saturated = PAIRS[pair]
    rng = np.random.default_rng([9, run])
    side = np.repeat([0, 1], size)
    odds = rng.normal(3, 1.2, len(side))
    right = np.ones(len(side), dtype=bool)
    for g in (0, 1):
        at = np.flatnonzero(side == g)
        right[at[np.argsort(rng.exponential(size=len(at)) * np.exp(0.7 * odds[at]))[: misses[g]]]] = False
    score = 1 - 10 ** -rng.uniform(4, 8, len(side)) if saturated else 1 / (1 + np.exp(-odds))
    predicted = np.where(np.arange(len(side)) % 2, "yes", "no")
    columns = {"side": np.array(["left", "right"])[side]}
    pool = fl.Pool.from_arrays(predicted=predicted, score=np.clip(score, 0.0, 1.0), columns=columns)
    made = assess(StudySettings(QUESTION), QUESTION, pool, pool.model_named(None))
    rows = gathered(pool.engine.scan(pool.model_named(None), made.cells.axes))
    label = np.where(right, rows.predicted, 1 - rows.predicted)
    known = Known(made.cells, rows.cell, rows.predicted, label, rows.hashes)
    return made, known, misses[1] / size[1] - misses[0] / size[0]


def shown_first(made: Assessment, evidence: Evidence) -> tuple[str, ...]:
    """What is shown at the first label at which anything is; nothing if never."""
    groups, path = made.view.groups, EveryLook(made, evidence).path
    per_hit = np.where(groups.index == 0, 1.0, -1.0) / groups.size[groups.index]
    bets, labels = path.bets(per_hit), np.zeros(2)
    for t, worth, told in path.terms(per_hit, groups.index):
        bets.add(worth, told)
        labels[groups.index[path.cell[t]]] += 1
        if labels.min() >= FLOOR and (shown := Proof(bets.capital).of(GOAL, ROPE)):
            return shown
    return ()


def right(shown: str, difference: float) -> bool:
    return {"less": difference < 0, "more": difference > 0, "equal": abs(difference) <= ROPE + 1e-9}[shown]


def wrong(pair: str, runs: int, batch: int = 1) -> list[bool]:
    found = []
    for run in range(runs):
        made, known, difference = study_of(pair, run)
        seed, items = run_seed(0, run), np.array([made.cells.size.sum()])
        with fast():
            (evidence,) = run_draws(made, known.deal(seed), items, seed, (batch,))
        shown = shown_first(made, evidence)
        assert shown, "with every label something is shown"
        found.append(not all(right(one, difference) for one in shown))
    return found


def test_two_equal_groups_are_seldom_called_different():
    assert sum(wrong("equal", 20)) < 5


def test_by_a_test_that_is_made_for_one_look_they_are_often():
    """Two shares of uniform draws, 1.96 standard errors apart at some label from 20 in each group on."""
    mistaken = []
    for run in range(20):
        rng, (size, misses, _) = np.random.default_rng(run), PAIRS["equal"]
        hits = np.array([np.cumsum(rng.permutation(np.arange(n) >= m)) for n, m in zip(size, misses, strict=True)])
        n = np.arange(1, size[0] + 1)
        share, left = hits / n, 1 - n / size[0]
        error = np.sqrt((share * (1 - share) * left / n).sum(axis=0))
        apart = np.abs(share[0] - share[1]) > 1.96 * error
        mistaken.append(bool(apart[19:-1].any()))
    assert sum(mistaken) >= 5


@pytest.mark.slow
@pytest.mark.parametrize("batch", [1, 10, 50])
@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_shown_is_right(pair, batch):
    assert sum(wrong(pair, 200, batch)) < 19
