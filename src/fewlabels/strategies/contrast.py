"""Draws without replacement where labels are in doubt and tell the F-scores of models apart."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import stdtr

from fewlabels.core.arrays import Array
from fewlabels.core.importance import FSample, inside
from fewlabels.core.pair_difference import PairDifferences
from fewlabels.core.scores_of_models import ScoresOfModels, in_parts
from fewlabels.strategies.base import ForModels
from fewlabels.strategies.doubt import Doubt, planned_by

_OUT = 0.005  # a model that is better than the one in front with a smaller chance is not drawn for


@dataclass(frozen=True)
class Contrast(Doubt):
    """As `doubt`, for the difference of two models' F-scores: chances in proportion to the spread of the label and to
    how far it moves the difference, which is far where one model says what the other does not, and next to nothing
    elsewhere. By groups, so that the worst served of them is served best. Of several models, for the differences from
    the one in front of those that may yet be better."""

    name: ClassVar[str] = "contrast"
    reason: ClassVar[str] = (
        "items whose label is in doubt and moves one model's score more than the other's are drawn more often, once "
        "each, with known chances"
    )
    for_models: ClassVar[ForModels] = "only"
    estimator: ClassVar[str | None] = "contrast"

    def figures(self, samples: list[FSample]) -> tuple[Array, Array]:
        parts = in_parts(samples, len(samples[0].said))
        pairs = [pair for part in parts for pair in _open(ScoresOfModels(tuple(part)))]
        m = inside(pairs[0].one.expected, self.epsilon)
        slopes = [_slope(pair) for pair in pairs]
        return np.broadcast_to(np.sqrt(m * (1 - m)), (len(slopes), len(m))), np.array(slopes)


def _open(scores: ScoresOfModels) -> list[PairDifferences]:
    """The pairs to tell apart: the model in front, and each that may yet be better; the next one at least."""
    ranks = np.argsort(-np.nan_to_num(scores.value, nan=-1.0), kind="stable").tolist()
    pairs = [scores.pair(ranks[0], other) for other in ranks[1:]]
    return [pair for place, pair in enumerate(pairs) if place == 0 or not scores.known or _may_be_behind(pair)]


def _may_be_behind(pair: PairDifferences) -> bool:
    spread = pair.spread
    deviation = math.sqrt(spread.variance + pair.hidden)
    return deviation > 0 and float(stdtr(spread.freedom, -pair.value / deviation)) >= _OUT


def _slope(pair: PairDifferences) -> Array:
    """How far a label may move the difference, as far as can be planned; nothing outside of the part in question."""
    one, other = (
        (known.sample.predicted - (1 - known.sample.alpha) * planned_by(known.value)) / max(known.counted, 1.0)
        for known in (pair.one, pair.other)
    )
    return np.where(pair.sample.size > 0, np.abs(one - other), 0.0)
