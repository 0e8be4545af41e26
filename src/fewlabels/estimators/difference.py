"""F-scores by differences: calibrated scores, corrected by the labels' residuals."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from fewlabels.core.bands import together
from fewlabels.core.importance import FSample
from fewlabels.core.ranked import differences
from fewlabels.core.searched import searched_of
from fewlabels.estimators.f_base import FEstimate, FEstimator, known_already
from fewlabels.estimators.f_of_all import OfAll

HALF_AN_ITEM = 0.5  # one more positive moves an F1 by about half of one over what counts, a precision by a whole one


class Difference(FEstimator):
    """What a Bayesian logistic calibration of the model's own scores expects of the unlabelled items, corrected by the
    residuals of the labels, each weighed by its chance of being drawn.

    The interval is Wilson's with Student's quantile; its variance is that of the draws, by what residuals show and
    what scores expect in equal parts, with half a positive that nobody has seen; the lower end also allows for the
    positives that scores expect out of reach. A precision or recall of one is held as long as no label speaks against.
    """

    name: ClassVar[str] = "difference"
    strategy: ClassVar[str | None] = "doubt"
    allows_for_misses: ClassVar[bool] = True
    of_all: ClassVar[bool] = True
    ranks: ClassVar[bool] = True

    def read(self, sample: FSample) -> FEstimate:
        """The estimate from the labels so far."""
        d = differences(sample)
        if sample.rank is not None and sample.complete:
            return FEstimate(d.value, 0.0, 0.0, d.counted, d.of_pools, complete=True)
        if sample.rank is None and (known := known_already(sample)) is not None:
            return known
        if len(sample.cell) == 0 or d.counted <= 0 or math.isnan(d.value):
            return FEstimate(math.nan, math.nan, 0.25, 0.0)
        variance = d.spread.variance
        cautious = min(variance + d.hidden, 0.25)
        made = FEstimate(d.value, variance, cautious, d.counted, d.of_pools, freedom=d.spread.freedom)
        return replace(made, below=d.beyond, least=max(HALF_AN_ITEM, sample.alpha), faultless=faultless(sample))

    def of_all_items(self, sample: FSample) -> OfAll | None:
        """The same of all items, where positives may be among those that were not searched; a precision has none."""
        if sample.alpha == 1:
            return None
        part = searched_of(sample)
        found = self.read(part.alone)
        ranked = sample.rank is not None
        said = 0.0 if ranked else sample.alpha * float(sample.size @ sample.predicted)
        positives = max((found.counted - said) / (1 - sample.alpha), 0.0)  # of a ranking all that counts
        about = (sample.alpha, positives, part.items, part.below, ranked)
        return OfAll(replace(found, below=0.0), self.read(sample), *about)

    def level_of_each(self, samples: Sequence[FSample], level: float) -> float:
        """Labels move many points of a curve at once, and by how much is known; what nobody has seen each point has for
        itself."""
        read = [differences(sample) for sample in samples if sample.predicted.any() and not sample.complete]
        read = [d for d in read if d.counted > 0]
        if not read:
            return level
        moves = [np.sqrt((d.spread.seen + d.spread.expected) / 2) * np.sign(d.slope)[d.sample.cell] for d in read]
        return together(level, np.array(moves), np.array([d.hidden for d in read]))

    def in_words(self) -> str:
        return "calibrated scores corrected by weighted residuals (difference estimator), Wilson interval with caution"


def faultless(sample: FSample) -> bool:
    """Whether no label speaks against a precision or recall of one, or against a ranking without fault."""
    if sample.rank is None:
        return sample.alpha in (0, 1) and not (sample.counts * (1 - sample.right)).any()
    at, hit = sample.rank[sample.cell], sample.positive > 0
    return bool(hit.any()) and not (at[~hit] >= at[hit].min()).any()
