"""The accuracy of the whole pool by a model that cells share: its interval trusts the model only so far."""

from dataclasses import dataclass, replace

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.intervals import AT_A_STOP, AT_ONE_LOOK, Caution, IntervalKind, cautious_share, defined_interval
from fewlabels.core.keyed import Keyed

_DRAWS_AT_A_STOP = 4000  # where the interval is short enough to stop


@dataclass(frozen=True)
class WholePool:
    """What draws say, and how far the interval reaches."""

    value: float  # the median of draws
    drawn: tuple[float, float]  # the ends that draws have
    ends: tuple[float, float]  # those of the interval
    lowered: bool  # fewness of labels and not the model sets the low one

    @classmethod
    def of(cls, belief: Belief, rates: Array, level: float, kind: IntervalKind, *, pool: bool) -> "WholePool":
        """For one look, from joint draws (n_draws, n_cells) of how often predictions are right; of the pool's own
        items, or of where they came from."""
        return cls._of(belief, rates @ _shares(belief), level, kind, AT_ONE_LOOK, 0.0, pool=pool)

    @classmethod
    def at_a_stop(
        cls, belief: Belief, rates: Array, level: float, kind: IntervalKind, keyed: Keyed, goal: float, off: float
    ) -> "WholePool":
        """The same where a study may stop at a half-width of `goal`, of the pool's own items. By the chances of their
        drawing the labels say that the model is `off` by so much.

        Draws are doubled while the interval is that short. Of a few hundred the width is off by a twentieth, and
        whoever looks often would stop where they happen to lie close together."""
        share, count = _shares(belief), len(rates)
        draws = rates @ share
        while True:
            found = cls._of(belief, draws, level, kind, AT_A_STOP, off, pool=True)
            if (found.ends[1] - found.ends[0]) / 2 > goal or len(draws) >= _DRAWS_AT_A_STOP:
                return found
            blocks = range(len(draws) // count, 2 * len(draws) // count)
            further = [
                more @ share for step in blocks for more in belief.joint(count, replace(keyed, step=step), pool=True)
            ]
            draws = np.concatenate([draws, *further])

    @classmethod
    def _of(
        cls, belief: Belief, draws: Array, level: float, kind: IntervalKind, caution: Caution, off: float, *, pool: bool
    ) -> "WholePool":
        items = int(belief.size.sum())
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


def _shares(belief: Belief) -> Array:
    """Of each cell, of all items."""
    return np.asarray(belief.size / int(belief.size.sum()))
