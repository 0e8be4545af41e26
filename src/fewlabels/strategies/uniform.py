"""Uniform sampling, over items or over groups: the baselines."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Ints
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.objectives import Objective
from fewlabels.core.step import Choice


class Uniform:
    """Every unlabelled item has the same chance."""

    name: ClassVar[str] = "uniform"
    reason: ClassVar[str] = "every unlabelled item has the same chance"

    def choose(self, objective: object, remaining: Ints, plays: int, keyed: Keyed) -> Sequence[Choice]:  # noqa: ARG002
        upto = np.cumsum(remaining)
        arm = int(np.searchsorted(upto, keyed.uniform(Use.ARM_PICK) * upto[-1], side="right"))
        return [Choice(arm, "uniform", float(remaining[arm] / upto[-1]))]


class UniformGroups:
    """Every group with items left has the same chance, then every item in it."""

    name: ClassVar[str] = "uniform_groups"
    reason: ClassVar[str] = "every group has the same chance, then every unlabelled item in it"

    def choose(self, objective: Objective, remaining: Ints, plays: int, keyed: Keyed) -> Sequence[Choice]:  # noqa: ARG002
        open_arms = np.flatnonzero(remaining > 0)
        picked = int(open_arms[int(keyed.uniform(Use.ARM_PICK) * len(open_arms))])
        return [Choice(picked, "uniform_groups", 1 / len(open_arms))]
