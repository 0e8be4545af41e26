"""Draws of items in proportion to how much their labels can tell models apart."""

from typing import ClassVar

import numpy as np

from fewlabels.core.keyed import Keyed
from fewlabels.core.odds import Odds
from fewlabels.core.round import Round
from fewlabels.strategies.base import ForModels, State, Strategy
from fewlabels.strategies.gain import drawn_by, round_size


class Influence(Strategy):
    """An item is drawn with a chance proportional to its influence on what is asked of the models, never where all of
    them say the same; without replacement, with known chances. Where influence is the same for all, as in accuracy,
    labels are a simple random sample of the items on which models differ."""

    name: ClassVar[str] = "influence"
    reason: ClassVar[str] = "items are drawn at random from those on which the models differ; others would tell nothing"
    of_cells: ClassVar[bool] = True
    for_models: ClassVar[ForModels] = "only"
    estimator: ClassVar[str | None] = "paired"

    def choose(self, state: State, keyed: Keyed) -> Round:
        left = state.remaining.astype(np.float64)
        odds = Odds.of(np.where(left > 0, state.gain, 0.0), 0.0)
        return drawn_by(odds, left, round_size(state), keyed)
