"""Pools with a user's column in which a few groups are unlike the rest. docs/decisions/0027-groups-unlike-the-rest.md.

RECIPES are those that the rule was made on or tried on before its constants were fixed; FRESH were written after that,
before any of them was run.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints

Made: TypeAlias = tuple[dict[str, Ints], Array, Bools]  # the columns, scores, and whether each prediction is right
Recipe: TypeAlias = Callable[[np.random.Generator], Made]
ITEMS = 4_000


def expit(x: Array) -> Array:
    """The share with these log odds."""
    return np.asarray(1 / (1 + np.exp(-x)))


def _groups(rng: np.random.Generator, shares: Sequence[float], items: int = ITEMS) -> Ints:
    chance = np.array(shares)
    return rng.choice(len(chance), items, p=chance / chance.sum())


def _made(rng: np.random.Generator, group: Ints, score: Array, rate: Array) -> Made:
    return {"grp": group}, score, rng.random(len(group)) < rate


def ninety_nine(rng: np.random.Generator) -> Made:
    """A model right 99 times in 100; the smallest group is right in .85."""
    group = _groups(rng, (0.6, 0.25, 0.1, 0.03, 0.02))
    score = 1 - np.clip(rng.beta(0.2, 20, ITEMS), 1e-6, 0.5)
    return _made(rng, group, score, np.where(group == 4, 0.85, score**0.8))


def marks(rng: np.random.Generator) -> Made:
    """Four marks for scores, that tell nothing; the smaller a group, the worse."""
    group = _groups(rng, (0.7, 0.2, 0.06, 0.03, 0.01))
    score = rng.choice((0.85, 0.9, 0.95, 0.99), ITEMS, p=(0.05, 0.1, 0.35, 0.5))
    return _made(rng, group, score, np.array((0.93, 0.85, 0.75, 0.6, 0.5))[group])


def label_only(rng: np.random.Generator) -> Made:
    """One score for all."""
    group = _groups(rng, (0.5, 0.2, 0.1, 0.05, 0.05, 0.04, 0.02, 0.02, 0.01, 0.01))
    right = np.array((0.98, 0.95, 0.9, 0.9, 0.8, 0.8, 0.7, 0.6, 0.9, 0.5))
    return _made(rng, group, np.full(ITEMS, 0.999999), right[group])


def bad_half(rng: np.random.Generator) -> Made:
    """Twenty groups; in three of them 30 % of items are wrong whatever the score says."""
    group = rng.integers(0, 20, ITEMS)
    score = expit(rng.normal(3, 1.2, ITEMS))
    return _made(rng, group, score, np.where(group < 3, 0.7 * score, score))


def drift(rng: np.random.Generator) -> Made:
    """Four months; in the last one scores tell less, and are too high."""
    group = rng.integers(0, 4, ITEMS)
    z = rng.normal(2.5, 1.3, ITEMS)
    return _made(rng, group, expit(z), expit(np.where(group == 3, 0.3 * z - 0.3, z)))


def good(rng: np.random.Generator) -> Made:
    """A good model, whose scores tell nothing; two small groups are worse."""
    group = _groups(rng, (0.55, 0.25, 0.12, 0.05, 0.03), 9_000)
    score = np.clip(rng.beta(30, 1, 9_000), 0.5, 0.9995)
    return _made(rng, group, score, np.array((0.985, 0.975, 0.97, 0.80, 0.72))[group])


def llm(rng: np.random.Generator) -> Made:
    """Three marks for scores, and six groups from .92 to .5."""
    group = _groups(rng, (0.4, 0.25, 0.15, 0.1, 0.06, 0.04), 6_000)
    score = rng.choice((0.8, 0.9, 0.95), 6_000, p=(0.1, 0.3, 0.6))
    return _made(rng, group, score, np.array((0.92, 0.9, 0.86, 0.8, 0.66, 0.5))[group] + score - 0.9)


def many(rng: np.random.Generator) -> Made:
    """24 groups; in two of them half are wrong."""
    group = _groups(rng, rng.dirichlet(np.full(24, 2.0)), 8_000)
    score = np.clip(rng.beta(12, 2, 8_000), 0.3, 0.999)
    return _made(rng, group, score, np.where(group < 2, 0.5, score))


def surest(rng: np.random.Generator) -> Made:
    """Two small groups are wrong in a quarter of what the model is surest of."""
    group = _groups(rng, (0.6, 0.3, 0.07, 0.03), 5_000)
    score = expit(rng.normal(2.5, 1.5, 5_000))
    return _made(rng, group, score, np.where((group > 1) & (score > 0.95), 0.75, score))


def better(rng: np.random.Generator) -> Made:
    """Two small groups are better than the rest."""
    group = _groups(rng, (0.5, 0.25, 0.15, 0.06, 0.04))
    score = np.clip(rng.beta(9, 3, ITEMS), 0.3, 0.999)
    return _made(rng, group, score, np.array((0.75, 0.72, 0.7, 0.97, 0.99))[group])


def reverse(rng: np.random.Generator) -> Made:
    """In two small groups the surer the model is, the more often it is wrong."""
    group = _groups(rng, (0.6, 0.3, 0.07, 0.03))
    score = rng.uniform(0.5, 1.0, ITEMS)
    return _made(rng, group, score, np.where(group > 1, 1.3 - score, score))


def zipf(rng: np.random.Generator) -> Made:
    """15 groups of sizes as 1/k, with effects that have heavy tails."""
    group = _groups(rng, 1 / np.arange(1, 16), 6_000)
    z, effect = rng.normal(2, 1.2, 6_000), 0.8 * rng.standard_t(2, 15)
    return _made(rng, group, expit(z), expit(z + effect[group]))


def crossed(rng: np.random.Generator) -> Made:
    """Two columns; one of their six crossings, of 2 %, is right in six of ten whatever the score."""
    cell = _groups(rng, (0.4, 0.3, 0.12, 0.1, 0.06, 0.02))
    score = expit(rng.normal(2.2, 1.1, ITEMS))
    columns = {"region": cell % 3, "kind": cell // 3}
    return columns, score, rng.random(ITEMS) < np.where(cell == 5, 0.6, score)


def sixty(rng: np.random.Generator) -> Made:
    """60 groups of uneven sizes; in five of them 40 % are wrong whatever the score."""
    group = _groups(rng, rng.dirichlet(np.full(60, 3.0)), 9_000)
    score = np.clip(rng.beta(14, 1.5, 9_000), 0.3, 0.9995)
    return _made(rng, group, score, np.where(group < 5, 0.6 * score, score))


def swapped(rng: np.random.Generator) -> Made:
    """In one source of six the codes of the classes are swapped."""
    group = _groups(rng, (0.3, 0.25, 0.2, 0.12, 0.08, 0.05))
    score = np.clip(rng.beta(25, 2, ITEMS), 0.5, 0.999)
    return _made(rng, group, score, np.where(group == 5, 0.05, score))


def two_parts(rng: np.random.Generator) -> Made:
    """Two groups; in the small one the model is far too sure."""
    group = _groups(rng, (0.9, 0.1), 5_000)
    z = rng.normal(3, 1.5, 5_000)
    return _made(rng, group, expit(z), expit(np.where(group == 1, 0.5 * z - 1, z)))


def tiers(rng: np.random.Generator) -> Made:
    """Eight groups, each half as large as the one before and worse by 6 points; scores tell nothing."""
    group = _groups(rng, 0.6 ** np.arange(8), 6_000)
    return _made(rng, group, rng.uniform(0.8, 1.0, 6_000), 0.97 - 0.06 * group)


def newcomers(rng: np.random.Generator) -> Made:
    """Nine groups right as scores say, and three of 1 %: all right, half right, and right as scores say."""
    group = _groups(rng, [*[0.97 / 9] * 9, 0.01, 0.01, 0.01], 7_000)
    score = np.clip(rng.beta(20, 2, 7_000), 0.3, 0.999)
    return _made(rng, group, score, np.select([group == 9, group == 10], [1.0, 0.5], score))


RECIPES: dict[str, Recipe] = {
    "99 %": ninety_nine,
    "marks": marks,
    "label only": label_only,
    "bad half": bad_half,
    "drift": drift,
    "good": good,
    "llm": llm,
    "many": many,
    "surest": surest,
    "better": better,
    "reverse": reverse,
    "zipf": zipf,
}
FRESH: dict[str, Recipe] = {
    made.__name__.replace("_", " "): made for made in (crossed, sixty, swapped, two_parts, tiers, newcomers)
}
