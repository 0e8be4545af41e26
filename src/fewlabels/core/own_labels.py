"""What the labels of a group say of it by themselves.

Groups that learn from one another are drawn towards what they have in common. On average over groups that is a gain,
and intervals hold; a group that is truly unlike the others pays for it, because its own labels are outvoted. Once it
has enough of them, they are heard alone: scores tell how the items of the group differ from one another, and nothing
but the group's labels how far off all of them are, and how many are wrong whatever their scores, as they are where a
model takes one class for another.
"""

import numpy as np
from scipy.special import expit, logit, ndtri

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.cells import Partition, Sums

HEARD, ALONE = 10, 20  # a group's own labels from which on they are heard, and are in full
_SPREAD = 2.0  # of the logits that a group may be off by, beforehand: less than one label is worth
_TAKEN, _MOST_TAKEN, _SHARES = 1 / 3, 0.5, 8  # how many groups are taken for others in part; for how much of them
_LEAST, _FURTHEST = 1e-6, 25.0  # of a rate that is believed, and of a logit: beyond, nothing changes
_STEPS, _LONGEST = 20, 2.0  # of the search for the likeliest
_PLACES = np.linspace(-5.0, 5.0, 41)  # about it, in standard deviations


def own_ends(belief: Belief, parts: Partition, level: float, *, pool: bool) -> Array:
    """The ends (2, n_parts) of an interval for the share of hits of each part by its own labels alone, nan where these
    are too few; of the pool's items, or of where they came from.

    It may miss half as often again as `level` allows: it is no figure of its own, and bounds how far the labels of
    others may take a group's.
    """
    labels = parts.sums(belief.labels)
    heard, ends = labels > HEARD, np.full((2, parts.count), np.nan)
    if not heard.any():
        return ends
    cells = np.flatnonzero(heard[parts.index])
    of_part = Sums((np.cumsum(heard) - 1)[parts.index[cells]], int(heard.sum()))
    items = belief.unlabelled[cells] if pool else belief.size[cells].astype(np.float64)
    likely = logit(np.clip(belief.likeliest[cells], _LEAST, 1 - _LEAST))
    found = _OwnLabels(likely, belief.tally[cells].T, items, of_part)
    known = of_part(belief.tally[cells, 0]) if pool else 0.0
    size = parts.size[heard]
    often = max(1.5 * level - 0.5, 0.0) * np.minimum((labels[heard] - HEARD) / (ALONE - HEARD), 1.0)
    at = np.stack([(1 - often) / 2, np.full_like(often, 0.5), (1 + often) / 2], axis=1)
    low, middle, high = (known + found.quantiles(at).T) / size
    chance = ndtri((1 + often) / 2) * np.sqrt(found.coins if pool else 0.0) / size
    ends[0, heard] = middle - np.hypot(middle - low, chance)
    ends[1, heard] = middle + np.hypot(high - middle, chance)
    return ends


class _OwnLabels:
    """How many hits to expect among some items of each part, integrated over how far off its cells are together, in
    logits, and over the share of its items that are wrong whatever their scores."""

    def __init__(self, likely: Array, told: Array, items: Array, of_part: Sums) -> None:
        shares = [0.0, *(np.arange(_SHARES) + 0.5) * (_MOST_TAKEN / _SHARES)]
        found = [_given(share, likely, told, items, of_part) for share in shares]
        self.hits, coins, log = (np.stack(values) for values in zip(*found, strict=True))
        log += np.log([1 - _TAKEN, *[_TAKEN / _SHARES] * _SHARES])[:, None, None]
        weight = np.exp(log - log.max(axis=(0, 1)))
        weight /= weight.sum(axis=(0, 1))
        self.upto = np.cumsum(weight, axis=1) - 0.5 * weight  # (n_shares, n_places, n_parts), each up to its share
        self.coins = (weight * coins).sum(axis=(0, 1))  # (n_parts,) the variance of hits whose rates are known

    def quantiles(self, at: Array) -> Array:
        """Those of each part at its row of `at` (n_parts, n)."""
        out = np.empty_like(at)
        for part, wanted in enumerate(at):
            hits, upto = self.hits[..., part], self.upto[..., part]
            rising = np.sort(hits, axis=None)
            below = sum(np.interp(rising, *given) for given in zip(hits, upto, strict=True))
            out[part] = np.interp(wanted, below, rising)
        return out


def _given(taken: float, likely: Array, told: Array, items: Array, of_part: Sums) -> tuple[Array, Array, Array]:
    """Given the share that is wrong whatever its scores, at places about the likeliest of how far off the others are,
    (n_places, n_parts): expected hits, their variance, and the logarithm of how likely it is."""
    (hits, misses), off = told, np.zeros(of_part.count)
    for _ in range(_STEPS):
        right = _rate(likely + off[of_part.index])
        rate = (1 - taken) * right
        slope = (1 - taken) * right * (1 - right) / (rate * (1 - rate))
        curvature = of_part((hits + misses) * slope**2 * rate * (1 - rate)) + _SPREAD**-2
        step = (of_part((hits - (hits + misses) * rate) * slope) - off * _SPREAD**-2) / curvature
        off += np.clip(step, -_LONGEST, _LONGEST)
    places = off + _PLACES[:, None] / np.sqrt(curvature)
    rate = (1 - taken) * _rate(likely + places[:, of_part.index])
    log = of_part(hits * np.log(rate) + misses * np.log1p(-rate)) - 0.5 * (places / _SPREAD) ** 2
    return of_part(items * rate), of_part(items * rate * (1 - rate)), log - 0.5 * np.log(curvature)


def _rate(logits: Array) -> Array:
    return np.asarray(expit(np.clip(logits, -_FURTHEST, _FURTHEST)))
