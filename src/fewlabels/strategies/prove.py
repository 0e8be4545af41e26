"""Draws that prove which groups stand out."""

from typing import ClassVar

from fewlabels.core.keyed import Keyed
from fewlabels.core.odds import Odds
from fewlabels.core.round import Round
from fewlabels.strategies.base import State, Strategy, best
from fewlabels.strategies.gain import drawn_by

_FEWEST = 5  # labels of a round


class Prove(Strategy):
    """A few labels of each group first. Then groups share a round by what their labels add to the evidence of the
    weakest pairs. Inside a group six draws of ten are even, and four follow the spread of the labels. Every item that
    is left has a chance, and all chances are known.
    """

    name: ClassVar[str] = "prove"
    reason: ClassVar[str] = (
        "labels are drawn with known chances from the groups that are hardest to tell apart, from all of their scores"
    )
    of_cells: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    proves: ClassVar[bool] = True
    estimator: ClassVar[str | None] = "stratified"

    def choose(self, state: State, keyed: Keyed) -> Round:
        settling, left = state.settling, state.remaining
        if settling is None:
            return Round(best(state.gain, left, 1))
        count = int(min(max(_FEWEST, state.wanted), state.most, left.sum()))
        return drawn_by(Odds.of(settling.proving(count), 0.0), left.astype(float), count, keyed)
