"""Draws without replacement where labels are in doubt and tell the F-scores of two models apart."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.importance import FSample, inside
from fewlabels.core.pair_difference import PairDifferences
from fewlabels.strategies.base import ForModels
from fewlabels.strategies.doubt import Doubt, planned_by


@dataclass(frozen=True)
class Contrast(Doubt):
    """As `doubt`, for the difference of two models' F-scores: chances in proportion to the spread of the label and to
    how far it moves the difference, which is far where one model says what the other does not, and next to nothing
    elsewhere."""

    name: ClassVar[str] = "contrast"
    reason: ClassVar[str] = (
        "items whose label is in doubt and moves one model's score more than the other's are drawn more often, once "
        "each, with known chances"
    )
    for_models: ClassVar[ForModels] = "only"
    estimator: ClassVar[str | None] = "contrast"

    def figures(self, samples: list[FSample]) -> tuple[Array, Array]:
        pair = PairDifferences.of(samples)
        m = inside(pair.one.expected, self.epsilon)
        slopes = [
            (known.sample.predicted - (1 - known.sample.alpha) * planned_by(known.value)) / max(known.counted, 1.0)
            for known in (pair.one, pair.other)
        ]
        return np.sqrt(m * (1 - m))[None], np.abs(slopes[0] - slopes[1])[None]
