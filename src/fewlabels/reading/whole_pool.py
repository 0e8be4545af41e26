"""The accuracy of the whole pool by a model that cells share: its interval trusts the model only so far."""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.intervals import Caution, IntervalKind, cautious_share, defined_interval


@dataclass(frozen=True)
class WholePool:
    """What draws say, and how far the interval reaches."""

    value: float  # the median of draws
    drawn: tuple[float, float]  # the ends that draws have
    ends: tuple[float, float]  # those of the interval
    lowered: bool  # fewness of labels and not the model sets the low one

    @classmethod
    def of(
        cls, belief: Belief, rates: Array, level: float, kind: IntervalKind, caution: Caution, off: float, *, pool: bool
    ) -> "WholePool":
        """From joint draws (n_draws, n_cells) of how often predictions are right; of the pool's own items, or of where
        they came from. By the chances of their drawing the labels say that the model is `off` by so much."""
        items = int(belief.size.sum())
        draws = rates @ (belief.size / items)
        low, high = (float(end[0]) for end in defined_interval(draws[:, None], level, kind))
        value, left = float(np.median(draws)), 1 - belief.worth / items if pool else 1.0
        below, above, lowered = cautious_share(value, low, high, belief.worth, left, level, caution, off)
        hits, misses = belief.tally.sum(axis=0) / items if pool else (0.0, 0.0)
        return cls(value, (low, high), (max(below, float(hits)), min(above, float(1 - misses))), lowered)

    @property
    def further(self) -> tuple[float, float]:
        """How many times as far as draws the interval reaches, down and up."""
        reach = [abs(self.value - end) for end in (*self.drawn, *self.ends)]
        down, up = (max(to / by, 1.0) if by > 0 else 1.0 for by, to in zip(reach[:2], reach[2:], strict=True))
        return down, up
