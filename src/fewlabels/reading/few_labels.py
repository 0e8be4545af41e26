"""Which figures and intervals groups with few own labels, or none, show."""

import math
from typing import Any

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.few_labels import interval_from, ranked_from
from fewlabels.lens import Lens

Ends = tuple[Array, Array, Array]  # of each row: the value, the low and the high end of its interval


def listed(values: Array | Ints) -> list[Any]:
    """Numbers, those that are not known being one object: answers that say the same are then equal."""
    return [number if number == number else math.nan for number in values.tolist()]


def is_of_groups(lens: Lens) -> bool:
    """Whether rows are about parts of the pool, each with own labels."""
    return not lens.metric.smoothed and (bool(lens.view.by) or lens.rows.partition.count > 1)


def labels_for_a_rank(lens: Lens) -> int:
    """The own labels that a row needs before it may be called lowest or highest."""
    return ranked_from(lens.view.by) if is_of_groups(lens) else 0


def beside_figures(lens: Lens, value: Array) -> list[dict[str, Any]]:
    """What a finding says beside its figure: what the model makes of a group, and how many labels a rank takes."""
    if not is_of_groups(lens):
        return [{}] * len(value)
    least = labels_for_a_rank(lens)
    return [{"pooled_value": modelled, "ranked_from": least} for modelled in listed(value)]


def shown(lens: Lens, ends: Ends, labels: Array, left: Array, *, alike: bool) -> Ends:
    """Nothing is shown of a group without a label, for whatever is said of it was measured on others. Where intervals
    take groups to be `alike`, some kinds have none with one or two labels either."""
    if not is_of_groups(lens):
        return ends
    value, low, high = ends
    open_ = (left != 0) & ~lens.rows.by_definition  # where nothing is left, no label can be missing
    none = (np.rint(labels) == 0) & open_
    few = none | ((np.rint(labels) < interval_from(lens.view.by)) & open_ & alike)
    return np.where(none, np.nan, value), np.where(few, np.nan, low), np.where(few, np.nan, high)
