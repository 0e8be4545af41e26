"""Studies of F-scores on a pool in which one item in ten is a fraud."""

import math
from dataclasses import replace
from functools import cache

import numpy as np

import fewlabels as fl

F1 = fl.Estimate("f1", positive="fraud")
PRECISION = fl.Estimate("precision", positive="fraud")
RECALL = fl.Estimate("recall", positive="fraud")
N = 400


@cache
def outputs(n: int = N, case: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores and truth: one item in ten is positive, and scores tell so, if badly calibrated."""
    rng = np.random.default_rng(case)
    y = rng.uniform(size=n) < 0.1
    return 1 / (1 + np.exp(-(3.2 * y - 2.2 + rng.normal(size=n)))), y


@cache
def pool(n: int = N, case: int = 0) -> fl.Pool:
    s, y = outputs(n, case)
    labels = np.where(y, "fraud", "not fraud")
    return fl.Pool.from_arrays(positive_score=s, positive="fraud", labels=labels)


def exact(alpha: float, s: np.ndarray, y: np.ndarray, threshold: float = 0.5) -> float:
    hit = s >= threshold
    return float((hit & y).sum() / (alpha * hit.sum() + (1 - alpha) * y.sum()))


def study_of(question=F1, some_pool: fl.Pool | None = None, **more) -> fl.Study:
    return fl.create_study(some_pool or pool(), question, **more)


def tell(study: fl.Study, queries: list[fl.Query], y=None) -> None:
    y = outputs()[1] if y is None else y
    study.tell({query.item: bool(y[query.item]) for query in queries})


def label(study: fl.Study, labels: int, y=None, step: int = 1) -> fl.Study:
    """So many labels more, asked for in steps."""
    goal = len(study.labels) + labels
    while len(study.labels) < goal and (queries := study.ask(min(step, goal - len(study.labels)))):
        tell(study, queries, y)
    return study


def timeless(events: list) -> list:
    return [replace(event, at="") for event in events]


def sound(answer: fl.Answer, *, exact_allowed: bool = False) -> None:
    """What every answer promises: no NaN in words, ends in order, a width."""
    text = str(answer)
    assert "nan" not in text.lower().replace("finance", ""), text
    assert "inf " not in text, text
    for finding in answer.findings:
        assert 0 <= finding.low <= finding.high <= 1, text
        assert math.isnan(finding.value) or finding.low <= finding.value <= finding.high
        if not exact_allowed:
            assert finding.high - finding.low > 1e-4, text
