"""Estimators by name: evidence in, belief or F-score out. To add one: a file of its own, a line here, the contract
tests."""

from typing import TypeAlias

from fewlabels.core.beta import LEAST_PSEUDO_COUNT
from fewlabels.errors import QuestionError
from fewlabels.estimators.averaged import Averaged, LastRound
from fewlabels.estimators.base import Estimator
from fewlabels.estimators.bayes import Bayes
from fewlabels.estimators.f_base import FEstimate, FEstimator
from fewlabels.estimators.frequency import Frequency
from fewlabels.estimators.inferred import Isotonic, Mixture, Platt
from fewlabels.estimators.weighted import Weighted

AnyEstimator: TypeAlias = Estimator | FEstimator

ESTIMATORS: dict[str, type[Estimator]] = {"beta": Bayes, "frequency": Frequency}
F_ESTIMATORS: dict[str, type[FEstimator]] = {
    "acis": Averaged,
    "acis_last": LastRound,
    "weighted": Weighted,
    "iso": Isotonic,
    "platt": Platt,
    "gmm": Mixture,
}


def estimator_by_name(name: str) -> Estimator:
    """The estimator of beliefs of this name; "auto" is the papers', shown no surer than Jeffreys' prior allows."""
    if name == "auto":
        return Bayes(LEAST_PSEUDO_COUNT)
    if name not in ESTIMATORS:
        raise QuestionError(
            f"unknown estimator {name!r}; known are auto, {', '.join(ESTIMATORS)}, and for F-scores "
            f"{', '.join(F_ESTIMATORS)}."
        )
    return ESTIMATORS[name]()


__all__ = [
    "ESTIMATORS",
    "F_ESTIMATORS",
    "AnyEstimator",
    "Averaged",
    "Estimator",
    "FEstimate",
    "FEstimator",
    "estimator_by_name",
]
