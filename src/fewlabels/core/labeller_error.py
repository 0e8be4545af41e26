"""What labels are worth whose givers err: a share read off them, and its interval, brought back to the true share."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from fewlabels.core.arrays import Array
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.labeller_rates import Seen, draw_rates
from fewlabels.core.remembered import Remembered

_DRAWS = 10_000
_RATES: Remembered[tuple[Array, Array]] = Remembered(2)  # the last ones drawn, by what they were drawn from
_LEAST = 1e-12  # of a deviation, and of a probability
_HARDLY = 1e-9  # the probability of labels below which their rates cannot be what they are said to be


@dataclass(frozen=True)
class LabellerError:
    """How often labels err: from items that several people labelled, or given."""

    seen: tuple[Seen, ...] = ()
    given: float | None = None  # the probability that a label is wrong, whatever the class
    classes: int = 2
    having: tuple[tuple[int, float], ...] = ((1, 1.0),)  # of labelled items, the share that has so many labels

    @property
    def labels(self) -> int:
        """Of items that several people labelled."""
        return sum(one.items * one.labels for one in self.seen)

    @property
    def errors(self) -> int:
        """Those of them that are wrong; where not all is decided, at least so many."""
        return sum(one.errors for one in self.seen)

    def decided(self, *, alike: bool) -> float:
        """The share of items that somebody decided, of those whose labels are alike, or of those whose are not."""
        several = [one for one in self.seen if one.labels > 1 and one.alike == alike]
        return sum(one.items for one in several if one.right is not None) / max(sum(one.items for one in several), 1)

    def rates(self, keyed: Keyed) -> tuple[Array, Array]:
        """Draws of P(label says right | right) and P(label says wrong | wrong)."""
        if self.given is not None:
            by_chance = self.given / (self.classes - 1)  # a wrong label is the predicted class as often as any other
            return np.full(_DRAWS, 1 - self.given), np.full(_DRAWS, 1 - by_chance)
        key = (self.seen, self.classes, keyed)
        return _RATES.get(key, lambda: draw_rates(self.seen, self.classes, _DRAWS, keyed.generator(Use.ANSWER, 7)))

    def true_shares(
        self, value: Array, low: Array, high: Array, size: Array, level: float, keyed: Keyed
    ) -> tuple[Array, ...]:
        """Shares of right predictions as labels tell them, brought back to the true ones: values, lows, highs; `size`
        is of how many items each is the share.

        Rogan and Gladen 1978: labels say right with probability q = t s1 + (1 - t)(1 - s0), so that
        t = (q - (1 - s0)) / (s1 + s0 - 1). Departures: the rates are those of what items count as, which is one label,
        or what most of several say, or what somebody decided. The interval is that of draws of q, s1 and s0: rates
        count by how likely they make such a q when nothing is known of t; q are drawn from two halves of normal
        distributions that have the ends they were given, and the chance by which labels of so many items err. What
        lies beyond 0 and 1 is put there, and the interval reaches as far as that of draws that lie between.
        """
        s1, s0 = (self._counted_right(s) for s in self.rates(keyed))
        if s1.min() == s0.min() == 1:
            return value, low, high
        z, generator = float(ndtri(0.5 + level / 2)), keyed.generator(Use.ANSWER, 8)
        chance = _Chance(generator.standard_normal(_DRAWS), generator.random(_DRAWS))
        found = [
            (v, a, b) if math.isnan(v) else _true_share(v, (v - a) / z, (b - v) / z, n, chance, s1, s0, level)
            for v, a, b, n in zip(value, low, high, size, strict=True)
        ]
        return tuple(np.array(column) for column in zip(*found, strict=True))

    def _counted_right(self, s: Array) -> Array:
        """How often items count as what they are, given how often a label is right."""
        alike, differing = 1 - self.decided(alike=True), 1 - self.decided(alike=False)
        wrong = np.zeros_like(s)
        for labels, share in self.having:
            together = (1 - s) ** labels
            wrong += share * (alike if labels > 1 else 1) * together
            wrong += share * differing * (_most_wrong(labels, s) - together)
        return 1 - wrong


def _most_wrong(labels: int, s: Array) -> Array:
    """How often most of so many labels are wrong, or half of them and the first."""
    each = [math.comb(labels, n) * (1 - s) ** n * s ** (labels - n) for n in range(labels + 1)]
    half = each[labels // 2] / 2 if labels % 2 == 0 else 0.0
    return np.asarray(half + sum(each[labels // 2 + 1 :]))


@dataclass(frozen=True)
class _Chance:
    """What is drawn once for all shares."""

    normal: Array
    uniform: Array


def _true_share(
    value: float, below: float, above: float, size: float, chance: _Chance, s1: Array, s0: Array, level: float
) -> tuple[float, float, float]:
    """A share with its deviations below and above, brought back: its median and the ends of its interval."""
    slope = s1 + s0 - 1
    t = np.clip((value - (1 - s0)) / slope, 0.0, 1.0)
    erring = (t * s1 * (1 - s1) + (1 - t) * s0 * (1 - s0)) / max(size, 1.0)
    down, up = (np.maximum(np.sqrt(side**2 + erring), _LEAST) for side in (below, above))

    def reached(q: Array) -> Array:
        return np.asarray(ndtr((q - value) / np.where(q < value, down, up)))

    def brought_back(normal: Array) -> Array:
        return np.asarray(np.clip((value + normal * np.where(normal < 0, down, up) - (1 - s0)) / slope, 0.0, 1.0))

    first, last = reached(1 - s0), reached(s1)
    counts = np.cumsum((last - first) / slope)
    places = (np.arange(len(s1)) + 0.5) / len(s1)
    taken = np.searchsorted(counts, places * counts[-1]) if counts[-1] > 0 else np.arange(len(s1))
    put = brought_back(chance.normal)[taken]
    between = brought_back(ndtri(np.clip(first + chance.uniform * (last - first), _LEAST, 1 - _LEAST)))
    edge = np.clip(np.abs(chance.normal) * np.where(value > s1, down, up) / slope, 0.0, 1.0)
    at_the_edge = np.where(value > s1, 1 - edge, edge)  # of what cannot be, however few labels err by chance
    between = np.where(last - first > _HARDLY, between, at_the_edge)[taken]
    ends = np.quantile([put, between], (0.5 - level / 2, 0.5 + level / 2), axis=1)
    middle = float(np.median(put))
    return middle, min(float(ends[0].min()), middle), max(float(ends[1].max()), middle)
