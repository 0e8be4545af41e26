"""Balanced accuracy: the mean over true classes of their accuracy."""

from dataclasses import dataclass
from typing import ClassVar

from fewlabels.core.arrays import Array
from fewlabels.metrics.class_sums import ClassMetric, ClassSums, mean_ratio


@dataclass(frozen=True)
class BalancedAccuracy(ClassMetric):
    """Mean of accuracy per true class over the classes that occur, as scikit-learn's balanced_accuracy_score.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("balanced_accuracy"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer().overall)
    83.3% (all 4 labelled)
    """

    name: ClassVar[str] = "balanced_accuracy"

    def of_sums(self, sums: ClassSums) -> Array:
        return mean_ratio(sums.both, sums.true)
