"""The confusion matrix: how often each class is the true one when each class is predicted."""

from dataclasses import dataclass
from typing import ClassVar, Literal, cast

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.beta import Marginals
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.groups import Grouping, PredictedClass
from fewlabels.core.outcomes import Outcome, WhichClass
from fewlabels.metrics.accuracy import Accuracy
from fewlabels.metrics.base import Metric, Rows


@dataclass(frozen=True)
class Confusion(Metric):
    """theta_jk = p(y = j | ŷ = k), [Ji21] supplement Eq. 2: one row for each pair of predicted and true class.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("confusion"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer()["cat → dog"])
    50.0% (all 2 labelled)
    """

    name: ClassVar[str] = "confusion"
    worst: ClassVar[Literal["lowest", "highest"]] = "highest"
    linear: ClassVar[bool] = True
    one_a_group: ClassVar[bool] = False
    pairs: ClassVar[bool] = True
    measures: ClassVar[tuple[str, ...]] = ("rmse",)

    def outcome(self, classes: tuple[str, ...]) -> Outcome:
        return WhichClass(len(classes))

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (PredictedClass(),)

    @property
    def title(self) -> str:
        return "confusion matrix"

    def rows(self, view: View) -> Rows:
        units, classes = view.units, view.true_classes
        names = tuple(f"{unit} → {true}" for unit in units.labels for true in classes)
        return Rows(names, units, np.repeat(np.arange(units.count), len(classes)))

    def values(self, theta: Array, view: View) -> Array:
        return view.rows_to_units(theta).reshape(len(theta), -1)

    def marginals(self, belief: Belief, view: View) -> Marginals | None:
        if belief.rates or belief.shared or not view.units.single:
            return None
        order = np.argsort(view.units.index)
        n = belief.tally.shape[1]
        alpha, rest = cast(DirichletBelief, belief).spread
        return Marginals(
            alpha[order].reshape(-1),
            rest[order].reshape(-1),
            belief.tally[order].reshape(-1),
            np.repeat(belief.unlabelled[order], n),
            np.repeat(belief.size[order], n),
            belief.mean[order].reshape(-1),
            belief.pool_mean[order].reshape(-1),
            1.0,
            np.zeros(alpha.size),
        )

    def guess(self, view: View) -> float:
        return 1 / len(view.true_classes)

    @property
    def overall(self) -> Metric | None:
        return Accuracy()
