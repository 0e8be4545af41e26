"""Pools made up so that assumptions break: each is scores, groups and whether each prediction is right."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints

SEED = 12345
ITEMS = 10_000


@dataclass(frozen=True)
class Made:
    """One entry an item."""

    score: Array
    group: Ints
    right: Bools


def expit(x: Array) -> Array:
    """The share with these log odds."""
    return np.asarray(1 / (1 + np.exp(-x)))


def accuracy_99(rng: np.random.Generator) -> Made:
    """A calibrated model, right 99 times in 100."""
    group = rng.integers(0, 20, ITEMS)
    score = 1 - np.clip(rng.beta(0.15, 14.85, ITEMS), 1e-7, 0.6)
    return Made(score, group, rng.random(ITEMS) < score)


def saturated(rng: np.random.Generator) -> Made:
    """Scores above .999 for 98 % of the items, of which about 94 % are right."""
    group = rng.integers(0, 20, ITEMS)
    score = 1 - 10 ** -rng.uniform(3, 7, ITEMS)
    low = rng.random(ITEMS) < 0.02
    score[low] = rng.uniform(0.6, 0.999, low.sum())
    rate = expit(rng.normal(2.75, 0.45, 20)[group])
    rate[low] *= 0.7
    return Made(score, group, rng.random(ITEMS) < rate)


def useless(rng: np.random.Generator) -> Made:
    """Scores that tell nothing of whether a prediction is right."""
    group = rng.integers(0, 20, ITEMS)
    score = rng.beta(6, 1.5, ITEMS)
    base = rng.normal(1.4, 0.3, 20)
    return Made(score, group, rng.random(ITEMS) < expit(base[group]))


def opposite_groups(rng: np.random.Generator) -> Made:
    """Two groups, one over-confident by 1.5 of log odds and the other under-confident by as much."""
    group = rng.integers(0, 2, ITEMS)
    odds = rng.normal(2, 1.2, ITEMS)
    return Made(expit(odds), group, rng.random(ITEMS) < expit(odds + np.where(group == 0, -1.5, 1.5)))


def one_group_at_zero(rng: np.random.Generator) -> Made:
    """Ten groups of a calibrated model, but of one every prediction is wrong."""
    group = rng.integers(0, 10, ITEMS)
    odds = rng.normal(3, 1.7, ITEMS)
    return Made(expit(odds), group, (rng.random(ITEMS) < expit(odds)) & (group != 3))


def accuracy_999(rng: np.random.Generator) -> Made:
    """A calibrated model, right 999 times in 1,000."""
    group = rng.integers(0, 20, ITEMS)
    score = 1 - np.clip(rng.beta(0.1, 99.9, ITEMS), 1e-7, 0.6)
    return Made(score, group, rng.random(ITEMS) < score)


def worst_overconfident(rng: np.random.Generator) -> Made:
    """A calibrated model, but in the class of the highest mean score a quarter is wrong, and no score shows it."""
    group = rng.integers(0, 20, ITEMS)
    odds = rng.normal(3, 1.2, ITEMS) + rng.normal(0, 0.4, 20)[group]
    score = expit(odds)
    right = rng.random(ITEMS) < score
    mean = np.bincount(group, score) / np.bincount(group)
    surest = group == mean.argmax()
    right[surest] = rng.random(surest.sum()) < 0.75
    return Made(score, group, right)


def inverted(rng: np.random.Generator) -> Made:
    """The higher the score, the less often right."""
    group = rng.integers(0, 20, ITEMS)
    odds = rng.normal(2, 1.2, ITEMS)
    return Made(expit(odds), group, rng.random(ITEMS) < expit(1.6 - 0.8 * (odds - 2) + rng.normal(0, 0.3, 20)[group]))


def ties_90(rng: np.random.Generator) -> Made:
    """Nine items in ten have the very same score; groups differ among those as well."""
    group = rng.integers(0, 20, ITEMS)
    tied = rng.random(ITEMS) < 0.9
    score = np.where(tied, 0.97, rng.beta(4, 2, ITEMS))
    base = rng.normal(2.4, 0.5, 20)[group]
    return Made(score, group, rng.random(ITEMS) < np.where(tied, expit(base), score))


def five_a_group(rng: np.random.Generator) -> Made:
    """400 groups of ten items, so that about five of each are in a sub-pool of half the items."""
    group = np.repeat(np.arange(400), 10)
    odds = rng.normal(1.8, 1.3, len(group))
    effect = rng.normal(0, 0.8, 400)[group]
    return Made(expit(odds), group, rng.random(len(group)) < expit(odds + effect))


MADE: dict[str, Callable[[np.random.Generator], Made]] = {
    made.__name__: made
    for made in (
        accuracy_99,
        saturated,
        useless,
        opposite_groups,
        one_group_at_zero,
        accuracy_999,
        worst_overconfident,
        inverted,
        ties_90,
        five_a_group,
    )
}


def make(name: str) -> Made:
    """The pool of this name, always the same."""
    return MADE[name](np.random.default_rng(SEED))
