"""Balanced accuracy, macro-F1 and cost of a model too sure of itself whose mistakes all go one way, at fixed
truths: a pool of 2,000 items and eight classes a run, 250 labels, 25 at a time.

Wald's test: a true coverage of 95 % is refused once in 1,000 times, one of 80 % accepted as seldom. The papers' way,
each class by itself and begun at what its scores say, is the control.
"""

from collections.abc import Iterator

import numpy as np
import pytest

import fewlabels as fl
from sequential import held_often

CLASSES, ITEMS, LABELS, BATCH, MOST = "abcdefgh", 2000, 250, 25, 300
RULE = {"good": 0.95, "bad": 0.80, "refused": 1e-3, "accepted": 1e-3}


def intervals(metric: str, **how: str) -> Iterator[bool]:
    """Whether the interval of each run holds what is true."""
    names = np.array(list(CLASSES))
    for seed in range(MOST):
        rng = np.random.default_rng(seed)
        predicted, score = rng.integers(0, len(CLASSES), ITEMS), rng.beta(40, 1, ITEMS)
        rate = 1 / (1 + np.exp(-rng.normal(1.2, 0.5, len(CLASSES))))
        true = np.where(rng.random(ITEMS) < rate[predicted], predicted, (predicted + 1) % len(CLASSES))
        pool = fl.Pool.from_arrays(
            predicted=names[predicted], score=score, classes=list(CLASSES), labels=names[true].tolist()
        )
        study = fl.create_study(pool, fl.Estimate(metric), seed=seed, budget=LABELS, **how)
        while queries := study.ask(BATCH):
            study.tell({query.item: str(names[true[query.item]]) for query in queries})
        found = study.answer().overall
        yield found.low - 1e-9 <= truth(metric, predicted, true) <= found.high + 1e-9


def truth(metric: str, predicted: np.ndarray, true: np.ndarray) -> float:
    """From every label."""
    if metric == "cost":
        return float((predicted != true).mean())
    of_class = [
        (((predicted == k) & (true == k)).sum(), (predicted == k).sum(), (true == k).sum()) for k in range(len(CLASSES))
    ]
    both, said, there = np.array(of_class, dtype=float).T
    return float((both / there if metric == "balanced_accuracy" else 2 * both / (said + there)).mean())


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("metric", ["balanced_accuracy", "macro_f1", "cost"])
def test_figures_made_of_classes_hold(metric):
    assert held_often(intervals(metric), **RULE)


@pytest.mark.usefixtures("fewer_draws")
def test_classes_that_are_begun_at_their_scores_are_caught():
    assert not held_often(intervals("balanced_accuracy", strategy="thompson", estimator="cautious"), **RULE)
