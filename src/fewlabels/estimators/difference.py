"""F-scores by differences: calibrated scores, corrected by the labels' residuals."""

import math
from dataclasses import replace
from typing import ClassVar

from fewlabels.core.difference import Differences
from fewlabels.core.importance import FSample
from fewlabels.estimators.f_base import FEstimate, FEstimator, known_already

HALF_AN_ITEM = 0.5  # one more positive moves an F1 by about half of one over what counts


class Difference(FEstimator):
    """What a Bayesian logistic calibration of the model's own scores expects of the unlabelled items, corrected by the
    residuals of the labels, each weighed by its chance of being drawn.

    The interval is Wilson's with Student's quantile; its variance is that of the draws, by what residuals show and
    what scores expect in equal parts, with half a positive that nobody has seen; the lower end also allows for the
    positives that scores expect out of reach.
    """

    name: ClassVar[str] = "difference"
    strategy: ClassVar[str] = "doubt"
    allows_for_misses: ClassVar[bool] = True

    def read(self, sample: FSample) -> FEstimate:
        """The estimate from the labels so far."""
        if (known := known_already(sample)) is not None:
            return known
        d = Differences(sample)
        if len(sample.cell) == 0 or d.counted <= 0:
            return FEstimate(math.nan, math.nan, 0.25, 0.0)
        variance = d.spread.variance
        cautious = min(variance + d.hidden, 0.25)
        made = FEstimate(d.value, variance, cautious, d.counted, d.of_pools, freedom=d.spread.freedom)
        return replace(made, below=d.beyond, least=HALF_AN_ITEM)

    def in_words(self) -> str:
        return "calibrated scores corrected by weighted residuals (difference estimator), Wilson interval with caution"
