"""Stopping rules by name. To add one: a file of its own, a line here, and it must pass the contract tests."""

from fewlabels.errors import QuestionError
from fewlabels.parts import register
from fewlabels.stopping.base import Figures, Stopping
from fewlabels.stopping.half_width import HalfWidth
from fewlabels.stopping.probability import Probability
from fewlabels.stopping.variance import Variance

STOPPING: dict[str, type[Stopping]] = {"half_width": HalfWidth, "probability": Probability, "variance": Variance}


def register_stopping(made: type[Stopping]) -> type[Stopping]:
    """Let a goal be found by its name, and be kept in studies."""
    return register(STOPPING, made)


def read_stopping(given: object) -> Stopping:
    """A goal as it is; anything else is refused."""
    if not isinstance(given, Stopping):
        raise QuestionError(f"until is a goal such as fl.HalfWidth(0.05) or fl.Probability(0.95); got {given!r}.")
    return given


__all__ = [
    "STOPPING",
    "Figures",
    "HalfWidth",
    "Probability",
    "Stopping",
    "Variance",
    "read_stopping",
    "register_stopping",
]
