"""Balanced accuracy: the mean over true classes of their accuracy."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.metrics.base import mean_of_defined
from fewlabels.metrics.class_sums import ClassMetric, ClassSums


@dataclass(frozen=True)
class BalancedAccuracy(ClassMetric):
    """Mean of accuracy per true class over the classes that occur, as scikit-learn's balanced_accuracy_score."""

    name: ClassVar[str] = "balanced_accuracy"

    def of_sums(self, sums: ClassSums) -> Array:
        with np.errstate(invalid="ignore", divide="ignore"):
            return mean_of_defined(sums.both / sums.true)
