"""Models set against one another by an F-score of one class: where they differ, and what is read of each.

Cells are split by whether each model predicts the class, and by the score each gives it.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.cells import Cells, Partition, Sums
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import Grouping, OfModel, ScoreStrata
from fewlabels.errors import QuestionError
from fewlabels.metrics import FScore
from fewlabels.questions import Question

_FINENESS = 100  # of the strata of each model's scores; crossed, they are finer than either


def axes_of_scores(metric: FScore, models: tuple[str, ...]) -> tuple[Grouping, ...]:
    """Whether each model predicts the class, and how high it scores it."""
    strata = ScoreStrata(metric.positive, _FINENESS)
    return tuple(OfModel(name, axis) for name in models for axis in (*metric.axes, strata))


@dataclass(frozen=True)
class BetweenScores:
    """What models say of the items of each cell."""

    metric: FScore
    models: tuple[str, ...]
    cells: Cells
    true_classes: tuple[str, ...]

    @cached_property
    def predicted(self) -> Array:
        """ŷ of each model, (n_models, n_cells) of 0 and 1."""
        (axis,) = self.metric.axes
        columns = [self.cells.axis(OfModel(name, axis)) for name in self.models]
        return self.cells.coordinates[:, columns].T.astype(np.float64)

    @cached_property
    def differ(self) -> Bools:
        """(n_cells,) whether one model predicts the class and another does not."""
        return np.asarray((self.predicted != self.predicted[:1]).any(axis=0))

    @property
    def in_question(self) -> Bools:
        """(n_cells,) whether labels move the difference: wherever an item may count, unless models never differ."""
        can_count = self.predicted.any(axis=0) | (self.metric.alpha < 1)
        return np.asarray(can_count & self.differ.any())

    @cached_property
    def score(self) -> Array:
        """The mean of what the models' scores expect of each cell."""
        assert self.cells.probability_sum is not None  # they are made with them
        which = self.true_classes.index(self.metric.positive)
        return np.asarray(self.cells.probability_sum[:, which] / self.cells.size)

    @cached_property
    def stratum(self) -> Ints:
        """The rank of each cell by that score, the lowest first: what is in reach goes by it."""
        return np.unique(self.score, return_inverse=True)[1].reshape(-1).astype(np.int64)

    @property
    def figures(self) -> list[tuple[float, Array]]:
        return [(self.metric.alpha, predicted) for predicted in self.predicted]

    def exact(self, label: Ints, cell: Ints, groups: Partition) -> Array:
        """The first model's score less the second's in each group, from the labels of all items."""
        one, other = self.exact_scores(label, cell, groups)[:2]
        return np.asarray(one - other)

    def exact_scores(self, label: Ints, cell: Ints, groups: Partition) -> Array:
        """Each model's score in each group, (n_models, n_groups), from the labels of all items."""
        y, alpha = (label == self.true_classes.index(self.metric.positive)).astype(np.float64), self.metric.alpha
        hit = self.predicted[:, cell]
        sums = Sums(groups.index[cell], groups.count)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(sums(hit * y) / (alpha * sums(hit) + (1 - alpha) * sums(y)))

    @property
    def _groups(self) -> tuple[Grouping, ...]:
        return tuple(axis for axis in self.cells.axes if not isinstance(axis, OfModel))

    def check_reach(self, evidence: Evidence, other: Question, cells: Cells, wanted: Bools) -> None:  # noqa: ARG002
        """Raise where another question is not about another F-score of the same class and models."""
        of_class = other.measured.of_class == self.metric.positive and other.measured.axes == self.metric.axes
        alike = set(other.models) == set(self.models) and other.groups == self._groups
        if not (other.of_models and of_class and alike):
            raise QuestionError(
                f"the labels were drawn to tell the {self.metric.title} of {' and '.join(self.models)} apart, and say "
                f"little of anything else; they do not answer {other.describe()}. Make a study of it, or one with "
                "strategy='uniform', whose labels answer both."
            )


def with_scores_of_all(each: list[Cells], which: int) -> Cells:
    """The cells of several models, alike but for what each expects of them, with the mean of what they expect of one
    class; of others nothing is kept."""
    sums = np.zeros_like(each[0].probability_sum)
    known = [cells.probability_sum[:, which] for cells in each if cells.probability_sum is not None]
    sums[:, which] = np.mean(known, axis=0)
    first = each[0]
    return Cells(first.axes, first.names, first.coordinates, first.size, first.score_sum, sums)
