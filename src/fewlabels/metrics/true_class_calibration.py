"""Calibration per true class: how far scores are from accuracy among the items that truly are of a class."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.cells import View
from fewlabels.core.groups import Grouping, PredictedClass, ScoreBins
from fewlabels.core.outcomes import Outcome, WhichClass
from fewlabels.metrics.accuracy import TrueClassAccuracy
from fewlabels.metrics.base import Metric, Rows
from fewlabels.metrics.class_sums import ratio


@dataclass(frozen=True)
class TrueClassCalibration(Metric):
    """Expectations over p(x | y = j) in place of p(x | ŷ = j), [Ji19] footnote 2, by Bayes' rule over predicted classes
    and score bins: with m_cj = p_c θ_jc the share of items in cell c that are of class j, s_c the cell's mean score,

        bias_j = sum_c m_cj (s_c - [ŷ_c = j]) / sum_c m_cj,
        ECE_j = sum_b |sum_(c in b) m_cj (s_c - [ŷ_c = j])| / sum_c m_cj.

    Inside a cell the score is taken not to tell the class; the bins make cells narrow.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("calibration_bias", by="true_class"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer()["dog"])
    3.3% (all 3 labelled)
    """

    bins: ScoreBins = field(default_factory=ScoreBins)
    signed: bool = False  # the bias, else the error

    name: ClassVar[str] = "calibration_by_true_class"
    worst: ClassVar[Literal["lowest", "highest"]] = "highest"

    @property
    def title(self) -> str:
        return "calibration bias" if self.signed else "calibration error"

    def outcome(self, classes: tuple[str, ...]) -> Outcome:
        return WhichClass(len(classes))

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (PredictedClass(), self.bins)

    def rows(self, view: View) -> Rows:
        found = TrueClassAccuracy().rows(view)
        return Rows(found.names, found.partition, found.part)

    def behind(self, belief: Belief, view: View) -> tuple[Array, Array]:
        return TrueClassAccuracy().behind(belief, view)

    def bounds(self, view: View) -> tuple[float, float]:  # noqa: ARG002 - the same for every pool
        return -1.0 if self.signed else 0.0, 1.0

    def values(self, theta: Array, view: View) -> Array:
        cells, groups, n_true = view.cells, view.groups, theta.shape[-1]
        predicted = cells.coordinates[:, cells.axis(PredictedClass())]
        gap = (cells.score_sum / cells.size)[:, None] - (predicted[:, None] == np.arange(n_true))
        mass = theta * cells.size[:, None]
        of_class = _summed(mass, groups.index, groups.count)
        if self.signed:
            off = _summed(mass * gap, groups.index, groups.count)
        else:
            bins = len(cells.names[cells.axis(self.bins)])
            place = groups.index * bins + cells.coordinates[:, cells.axis(self.bins)]
            off = np.abs(_summed(mass * gap, place, groups.count * bins))
            off = off.reshape(len(theta), groups.count, bins, n_true).sum(axis=2)
        return ratio(off, of_class).reshape(len(theta), -1)


def _summed(values: Array, index: Array, count: int) -> Array:
    """Sums over the cells of each index: (n_draws, n_cells, n_true) -> (n_draws, count, n_true)."""
    out = np.zeros((len(values), count, values.shape[-1]))
    np.add.at(out, (slice(None), index), values)
    return out
