"""The group of which least is known."""

from typing import ClassVar

import numpy as np

from fewlabels.core.keyed import Keyed
from fewlabels.core.round import Round
from fewlabels.strategies.base import State, Strategy, best


class Widest(Strategy):
    """An item of the group whose share of hits is least certain by the group's own labels, scores left aside; every
    item in it has the same chance. For intervals that are to be short in every group when labelling stops."""

    name: ClassVar[str] = "widest"
    reason: ClassVar[str] = "the group whose own labels leave most open comes next, and every item in it alike"
    estimator: ClassVar[str | None] = "hierarchical"
    kernel: ClassVar[str | None] = "widest"

    def choose(self, state: State, keyed: Keyed) -> Round:  # noqa: ARG002 - nothing is left to chance but the item
        told = state.told
        alpha, beta, left = 1 + told.hits, 1 + told.labels - told.hits, told.size - told.labels
        strength = alpha + beta
        variance = left * (left + strength) * alpha * beta / (strength**2 * (strength + 1)) / told.size**2
        return Round(best(np.asarray(variance), state.remaining, state.plays))
