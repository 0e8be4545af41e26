"""Macro-F1: the mean over classes of their F1."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.cells import View
from fewlabels.core.groups import Grouping, PredictedClass
from fewlabels.metrics.base import Metric, Outcome, joint_shares, mean_of_defined


@dataclass(frozen=True)
class MacroF1(Metric):
    """Mean of 2 TP / (predicted + true) over the classes that are predicted or true, as scikit-learn's f1_score."""

    name: ClassVar[str] = "macro_f1"
    outcome: ClassVar[Outcome] = "class"

    @property
    def title(self) -> str:
        return "macro-F1"

    @property
    def unit(self) -> Grouping | None:
        return PredictedClass()

    def values(self, theta: Array, view: View) -> Array:
        joint = joint_shares(theta, view)
        n = min(joint.shape[2], joint.shape[3])
        hit, predicted = (np.zeros((*joint.shape[:2], joint.shape[3])) for _ in range(2))
        hit[..., :n] = np.einsum("dgkk->dgk", joint[:, :, :n, :n])
        predicted[..., :n] = joint.sum(axis=3)[..., :n]
        with np.errstate(invalid="ignore", divide="ignore"):
            return mean_of_defined(2 * hit / (predicted + joint.sum(axis=2)))
