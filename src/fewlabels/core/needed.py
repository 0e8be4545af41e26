"""How many labels a goal is likely to take, for given true rates: the same formulas before labelling and during it.

Rates are (n_draws, n_groups), what each group may turn out to be; results are labels (n_draws,), by a study that
chooses where to label, and by a uniform sample. A part of a finite pool needs n / (1 + n / size) labels where an
endless one needs n.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, ndtri, xlogy

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.intervals import Caution

_MIXED = 2.0  # what it costs in logarithm that bets are spread over several stakes
_SPREAD = 1.5  # and that an urn is not told the rate beforehand
_CERTIFIED, _PAIR = 3.0, 1.9  # half of z² at a stop, on pools at their true rates: of ten groups or more, and of two
_PROVEN = 1.5  # what it costs in logarithm that bets on two groups are spread over several stakes
_STRATIFIED = 0.75  # of a group's variance is left inside of its score levels
_EXCEPTIONS, _NOT_SURE = 0.3, 0.03  # groups that may be anything, and what is left of that at a stop

_NEARER = (1.0, 0.5, 0.25, 0.1)  # draws that know little set groups apart; they may also be nearer to one another
_BETWEEN = 24  # rates, between which labels are interpolated
_KNOWN = 20  # labels of its own from which on a group is what its draws say
_EVERY, _AS_FAR = 6, 0.25  # beside so many draws one in which groups lie that part as far from a threshold


@dataclass(frozen=True)
class Outlook:
    """What groups may turn out to be, by joint draws of what is believed of them."""

    rates: Array  # (n_draws, n_groups)
    labels: Array  # (n_groups,) that are there
    size: Ints

    @property
    def nearer(self) -> Array:
        """The rates, and others nearer to what is expected of each group, the fewer labels it has."""
        middle, known = self.rates.mean(axis=0), np.minimum(self.labels / _KNOWN, 1.0)
        return np.concatenate([middle + (share + (1 - share) * known) * (self.rates - middle) for share in _NEARER])

    def towards(self, threshold: float) -> Array:
        """The rates, and some nearer to a threshold than draws say: whoever names one knows about where groups lie."""
        return np.concatenate([self.rates, threshold + _AS_FAR * (self.rates[::_EVERY] - threshold)])

    @property
    def whole(self) -> Array:
        """Of the whole pool, (n_draws, 1)."""
        return np.asarray(self.rates @ (self.size / self.size.sum()))[:, None]


class Needed(NamedTuple):
    """Labels in all, draw by draw."""

    chosen: Array
    uniform: Array
    wider: float = 1.25  # how far the formula may be off


def in_all(each: Array, labels: Array, size: Ints, least: int) -> Needed:
    """From what each group needs to all that is needed: what is there already counts, and a uniform sample has its
    labels where it finds them."""
    each = np.clip(np.ceil(each), np.minimum(least, size), size)
    more = np.maximum(each - labels, 0.0).sum(axis=1) + labels.sum()
    return Needed(more, np.minimum((each / size).max(axis=1) * size.sum(), float(size.sum())))


def for_exact_width(rates: Array, size: Ints, goal: float, level: float) -> Array:
    """Of each group, until half of its own labels' exact interval is as short as the goal."""
    at, tail = (1 - np.cos(np.linspace(0, np.pi, _BETWEEN))) / 2, (1 - level) / 2
    low, high = np.zeros(_BETWEEN), np.full(_BETWEEN, 10 / goal**2)
    for _ in range(40):  # bisection
        n = (low + high) / 2
        hits, misses = n * at, n * (1 - at)
        ends = betaincinv(hits, misses + 1, tail), betaincinv(hits + 1, misses, 1 - tail)
        wide = np.where(misses > 0, ends[1], 1.0) - np.where(hits > 0, ends[0], 0.0) > 2 * goal
        low, high = np.where(wide, n, low), np.where(wide, high, n)
    return _finite(np.interp(rates, at, high), size)


def for_width(rates: Array, size: Ints, goal: float, level: float) -> Array:
    """Of each group, until half of an interval by a flat belief of its own is as short as the goal."""
    z, low, high = float(ndtri((1 + level) / 2)), np.zeros_like(rates), np.broadcast_to(size, rates.shape).astype(float)
    for _ in range(30):  # bisection
        n = (low + high) / 2
        hits, misses = n * rates + 1, n * (1 - rates) + 1
        half = z * np.sqrt(hits * misses / ((n + 2) ** 2 * (n + 3)) * (1 - n / size))
        low, high = np.where(half > goal, n, low), np.where(half > goal, high, n)
    return high


