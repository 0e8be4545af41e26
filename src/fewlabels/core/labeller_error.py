"""What labels are worth whose givers err: a share read off them, and its interval, brought back to the true share."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from fewlabels.core.arrays import Array
from fewlabels.core.keyed import Keyed, Use

_DRAWS = 10_000
_HALF = 0.5  # of a label on either side: Jeffreys' prior
_ALIKE = 10.0  # labels of wrongly predicted items that it is worth that labels err there as often as elsewhere


class Reliability(NamedTuple):
    """Labels counted by what they say of predictions, and whether that is so."""

    right: int = 0  # the prediction is right, and so the label says
    missed: int = 0  # it is right, and the label says otherwise
    wrong: int = 0  # it is wrong, and so the label says
    excused: int = 0  # it is wrong, and the label agrees with it

    @property
    def labels(self) -> int:
        return sum(self)


NOT_COUNTED = Reliability()


@dataclass(frozen=True)
class LabellerError:
    """How often labels err: counted on items whose true class is settled, or given."""

    counted: Reliability = NOT_COUNTED
    given: float | None = None  # the probability that a label is wrong, whatever the class
    classes: int = 2
    settled: float = 0.0  # the share of labelled items whose class is settled, and cannot be wrong any more

    def rates(self, count: int, keyed: Keyed) -> tuple[Array, Array]:
        """Draws of P(label says right | right) and P(label says wrong | wrong)."""
        if self.given is not None:
            by_chance = self.given / (self.classes - 1)  # a wrong label is the predicted class as often as any other
            return np.full(count, 1 - self.given), np.full(count, 1 - by_chance)
        rng = keyed.generator(Use.ANSWER, 7)
        of = self.counted
        s1 = rng.beta(of.right + _HALF, of.missed + _HALF, count)
        # Few predictions are wrong, so that few labels tell how often these are excused: believed beforehand is that
        # labels err there as elsewhere, and that half of the errors excuse where there are more than two classes.
        beforehand = _ALIKE * (1 - s1) * (1.0 if self.classes == 2 else 0.5)
        s0 = rng.beta(of.wrong + _ALIKE - beforehand + _HALF, of.excused + beforehand + _HALF / 10)
        return s1, s0

    def true_shares(self, value: Array, low: Array, high: Array, level: float, keyed: Keyed) -> tuple[Array, ...]:
        """Shares of right predictions as labels tell them, brought back to the true ones: values, lows, highs.

        Rogan and Gladen 1978: labels say right with probability q = t s1 + (1 - t)(1 - s0), so that
        t = (q - (1 - s0)) / (s1 + s0 - 1). Departure: the share of items whose class is settled has s1 = s0 = 1. The
        interval is that of draws of q, s1 and s0; those of q from two halves of normal distributions that have the
        ends they were given.
        """
        if self.settled >= 1:
            return value, low, high
        s1, s0 = self.rates(_DRAWS, keyed)
        noise = keyed.generator(Use.ANSWER, 8).standard_normal(_DRAWS) / float(ndtri(0.5 + level / 2))
        found = [self._true_share(*row, noise, s1, s0, level) for row in zip(value, low, high, strict=True)]
        return tuple(np.array(column) for column in zip(*found, strict=True))

    def _true_share(
        self, value: float, low: float, high: float, noise: Array, s1: Array, s0: Array, level: float
    ) -> tuple[float, float, float]:
        if math.isnan(value):
            return value, low, high
        t = self._back(value + noise * np.where(noise < 0, value - low, high - value), s1, s0)
        ends, middle = np.quantile(t, (0.5 - level / 2, 0.5 + level / 2)), float(np.median(t))
        return middle, min(float(ends[0]), middle), max(float(ends[1]), middle)

    def _back(self, q: Array, s1: Array, s0: Array) -> Array:
        noisy = 1 - self.settled
        slope = noisy * (s1 + s0 - 1) + self.settled
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (q - noisy * (1 - s0)) / slope
        t = np.where(slope > 0.02, t, np.where(noisy > 0, 0.5 + np.sign(q - 0.5) * 0.5, q))
        return np.clip(t, 0.0, 1.0)
