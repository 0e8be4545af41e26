"""The confusion matrix: how often each class is the true one when each class is predicted."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.groups import Grouping, PredictedClass
from fewlabels.metrics.accuracy import Accuracy
from fewlabels.metrics.base import AnyBelief, Marginals, Metric, Outcome, Rows


@dataclass(frozen=True)
class Confusion(Metric):
    """theta_jk = p(y = j | ŷ = k), [Ji21] supplement Eq. 2: one row for each pair of predicted and true class."""

    name: ClassVar[str] = "confusion"
    outcome: ClassVar[Outcome] = "class"
    worst: ClassVar[Literal["lowest", "highest"]] = "highest"
    linear: ClassVar[bool] = True

    @property
    def unit(self) -> Grouping | None:
        return PredictedClass()

    @property
    def title(self) -> str:
        return "confusion matrix"

    def rows(self, view: View) -> Rows:
        units, classes = view.units, view.true_classes
        names = tuple(f"{unit} → {true}" for unit in units.labels for true in classes)
        return Rows(names, units, np.repeat(np.arange(units.count), len(classes)))

    def values(self, theta: Array, view: View) -> Array:
        return view.rows_to_units(theta).reshape(len(theta), -1)

    def marginals(self, belief: AnyBelief, view: View) -> Marginals | None:
        if not isinstance(belief, DirichletBelief) or not view.units.single:
            return None
        order = np.argsort(view.units.index)
        n = belief.prior.shape[1]
        alpha, rest = belief.spread
        return Marginals(
            alpha[order].reshape(-1),
            rest[order].reshape(-1),
            belief.counts[order].reshape(-1),
            np.repeat(belief.unlabelled[order], n),
            np.repeat(belief.size[order], n),
            belief.mean[order].reshape(-1),
            belief.pool_mean[order].reshape(-1),
            1.0,
            np.zeros(alpha.size),
        )

    @property
    def overall(self) -> Metric | None:
        return Accuracy()
