"""Pools made against the rule that names the worst group: the floor and half of the error hold where the rule of 0.1
does not, and a proof does.

`attack` and `band` have a worst group that fails only where the model is surest (benchmarks/edges/certificate.py).
Of 400 stops of the usual rule at least 385 must be right: were the true share the measured 98.5 %, a false alarm would
come once in 3,000; the old rule, right in 93.5 %, passes once in 70: it is the control, and must fail. Of 30 studies
with a proof on small pools at most 4 may be wrong, at a level of .9: a false alarm once in 60 if one in ten is wrong,
which the theorem allows at most.
"""

import numpy as np
import pytest
from benchmarks.edges import certificate

import fewlabels as fl

pytest.importorskip("numba", reason="the extra 'fast' is not installed")

RUNS, ENOUGH = 200, 385  # of each of two pools
PROOFS, MOST_WRONG = 30, 4


def right(rule: str) -> int:
    found = [certificate.RULES[rule](pool, run) for pool in ("attack", "band") for run in range(RUNS)]
    assert all(stopped for _, stopped, _ in found)
    return sum(ok for *_, ok in found)


@pytest.mark.slow
def test_groups_that_fail_only_where_they_are_surest_are_found_and_the_rule_of_0_1_did_not():
    assert right("now") >= ENOUGH
    assert right("old") < ENOUGH


def tied(run: int) -> tuple[fl.Pool, dict[object, str], str]:
    """Three groups of 40, two of them apart by a little more than the margin: it is wrong to name the second."""
    rng = np.random.default_rng([28, run])
    wrong = np.concatenate([rng.permutation(40) < count for count in (12, 11, 4)])
    group = np.repeat(["a", "b", "c"], 40)
    labels = np.where(wrong, "other", group).tolist()
    pool = fl.Pool.from_arrays(predicted=group, score=rng.uniform(0.4, 1, 120), other_labels=["other"])
    return pool, dict(enumerate(labels)), "a"


def named(run: int) -> tuple[str, str]:
    pool, truth, worst = tied(run)
    question = fl.Identify("accuracy", by="predicted_class", proven=True)
    study = fl.create_study(pool, question, until=fl.Probability(0.9), seed=run)
    while not study.done:
        study.tell({query.item: truth[query.item] for query in study.ask(10)})
    return study.answer().proof.named[0], worst


def test_a_group_that_is_proven_to_be_the_worst_is_so_as_often_as_the_level_says():
    wrong = sum(found != worst for found, worst in map(named, range(PROOFS)))
    assert wrong <= MOST_WRONG


def test_a_proof_of_a_tenth_of_the_evidence_is_wrong_too_often(monkeypatch):
    """The control: nothing but the bar keeps a study from stopping at a near-tie."""
    monkeypatch.setattr("fewlabels.answers.groups.GroupProof.enough", lambda *_: -0.2)
    wrong = sum(found != worst for found, worst in map(named, range(PROOFS)))
    assert wrong > MOST_WRONG
