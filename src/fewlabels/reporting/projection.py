"""What a uniform sample would have needed: a projection by formulas, and marked as one."""

import math
from dataclasses import replace

import numpy as np

from fewlabels.answers import Comparison, Finding, Identification, LabelsLeft, level_words
from fewlabels.core.needed import Outlook, for_width
from fewlabels.study.look import Look

_DRAWS = 100


def uniform_words(seen: Look) -> str | None:
    """How many labels of a uniform sample would reach the goal, or an overall interval as short as this one; None where
    the formulas do not know."""
    answer, until = seen.answer, seen.study.settings.until
    if seen.evidence.count == 0:
        return None
    overall = None if isinstance(answer, Identification | Comparison) else answer.overall
    items, plain = int(seen.assessment.cells.size.sum()), overall is not None and _is_plain_share(seen, overall)
    needed = None if until is None else until.needs(replace(answer, outlook=_fewer(answer.outlook)))
    if needed is not None and until is not None and (seen.question.by or not plain):
        span = LabelsLeft.of(needed.uniform, items, needed.wider)
        return (
            f"Projection: a uniform sample would take about {span.likely:,} labels ({span.low:,} to {span.high:,}) "
            f"until {until.describe()}."
        )
    if overall is None or not plain:
        return None
    return (
        f"Projection: a uniform sample would take about {as_short(overall, items):,} labels for an overall "
        f"{level_words(overall.level)} interval as short as this one (±{100 * overall.half_width:.1f} points)."
    )


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
