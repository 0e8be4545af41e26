"""Epsilon-greedy and the Bayesian upper bound: the alternatives the supplement of [Ji21] compares with."""

from dataclasses import dataclass
from typing import ClassVar

from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.objectives import UPPER
from fewlabels.core.round import Round
from fewlabels.errors import QuestionError
from fewlabels.strategies.base import State, Strategy, best


@dataclass(frozen=True)
class EpsilonGreedy(Strategy):
    """With probability `epsilon` arms at random, else those of highest posterior mean reward."""

    epsilon: float = 0.1

    name: ClassVar[str] = "epsilon_greedy"
    estimator: ClassVar[str | None] = "cautious"
    kernel: ClassVar[str | None] = "epsilon_greedy"
    reason: ClassVar[str] = "epsilon-greedy: the group of highest expected reward, now and then a random one"

    def __post_init__(self) -> None:
        if not 0 <= self.epsilon <= 1:
            raise QuestionError(f"epsilon is the chance of a random group, from 0 to 1; got {self.epsilon!r}.")

    @property
    def tuned(self) -> float:
        return self.epsilon

    def choose(self, state: State, keyed: Keyed) -> Round:
        if keyed.uniform(Use.COIN) < self.epsilon:
            rewards = keyed.uniforms(Use.ARM_PICK, len(state.remaining))
        else:
            rewards = state.objective.mean()
        return Round(best(rewards, state.remaining, state.plays))


@dataclass(frozen=True)
class UpperBound(Strategy):
    """The arms whose reward has the highest quantile, the 97.5 % one as in the paper or another."""

    quantile: float = UPPER

    name: ClassVar[str] = "upper_bound"
    estimator: ClassVar[str | None] = "cautious"
    kernel: ClassVar[str | None] = "upper_bound"
    reason: ClassVar[str] = "Bayesian upper bound: the group whose reward has the highest upper quantile"

    def __post_init__(self) -> None:
        if not 0 < self.quantile < 1:
            raise QuestionError(f"UpperBound's quantile is above 0 and below 1, such as 0.975; got {self.quantile!r}.")

    @property
    def tuned(self) -> float:
        return self.quantile

    def choose(self, state: State, keyed: Keyed) -> Round:
        return Round(best(state.objective.upper(keyed, self.quantile), state.remaining, state.plays))
