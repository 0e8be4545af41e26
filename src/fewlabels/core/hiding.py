"""How many positives hide among the items that a model scores lowest, by an assumption and by labels.

An F-score is estimated from the items searched: those that rounds draw by their worth. M items lie below, and k of them
are labelled, each as likely as any other; x of the k are positive. Q positives are estimated among the items searched,
and H are below. The share that hides is h = H / (Q + H).

An F-score of all items is that of the items searched times c / (c + (1 - alpha) H). There c = alpha P + (1 - alpha) Q
counts P items predicted positive and Q positives. For a recall the factor is 1 - h.

The prior of h and the rules for intervals are those of decision 26; no paper has them.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, gammaln

from fewlabels.core.arrays import Array

USUAL = 0.4  # at most so many of the positives lie below, unless somebody says otherwise
_BEYOND = 0.035  # the weight of the prior's tail, where more of them do
_LOG_ODDS = np.linspace(-20.0, 8.0, 2801)
_ODDS = np.exp(_LOG_ODDS)
_SHARE = _ODDS / (1 + _ODDS)
_SHAPE = 0.5  # the density of h falls as h^(-1/2)
_NEXT_TO_ALL = 0.99  # where a probability is asked and nothing is assumed: a prior that reaches so far
VALUE_AT = 0.25  # the quantile of H that the value takes, once a label shows that some hide


def prior(assumed: float) -> Array:
    """The weight of each of the grid's log-odds of h, where 0 < assumed < 1.

    With weight .965 a density in proportion to h^(-1/2) on (0, assumed]; with .035 a tail of the odds from there on, in
    which P(odds > t) is the odds of `assumed` over t.
    """
    odds = assumed / (1 - assumed)
    inside = (1 - _BEYOND) * _SHAPE * assumed**-_SHAPE * _SHARE**_SHAPE * (1 - _SHARE)  # dh = h (1 - h) d log-odds
    return np.asarray(np.where(assumed >= _SHARE, inside, _BEYOND * odds / _ODDS))


@dataclass(frozen=True)
class Below:
    """The items below those searched, and what labels say of them.

    >>> Below(18_000, 40, 0).quantiles(280, 0.4, (0.975,)).round().tolist()
    [179.0]
    """

    items: int  # M
    labelled: int  # k
    positive: int  # x

    @property
    def known(self) -> bool:
        """Whether nothing is open: every item below is labelled."""
        return self.labelled >= self.items

    @property
    def most(self) -> int:
        """The most positives that there can be."""
        return self.items - (self.labelled - self.positive)

    def likelihood(self, hidden: Array) -> Array:
        """The hypergeometric likelihood of so many positives below, up to a factor: C(H, x) C(M - H, k - x). The gamma
        function stands for the factorial where H is no whole number."""
        m, k, x = self.items, self.labelled, self.positive
        possible = (hidden >= x) & (m - hidden >= k - x)
        h = np.where(possible, hidden, float(x))
        log = gammaln(h + 1) - gammaln(h - x + 1) + gammaln(m - h + 1) - gammaln(m - h - (k - x) + 1)
        return np.asarray(np.where(possible, np.exp(log - log[possible].max(initial=-math.inf)), 0.0))

    def posterior(self, searched: float, assumed: float) -> tuple[Array, Array]:
        """Numbers of positives below, rising, and the probability of each, where so many are among those searched."""
        if self.known or assumed <= 0:
            return np.array([float(self.positive)]), np.ones(1)
        hidden = _ODDS * searched
        weight = prior(min(assumed, _NEXT_TO_ALL)) * self.likelihood(hidden)
        total = float(weight.sum())
        if total <= 0:  # the grid does not reach as many as labels show
            return np.array([self.by_labels]), np.ones(1)
        return np.maximum(hidden, self.positive), weight / total

    def quantiles(self, searched: float, assumed: float, at: tuple[float, ...]) -> Array:
        """Of the posterior of H."""
        hidden, weight = self.posterior(searched, assumed)
        place = np.searchsorted(weight.cumsum(), np.array(at) * (1 - 1e-12))
        return np.asarray(np.minimum(hidden[np.minimum(place, len(hidden) - 1)], self.most))

    def ends(self, searched: float, assumed: float, level: float) -> tuple[float, float]:
        """Between how many positives are below; none at least, while no label shows one."""
        low, high = self.quantiles(searched, assumed, ((1 - level) / 2, (1 + level) / 2)).tolist()
        return (0.0 if self.positive == 0 else low), high

    def likely(self, searched: float, assumed: float) -> float:
        """How many the value takes: none while no label shows one, else the lower quartile."""
        return 0.0 if self.positive == 0 else float(self.quantiles(searched, assumed, (VALUE_AT,))[0])

    @property
    def by_labels(self) -> float:
        """As many as the labels show, in proportion: none where there is no label."""
        return self.items * self.positive / self.labelled if self.labelled else 0.0

    def ends_by_labels(self, error: float) -> tuple[float, float]:
        """Between how many are below by the labels alone: [Clopper, Pearson 1934] with this chance to miss, half of it
        on each side once a label shows one, and no fewer, or more, than is possible."""
        side = error if self.positive == 0 else error / 2
        m, k, x = self.items, self.labelled, self.positive
        if self.known:
            return float(x), float(x)
        low = float(betaincinv(x, k - x + 1, side)) if x > 0 else 0.0
        high = float(betaincinv(x + 1, k - x, 1 - side)) if x < k else 1.0
        return max(m * low, float(x)), min(m * high, float(self.most))


NOTHING = Below(0, 0, 0)


def factor(alpha: float, counted: float, hidden: float) -> float:
    """What an F-score of the items searched is multiplied by where so many positives are below."""
    return counted / (counted + (1 - alpha) * hidden) if counted > 0 else 1.0
