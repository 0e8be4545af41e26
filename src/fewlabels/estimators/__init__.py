"""Estimators by name: evidence in, belief out. To add one: a file of its own, a line here, the contract tests."""

from fewlabels.errors import QuestionError
from fewlabels.estimators.base import Estimator
from fewlabels.estimators.bayes import Bayes
from fewlabels.estimators.frequency import Frequency

ESTIMATORS: dict[str, type[Estimator]] = {"beta": Bayes, "frequency": Frequency}


def estimator_by_name(name: str) -> Estimator:
    """The estimator of this name; "auto" is the best one known."""
    if name == "auto":
        return Bayes()
    if name not in ESTIMATORS:
        raise QuestionError(f"unknown estimator {name!r}; known are auto, {', '.join(ESTIMATORS)}.")
    return ESTIMATORS[name]()


__all__ = ["ESTIMATORS", "Estimator", "estimator_by_name"]
