"""Metrics by name. To add one: a file of its own, a line here, and it must pass the contract tests."""

from inspect import signature
from typing import Any, cast

from fewlabels.errors import QuestionError
from fewlabels.metrics.accuracy import Accuracy, TrueClassAccuracy
from fewlabels.metrics.balanced_accuracy import BalancedAccuracy
from fewlabels.metrics.base import Metric, Rows
from fewlabels.metrics.calibration_bias import CalibrationBias
from fewlabels.metrics.calibration_error import CalibrationError
from fewlabels.metrics.confusion import Confusion
from fewlabels.metrics.cost import Cost
from fewlabels.metrics.f_score import F1, PRECISION, RECALL, FCurve, FScore, OfOneClass
from fewlabels.metrics.f_scores import FScores
from fewlabels.metrics.macro_f1 import MacroF1
from fewlabels.metrics.precision_recall import AveragePrecision, PrecisionRecall
from fewlabels.metrics.reliability import Reliability
from fewlabels.metrics.reliability_curve import ReliabilityCurve
from fewlabels.metrics.true_positive_rate import TruePositiveRate
from fewlabels.parts import kept_class, register

METRICS: dict[str, Any] = {
    "accuracy": Accuracy,
    "true_positive_rate": TruePositiveRate,
    "calibration_bias": CalibrationBias,
    "calibration_error": CalibrationError,
    "reliability": Reliability,
    "reliability_curve": ReliabilityCurve,
    "confusion": Confusion,
    "cost": Cost,
    "balanced_accuracy": BalancedAccuracy,
    "macro_f1": MacroF1,
    "f_score": FScore,
    "f_scores": FScores,
    "f_curve": FCurve,
    "precision_recall": PrecisionRecall,
    "average_precision": AveragePrecision,
}
F_SCORES = {"f1": F1, "precision": PRECISION, "recall": RECALL}  # names for an FScore of this alpha


def register_metric(made: type[Metric]) -> type[Metric]:
    """Let a metric be asked for by its name, in questions, on the command line, and of studies kept before."""
    return register(METRICS, made)


def metric_names() -> tuple[str, ...]:
    """Every name a question may use for a metric."""
    return tuple(n for n in METRICS if n != "f_score") + tuple(F_SCORES)


def needs_positive(name: str) -> bool:
    """Whether a metric is about one class that has to be named."""
    return name in F_SCORES or (name in METRICS and "positive" in signature(METRICS[name]).parameters)


def metric_by_name(name: str, positive: str | None = None) -> Metric:
    """The metric of this name, with its default settings."""
    if name not in metric_names():
        raise QuestionError(
            f"unknown metric {name!r}; known are {', '.join(metric_names())}, and fl.FScore(alpha, positive)."
        )
    if not needs_positive(name):
        if positive is not None:
            raise QuestionError(f"positive={positive!r} has no meaning for {name!r}; leave it out.")
        return cast(Metric, METRICS[name]())
    if positive is None:
        raise QuestionError(f"the metric {name!r} needs to know which class is positive; pass positive='…'.")
    return FScore(F_SCORES[name], positive) if name in F_SCORES else cast(Metric, METRICS[name](positive=positive))


def read_metric(given: object, positive: object) -> Metric:
    """A metric by name, or as it is; several F-scores of one class in a list."""
    if isinstance(given, list | tuple):
        return _together([read_metric(one, positive) for one in given], given)
    if isinstance(given, str):
        return metric_by_name(given, None if positive is None else str(positive))
    if not isinstance(given, Metric):
        raise QuestionError(f"a metric is a name such as 'accuracy' or an object such as fl.Cost(…); got {given!r}.")
    return given


def _together(metrics: list[Metric], given: object) -> Metric:
    scores = [metric for metric in metrics if isinstance(metric, FScore)]
    if len(scores) < max(len(metrics), 1) or len({(one.positive, one.threshold) for one in scores}) > 1:
        raise QuestionError(
            f"several figures at once are F-scores of one class, such as ['f1', 'precision', 'recall']; got {given!r}."
        )
    return FScores(scores[0].positive, tuple(one.alpha for one in scores), scores[0].threshold)


def metric_to_json(metric: Metric) -> dict[str, Any]:
    return {"name": metric.name, **metric.to_json()}


def metric_from_json(data: dict[str, Any]) -> Metric:
    arguments = {key: value for key, value in data.items() if key != "name"}
    return cast(Metric, kept_class(data["name"], METRICS).from_json(arguments))


__all__ = [
    "METRICS",
    "Accuracy",
    "AveragePrecision",
    "BalancedAccuracy",
    "CalibrationBias",
    "CalibrationError",
    "Confusion",
    "Cost",
    "FCurve",
    "FScore",
    "FScores",
    "MacroF1",
    "Metric",
    "OfOneClass",
    "PrecisionRecall",
    "Reliability",
    "ReliabilityCurve",
    "Rows",
    "TrueClassAccuracy",
    "TruePositiveRate",
    "metric_by_name",
    "metric_from_json",
    "metric_names",
    "metric_to_json",
    "needs_positive",
    "read_metric",
    "register_metric",
]
