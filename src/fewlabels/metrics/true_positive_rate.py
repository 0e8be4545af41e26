"""True-positive rate by group: of the items that are positive, how many are predicted so."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fewlabels.metrics.base import Metric
from fewlabels.metrics.f_score import RECALL, FScore


@dataclass(frozen=True, init=False)
class TruePositiveRate(FScore):
    """TPR_g = p(ŷ=1|g) θ_{1|1,g} / sum_ŷ p(ŷ|g) θ_{1|ŷ,g}, by Bayes' rule from draws: the recall of each group.

    Of the whole pool it is the recall by another name, with the same draws and the same numbers. Where the pool has no
    scores of the class, predictions alone tell it, as they do by groups.

    Never the frequency among labelled positives: which positives are labelled depends on the predictions.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("true_positive_rate", positive="dog"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer().overall)
    66.7% (all 4 labelled)
    """

    name: ClassVar[str] = "true_positive_rate"
    weighed_first: ClassVar[bool] = False

    def __init__(self, positive: str) -> None:
        FScore.__init__(self, RECALL, positive)

    def check_pool(self, classes: tuple[str, ...], *, full: bool) -> None:
        """Predictions tell; scores are not needed."""

    def scored(self, classes: tuple[str, ...], *, full: bool) -> bool:
        return len(classes) <= 2 or full

    @property
    def stands_for(self) -> Metric:
        return FScore(RECALL, self.positive)

    @property
    def title(self) -> str:
        return f"true-positive rate of {self.positive!r}"

    def to_json(self) -> dict[str, Any]:
        return {"positive": self.positive}
