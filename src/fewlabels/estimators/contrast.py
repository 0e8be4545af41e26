"""The F-scores of two models by differences, and how far they are apart."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar

from scipy.special import stdtr, stdtrit

from fewlabels.core.difference import Differences
from fewlabels.core.evidence import Evidence
from fewlabels.core.importance import FSample
from fewlabels.core.pair_difference import PairDifferences
from fewlabels.core.searched import searched_of
from fewlabels.estimators.apart_of_all import ApartOfAll
from fewlabels.estimators.base import Estimator
from fewlabels.estimators.f_base import check_weighable, exact

HALF_AN_ITEM = 0.5


@dataclass(frozen=True)
class Apart:
    """How far one score is above another, and what is known of the error: Student's distribution, wider on one side
    where positives may lie out of reach."""

    value: float
    low_variance: float
    high_variance: float
    freedom: float
    item: float  # what one item may change
    complete: bool = False
    of_all: ApartOfAll | None = None  # where positives may be among the items that were not searched

    def interval(self, level: float) -> tuple[float, float]:
        if self.of_all is not None:
            return self.of_all.interval(level)
        if math.isnan(self.value):
            return -1.0, 1.0
        if self.complete:
            return self.value, self.value
        t = -float(stdtrit(self.freedom, (1 - level) / 2))
        low = min(self.value - t * math.sqrt(self.low_variance), self.value - self.item)
        high = max(self.value + t * math.sqrt(self.high_variance), self.value + self.item)
        return max(low, -1.0), min(high, 1.0)

    def below(self, bound: float) -> float:
        """The probability that the difference is below this."""
        if self.of_all is not None and not math.isnan(self.value):
            return self.of_all.under(bound)
        if math.isnan(self.value):
            return 0.5 * (1 + min(max(bound, -1.0), 1.0))
        variance = self.low_variance if bound < self.value else self.high_variance
        if self.complete or variance <= 0:
            return float(self.value < bound)
        return float(stdtr(self.freedom, (bound - self.value) / math.sqrt(variance)))


class Contrast(Estimator):
    """The F-score of one model less that of another, both by `difference` from the same labels, calibrated by what both
    models say. The interval is of Student's distribution; its variance is that of the difference over the draws, by
    what residuals show and what scores expect in equal parts, with half a positive that nobody has seen where neither
    or one of the models predicts it, and on one side what scores expect out of reach."""

    name: ClassVar[str] = "contrast"
    reads_draws: ClassVar[bool] = True
    of_all: ClassVar[bool] = True
    of_models: ClassVar[bool] = True
    learns_prior: ClassVar[bool] = True

    def check(self, evidence: Evidence) -> None:
        check_weighable(self.name, evidence)

    def read(self, samples: list[FSample], *, pool: bool, assumed: float = 0.0) -> Apart:
        """The difference from the labels so far, where at most this share of the positives is assumed among the items
        that were not searched."""
        if assumed <= 0 or samples[0].complete or samples[0].alpha == 1:
            return self._inside(samples, pool=pool)
        part, *_ = parts = [searched_of(sample) for sample in samples]
        inside = [one.alone for one in parts]
        found = self._inside(inside, pool=pool, beyond=False)
        if math.isnan(found.value):
            return found
        known = [exact(one) if one.complete else Differences(one) for one in inside]
        one, other = known
        scores, counted = (one.value, other.value), (one.counted, other.counted)
        alpha, said = samples[0].alpha, float(samples[0].size @ samples[0].predicted)
        positives = max((counted[0] - alpha * said) / (1 - alpha), 0.0)
        whole = ApartOfAll(found, scores, counted, alpha, positives, part.items, part.below, assumed)
        return replace(found, value=whole.value, complete=False, of_all=whole)

    def _inside(self, samples: list[FSample], *, pool: bool, beyond: bool = True) -> Apart:
        if samples[0].complete:
            one, other = (exact(sample) for sample in samples)
            value = one.value - other.value
            further = 0.0 if pool else PairDifferences.of(samples).of_pools
            return Apart(value, further, further, math.inf, 0.0, complete=pool)
        pair = PairDifferences.of(samples)
        if len(samples[0].cell) == 0 or pair.counted <= 0:
            return Apart(math.nan, 1.0, 1.0, math.inf, 1.0)
        spread, out = pair.spread, pair.beyond if beyond else 0.0
        variance = spread.variance + pair.hidden + (0.0 if pool else pair.of_pools)
        low, high = (variance + out**2 * (side * out > 0) for side in (-1, 1))
        return Apart(pair.value, low, high, spread.freedom, HALF_AN_ITEM / max(pair.counted, 1.0))

    def in_words(self) -> str:
        """The method, for every number it gives."""
        return "both models' calibrated scores corrected by the same weighted residuals (difference estimator)"