def for_caution(rates: Array, items: int, goal: float, level: float, caution: Caution) -> Array:
    """Of the whole pool (n_draws,), until the low end of its interval, which is lowered while few errors were seen,
    lets that be as short as the goal."""
    at = np.clip(np.linspace(rates.min(), rates.max(), _BETWEEN), 1e-6, 1 - 1e-6)
    low, high = np.ones_like(at), np.full(_BETWEEN, float(items))
    for _ in range(20):  # bisection
        n = (low + high) / 2
        errors = n * (1 - at)
        fades = np.minimum(np.minimum(1.0, caution.few_errors / errors), caution.few_labels / n)
        down = caution.distrust * fades * (at - betaincinv(n - errors, errors + 1, (1 - level) / 2))
        wide = down + np.minimum(1 - at, goal) > 2 * goal
        low, high = np.where(wide, n, low), np.where(wide, high, n)
    return np.asarray(np.interp(rates, at, high))


def for_difference(rates: Array, size: Ints, rope: float, error: float, least: int) -> Needed:
    """Of two groups, until it is shown at every look which is higher, or that they are the same within the rope; with
    `least` labels of each, or all there are."""
    apart, spread = np.abs(rates[:, 0] - rates[:, 1]), np.sqrt(np.maximum(rates * (1 - rates), 1e-4))
    gap = np.maximum(np.maximum(apart, rope - apart), 1e-3)
    bar, items = 2 * (np.log(2 / error) + _MIXED), float(size.sum())
    chosen, uniform = spread.sum(axis=1) ** 2, (spread**2 / (size / items)).sum(axis=1)
    fewest = float(np.minimum(least, size).sum())
    by_choice, evenly = (np.maximum(_finite(bar * v / gap**2, items), fewest) for v in (chosen, uniform))
    return Needed(by_choice, evenly)


def for_models(per_item: Array, differ: int, items: int, rope: float, error: float, least: int) -> Needed:
    """Of two models, until it is shown at every look which is better, or that they are the same within the rope;
    `per_item` are draws of the mean and the variance of what an item adds on which they differ, (n_draws, 2)."""
    apart, variance = np.abs(per_item[:, 0]), np.maximum(per_item[:, 1], 1e-4)
    gap = np.maximum(np.maximum(apart, rope * items / differ - apart), 1e-3)
    bar = 2 * (np.log(2 / error) + _MIXED)
    labels = np.maximum(_finite(bar * variance / gap**2, float(differ)), float(min(least, differ)))
    return Needed(labels, labels * items / differ)


def for_threshold(rates: Array, size: Ints, threshold: Array, within: float, error: float) -> Array:
    """Of each group, until it is shown at every look on which side of its threshold it lies."""
    wrong = np.clip(np.where(rates < threshold, threshold + within, threshold - within), 1e-3, 1 - 1e-3)
    rates = np.clip(rates, 0.0, 1.0)
    each = xlogy(rates, rates / wrong) + xlogy(1 - rates, (1 - rates) / (1 - wrong))  # what a label is worth
    return _finite((np.log(1 / error) + _SPREAD) / np.maximum(each, 1e-6), size)


def for_groups(rates: Array, size: Ints, top: int, within: float, error: float) -> Array:
    """Of each group, until the `top` lowest are certified, but for what is within the margin."""
    edge, named, apart = _set_apart(rates, top, within)
    sure = _PAIR + (_CERTIFIED - _PAIR) * min(math.log(rates.shape[1] / 2, 5), 1.0)
    apart = 2 * sure * np.log(20 * error + 1) / np.log(2) * apart
    odds = _EXCEPTIONS * rates.shape[1] / (_NOT_SURE * 20 * error)
    alone = np.log(odds) / -np.log(np.clip(edge + within, 0.05, 0.998))
    return _finite(np.maximum(apart, np.where(named, 0.0, alone)), size)


def for_proof(rates: Array, size: Ints, top: int, within: float, error: float) -> Array:
    """Of each group, until it is proven at every look which `top` are lowest, but for what is within the margin: what
    bets on two groups take, at the value in common that is hardest; far from it a bet on one."""
    edge, named, apart = _set_apart(rates, top, within)
    bar, wrong = np.log(top / error) + _PROVEN, np.clip(edge + within, 1e-3, 1 - 1e-3)
    worth = xlogy(rates, rates / wrong) + xlogy(1 - rates, (1 - rates) / (1 - wrong))
    return _finite(bar * np.maximum(2 * apart, np.where(named, 0.0, 1 / np.maximum(worth, 1e-6))), size)


def _set_apart(rates: Array, top: int, within: float) -> tuple[Array, Bools, Array]:
    """The highest of the lowest, whether each group is one of these, and what it takes per half of z squared to tell it
    from the others."""
    order = np.sort(rates, axis=1)
    edge, beyond = order[:, [top - 1]], order[:, [top]]
    named = rates <= edge
    gap = np.maximum(np.where(named, beyond - rates, rates - edge) + within, 1e-3)
    spread = np.sqrt(np.maximum(_STRATIFIED * rates * (1 - rates), 1e-4))
    other = np.sqrt(_STRATIFIED * np.maximum(edge * (1 - edge), 1e-4))
    return edge, named, np.asarray(spread * (spread + other) / gap**2)


def _finite(labels: Array, size: Array | Ints | float) -> Array:
    return np.asarray(labels / (1 + labels / size))
