"""Expected cost of the predictions under any cost matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief
from fewlabels.core.cells import View
from fewlabels.core.groups import Grouping, PredictedClass
from fewlabels.core.outcomes import Outcome, WhichClass
from fewlabels.errors import QuestionError
from fewlabels.metrics.base import Metric


@dataclass(frozen=True, init=False)
class Cost(Metric):
    """sum_j c_jk theta_jk for each predicted class k, [Ji21] supplement Eq. 3; over several weighted by p(k | g).

    `matrix[true, predicted]` with its rows and columns in the order of `classes` (by default the pool's own order;
    rows go on with the true classes no model predicts). Without a matrix every mistake costs 1.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate(fl.Cost([[0, 1], [5, 0]], classes=["cat", "dog"])))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer().overall)
    1.25 (all 4 labelled)
    """

    matrix: tuple[tuple[float, ...], ...] | None
    classes: tuple[str, ...] | None

    name: ClassVar[str] = "cost"
    worst: ClassVar[Literal["lowest", "highest"]] = "highest"
    shown_as: ClassVar[Literal["share", "number"]] = "number"
    linear: ClassVar[bool] = True
    mean_of_items: ClassVar[bool] = True

    def __init__(self, matrix: Any = None, classes: Sequence[Any] | None = None) -> None:
        if matrix is not None:
            table = np.asarray(matrix, dtype=np.float64)
            if table.ndim != 2 or not np.isfinite(table).all():
                raise QuestionError(
                    f"a cost matrix is a table of finite numbers [true, predicted]; got shape {table.shape}."
                )
            matrix = tuple(tuple(row) for row in table.tolist())
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "classes", None if classes is None else tuple(str(c) for c in classes))

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (PredictedClass(),)

    @property
    def title(self) -> str:
        return "expected cost"

    def outcome(self, classes: tuple[str, ...]) -> Outcome:
        return WhichClass(len(classes))

    def check(self, belief: Belief, view: View) -> None:  # noqa: ARG002 - whatever is believed
        self.aligned(view)

    def costs(self, view: View) -> Array | None:
        return np.asarray(self.per_unit(view)[view.units.index])

    def aligned(self, view: View) -> Array:
        """c (n_true, n_predicted) in the order of the pool's classes."""
        return self._table(view.true_classes, view.cells.names[view.cells.axis(PredictedClass())])

    def of_items(self, label: Ints, predicted: Ints, classes: tuple[str, ...]) -> Array:
        most = int(predicted.max(initial=0)) + 1  # classes no model predicts come last
        return np.asarray(self._table(classes, classes[:most])[label, predicted])

    def _table(self, true: tuple[str, ...], predicted: tuple[str, ...]) -> Array:
        if self.matrix is None:
            return np.asarray(1.0 - np.eye(len(true), len(predicted)))
        table = np.asarray(self.matrix)
        names = self.classes if self.classes is not None else true
        where = {name: i for i, name in enumerate(names)}
        missing = [name for name in true if name not in where or where[name] >= table.shape[0]]
        missing += [name for name in predicted if name not in where or where[name] >= table.shape[1]]
        if missing:
            raise QuestionError(
                f"the cost matrix ({table.shape[0]} true × {table.shape[1]} predicted) has no entry for class "
                f"{missing[0]!r}; give a row for each of the {len(true)} true classes and a column for each of the "
                f"{len(predicted)} predicted ones, and classes= in the same order."
            )
        return np.asarray(table[np.ix_([where[n] for n in true], [where[n] for n in predicted])])

    def per_unit(self, view: View) -> Array:
        """The cost of each true class in each unit, (n_units, n_true)."""
        return np.asarray(self.aligned(view).T[view.unit_coordinate])

    def bounds(self, view: View) -> tuple[float, float]:
        matrix = self.aligned(view)
        return float(matrix.min()), float(matrix.max())

    def values(self, theta: Array, view: View) -> Array:
        return view.to_groups((view.rows_to_units(theta) * self.per_unit(view)).sum(axis=-1))
