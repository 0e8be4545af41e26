"""What a uniform sample would have needed: a projection by formulas, and marked as one."""

import math
from dataclasses import replace
from typing import cast

import numpy as np
from scipy.special import ndtri

from fewlabels.answers import (
    BestOfModels,
    Comparison,
    Finding,
    Identification,
    LabelsLeft,
    ModelComparison,
    level_words,
)
from fewlabels.core.difference import calibrated
from fewlabels.core.importance import FSample
from fewlabels.core.needed import Outlook, for_width
from fewlabels.reading.draws import DrawReading
from fewlabels.study.look import Look

_DRAWS = 100


def uniform_words(seen: Look) -> str | None:
    """How many labels of a uniform sample would reach the goal, or an overall interval as short as this one; None where
    the formulas do not know."""
    answer, until = seen.answer, seen.study.settings.until
    if seen.evidence.count == 0:
        return None
    if isinstance(answer, ModelComparison | BestOfModels):
        return _where_models_differ(seen, answer)
    overall = None if isinstance(answer, Identification | Comparison) else answer.overall
    items, plain = int(seen.assessment.cells.size.sum()), overall is not None and _is_plain_share(seen, overall)
    needed = None if until is None else until.needs(replace(answer, outlook=_fewer(answer.outlook)))
    if needed is not None and until is not None and (seen.question.by or not plain):
        span = LabelsLeft.of(needed.uniform, items, needed.wider)
        return (
            f"Projection: a uniform sample would take about {span.likely:,} labels ({span.low:,} to {span.high:,}) "
            f"until {until.describe()}."
        )
    if overall is None or not (plain or _is_f_score(seen, overall)):
        return None
    labels = as_short(overall, items) if plain else f_score_as_short(_f_sample(seen), overall)
    return (
        f"Projection: a uniform sample would take about {labels:,} labels for an overall "
        f"{level_words(overall.level)} interval as short as this one (±{100 * overall.half_width:.1f} points)."
    )


def _where_models_differ(seen: Look, answer: ModelComparison | BestOfModels) -> str | None:
    """Labels are asked where models differ alone; a uniform sample would bring others too."""
    if seen.assessment.between is None or not answer.differ:
        return None
    labels = math.ceil(seen.evidence.count * answer.items / answer.differ)
    return (
        f"Projection: a uniform sample of all items would take about {min(labels, answer.items):,} labels to have as "
        "many where the models do not all say the same, which alone tells them apart."
    )


def _is_f_score(seen: Look, overall: Finding) -> bool:
    known = not math.isnan(overall.value) and not overall.certain and overall.half_width > 0
    return seen.assessment.estimator.reads_draws and known and seen.study.settings.target == "pool"


def _f_sample(seen: Look) -> FSample:
    (sample,) = cast(DrawReading, seen.reading()).samples
    return sample


def f_score_as_short(sample: FSample, found: Finding) -> int:
    """Labels of a uniform sample whose F-score, a ratio of counts, would have an interval as short.

    Its variance is that of (y ŷ - F (alpha ŷ + (1 - alpha) y)) / C over the items, C being the mean of what counts,
    with y as the labels calibrate the scores.
    """
    said, share, alpha, value = sample.predicted, sample.size / sample.items, sample.alpha, found.value
    chance = calibrated(sample)
    if_positive, if_not = said - value * (alpha * said + 1 - alpha), value * alpha * said
    spread = float(share @ (chance * if_positive**2 + (1 - chance) * if_not**2))
    counts = float(share @ (alpha * said + (1 - alpha) * chance))
    wanted = (found.half_width / float(ndtri((1 + found.level) / 2))) ** 2
    endless = spread / (counts**2 * wanted)
    return math.ceil(endless / (1 + endless / sample.items))


def _fewer(seen: Outlook | None) -> Outlook | None:
    """Some of the draws, which are enough for a projection."""
    return None if seen is None else replace(seen, rates=seen.rates[:_DRAWS])


def as_short(found: Finding, items: int) -> int:
    """Labels of a uniform sample whose interval of the same share would be as short."""
    each = for_width(np.array([[found.value]]), np.array([items]), found.half_width, found.level)
    return math.ceil(float(each[0, 0]))


def _is_plain_share(seen: Look, overall: Finding) -> bool:
    """Whether it is a share of items, which a uniform sample would estimate by counting."""
    whole = seen.assessment.whole
    counted = whole is not None and whole.metric.scale == 1.0 and whole.metric.linear
    return counted and not math.isnan(overall.value) and not overall.certain and seen.evidence.count > 1
