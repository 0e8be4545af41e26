"""Macro-F1: the mean over classes of their F1."""

from dataclasses import dataclass
from typing import ClassVar

from fewlabels.core.arrays import Array
from fewlabels.metrics.class_sums import ClassMetric, ClassSums, mean_ratio


@dataclass(frozen=True)
class MacroF1(ClassMetric):
    """Mean of 2 TP / (predicted + true) over the classes that are predicted or true, as scikit-learn's f1_score.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("macro_f1"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer().overall)
    73.3% (all 4 labelled)
    """

    name: ClassVar[str] = "macro_f1"

    @property
    def title(self) -> str:
        return "macro-F1"

    def of_sums(self, sums: ClassSums) -> Array:
        return mean_ratio(2 * sums.both, sums.predicted + sums.true)
