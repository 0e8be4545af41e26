"""True-positive rate by group: of the items that are positive, how many are predicted so."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.cells import View
from fewlabels.core.groups import Grouping, PredictedIs
from fewlabels.metrics.base import Metric, Outcome


@dataclass(frozen=True)
class TruePositiveRate(Metric):
    """TPR_g = p(ŷ=1|g) θ_{1|1,g} / sum_ŷ p(ŷ|g) θ_{1|ŷ,g}, by Bayes' rule from draws.

    Never the frequency among labelled positives: which positives are labelled depends on the predictions.
    """

    positive: str

    name: ClassVar[str] = "true_positive_rate"
    outcome: ClassVar[Outcome] = "positive"

    @property
    def title(self) -> str:
        return f"true-positive rate of {self.positive!r}"

    @property
    def unit(self) -> Grouping | None:
        return PredictedIs(self.positive)

    def values(self, theta: Array, view: View) -> Array:
        positive = view.to_units(theta)
        predicted = view.unit_coordinate == 1
        found = view.to_groups(np.where(predicted, positive, 0.0))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(found / view.to_groups(positive))

    def sensitivity(self, theta: Array, view: View) -> Array:
        """p_g (d TPR_g / d theta_c)^2 of each cell: what its variance adds to that of the rates, by the delta method.

        With A the share found and B the share missed, d TPR = (B dA - A dB) / (A + B)^2. The paper's own weight, p_c,
        would leave the large cell of items predicted negative to chance, where rare misses decide the rate.
        """
        share, predicted = view.unit_share, view.unit_coordinate == 1
        found = view.to_groups(np.where(predicted, theta, 0.0))[view.group_of_unit]
        missed = view.to_groups(np.where(predicted, 0.0, theta))[view.group_of_unit]
        slope = share * np.where(predicted, missed, found) / np.maximum(found + missed, 1e-12) ** 2
        return np.asarray(view.groups.weight[view.group_of_unit] * slope**2)

    def to_json(self) -> dict[str, Any]:
        return {"positive": self.positive}
