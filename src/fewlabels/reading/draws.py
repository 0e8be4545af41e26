"""Reading weighted draws: F-scores of the whole pool with intervals."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from fewlabels.answers import Finding
from fewlabels.core.importance import FSample, hidden_miss_variance
from fewlabels.estimators import FEstimate, FEstimator
from fewlabels.metrics import OfOneClass
from fewlabels.reading.base import BY_ITSELF, Reading, united

_BAND: tuple[tuple[str, Callable[[list[float]], float]], ...] = (("band_low", min), ("band_high", max))


@dataclass(frozen=True)
class DrawReading(Reading):
    """Draw by draw, each with its weight."""

    shared: ClassVar[bool] = True

    @cached_property
    def samples(self) -> tuple[FSample, ...]:
        """The labelled items and draws as each row of the metric reads them."""
        return tuple(self.assessment.f_samples(self.evidence))

    @cached_property
    def estimates(self) -> tuple[FEstimate, ...]:
        estimator = cast(FEstimator, self.assessment.estimator)
        return tuple(self._widened(estimator.read(sample), sample) for sample in self.samples)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        target, method = self.assessment.settings.target, cast(FEstimator, self.assessment.estimator).in_words()
        names = self.assessment.lens.rows.names if len(self.samples) > 1 else ("overall",)
        ends = (estimate.interval(self.level, pool=target == "pool") for estimate in self.estimates)
        own = tuple(
            Finding(estimate.value, low, high, self.level, method, target, labels, 0.0, name, left=left)
            for name, estimate, (low, high), (labels, left) in zip(
                names, self.estimates, ends, map(_counting, self.samples), strict=True
            )
        )
        return united(own, [other.findings for other in self.supposed])

    @property
    def overall(self) -> Finding | None:
        return self.findings[0] if len(self.findings) == 1 else None

    @cached_property
    def bands(self) -> tuple[dict[str, float], ...]:
        """Of curves, the ends between which all points lie at once."""
        metric, estimator = cast(OfOneClass, self.assessment.metric), cast(FEstimator, self.assessment.estimator)
        if not metric.curve:
            return ({},) * len(self.samples)
        each, pool = estimator.level_of_each(self.samples, self.level), self.assessment.settings.target == "pool"
        ends = (estimate.interval(each, pool=pool) for estimate in self.estimates)
        own = [{"band_low": low, "band_high": high} for low, high in ends]
        every = zip(own, *(other.bands for other in self.supposed), strict=True)
        return tuple({end: pick([one[end] for one in same]) for end, pick in _BAND} for same in every)

    @property
    def extra(self) -> tuple[dict[str, Any], ...]:
        return tuple(
            {
                **band,
                "variance": e.variance,
                "cautious_variance": math.nan if math.isnan(e.value) else e.cautious + e.below,
                "draws": len(s.row),
                "positives": int(s.positive.sum()),
            }
            for e, s, band in zip(self.estimates, self.samples, self.bands, strict=True)
        )

    @cached_property
    def _asks_more(self) -> bool:
        """Whether misses matter more in the question than in the one the labels were drawn for: recall after F1."""
        own, other = (cast(OfOneClass, m) for m in (self.assessment.settings.question.metric, self.assessment.metric))
        return other.alpha < own.alpha

    def _widened(self, estimate: FEstimate, sample: FSample) -> FEstimate:
        """The estimate; where misses matter more than they did to the draws, with those in its variance that may
        hide."""
        exact = math.isnan(estimate.value) or estimate.complete or np.isnan(sample.probability).any()
        if exact or not self._asks_more or cast(FEstimator, self.assessment.estimator).allows_for_misses:
            return estimate
        drawn_for = self.assessment.settings.question.metric
        same = self.assessment.metric.axes == drawn_for.axes  # at other thresholds scores tell less
        hidden = hidden_miss_variance(sample, estimate.value, by_scores=same)
        return replace(estimate, cautious=estimate.cautious + hidden)

    @property
    def sentence(self) -> str:
        if cast(OfOneClass, self.assessment.metric).few:
            return f"{self.beginning}{', '.join(f'{f.group} {f}' for f in self.findings)}."
        if cast(OfOneClass, self.assessment.metric).balanced:
            return self.beginning + self._balance()
        if self.assessment.metric.overall is None or not math.isnan(self.findings[0].value):
            return super().sentence
        positive = self.assessment.metric.of_class
        if self.estimates[0].complete:
            return f"{self.beginning}not defined: no item that counts is {positive!r} or predicted so."
        if self.evidence.count == 0:
            return f"{self.beginning}no labels yet (anything from 0.0% to 100.0%)."
        unknown = f"no item labelled so far is {positive!r} or predicted so"
        return f"{self.beginning}not known yet (anything from 0.0% to 100.0%): {unknown}."

    def _balance(self) -> str:
        """Both figures at the threshold where their harmonic mean, the F1, is highest."""
        half = len(self.findings) // 2
        both = zip(self.findings[:half], self.findings[half:], strict=True)
        known = [(p, r) for p, r in both if p.value > 0 and r.value > 0]  # nan is not
        if not known:
            return "not known yet."
        p, r = max(known, key=lambda found: 1 / (1 / found[0].value + 1 / found[1].value))
        return f"best balanced are {p.group}, {p}, and {r.group}, {r}. {BY_ITSELF}"

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know about pools and samples out of the ordinary."""
        sample = self.samples[len(self.samples) // 2]
        metric = cast(OfOneClass, self.assessment.metric)
        name, hits, notes = metric.positive, int(sample.size[sample.predicted > 0].sum()), []
        if hits == 0:
            notes.append(
                f"The model predicts {name!r} for no item of the pool, so the score is 0 if there is one such item, "
                "and not defined if there is none."
            )
        if hits == sample.items:
            notes.append(f"The model predicts {name!r} for every item of the pool.")
        if len(sample.cell) and not sample.positive.any() and metric.alpha < 1:
            notes.append(
                f"No item labelled so far is {name!r}; how many the model misses can hardly be told before one is "
                "found."
            )
        if len(np.unique(sample.score)) == 1 and sample.items > 1:
            notes.append("Every item has the same score, which therefore cannot tell which items to label first.")
        elif (share := sample.size.max() / sample.items) > 0.5 and sample.items > 1:
            notes.append(f"{share:.0%} of the items share one score; among them items are drawn at random.")
        if self._asks_more and not sample.complete:
            own = self.assessment.settings.question.metric.title
            notes.append(
                f"The labels were drawn for the {own}, which minds misses less; the interval allows for those that may "
                "hide, and a study of its own would tell more from as many labels."
            )
        return tuple(notes)


def _counting(sample: FSample) -> tuple[int, int]:
    """Labelled items that can count in the score, and unlabelled ones: for precision, those predicted positive."""
    labels = int(sample.can_count[sample.cell].sum())
    return labels, int(sample.size[sample.can_count].sum()) - labels
