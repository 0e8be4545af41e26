"""Epsilon-greedy and the Bayesian upper bound: the alternatives the supplement of [Ji21] compares with."""

from typing import ClassVar

import numpy as np

from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.round import Round
from fewlabels.strategies.base import State, Strategy, best

EPSILON = 0.1


class EpsilonGreedy(Strategy):
    """With probability 0.9 the arms of highest posterior mean reward, else arms at random."""

    name: ClassVar[str] = "epsilon_greedy"
    estimator: ClassVar[str | None] = "cautious"
    kernel: ClassVar[str | None] = "epsilon_greedy"
    reason: ClassVar[str] = "epsilon-greedy: the group of highest expected reward, one time in ten a random one"

    def choose(self, state: State, keyed: Keyed) -> Round:
        if keyed.uniform(Use.COIN) < EPSILON:
            rewards = keyed.uniforms(Use.ARM_PICK, np.arange(len(state.remaining)))
        else:
            rewards = state.objective.mean()
        return Round(best(rewards, state.remaining, state.plays))


class UpperBound(Strategy):
    """The arms whose reward has the highest 97.5 % quantile."""

    name: ClassVar[str] = "upper_bound"
    estimator: ClassVar[str | None] = "cautious"
    kernel: ClassVar[str | None] = "upper_bound"
    reason: ClassVar[str] = "Bayesian upper bound: the group whose reward has the highest 97.5 % quantile"

    def choose(self, state: State, keyed: Keyed) -> Round:
        return Round(best(state.objective.upper(keyed), state.remaining, state.plays))
