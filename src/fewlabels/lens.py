"""A metric as it is read off the cells of a question."""

from dataclasses import dataclass, replace

from fewlabels.core.arrays import Array
from fewlabels.core.cells import View
from fewlabels.metrics import Metric, Rows


@dataclass(frozen=True)
class Lens:
    """A metric and the cells it is read off: all of it that labels do not change."""

    metric: Metric
    view: View
    rows: Rows
    bounds: tuple[float, float]
    mean_scores: Array | None  # to be shown beside each row


def lens_of(metric: Metric, view: View, names: tuple[str, ...] | None = None) -> Lens:
    """The metric's rows on these cells, under their own names or these."""
    rows = metric.rows(view)
    rows = rows if names is None else replace(rows, names=names)
    return Lens(metric, view, rows, metric.bounds(view), metric.mean_scores(view))
