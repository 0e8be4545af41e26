"""Estimators by name: evidence in, numbers out. To add one: a file of its own, a line here, the contract tests."""

from fewlabels.errors import QuestionError
from fewlabels.estimators.averaged import Averaged, LastRound
from fewlabels.estimators.base import CellEstimator, Estimator, OwnCells
from fewlabels.estimators.bayes import Bayes
from fewlabels.estimators.cautious import Cautious
from fewlabels.estimators.contrast import Apart, Contrast
from fewlabels.estimators.difference import Difference
from fewlabels.estimators.each_model import EachModel
from fewlabels.estimators.f_base import FEstimate, FEstimator
from fewlabels.estimators.f_of_all import OfAll
from fewlabels.estimators.frequency import Frequency
from fewlabels.estimators.hierarchical import Hierarchical
from fewlabels.estimators.inferred import Isotonic, Mixture, Platt
from fewlabels.estimators.levels import Levels
from fewlabels.estimators.paired import Paired
from fewlabels.estimators.stratified import Stratified
from fewlabels.estimators.two_strata import TwoStrata
from fewlabels.estimators.weighted import Weighted
from fewlabels.parts import register

ESTIMATORS: dict[str, type[Estimator]] = {
    "cautious": Cautious,
    "levels": Levels,
    "two_strata": TwoStrata,
    "beta": Bayes,
    "hierarchical": Hierarchical,
    "stratified": Stratified,
    "frequency": Frequency,
    "difference": Difference,
    "acis": Averaged,
    "acis_last": LastRound,
    "weighted": Weighted,
    "iso": Isotonic,
    "platt": Platt,
    "gmm": Mixture,
    "paired": Paired,
    "contrast": Contrast,
    "each_model": EachModel,
}


def register_estimator(made: type[Estimator]) -> type[Estimator]:
    """Let a estimator be found by its name, and be kept in studies."""
    return register(ESTIMATORS, made)


def read_estimator(given: object) -> Estimator:
    """An estimator by name, or as it is."""
    if isinstance(given, Estimator):
        return given
    if not isinstance(given, str):
        raise QuestionError(
            f"an estimator is a name such as 'beta', or an object such as fl.Averaged(…); got {given!r}."
        )
    if given not in ESTIMATORS:
        raise QuestionError(
            f"unknown estimator {given!r}; known are auto, {', '.join(names(draws=False))}, and for F-scores "
            f"{', '.join(names(draws=True))}."
        )
    return ESTIMATORS[given]()


def names(*, draws: bool) -> list[str]:
    """Those that read labels of one model draw by draw, or cell by cell."""
    return [name for name, made in ESTIMATORS.items() if made.reads_draws == draws and not made.of_models]


__all__ = [
    "ESTIMATORS",
    "Apart",
    "Averaged",
    "Cautious",
    "CellEstimator",
    "Contrast",
    "Difference",
    "EachModel",
    "Estimator",
    "FEstimate",
    "FEstimator",
    "OfAll",
    "OwnCells",
    "Paired",
    "names",
    "read_estimator",
    "register_estimator",
]
