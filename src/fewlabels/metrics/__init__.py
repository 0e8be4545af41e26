"""Metrics by name. To add one: a file of its own, a line here, and it must pass the contract tests."""

from typing import Any

from fewlabels.errors import QuestionError
from fewlabels.metrics.accuracy import Accuracy, TrueClassAccuracy
from fewlabels.metrics.balanced_accuracy import BalancedAccuracy
from fewlabels.metrics.base import Marginals, Metric, Rows
from fewlabels.metrics.calibration_bias import CalibrationBias
from fewlabels.metrics.calibration_error import CalibrationError
from fewlabels.metrics.confusion import Confusion
from fewlabels.metrics.cost import Cost
from fewlabels.metrics.f_score import F1, PRECISION, RECALL, FCurve, FScore, OfOneClass
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
    "f_score": FScore,
    "f_curve": FCurve,
}
F_SCORES = {"f1": F1, "precision": PRECISION, "recall": RECALL}  # names for an FScore of this alpha
_OF_ONE_CLASS = {
    "true_positive_rate": TruePositiveRate,
    "f_curve": FCurve,
}  # metrics made from the positive class alone


def metric_names() -> tuple[str, ...]:
    """Every name a question may use for a metric."""
    return tuple(n for n in METRICS if n != "f_score") + tuple(F_SCORES)


def needs_positive(name: str) -> bool:
    """Whether a metric is about one class that has to be named."""
    return name in F_SCORES or name in _OF_ONE_CLASS


def metric_by_name(name: str, positive: str | None = None) -> Metric:
    """The metric of this name, with its default settings."""
    if name not in metric_names():
        raise QuestionError(
            f"unknown metric {name!r}; known are {', '.join(metric_names())}, and fl.FScore(alpha, positive)."
        )
    if needs_positive(name):
        if positive is None:
            raise QuestionError(f"the metric {name!r} needs to know which class is positive; pass positive='…'.")
        return FScore(F_SCORES[name], positive) if name in F_SCORES else _OF_ONE_CLASS[name](positive)
    if positive is not None:
        raise QuestionError(f"positive={positive!r} has no meaning for {name!r}; leave it out.")
    made: Metric = METRICS[name]()
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
    "BalancedAccuracy",
    "CalibrationBias",
    "CalibrationError",
    "Confusion",
    "Cost",
    "FCurve",
    "FScore",
    "MacroF1",
    "Marginals",
    "Metric",
    "OfOneClass",
    "Reliability",
    "Rows",
    "TrueClassAccuracy",
    "TruePositiveRate",
    "metric_by_name",
    "metric_from_json",
    "metric_names",
    "metric_to_json",
    "needs_positive",
]
