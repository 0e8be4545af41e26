"""Strategies by name. To add one: a file of its own, a line here, and it must pass the contract tests."""

from fewlabels.core.design import Design
from fewlabels.core.round import Round
from fewlabels.errors import QuestionError
from fewlabels.parts import register
from fewlabels.strategies.acis import Acis
from fewlabels.strategies.base import Contest, ForModels, Settling, Shown, State, Strategy, ToldOfArms
from fewlabels.strategies.contrast import Contrast
from fewlabels.strategies.doubt import Doubt
from fewlabels.strategies.f_baselines import Herding, Sawade, TopK
from fewlabels.strategies.gain import Gain
from fewlabels.strategies.greedy import EpsilonGreedy, UpperBound
from fewlabels.strategies.influence import Influence
from fewlabels.strategies.nearest import Nearest
from fewlabels.strategies.neyman import Neyman
from fewlabels.strategies.prove import Prove
from fewlabels.strategies.settle import Settle
from fewlabels.strategies.thompson import Thompson, TopTwo
from fewlabels.strategies.uniform import Uniform, UniformGroups
from fewlabels.strategies.widest import Widest

STRATEGIES: dict[str, type[Strategy]] = {
    "uniform": Uniform,
    "uniform_groups": UniformGroups,
    "thompson": Thompson,
    "top_two": TopTwo,
    "epsilon_greedy": EpsilonGreedy,
    "upper_bound": UpperBound,
    "gain": Gain,
    "widest": Widest,
    "nearest": Nearest,
    "neyman": Neyman,
    "settle": Settle,
    "prove": Prove,
    "influence": Influence,
    "contrast": Contrast,
    "doubt": Doubt,
    "acis": Acis,
    "sawade": Sawade,
    "top_k": TopK,
    "herding": Herding,
}


def register_strategy(made: type[Strategy]) -> type[Strategy]:
    """Let a strategy be found by its name, and be kept in studies."""
    return register(STRATEGIES, made)


def read_strategy(given: object) -> Strategy:
    """A strategy by name, or as it is."""
    if isinstance(given, Strategy):
        return given
    if not isinstance(given, str):
        raise QuestionError(f"a strategy is a name such as 'thompson', or an object such as fl.Acis(…); got {given!r}.")
    if given not in STRATEGIES:
        raise QuestionError(f"unknown strategy {given!r}; known are auto, {', '.join(STRATEGIES)}.")
    return STRATEGIES[given]()


__all__ = [
    "STRATEGIES",
    "Acis",
    "Contest",
    "Contrast",
    "Design",
    "Doubt",
    "EpsilonGreedy",
    "ForModels",
    "Gain",
    "Prove",
    "Round",
    "Settle",
    "Settling",
    "Shown",
    "State",
    "Strategy",
    "ToldOfArms",
    "TopTwo",
    "UpperBound",
    "read_strategy",
    "register_strategy",
]
