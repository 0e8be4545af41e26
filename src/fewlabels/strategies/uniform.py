"""Uniform sampling, over items or over groups: the baselines."""

from typing import ClassVar

import numpy as np

from fewlabels.core.design import Design
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.round import Round
from fewlabels.strategies.base import ForModels, State, Strategy

_EQUAL, _EQUAL_ARMS = Design(chances="equal"), Design(chances="equal arms")


class Uniform(Strategy):
    """Every unlabelled item has the same chance."""

    name: ClassVar[str] = "uniform"
    kernel: ClassVar[str | None] = "uniform"
    reason: ClassVar[str] = "every unlabelled item has the same chance"
    by_draws: ClassVar[bool] = True
    proves: ClassVar[bool] = True
    for_models: ClassVar[ForModels] = "also"

    def choose(self, state: State, keyed: Keyed) -> Round:
        upto = np.cumsum(state.remaining)
        arm = int(np.searchsorted(upto, keyed.uniform(Use.ARM_PICK) * upto[-1], side="right"))
        return Round((arm,), (float(state.remaining[arm] / upto[-1]),), _EQUAL)


class UniformGroups(Strategy):
    """Every group with items left has the same chance, then every item in it."""

    name: ClassVar[str] = "uniform_groups"
    kernel: ClassVar[str | None] = "uniform_groups"
    reason: ClassVar[str] = "every group has the same chance, then every unlabelled item in it"

    def choose(self, state: State, keyed: Keyed) -> Round:
        open_arms = np.flatnonzero(state.remaining > 0)
        picked = int(open_arms[int(keyed.uniform(Use.ARM_PICK) * len(open_arms))])
        return Round((picked,), (1 / len(open_arms),), _EQUAL_ARMS)
