"""What the labels of a row leave open, whatever a model that rows share makes of it."""

from typing import cast

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.cells import View
from fewlabels.core.groups import of_a_column
from fewlabels.core.nothing_borrowed import ends_alone, fading
from fewlabels.core.own_labels import own_ends
from fewlabels.metrics import Metric

_SURE_MISSES = 3  # so many misses and no hit, and all may be wrong
_ROUNDING = 1e-12  # of sums over cells


def left_open(
    belief: Belief, metric: Metric, view: View, low: Array, high: Array, level: float, *, pool: bool
) -> tuple[Array, Array]:
    """The ends of each row's interval, moved to what no label speaks against: all of a row may be right where none says
    otherwise, or all wrong, and a group may be what its own labels say."""
    hits, misses = metric.told(belief.tally.T, view)
    rest = belief.unlabelled if pool else belief.size
    known = belief.tally[:, 0] if pool else np.zeros(len(belief.size))
    wrong, right = metric.values(np.stack([known, known + rest]) / belief.size, view)
    against = (np.where(hits > 0, misses, 1.0), np.where(misses >= _SURE_MISSES, hits, 1.0))
    for end, labels in zip((right, wrong), against, strict=True):
        open_ = np.maximum(1 - labels, 0.0)  # how far nothing speaks against that end: one label does
        low, high = low - open_ * np.maximum(low - end, 0.0), high + open_ * np.maximum(end - high, 0.0)
    if view.by and metric.scale is not None:
        rows = metric.rows(view)
        own = metric.scale * own_ends(belief, rows.partition, level, pool=pool)[:, rows.part] + metric.shift(view)
        low, high = np.fmin(low, own.min(axis=0)), np.fmax(high, own.max(axis=0))
        if of_a_column(view.by):
            low, high = _stretched(belief, metric, view, low, high, level, pool=pool)
    return low, high


def possible(belief: Belief, metric: Metric, view: View, low: Array, high: Array) -> tuple[Array, Array]:
    """The ends of intervals of the pool's own items, no further than labels leave possible."""
    if not (metric.linear and belief.rates and belief.plain is None):
        return low, high
    known = belief.tally[:, 0]
    ends = np.sort(metric.values(np.stack([known, known + belief.unlabelled]) / belief.size, view), axis=0)
    return np.fmax(low, ends[0] - _ROUNDING), np.fmin(high, ends[1] + _ROUNDING)


def _stretched(
    belief: Belief, metric: Metric, view: View, low: Array, high: Array, level: float, *, pool: bool
) -> tuple[Array, Array]:
    """The ends moved to those of each group's own labels with nothing borrowed, as far as these count."""
    rows, scale = metric.rows(view), cast(float, metric.scale)
    alone = scale * ends_alone(belief, rows.partition, level, pool=pool)[:, rows.part] + metric.shift(view)
    counts = fading(rows.partition.sums(belief.labels))[rows.part]
    below, above = np.nan_to_num([low - alone.min(axis=0), alone.max(axis=0) - high])
    return low - counts * np.maximum(below, 0.0), high + counts * np.maximum(above, 0.0)
