"""The other ways of choosing labels for an F-score that [ACIS21] compares with."""

from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.design import Design
from fewlabels.core.importance import FSample, inside, optimal_distribution
from fewlabels.core.keyed import Keyed
from fewlabels.core.round import Round
from fewlabels.strategies.acis import ANEW, DrawsForF, draw_cells
from fewlabels.strategies.base import State

EPSILON = 1e-3
_FIXED = Design(chances="none")
_BATCH = 10  # draws planned at a time; the distribution never changes, so any number would do


class Sawade(DrawsForF):
    """Importance sampling with the model's own scores for p(y=1|x), and the F-score they imply [Sawade, Landwehr,
    Scheffer 2010]: one distribution, draws with replacement from the whole pool."""

    name: ClassVar[str] = "sawade"
    reason: ClassVar[str] = "importance sampling by the model's own scores, with known probabilities"

    def choose(self, state: State, keyed: Keyed) -> Round:
        sample, remaining = state.sample, state.remaining
        c = inside(sample.score, EPSILON)
        g = float(np.clip(expected_score(c, sample), EPSILON, 1 - EPSILON))
        mass = sample.size * optimal_distribution(c, sample.predicted, g, sample.alpha)
        n = min(_BATCH, state.most)
        return draw_cells(mass, remaining, n, keyed, ANEW) if n > 0 and remaining[mass > 0].any() else Round()


def expected_score(probability: Array, sample: FSample) -> float:
    """The F-score that probabilities of being positive, one a cell, lead one to expect; Eq. 1 with sums of them."""
    positive = sample.size * probability
    found = positive @ sample.predicted
    counted = sample.alpha * (sample.size @ sample.predicted) + (1 - sample.alpha) * positive.sum()
    return float(found / counted) if counted > 0 else 0.0


class TopK(DrawsForF):
    """The items of the highest scores, one after the other."""

    name: ClassVar[str] = "top_k"
    reason: ClassVar[str] = "the items the model scores highest, in order"

    def choose(self, state: State, keyed: Keyed) -> Round:  # noqa: ARG002 - nothing is left to chance
        sample, remaining = state.sample, state.remaining
        left = np.flatnonzero(remaining > 0)
        return Round() if len(left) == 0 else Round((int(left[np.argmax(sample.score[left])]),), design=_FIXED)


class Herding(DrawsForF):
    """Items whose score, squared score, prediction and their product average to those of the pool [Welling 2009].

    The paper does not say which features it matches; these are all that a pool of scores has. Each step takes the
    item that moves the mean of those chosen closest to the pool's.
    """

    name: ClassVar[str] = "herding"
    reason: ClassVar[str] = "herding: items whose scores and predictions average to those of the pool"

    def choose(self, state: State, keyed: Keyed) -> Round:  # noqa: ARG002 - nothing is left to chance
        sample, remaining = state.sample, state.remaining
        left = np.flatnonzero(remaining > 0)
        if len(left) == 0:
            return Round()
        s, y, weight = sample.score, sample.predicted, sample.size / sample.items
        features = np.stack([s, s**2, y, s * y], axis=1)
        mean = weight @ features
        features = (features - mean) / np.sqrt(np.maximum(weight @ (features - mean) ** 2, 1e-12))
        taken = sample.size - remaining
        total = taken @ features + features[left]
        return Round((int(left[np.argmin((total**2).sum(axis=1))]),), design=_FIXED)
