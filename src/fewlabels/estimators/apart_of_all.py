"""How far two F-scores of all items are apart: that of the items searched, and what may hide below (decision 26).

H positives below are missed by both models. They divide each score by 1 + (1 - alpha) H / c, where c is what counts in
it among the items searched. Two recalls have the same c, so their difference shrinks and keeps its sign. Of two other
F-scores the one with the smaller c loses more, and their difference may change its sign.
"""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fewlabels.core.hiding import Below, factor
from fewlabels.estimators.f_of_all import BELOW, IN_SEARCH

if TYPE_CHECKING:
    from fewlabels.estimators.contrast import Apart

_BETWEEN = 9  # numbers of positives below, from the fewest to the most, that ends are looked for at


@dataclass(frozen=True)
class ApartOfAll:
    """From the difference of the items searched to that of all."""

    inside: "Apart"
    scores: tuple[float, float]
    counted: tuple[float, float]
    alpha: float
    positives: float  # among the items searched
    items: int  # searched
    below: Below
    assumed: float

    @property
    def weight(self) -> float:
        """How far one more positive below lowers the score with the smaller c."""
        return (1 - self.alpha) / min(self.counted) if min(self.counted) > 0 else 0.0

    def at(self, hidden: float) -> float:
        """The difference where so many positives are below."""
        one, other = (s * factor(self.alpha, c, hidden) for s, c in zip(self.scores, self.counted, strict=True))
        return one - other

    @property
    def value(self) -> float:
        if self.assumed >= 1:
            return self.alone
        return self.at(self.below.likely(self.positives, self.assumed))

    @property
    def alone(self) -> float:
        return self.at(self.below.by_labels)

    def interval(self, level: float) -> tuple[float, float]:
        if self.assumed >= 1:
            return self.interval_alone(level)
        return self._ends(level, self.below.ends(self.positives, self.assumed, level))

    def interval_alone(self, level: float) -> tuple[float, float]:
        """By the labels alone, whatever hides."""
        if self.below.known:
            return self._ends(level, (self.below.positive, self.below.positive))
        return self._ends(1 - IN_SEARCH * (1 - level), self.below.ends_by_labels(BELOW * (1 - level)))

    def _ends(self, level: float, hidden: tuple[float, float]) -> tuple[float, float]:
        """The outermost ends over all numbers between these."""
        if math.isnan(self.inside.value):
            return -1.0, 1.0
        low, high = self.inside.interval(level)
        found = []
        for h in np.linspace(*hidden, _BETWEEN).tolist():
            middle, scale = self.at(h), self._scale(h)
            found.append((middle - scale * (self.inside.value - low), middle + scale * (high - self.inside.value)))
        return max(min(f[0] for f in found), -1.0), min(max(f[1] for f in found), 1.0)

    def _scale(self, hidden: float) -> float:
        """The factor of the errors of the items searched: the larger of the two."""
        return max(factor(self.alpha, c, hidden) for c in self.counted)

    def under(self, bound: float) -> float:
        """The probability that the difference is below this: over what may hide."""
        hidden, weight = self.below.posterior(self.positives, self.assumed)
        return float(sum(w * self._under(bound, h) for h, w in zip(hidden.tolist(), weight.tolist(), strict=True)))

    def _under(self, bound: float, hidden: float) -> float:
        scale = self._scale(hidden)
        return self.inside.below(self.inside.value + (bound - self.at(hidden)) / scale) if scale > 0 else 0.0
