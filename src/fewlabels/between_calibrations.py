"""Two models set against one another by their calibration errors: what is read of each.

Gaps are of bins of each model's own scores, so cells are split by what each model predicts and how sure it is of that.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.between_scores import with_scores_of_all
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.cells import Cells, Partition, Sums, View
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import Grouping, OfModel, PredictedClass, ScoreLevels
from fewlabels.metrics import Metric
from fewlabels.questions import Question


def axes_of_calibrations(metric: Metric, models: tuple[str, ...]) -> tuple[Grouping, ...]:
    """What each model predicts, and how sure it is: in bins, and in the levels that the belief is about."""
    return tuple(OfModel(name, axis) for name in models for axis in _axes(metric))


def _axes(metric: Metric) -> tuple[Grouping, ...]:
    return (*metric.axes, PredictedClass(), ScoreLevels())


@dataclass(frozen=True)
class BetweenCalibrations:
    """What two models say of the items of each cell."""

    metric: Metric
    models: tuple[str, ...]
    cells: Cells  # with the sums of each model's scores

    @classmethod
    def of(cls, question: Question, cells: Cells) -> "BetweenCalibrations":
        """Those that a question is about."""
        return cls(question.measured, question.models, cells)

    @cached_property
    def each(self) -> tuple["OneOfModels", ...]:
        """Each of them by itself."""
        return tuple(self._one(place) for place in range(len(self.models)))

    def _one(self, place: int) -> "OneOfModels":
        cells, axes = self.cells, _axes(self.metric)
        own = tuple(OfModel(self.models[place], axis) for axis in axes)
        parts, columns = cells.partition(own), [cells.axis(axis) for axis in own]
        assert cells.probability_sum is not None  # they are made with them
        _, first = np.unique(parts.index, return_index=True)
        return OneOfModels(
            Cells(
                axes,
                tuple(cells.names[column] for column in columns),
                cells.coordinates[first][:, columns],
                parts.size,
                parts.sums(cells.probability_sum[:, place]),
            ),
            parts.index,
        )

    @cached_property
    def differ(self) -> Bools:
        """(n_cells,) whether they do not predict the same."""
        one, other = (model.predicted for model in self.each)
        return np.asarray(one != other)

    def exact(self, label: Ints, cell: Ints, groups: Partition) -> Array:  # noqa: ARG002 - of all items
        """The first model's error less the second's, from the labels of all items."""
        one, other = (model.exact(self.metric, label, cell) for model in self.each)
        return np.array([one - other])


@dataclass(frozen=True)
class OneOfModels:
    """The cells of one of several models, which those of all are parts of."""

    cells: Cells
    index: Ints  # (n_cells of all,) which of these each is a part of

    @cached_property
    def predicted(self) -> Ints:
        """(n_cells of all,) the class it predicts."""
        return np.asarray(self.cells.coordinates[self.index, self.cells.axis(PredictedClass())])

    def of(self, evidence: Evidence) -> Evidence:
        """The labels as those of this model."""
        cell = self.index[evidence.cell]
        score = self.cells.score_sum[cell] / self.cells.size[cell]
        return evidence.moved(cell, self.predicted[evidence.cell], score)

    def exact(self, metric: Metric, label: Ints, cell: Ints) -> float:
        """Its figure, from the labels of all items."""
        right = (label == self.predicted[cell]).astype(np.float64)
        share = Sums(self.index[cell], self.cells.count)(right) / self.cells.size
        return float(metric.values(share[None], View(self.cells, (), metric.axes))[0, 0])


def of_several(each: list[Cells], metric: Metric, true_classes: tuple[str, ...]) -> Cells:
    """The cells of several models, alike but for what each says of them: with what they expect of the one class the
    metric is about, or with the sums of each one's scores."""
    if metric.of_class is not None:
        return with_scores_of_all(each, true_classes.index(metric.of_class))
    first = each[0]
    sums = np.stack([cells.score_sum for cells in each], axis=1)
    return Cells(first.axes, first.names, first.coordinates, first.size, first.score_sum, sums)
