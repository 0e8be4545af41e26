"""The interval of a group by its own labels holds when one stops at its width: added up exactly, over every course that
labelling may take, at true shares from none wrong to half of them. The controls must fail: what the labels leave of a
flat belief, which says of a large group in which no mistake was seen that not all can be right; and exact intervals for
one look, at which misses happen to be few."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.arrays import Array
from fewlabels.core.intervals import exact_share_intervals, level_at_a_stop, pool_share_intervals

SHARES_WRONG = np.array([0, 0.0005, 0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.07, 0.1, 0.112, 0.13, 0.2, 0.3, 0.5])
ABOUT_A_TENTH = np.arange(0.07, 0.14, 0.002)  # where a stop favours most
GOAL, LEAST = 0.05, 10
Ends = Callable[[Array, Array, Array, float], tuple[Array, Array]]


def at_a_stop(hits: Array, misses: Array, size: Array, level: float) -> tuple[Array, Array]:
    return exact_share_intervals(hits, misses, size, level_at_a_stop(level))


def by_a_flat_belief(hits: Array, misses: Array, size: Array, level: float) -> tuple[Array, Array]:
    return pool_share_intervals(hits, size - hits - misses, size, 1 + hits, 1 + misses, level, "equal-tailed")


@cache
def ends_after(intervals: Ends, labels: int, size: int) -> tuple[Array, Array]:
    """By the number of misses."""
    misses = np.arange(labels + 1.0)
    return intervals(labels - misses, misses, np.full(labels + 1, float(size)), 0.95)


def held(intervals: Ends, size: int, batch: int, shares_wrong: Array = SHARES_WRONG) -> Array:
    """How often, at each true share, the interval holds at the first look at which it is short enough."""
    wrong = np.unique(np.round(shares_wrong * size))[:, None]
    true, found = 1 - wrong / size, np.zeros(len(wrong))
    going = np.ones((len(wrong), 1))  # the chance of each number of misses, of studies that go on
    for labels in range(1, size + 1):
        miss = np.clip((wrong - np.arange(labels)) / (size - labels + 1), 0, 1)
        going = np.pad(going * (1 - miss), ((0, 0), (0, 1))) + np.pad(going * miss, ((0, 0), (1, 0)))
        if labels < LEAST or (labels % batch and labels < size):
            continue
        low, high = ends_after(intervals, labels, size)
        stops = high - low <= 2 * GOAL + 1e-9
        found += (going * stops * ((low - 1e-9 <= true) & (true <= high + 1e-9))).sum(axis=1)
        going[:, stops] = 0
        if going.sum() < 1e-9:
            break
    return found


@pytest.mark.parametrize("batch", [1, 10, 50])
@pytest.mark.parametrize("size", [60, 400, 5000])
def test_the_interval_of_a_group_holds_at_a_stop(size, batch):
    shares = held(at_a_stop, size, batch)
    assert shares.min() >= 0.95
    assert held(at_a_stop, size, batch, ABOUT_A_TENTH).min() >= 0.95
    # Too wide would be wrong as well. Of 60 items, looked at after 50 labels and then after all, nearly none is open.
    most = 0.997 if (size, batch) == (60, 50) else 0.995 if size == 60 else 0.985
    assert shares.mean() < most


@pytest.mark.parametrize("batch", [1, 10, 50])
def test_that_of_a_flat_belief_does_not(batch):
    shares = held(by_a_flat_belief, 5000, batch)
    assert shares[0] == pytest.approx(0.0, abs=1e-9)  # where all is right
    assert np.sort(shares)[2] < 0.9


def test_that_for_one_look_does_not():
    shares = held(exact_share_intervals, 5000, 1)
    assert shares.min() < 0.945


def test_a_group_without_a_mistake_may_be_right_throughout():
    pool = fl.synthetic_pool(6000, ["cat", "dog"], accuracy=[1.0, 0.9], seed=3)
    truth = dict(zip(pool.ids, pool.known_labels, strict=True))
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), until=fl.HalfWidth(0.05), seed=1)
    while not study.done:
        study.tell({query.item: truth[query.item] for query in study.ask(10)})
    cat, dog = study.answer().findings
    assert cat.high == 1.0
    assert dog.high < 1.0
