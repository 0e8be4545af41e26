"""Calibration bias: mean score minus accuracy. Positive means over-confident."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from fewlabels.core.arrays import Array
from fewlabels.core.cells import View
from fewlabels.metrics.base import Metric, being_right
from fewlabels.metrics.true_class_calibration import TrueClassCalibration


@dataclass(frozen=True)
class CalibrationBias(Metric):
    """s_g - theta_g, [Ji19] section 5: the mean score needs no labels, so all uncertainty is accuracy's.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("calibration_bias"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer().overall)
    0.0% (all 4 labelled)
    """

    name: ClassVar[str] = "calibration_bias"
    worst: ClassVar[Literal["lowest", "highest"]] = "highest"
    linear: ClassVar[bool] = True
    scale: ClassVar[float | None] = -1.0

    def bounds(self, view: View) -> tuple[float, float]:  # noqa: ARG002 - the same for every pool
        return -1.0, 1.0

    @property
    def by_true_class(self) -> Metric | None:
        return TrueClassCalibration(signed=True)

    def values(self, theta: Array, view: View) -> Array:
        return view.groups.mean_score - view.to_rows(being_right(theta, view))

    def shift(self, view: View) -> Array:
        return view.groups.mean_score
