"""What the labels of a group say of it by themselves.

Groups that learn from one another are drawn towards what they have in common. On average over groups that is a gain,
and intervals hold; a group that is truly unlike the others pays for it, because its own labels are outvoted. Once it
has enough of them, they are heard alone: scores tell how the items of the group differ from one another, and nothing
but the group's labels how far off all of them are.
"""

import numpy as np
from scipy.special import expit, logit, ndtri

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.cells import Partition, Sums

HEARD, ALONE = 10, 20  # a group's own labels from which on they are heard, and are in full
_SPREAD = 2.0  # of the logits that a group may be off by, beforehand: less than one label is worth
_LEAST = 1e-6  # of a rate
_STEPS, _LONGEST = 20, 2.0  # of the search for the likeliest
_PLACES = np.linspace(-6.0, 6.0, 41)  # about it, in standard deviations


def own_ends(belief: Belief, parts: Partition, level: float, *, pool: bool) -> Array:
    """The ends (2, n_parts) of an interval for the share of hits of each part by its own labels alone, nan where these
    are too few; of the pool's items, or of where they came from.

    It may miss twice as often as `level` allows: it is no figure of its own, and bounds how far the labels of others
    may take a group's.
    """
    labels = parts.sums(belief.labels)
    heard, ends = labels > HEARD, np.full((2, parts.count), np.nan)
    if not heard.any():
        return ends
    cells = np.flatnonzero(heard[parts.index])
    of_part = Sums((np.cumsum(heard) - 1)[parts.index[cells]], int(heard.sum()))
    items = belief.unlabelled[cells] if pool else belief.size[cells].astype(np.float64)
    found = _OwnLabels(logit(np.clip(belief.likeliest[cells], _LEAST, 1 - _LEAST)), belief.tally[cells].T, of_part)
    share, coins = found.hits_among(items)
    known = of_part(belief.tally[cells, 0]) if pool else 0.0
    size = parts.size[heard]
    often = max(2 * level - 1, 0.0) * np.minimum((labels[heard] - HEARD) / (ALONE - HEARD), 1.0)
    low, middle, high = ((known + found.quantile(share, q)) / size for q in ((1 - often) / 2, 0.5, (1 + often) / 2))
    chance = ndtri((1 + often) / 2) * np.sqrt(coins if pool else 0.0) / size
    ends[0, heard] = middle - np.hypot(middle - low, chance)
    ends[1, heard] = middle + np.hypot(high - middle, chance)
    return ends


class _OwnLabels:
    """How far off the cells of each part may be together, in logits: at some places about the likeliest, how likely."""

    def __init__(self, likely: Array, told: Array, of_part: Sums) -> None:
        self.of_part, (hits, misses), off = of_part, told, np.zeros(of_part.count)
        for _ in range(_STEPS):
            rate = expit(likely + off[of_part.index])
            curvature = of_part((hits + misses) * rate * (1 - rate)) + _SPREAD**-2
            step = (of_part(hits - (hits + misses) * rate) - off * _SPREAD**-2) / curvature
            off += np.clip(step, -_LONGEST, _LONGEST)
        self.off = off + _PLACES[:, None] / np.sqrt(curvature)  # (n_places, n_parts)
        eta = likely + self.off[:, of_part.index]
        self.rate = expit(eta)
        log = of_part(hits * eta - (hits + misses) * np.logaddexp(0.0, eta)) - 0.5 * (self.off / _SPREAD) ** 2
        weight = np.exp(log - log.max(axis=0))
        self.upto = (np.cumsum(weight, axis=0) - 0.5 * weight) / weight.sum(axis=0)

    def hits_among(self, items: Array) -> tuple[Array, Array]:
        """Expected hits among so many items of each cell, (n_places, n_parts); their variance where it is likeliest."""
        middle = self.rate[len(_PLACES) // 2]
        return self.of_part(items * self.rate), self.of_part(items * middle * (1 - middle))

    def quantile(self, rising: Array, at: Array | float) -> Array:
        """That of what rises with how far off the cells are."""
        each = zip(np.broadcast_to(at, self.upto.shape[1:]), self.upto.T, rising.T, strict=True)
        return np.array([np.interp(q, upto, values) for q, upto, values in each])
