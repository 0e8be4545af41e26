"""Metrics by name. To add one: a file of its own, a line here, and it must pass the contract tests."""

from typing import Any

from fewlabels.errors import QuestionError
from fewlabels.metrics.accuracy import Accuracy, TrueClassAccuracy
from fewlabels.metrics.balanced_accuracy import BalancedAccuracy
from fewlabels.metrics.base import AnyBelief, Belief, Marginals, Metric, Rows, Shared
from fewlabels.metrics.calibration_bias import CalibrationBias
from fewlabels.metrics.calibration_error import CalibrationError
from fewlabels.metrics.confusion import Confusion
from fewlabels.metrics.cost import Cost
from fewlabels.metrics.macro_f1 import MacroF1
from fewlabels.metrics.reliability import Reliability
from fewlabels.metrics.true_positive_rate import TruePositiveRate

METRICS: dict[str, Any] = {
    "accuracy": Accuracy,
    "true_positive_rate": TruePositiveRate,
    "calibration_bias": CalibrationBias,
    "calibration_error": CalibrationError,
    "reliability": Reliability,
    "confusion": Confusion,
    "cost": Cost,
    "balanced_accuracy": BalancedAccuracy,
    "macro_f1": MacroF1,
}


def metric_by_name(name: str, positive: str | None = None) -> Metric:
    """The metric of this name, with its default settings."""
    if name not in METRICS:
        raise QuestionError(f"unknown metric {name!r}; known are {', '.join(METRICS)}.")
    made: Metric
    if name == "true_positive_rate":
        if positive is None:
            raise QuestionError("a true-positive rate needs to know which class is positive; pass positive='…'.")
        made = TruePositiveRate(str(positive))
    elif positive is not None:
        raise QuestionError(f"positive={positive!r} has no meaning for {name!r}; leave it out.")
    else:
        made = METRICS[name]()
    return made


def metric_to_json(metric: Metric) -> dict[str, Any]:
    return {"name": metric.name, **metric.to_json()}


def metric_from_json(data: dict[str, Any]) -> Metric:
    arguments = {key: value for key, value in data.items() if key != "name"}
    cls = METRICS[data["name"]]
    made: Metric = cls.from_json(arguments) if hasattr(cls, "from_json") else cls(**arguments)
    return made


__all__ = [
    "METRICS",
    "Accuracy",
    "AnyBelief",
    "BalancedAccuracy",
    "Belief",
    "CalibrationBias",
    "CalibrationError",
    "Confusion",
    "Cost",
    "MacroF1",
    "Marginals",
    "Metric",
    "Reliability",
    "Rows",
    "Shared",
    "TrueClassAccuracy",
    "TruePositiveRate",
    "metric_by_name",
    "metric_from_json",
    "metric_to_json",
]
