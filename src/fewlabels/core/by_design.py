"""Shares without a model: labels weighed by the chances with which their items were drawn.

The t-th label of n, drawn with the chance q_t from what was left of N items, gets the weight

    v_t = 1 + (N - n) / (N - t) (1 / ((N - t + 1) q_t) - 1)

([Farquhar, Gal, Rainforth 2021], the "levelled unbiased risk estimator"): one where chances are equal, and N / n times
the weights of a group's labels add up to its size without bias, whatever the chances depended on. Shares are those of a
regression on the score, corrected by the weighted residuals of the group's own labels (the generalised regression
estimator of surveys): scores make them more certain where they tell something, and do not bias them where they do not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from fewlabels.core.arrays import Array, Ints

LEAST = 10.0  # labels' worth below which nothing is said of a group
_FLOOR = 0.4  # of the variance of a plain share: residuals that happen to be small do not make it certain,
_RARE = 5  # and least of all where fewer misses, or hits, than this were seen: then all of that variance counts
_LARGEST_SLOPE = 1.0  # of the regression on the score, which is a probability itself


@dataclass(frozen=True)
class Weighed:
    """Labels and what is known of their drawing."""

    hit: Array  # (n,) 0 or 1
    chance: Array  # (n,) of the very item, given all that went before
    when: Array  # (n,) rising in the order of drawing; equal for labels of one round
    score: Array  # (n,) what the scores expect of the item's cell
    items: int  # of the pool, N

    @property
    def weight(self) -> Array:
        """v_t; within a round t is the same for all, so that the order of telling does not matter."""
        _, of, count = np.unique(self.when, return_inverse=True, return_counts=True)
        place = np.cumsum(count) - (count - 1) / 2  # t, the mean of its round
        before = self.items - place[of.reshape(-1)] + 1  # items not drawn before
        left = (self.items - len(self.hit)) / np.maximum(before - 1, 1.0)
        return np.asarray(1 + left * (1 / (before * self.chance) - 1))

    def off(self, predicted: Array) -> float:
        """By how much the share of hits in the whole pool is off, where those labelled are known and others are as they
        were predicted, like each of these labels: the weighed residuals, less those of the items labelled."""
        weight = self.weight - len(self.hit) / self.items
        return float(weight @ (self.hit - predicted)) / max(len(self.hit), 1)


@dataclass(frozen=True)
class Shares:
    """Of each group: the share of hits, its standard error, and how many labels drawn evenly it is worth."""

    value: Array
    error: Array
    worth: Array

    def interval(self, level: float) -> tuple[Array, Array]:
        """By Student's distribution; nan where nothing is said."""
        far = self.far(1 - level) * self.error
        return np.maximum(self.value - far, 0.0), np.minimum(self.value + far, 1.0)

    def far(self, chance: float) -> Array:
        """How many standard errors away a share lies with this chance, or further."""
        return np.asarray(stdtrit(np.maximum(self.worth - 1, 1.0), 1 - chance / 2))


def shares(labels: Weighed, group: Ints, size: Ints, score_of_group: Array) -> Shares:
    """The share of hits in each group (n_groups,), nan where there are too few labels; `group` is that of each label,
    `size` and `score_of_group` the items and mean score of each group."""
    weight, groups = labels.weight, len(size)
    slope = _slope(labels, weight)
    rest = labels.hit - slope * labels.score

    def add(values: Array) -> Array:
        return np.bincount(group, weights=values, minlength=groups).astype(np.float64)

    with np.errstate(invalid="ignore", divide="ignore"):
        total, count = add(weight), add(np.ones(len(group)))
        worth = total**2 / add(weight**2)
        mean = add(weight * rest) / total
        spread = add((weight * (rest - mean[group])) ** 2) / total**2 * count / (count - 1)
        likely = (add(weight * labels.hit) / total * worth + 2) / (worth + 4)  # [Agresti, Coull 1998]
        rare = np.minimum(add(labels.hit), add(1 - labels.hit)) < _RARE
        least = np.where(rare, 1.0, _FLOOR) * likely * (1 - likely) / worth
        variance = np.maximum(spread, least) * (1 - len(group) / labels.items)
        value = np.clip(mean + slope * score_of_group, 0.0, 1.0)
        said = (worth >= LEAST) & (count > 1) & (count < size)
        return Shares(*(np.where(said, column, np.nan) for column in (value, np.sqrt(variance), worth)))


def together(parts: Sequence[Shares], size: Sequence[Ints]) -> Shares:
    """The shares in all parts of a pool, each sampled by itself; of so many items of each group in each part. Nan where
    nothing is said of one of them. The worth is that of Satterthwaite's degrees of freedom."""
    share = [own / np.maximum(np.sum(size, axis=0), 1) for own in size]
    has = [own > 0 for own in size]
    value = sum(np.where(h, w * p.value, 0.0) for h, w, p in zip(has, share, parts, strict=True))
    squares = [np.where(h, (w * p.error) ** 2, 0.0) for h, w, p in zip(has, share, parts, strict=True)]
    variance = sum(squares)
    with np.errstate(invalid="ignore", divide="ignore"):
        free = [
            np.where(h, v**2 / np.maximum(p.worth - 1, 1.0), 0.0) for h, v, p in zip(has, squares, parts, strict=True)
        ]
        return Shares(np.asarray(value), np.sqrt(variance), np.asarray(variance**2 / sum(free) + 1))


def _slope(labels: Weighed, weight: Array) -> float:
    """Of the weighted regression of hits on scores; none where scores do not differ."""
    score, hit = (x - np.average(x, weights=weight) for x in (labels.score, labels.hit))
    spread = float(weight @ score**2)
    return 0.0 if spread <= 1e-12 else float(np.clip(weight @ (score * hit) / spread, 0.0, _LARGEST_SLOPE))
