"""Strategies by name. To add one: a file of its own, a line here, and it must pass the contract tests."""

from fewlabels.errors import QuestionError
from fewlabels.strategies.base import Strategy
from fewlabels.strategies.greedy import EpsilonGreedy, UpperBound
from fewlabels.strategies.thompson import Thompson, TopTwo
from fewlabels.strategies.uniform import Uniform, UniformGroups

STRATEGIES: dict[str, type[Strategy]] = {
    "uniform": Uniform,
    "uniform_groups": UniformGroups,
    "thompson": Thompson,
    "top_two": TopTwo,
    "epsilon_greedy": EpsilonGreedy,
    "upper_bound": UpperBound,
}


def strategy_by_name(name: str) -> Strategy:
    """The strategy of this name."""
    if name not in STRATEGIES:
        raise QuestionError(f"unknown strategy {name!r}; known are auto, {', '.join(STRATEGIES)}.")
    return STRATEGIES[name]()


__all__ = ["STRATEGIES", "Strategy", "strategy_by_name"]
