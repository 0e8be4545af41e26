"""A small group of a user's column that is worse than all the rest, whose scores say nothing of it: the interval of its
accuracy by the default, at 100 labels, ten at a time. Pools are made anew for each run: 2,500 items, a model right 99
times in 100, and a group of 3 % that is right in .85; scores of four marks, and a group of 3 % that is right in .6.

Wald's test: a true coverage of 90 % is refused once in 1,000 times, one of 75 % accepted as seldom. By the interval of
all labels alone, it is taken for one of the rest: the control.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.arrays import Array
from fewlabels.reading import left_open
from sequential import held_often

ITEMS, LABELS, BATCH, MOST = 2500, 100, 10, 300
RULE = {"good": 0.90, "bad": 0.75, "refused": 1e-3, "accepted": 1e-3}


def nearly_right(rng: np.random.Generator) -> tuple[Array, float]:
    return 1 - np.clip(rng.beta(0.2, 20, ITEMS), 1e-6, 0.5), 0.85


def marks(rng: np.random.Generator) -> tuple[Array, float]:
    return rng.choice((0.85, 0.9, 0.95, 0.99), ITEMS, p=(0.05, 0.1, 0.35, 0.5)), 0.6


def intervals(made: Callable[[np.random.Generator], tuple[Array, float]]) -> Iterator[bool]:
    """Whether the interval of the small group holds what is true, run by run."""
    for seed in range(MOST):
        rng = np.random.default_rng([12, seed])
        group = rng.choice(4, ITEMS, p=(0.6, 0.27, 0.1, 0.03))
        score, rate = made(rng)
        right = rng.random(ITEMS) < np.where(group == 3, rate, score)
        predicted = rng.integers(0, 2, ITEMS)
        true = np.where(right, predicted, 1 - predicted)
        items = {"predicted": predicted, "score": score, "classes": ["a", "b"], "columns": {"source": group}}
        pool = fl.Pool.from_arrays(**items)
        study = fl.create_study(pool, fl.Estimate("accuracy", by="column:source"), seed=seed, budget=LABELS)
        while queries := study.ask(BATCH):
            study.tell({query.item: "ab"[true[int(query.item)]] for query in queries})
        found = study.answer()["3"]
        yield found.low - 1e-9 <= right[group == 3].mean() <= found.high + 1e-9


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("made", [nearly_right, marks])
def test_its_interval_holds(made):
    assert held_often(intervals(made), **RULE)


@pytest.mark.usefixtures("fewer_draws")
def test_taken_for_one_of_the_rest_it_would_not(monkeypatch):
    monkeypatch.setattr(left_open, "_stretched", lambda _, __, ___, low, high, *____, **_____: (low, high))
    assert not held_often(intervals(nearly_right), **RULE)
