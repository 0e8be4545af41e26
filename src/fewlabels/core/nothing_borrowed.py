"""What a group's own labels say, with nothing taken from other groups about how many of its items are wrong.

The model takes the groups of a user's column, such as a region or a source, for alike. They need not be. The others
outvote a group whose items are wrong whatever their scores, until it has some twenty labels. A prior that gives such
groups a small weight loses them at just that point. Here any share of a group's items may be wrong whatever their
scores, and the labels of the group alone decide. See docs/decisions/0027-groups-unlike-the-rest.md, equations 1 to 3.
"""

import numpy as np
from scipy.special import expit, logit, ndtr

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.cells import Partition, Sums

FULL, FADED = 30, 60  # own labels up to which the interval counts in full, and from which on it does not
_SPREAD, _FURTHEST = 2.0, 3.0  # of the logits that a group may be off by, and how many of these are looked at
_PLACES, _SHARES = 41, 24  # of how far off it is; of the share that is wrong, each as likely as another
_MISSED = 0.5  # of the error that an interval may have: labels come where scores say, and here they may say nothing
_LEAST = 1e-6  # of a rate that is believed
_HALVINGS = 20  # of the search for an end: a millionth of the group

_OFF = np.linspace(-_FURTHEST, _FURTHEST, _PLACES) * _SPREAD
_STEP = _OFF[1] - _OFF[0]
_EDGES = (np.arange(_SHARES + 1) / _SHARES) ** 2  # they cut Beta(1/2, 1) into equal parts: its distribution is a root
_WRONG = ((np.arange(_SHARES) + 0.5) / _SHARES) ** 2


def fading(labels: Array) -> Array:
    """How much the interval counts beside that of all labels, by how many labels a group has: nothing without any."""
    return np.where(labels > 0, np.clip((FADED - labels) / (FADED - FULL), 0.0, 1.0), 0.0)


def ends_alone(belief: Belief, parts: Partition, level: float, *, pool: bool) -> Array:
    """The ends (2, n_parts) of the interval of the share of hits in each part: of the pool's items, or of where they
    came from. They are nan where there are no labels, and where there are so many that it does not count.

    Rates of cells are (1 - t) expit(l_c + d). l_c is the likeliest logit by all labels; t ~ Beta(1/2, 1) and
    d ~ N(0, 2^2), given the part's own labels. Hits among the items without a label are normal at each t and d.
    """
    labels = parts.sums(belief.labels)
    asked, ends = fading(labels) > 0, np.full((2, parts.count), np.nan)
    if not asked.any():
        return ends
    cells = np.flatnonzero(asked[parts.index])
    of_part = Sums((np.cumsum(asked) - 1)[parts.index[cells]], int(asked.sum()))
    items = (belief.unlabelled if pool else belief.size)[cells].astype(np.float64)
    right = expit(logit(np.clip(belief.likeliest[cells], _LEAST, 1 - _LEAST)) + _OFF[:, None])
    weight = _weights(right, belief.tally[cells].T, of_part)
    mean, variance = _expected(right, items, of_part, pool=pool)
    known, size = of_part(belief.tally[cells, 0]) if pool else 0.0, parts.size[asked]
    most = of_part(items)
    below = _MISSED * (1 - level) / 2
    for end, upto in zip(ends, (below, 1 - below), strict=True):
        end[asked] = (known + _quantile(upto, weight, mean, np.sqrt(variance), most)) / size
    return ends


def _weights(right: Array, told: Array, of_part: Sums) -> Array:
    """How likely each share t and place d is, (n_shares, n_places, n_parts), given hits and misses."""
    hits, misses = told
    missed, log_hits = np.flatnonzero(misses), of_part(hits * np.log(right))
    log = np.empty((_SHARES, *log_hits.shape))
    of_missed = np.zeros_like(right)
    for place, wrong in enumerate(_WRONG):
        of_missed[:, missed] = misses[missed] * np.log1p(-(1 - wrong) * right[:, missed])
        log[place] = log_hits + of_part(of_missed) + of_part(hits) * np.log1p(-wrong)
    log -= 0.5 * (_OFF / _SPREAD)[:, None] ** 2
    weight = np.exp(log - log.max(axis=(0, 1)))
    return np.asarray(weight / weight.sum(axis=(0, 1)))


def _expected(right: Array, items: Array, of_part: Sums, *, pool: bool) -> tuple[Array, Array]:
    """Hits to expect at each share and place, and their variance. Coins have one, and so has the stretch of values
    that a share and a place stand for."""
    some, squared = of_part(items * right), of_part(items * right**2)
    left = (1 - _WRONG)[:, None, None]
    mean, coins = left * some, left * some - left**2 * squared
    stretch = (left * (some - squared) * _STEP) ** 2 + (np.diff(_EDGES)[:, None, None] * some) ** 2
    return mean, (coins if pool else 0.0) + stretch / 12


def _quantile(upto: float, weight: Array, mean: Array, spread: Array, most: Array) -> Array:
    """Where a mixture of normals, one mixture a part, has this much below, between nothing and all of the items."""
    low, high = np.zeros_like(most), most.astype(np.float64)
    spread = np.maximum(spread, 1e-9)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = (weight * ndtr((middle - mean) / spread)).sum(axis=(0, 1)) < upto
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray((low + high) / 2)
