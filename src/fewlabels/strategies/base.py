"""What a strategy is: it turns rewards of arms into the arms of one round."""

from collections.abc import Sequence
from typing import ClassVar, Protocol, TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.importance import FSample
from fewlabels.core.keyed import Keyed
from fewlabels.core.objectives import Objective
from fewlabels.core.step import Choice


class Strategy(Protocol):
    """Chooses arms. Promises: never an arm without remaining items; the same key gives the same choice; a round is
    one arm, or up to `plays` distinct arms; the choice depends on the arms' labels only, so that inside an arm the
    labelled items are a simple random sample."""

    name: ClassVar[str]
    reason: ClassVar[str]  # one clause for the answer: how it chooses

    def choose(self, objective: Objective, remaining: Ints, plays: int, keyed: Keyed) -> Sequence[Choice]:
        """The arms of the next round; `remaining` is the number of items left in each arm."""


class FStrategy(Protocol):
    """Chooses cells for one F-score. Promises: the same key gives the same choice; with known probabilities, an item
    of every cell that can matter has a chance; a round is at most `plays` draws."""

    name: ClassVar[str]
    reason: ClassVar[str]

    def choose(self, sample: FSample, remaining: Ints, plays: int, keyed: Keyed) -> Sequence[Choice]:
        """The draws of the next round; `remaining` is the number of items of each cell nobody was asked about."""


AnyStrategy: TypeAlias = Strategy | FStrategy


def best(rewards: Array, remaining: Ints, plays: int) -> Ints:
    """The `plays` arms of highest reward among those with items left, best first; the first of equals wins."""
    open_arms = np.flatnonzero(remaining > 0)
    order = np.argsort(-rewards[open_arms], kind="stable")
    return np.asarray(open_arms[order[:plays]])
