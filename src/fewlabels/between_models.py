"""Models set against one another on a pool's cells: where they differ, and what a label says of that.

Cells are split by what each model predicts, so that the label of an item tells how right each of them is.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.best_of import Race
from fewlabels.core.cells import Cells, Partition
from fewlabels.core.evidence import Evidence, Labels
from fewlabels.core.groups import OfModel, PredictedClass
from fewlabels.errors import QuestionError
from fewlabels.metrics import Metric
from fewlabels.pool import Pool
from fewlabels.questions import Question


@dataclass(frozen=True)
class BetweenModels:
    """What models say of the items of each cell."""

    metric: Metric
    models: tuple[str, ...]
    cells: Cells
    true_classes: tuple[str, ...]
    margin: float = 0.0  # how near to the best is near enough, where that is to be found,
    goal: float = 0.95  # and how sure it has to be

    @cached_property
    def predicted(self) -> Ints:
        """(n_cells, n_models), as indices of the true classes."""
        return predictions(self.cells, self.models)

    @cached_property
    def differ(self) -> Bools:
        """(n_cells,) whether a label there tells the models apart; all others add nothing to any difference."""
        return differing(self._kind[self.predicted])

    @cached_property
    def _kind(self) -> Ints:
        """Of each class that may be predicted: those worth the same whatever the label are of one kind."""
        every = np.arange(len(self.true_classes))
        most = int(self.predicted.max(initial=0)) + 1
        worth = [self.metric.of_items(every, np.full_like(every, said), self.true_classes) for said in range(most)]
        return np.unique(np.stack(worth), axis=0, return_inverse=True)[1].reshape(-1)

    def values(self, label: Ints, cell: Ints) -> Array:
        """What each of these items adds to each model's mean, (n_items, n_models)."""
        said = self.predicted[cell]
        of_models = [self.metric.of_items(label, said[:, m], self.true_classes) for m in range(said.shape[1])]
        return np.stack(of_models, axis=1)

    def pair(self, one: int, other: int) -> "BetweenModels":
        """Two of the models by themselves."""
        return replace(self, models=(self.models[one], self.models[other]))

    def among(self, models: Bools) -> Bools:
        """(n_cells,) whether these models differ."""
        return differing(self._kind[self.predicted[:, models]])

    def race(self, evidence: Evidence) -> Race:
        """Which models are left, by the draws in the order of asking."""
        drawn, size = evidence.in_order, self.cells.size
        value = self.values(evidence.label, evidence.cell)
        known = np.concatenate([value, np.full((1, len(self.models)), np.nan)])[drawn.row]
        apart = self.predicted[:, :, None] != self.predicted[:, None, :]
        differ = np.einsum("c,cij->ij", size, apart)
        return Race(self.predicted[drawn.cell], known, differ, int(size.sum()), self.margin, self.goal)

    def influence(self, labels: Labels) -> Array:
        """(n_cells,) what a label of an item is worth: the same wherever models differ that may yet be the best."""
        if len(self.models) == 2:
            return self.differ.astype(np.float64)
        return self.among(self.race(cast(Evidence, labels)).left).astype(np.float64)

    def exact(self, label: Ints, cell: Ints, groups: Partition) -> Array:
        """The first model's mean less the second's in each group, from the labels of all items."""
        found = self.values(label, cell)
        total = np.bincount(groups.index[cell], weights=found[:, 0] - found[:, 1], minlength=groups.count)
        return np.asarray(total / groups.size)

    @cached_property
    def differences(self) -> Array:
        """What an item on which two models differ may add to the difference of their means, in rising order."""
        every = np.arange(len(self.true_classes))
        pairs = np.unique(self.predicted[self.differ][:, :2], axis=0)
        found = [
            self.metric.of_items(every, np.full_like(every, one), self.true_classes)
            - self.metric.of_items(every, np.full_like(every, other), self.true_classes)
            for one, other in pairs.tolist()
        ]
        return np.unique(np.concatenate(found)) if found else np.zeros(1)

    def check_reach(self, evidence: Evidence, other: Question, cells: Cells, wanted: Bools) -> None:
        """Raise where another question, read off these cells, is about items that labels were never drawn from, or
        about a model that was dropped, with regard to which they were drawn only up to then."""
        gone = np.zeros(len(self.models), dtype=bool) if len(self.models) == 2 else ~self.race(evidence).left
        dropped = [name for name, is_gone in zip(self.models, gone.tolist(), strict=True) if is_gone]
        about = [name for name in dropped if name in other.models or not other.of_models]
        if about:
            raise QuestionError(
                f"{about[0]} was dropped, and labels after that were drawn without regard to it; they do not answer "
                f"{other.describe()}. Make a study of it, or one with strategy='uniform'."
            )
        missing = wanted & ~differing(self._kind[predictions(cells, self.models)])
        if missing.any():
            raise QuestionError(
                f"the labels were drawn only where {' and '.join(self.models)} differ; {cells.size[missing].sum():,} "
                f"items that {other.describe()} is about are others, of which they tell nothing. Make a study of it, "
                "or one with strategy='uniform', whose labels answer both."
            )


def asked_of(question: Question, pool: Pool, model: str | None) -> tuple[Question, str]:
    """The question as it is asked of the pool, and the model whose predictions are shown with items: the one it is
    about, or the first of several that are set against one another."""
    if not isinstance(question, Question) or not question.of_models:  # what is no question the settings refuse
        return question, pool.model_named(model)
    if model is not None:
        raise QuestionError(f"the question, {question.describe()}, says which models; leave out model={model!r}.")
    asked = question.on(pool.models)
    return asked, asked.models[0]


def predictions(cells: Cells, models: tuple[str, ...]) -> Ints:
    """What each model predicts in each cell, (n_cells, n_models)."""
    return cells.coordinates[:, [cells.axis(OfModel(model, PredictedClass())) for model in models]]


def differing(predicted: Ints) -> Bools:
    """Whether the models do not all say the same."""
    return np.asarray((predicted != predicted[:, :1]).any(axis=1))
