"""From weighted draws to an answer: F-scores with intervals, and the sentence a person reads first."""

import math
from dataclasses import replace
from typing import Any, cast

import numpy as np

from fewlabels.answers import Answer, Finding, count_of
from fewlabels.assessment import Assessment
from fewlabels.core.evidence import Evidence
from fewlabels.core.importance import FSample, hidden_miss_variance
from fewlabels.estimators import FEstimate, FEstimator
from fewlabels.metrics import OfOneClass


def f_findings(
    assessment: Assessment, evidence: Evidence, level: float
) -> tuple[tuple[Finding, ...], tuple[FEstimate, ...], tuple[FSample, ...]]:
    """A finding for each row of the metric, with the estimate and the sample it came from."""
    samples, estimator = tuple(assessment.f_samples(evidence)), cast(FEstimator, assessment.estimator)
    estimates = tuple(_widened(assessment, estimator.read(sample), sample) for sample in samples)
    pool = assessment.settings.target == "pool"
    names = assessment.metric.rows(assessment.view).names if len(samples) > 1 else ("overall",)
    findings = []
    for name, estimate, sample in zip(names, estimates, samples, strict=True):
        labels, left = _counting(sample)
        low, high = estimate.interval(level, pool=pool)
        findings.append(
            Finding(
                value=estimate.value,
                low=low,
                high=high,
                level=level,
                method=estimator.in_words(),
                target=assessment.settings.target,
                labels=labels,
                prior_share=0.0,
                group=name,
                left=left,
            )
        )
    return tuple(findings), estimates, samples


def _counting(sample: FSample) -> tuple[int, int]:
    """Labelled items that can count in the score, and unlabelled ones: for precision, those predicted positive."""
    can_count = (sample.predicted > 0) | (sample.alpha < 1)
    labels = int(can_count[sample.cell].sum())
    return labels, int(sample.size[can_count].sum()) - labels


def _asks_more(assessment: Assessment) -> bool:
    """Whether misses matter more in the question than in the one the labels were drawn for: recall after F1, say."""
    own, other = (cast(OfOneClass, m) for m in (assessment.settings.question.metric, assessment.metric))
    return other.alpha < own.alpha


def _widened(assessment: Assessment, estimate: FEstimate, sample: FSample) -> FEstimate:
    """The estimate; where misses matter more than they did to the draws, with those in its variance that may hide."""
    exact = math.isnan(estimate.value) or estimate.complete or np.isnan(sample.probability).any()
    if exact or not _asks_more(assessment):
        return estimate
    same = assessment.metric.axes == assessment.settings.question.metric.axes  # at other thresholds scores tell less
    hidden = hidden_miss_variance(sample, estimate.value, by_scores=same)
    return replace(estimate, cautious=estimate.cautious + hidden)


def answer_from_draws(assessment: Assessment, evidence: Evidence, level: float, notes: tuple[str, ...] = ()) -> Answer:
    """The answer to a question about the F-score of the whole pool."""
    findings, estimates, samples = f_findings(assessment, evidence, level)
    extra = tuple(
        {
            "variance": e.variance,
            "cautious_variance": math.nan if math.isnan(e.value) else e.cautious,
            "draws": len(s.row),
            "positives": int(s.positive.sum()),
        }
        for e, s in zip(estimates, samples, strict=True)
    )
    common: dict[str, Any] = {
        "question": assessment.question.describe(),
        "notes": (*_edges(assessment, samples[len(samples) // 2]), *notes),
        "strategy": f"{assessment.strategy.name}: {assessment.strategy.reason}",
        "extra": extra,
    }
    sentence = _sentence(assessment, evidence, findings, complete=estimates[0].complete)
    return Answer(findings=findings, overall=findings[0] if len(findings) == 1 else None, sentence=sentence, **common)


def _sentence(assessment: Assessment, evidence: Evidence, findings: tuple[Finding, ...], *, complete: bool) -> str:
    if assessment.metric.overall is None:
        return curve_sentence(assessment, evidence, findings)
    if math.isnan(findings[0].value):
        return _beginning(assessment, evidence) + _unknown(assessment, evidence, complete=complete)
    return f"{_beginning(assessment, evidence)}{findings[0]}."


def curve_sentence(assessment: Assessment, evidence: Evidence, findings: tuple[Finding, ...]) -> str:
    """The best of several thresholds, in words."""
    known = [f for f in findings if not math.isnan(f.value)]
    if not known:
        return _beginning(assessment, evidence) + "not known yet."
    best = max(known, key=lambda f: f.value)
    text = f"highest at {best.group}, {best}. Intervals hold for each threshold by itself."
    return _beginning(assessment, evidence) + text


def _beginning(assessment: Assessment, evidence: Evidence) -> str:
    title = assessment.question.describe()
    return f"{title[:1].upper()}{title[1:]}, from {count_of(evidence.count, 'label')}: "


def _unknown(assessment: Assessment, evidence: Evidence, *, complete: bool) -> str:
    positive = assessment.metric.of_class
    if complete:
        return f"not defined: no item that counts is {positive!r} or predicted so."
    if evidence.count == 0:
        return "no labels yet (anything from 0.0% to 100.0%)."
    return f"not known yet (anything from 0.0% to 100.0%): no item labelled so far is {positive!r} or predicted so."


def _edges(assessment: Assessment, sample: FSample) -> tuple[str, ...]:
    """What a reader must know about pools and samples out of the ordinary."""
    metric = cast(OfOneClass, assessment.metric)
    name, hits, notes = metric.positive, int(sample.size[sample.predicted > 0].sum()), []
    if hits == 0:
        notes.append(
            f"The model predicts {name!r} for no item of the pool, so the score is 0 if there is one such item, and "
            "not defined if there is none."
        )
    if hits == sample.items:
        notes.append(f"The model predicts {name!r} for every item of the pool.")
    if len(sample.cell) and not sample.positive.any() and metric.alpha < 1:
        notes.append(
            f"No item labelled so far is {name!r}; how many the model misses can hardly be told before one is found."
        )
    if len(np.unique(sample.score)) == 1 and sample.items > 1:
        notes.append("Every item has the same score, which therefore cannot tell which items to label first.")
    elif (share := sample.size.max() / sample.items) > 0.5 and sample.items > 1:
        notes.append(f"{share:.0%} of the items share one score; among them items are drawn at random.")
    if _asks_more(assessment) and not sample.complete:
        own = assessment.settings.question.metric.title
        notes.append(
            f"The labels were drawn for the {own}, which minds misses less; the interval is widened for those that may "
            "hide, and a study of its own would tell more from as many labels."
        )
    return tuple(notes)
