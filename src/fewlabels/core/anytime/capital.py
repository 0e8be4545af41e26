"""What was won by betting against each value that a figure may have; and the values against which little was."""

import math
from dataclasses import dataclass, replace

import numpy as np

from fewlabels.core.arrays import Array, Bools

_SLACK = 1e-9  # of a logarithm: rounding gives nothing up


@dataclass(frozen=True)
class Capital:
    """Of one figure, after some labels. If a value is true, what is won against it starts at one and does not grow on
    average, so that it ever reaches 1 / alpha with a chance of at most alpha [Ville 1939]: whoever looks after each
    label and stops when the answer pleases still has the interval."""

    values: Array  # in rising order
    log_won: Array  # inf where the labels rule a value out
    all_there_are: bool  # no value lies between two of these
    most_won: Array | None = None  # at any label so far, where that is known: what was given up once stays so

    def interval(self, level: float) -> tuple[float, float]:
        """From the least to the largest value that is not given up, and was not before. Where the likeliest was given
        up before, which a share of 1 - level of all paths may come to, by what is won now: it holds as well."""
        enough, likeliest = -math.log(1 - level) + _SLACK, int(self.log_won.argmin())
        ever = self.most_won if self.most_won is not None and self.most_won[likeliest] < enough else self.log_won
        kept = np.flatnonzero(ever < enough)
        if not len(kept):
            kept = np.array([likeliest])
        beside = 0 if self.all_there_are else 1
        last = len(self.values) - 1
        return float(self.values[max(kept[0] - beside, 0)]), float(self.values[min(kept[-1] + beside, last)])

    @property
    def now(self) -> "Capital":
        """The same without what was before."""
        return replace(self, most_won=None)

    def turned(self, scale: float, shift: float) -> "Capital":
        """Against scale x value + shift, scale being one or minus one."""
        way = slice(None, None, 1 if scale > 0 else -1)
        most = None if self.most_won is None else self.most_won[way]
        return Capital((scale * self.values + shift)[way], self.log_won[way], self.all_there_are, most)

    def against(self, where: Bools) -> float:
        """The logarithm of what was won against all of these values: against the truth, if it is among them, at least
        as much."""
        return float(self.log_won[where].min(initial=math.inf))
