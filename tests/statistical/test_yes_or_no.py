"""F-scores of models that only say yes or no: how often intervals hold, and how near estimates are.

40 pools of 3,000 items each, 8 in 100 positive, at 50, 100 and 200 labels in tens, for a model that finds 30 in 100 and
one that finds 90. 120 intervals a figure and model: a true coverage of 93 % falls below 86 % about once in 200, and
looks at one pool are alike. The control believes that few are missed, and nothing else.

Where most is found, squared errors of F1 are about .45 of those of a uniform sample. The mean of three looks at 40
pools is off by about a sixth of that. A uniform sample itself, whose ratio is one, would fail.
"""

from functools import cache, partial

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core import few_missed
from fewlabels.estimators import two_strata

pytestmark = pytest.mark.usefixtures("fewer_draws")

ITEMS, RUNS, LOOKS, LEAST = 3000, 40, (50, 100, 200), 0.86
FOUND = {"finds few": 0.3, "finds most": 0.9}


@cache
def said(kind: str, seed: int) -> tuple[fl.Pool, np.ndarray, float, float]:
    """A pool, which items are positive, and the recall and the F1."""
    rng = np.random.default_rng(seed)
    positive = rng.random(ITEMS) < 0.08
    hit = np.where(positive, rng.random(ITEMS) < FOUND[kind], rng.random(ITEMS) < 0.01)
    pool = fl.Pool.from_arrays(positive_score=hit.astype(float), positive="yes", classes=["no", "yes"])
    found = float((positive & hit).sum())
    return pool, positive, found / positive.sum(), 2 * found / (positive.sum() + hit.sum())


def studies(kind: str, metric: str, strategy: str = "auto", estimator: str = "auto") -> tuple:
    """Errors and whether intervals hold, (n_runs, n_looks)."""
    errors, held = np.zeros((2, RUNS, len(LOOKS)))
    for seed in range(RUNS):
        pool, positive, recall, f1 = said(kind, seed)
        true = {"recall": recall, "f1": f1}[metric]
        question = fl.Estimate(metric, positive="yes")
        study = fl.create_study(pool, question, strategy=strategy, estimator=estimator, seed=seed)
        for place, look in enumerate(LOOKS):
            while len(study.labels) < look:
                study.tell({q.item: ("no", "yes")[int(positive[q.item])] for q in study.ask(10)})
            (found,) = study.answer().findings
            errors[seed, place] = found.value - true
            held[seed, place] = found.low - 1e-9 <= true <= found.high + 1e-9
    return errors, held


@pytest.mark.parametrize("metric", ["recall", "f1"])
@pytest.mark.parametrize("kind", FOUND)
def test_intervals_hold(kind, metric):
    _, held = studies(kind, metric)
    print(kind, metric, held.mean(axis=0))
    assert held.mean() >= LEAST


def test_errors_of_f1_are_below_those_of_a_uniform_sample():
    errors, _ = studies("finds most", "f1")
    uniform, _ = studies("finds most", "f1", "uniform", "two_strata")
    ratios = (errors**2).mean(axis=0) / (uniform**2).mean(axis=0)
    print(ratios)
    assert np.exp(np.log(ratios).mean()) <= 0.8


def test_believing_that_few_are_missed_and_nothing_else_is_caught(monkeypatch):
    monkeypatch.setattr(few_missed, "FEW", 1 - 1e-9)
    monkeypatch.setattr(two_strata, "FewMissed", partial(few_missed.FewMissed, believed_only=True))
    _, held = studies("finds few", "recall")
    print(held.mean(axis=0))
    assert held.mean() < LEAST
