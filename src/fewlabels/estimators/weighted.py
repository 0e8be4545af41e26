"""The F-score of the labelled items, each weighted by the inverse of its probability of being drawn."""

import math
from typing import ClassVar

import numpy as np

from fewlabels.core.importance import FSample, ratio_variance
from fewlabels.estimators.f_base import UNIT_FLOOR, FEstimate, FEstimator, known_already


class Weighted(FEstimator):
    """Eq. 2 of [ACIS21] over all draws together; equal weights where draws have no probabilities of their own.

    After uniform draws this is the plain F-score of the sample (RAND), after draws by the model's scores the estimate
    of Sawade et al. After the top K it is the F-score of those K items: it assumes nothing about the items below, and
    so is too high where positives hide among them.
    """

    name: ClassVar[str] = "weighted"

    def read(self, sample: FSample) -> FEstimate:
        """The estimate from the labels so far."""
        if (known := known_already(sample)) is not None:
            return known
        row, weight = sample.row, 1 / (len(sample.row) * sample.probability)
        if len(row) == 0 or np.isnan(sample.probability).any():
            row = np.arange(len(sample.cell))
            weight = np.full(len(row), sample.items / max(len(row), 1))
        drawn, right = weight * sample.counts[row], sample.right[row]
        total = float(drawn.sum())
        if total == 0:
            return FEstimate(math.nan, math.nan, 0.25, 0.0)
        g = min(float(drawn @ right) / total, 1.0)
        variance = ratio_variance(drawn, right, g, total)
        effective = max(g * (1 - g), UNIT_FLOOR) * float(((drawn / total) ** 2).sum())
        spread = float(weight @ (sample.counts[row] ** 2 * (right - g) ** 2)) / total**2
        sure = 0.25 if math.isnan(variance) else variance
        return FEstimate(g, sure, max(sure, effective), total, spread)

    def in_words(self) -> str:
        return "F-score of the labelled sample, Wilson interval for its effective size"
