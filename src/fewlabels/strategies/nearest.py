"""The group that is nearest to a verdict."""

from typing import ClassVar

import numpy as np

from fewlabels.core.keyed import Keyed
from fewlabels.core.round import Round
from fewlabels.core.verdicts import LEAST_LABELS
from fewlabels.errors import QuestionError
from fewlabels.strategies.base import State, Strategy, best


class Nearest(Strategy):
    """Of the groups of which it is open on which side of a threshold they lie, an item of the one whose labels tell
    most; every item in it has the same chance. The first labels go to groups that have none."""

    name: ClassVar[str] = "nearest"
    reason: ClassVar[str] = (
        "of the groups that are neither shown to be below nor above, that which is nearest to it comes next, and every "
        "item in it alike"
    )
    estimator: ClassVar[str | None] = "hierarchical"
    kernel: ClassVar[str | None] = "nearest"
    of_threshold: ClassVar[bool] = True

    def choose(self, state: State, keyed: Keyed) -> Round:  # noqa: ARG002 - nothing is left to chance but the item
        shown = state.shown
        if shown is None:
            raise QuestionError("strategy 'nearest' is for fl.Below and fl.Above; leave it out.")
        labels = state.told.labels
        few = labels < np.minimum(LEAST_LABELS, state.told.size)
        worth = np.where(few, 1e6 - labels, np.where(shown.log_won < shown.enough, shown.log_won, -1e6 - labels))
        return Round(best(worth, state.remaining, state.plays))
