"""Balanced accuracy: the mean over true classes of their accuracy."""

from dataclasses import dataclass
from typing import ClassVar

from fewlabels.core.arrays import Array
from fewlabels.core.cells import View
from fewlabels.core.groups import Grouping, PredictedClass
from fewlabels.metrics.accuracy import TrueClassAccuracy
from fewlabels.metrics.base import Metric, Outcome, mean_of_defined


@dataclass(frozen=True)
class BalancedAccuracy(Metric):
    """Mean of accuracy per true class over the classes that occur, as scikit-learn's balanced_accuracy_score."""

    name: ClassVar[str] = "balanced_accuracy"
    outcome: ClassVar[Outcome] = "class"

    @property
    def unit(self) -> Grouping | None:
        return PredictedClass()

    def values(self, theta: Array, view: View) -> Array:
        per_class = TrueClassAccuracy().values(theta, view).reshape(len(theta), view.groups.count, -1)
        return mean_of_defined(per_class)
