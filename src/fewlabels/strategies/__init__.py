"""Strategies by name. To add one: a file of its own, a line here, and it must pass the contract tests."""

from fewlabels.errors import QuestionError
from fewlabels.strategies.acis import Acis
from fewlabels.strategies.base import AnyStrategy, FStrategy, Strategy
from fewlabels.strategies.f_baselines import Herding, Sawade, TopK
from fewlabels.strategies.greedy import EpsilonGreedy, UpperBound
from fewlabels.strategies.thompson import Thompson, TopTwo
from fewlabels.strategies.uniform import Uniform, UniformGroups

STRATEGIES: dict[str, type[AnyStrategy]] = {
    "uniform": Uniform,
    "uniform_groups": UniformGroups,
    "thompson": Thompson,
    "top_two": TopTwo,
    "epsilon_greedy": EpsilonGreedy,
    "upper_bound": UpperBound,
    "acis": Acis,
    "sawade": Sawade,
    "top_k": TopK,
    "herding": Herding,
}
FOR_F_SCORES = ("acis", "sawade", "top_k", "herding")  # these read an FSample, the others a belief


def strategy_by_name(name: str) -> AnyStrategy:
    """The strategy of this name."""
    if name not in STRATEGIES:
        raise QuestionError(f"unknown strategy {name!r}; known are auto, {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]()


__all__ = ["FOR_F_SCORES", "STRATEGIES", "Acis", "AnyStrategy", "FStrategy", "Strategy", "strategy_by_name"]
