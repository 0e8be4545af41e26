"""The difference of two rates: mu = (P(D < -e), P(|D| <= e), P(D > e)), lambda = max(mu), eta = argmax(mu).

[Ji21] Comparison. The paper draws 10,000 samples; the same probabilities are a one-dimensional integral.
"""

from itertools import pairwise

import numpy as np
from scipy.special import betainc, betaincinv, betaln, xlogy

from fewlabels.core.arrays import Array
from fewlabels.core.beta import beta_variance
from fewlabels.core.intervals import beta_binomial_pmf


def _double_exponential(levels: int = 48, reach: float = 3.2) -> tuple[Array, Array]:
    """Nodes and weights of tanh-sinh quadrature on (0, 1); ends with power singularities do it no harm."""
    t = np.linspace(-reach, reach, 2 * levels + 1)
    inner = np.pi / 2 * np.sinh(t)
    nodes = 1 / (1 + np.exp(-2 * inner))
    weights = np.pi / 2 * np.cosh(t) / np.cosh(inner) ** 2 / 2 * (t[1] - t[0])
    return nodes, weights


_NODES, _WEIGHTS = _double_exponential()


def probability_below(alpha: Array, beta: Array, threshold: float) -> float:
    """P(theta_0 - theta_1 < threshold) for independent theta_i ~ Beta(alpha_i, beta_i).

    The integral runs over the quantiles of the narrower of the two, on whose scale the other's distribution function
    is smooth, and is split where that function reaches 0 or 1.

    >>> round(probability_below(np.array([280.0, 351.0]), np.array([203.0, 162.0]), -0.05), 3)
    0.963
    """
    narrow = int(np.lexsort((alpha > beta, beta_variance(alpha, beta)))[0])  # of equals the one next to 0, if any is
    if alpha[narrow] > beta[narrow]:  # near 1 numbers are coarse, near 0 they are fine: compare 1 - theta instead
        alpha, beta, narrow = beta[::-1], alpha[::-1], 1 - narrow
    a, b, a_other, b_other = alpha[narrow], beta[narrow], alpha[1 - narrow], beta[1 - narrow]
    shift = threshold if narrow == 1 else -threshold  # theta_other is compared with theta_narrow + shift
    cuts = np.clip(betainc(a, b, np.clip([-shift, 1 - shift], 0.0, 1.0)), 0.0, 1.0)
    edges = np.concatenate([[0.0], cuts, [1.0]])
    total = 0.0
    for low, high in pairwise(edges.tolist()):
        if high > low:
            theta = betaincinv(a, b, low + (high - low) * _NODES)
            inner = betainc(a_other, b_other, np.clip(theta + shift, 0.0, 1.0))
            total += (high - low) * float(_WEIGHTS @ inner)
    below = min(max(total, 0.0), 1.0)  # P(theta_other < theta_narrow + shift)
    return below if narrow == 1 else 1 - below


def region_probabilities(alpha: Array, beta: Array, rope: float, shift: float = 0.0) -> Array:
    """mu for D = theta_0 - theta_1 + shift."""
    less = probability_below(alpha, beta, -rope - shift)
    not_more = probability_below(alpha, beta, rope - shift)
    return np.array([less, max(not_more - less, 0.0), 1 - not_more])


def change_by_a_label(alpha: Array, beta: Array) -> tuple[Array, Array]:
    """The most that a hit and a miss can change any probability: the total variation from Beta(a, b) to a + 1 or b + 1.

    The densities cross at the mean m, where the distribution functions differ by m^a (1 - m)^b / (a B(a, b)) after a
    hit and by m^a (1 - m)^b / (b B(a, b)) after a miss.
    """
    mean = alpha / (alpha + beta)
    both = np.exp(xlogy(alpha, mean) + xlogy(beta, 1 - mean) - betaln(alpha, beta))
    return both / alpha, both / beta


def pool_region_probabilities(
    known: Array, rest: Array, size: Array, alpha: Array, beta: Array, rope: float, shift: float = 0.0
) -> Array:
    """mu for the difference of two shares (known_i + X_i) / size_i over the pool's items, X_i beta-binomial; exact."""
    pmf_0 = beta_binomial_pmf(int(rest[0]), float(alpha[0]), float(beta[0]))
    pmf_1 = beta_binomial_pmf(int(rest[1]), float(alpha[1]), float(beta[1]))
    share_0 = (known[0] + np.arange(len(pmf_0))) / size[0] + shift
    share_1 = (known[1] + np.arange(len(pmf_1))) / size[1]
    cumulative = np.concatenate([[0.0], np.cumsum(pmf_1)])
    slack = 1e-12  # shares that differ by exactly the rope, but for rounding, count as practically equal
    more = pmf_0 @ cumulative[np.searchsorted(share_1, share_0 - rope - slack, side="left")]
    not_less = pmf_0 @ cumulative[np.searchsorted(share_1, share_0 + rope + slack, side="right")]
    return np.asarray(np.clip([1 - not_less, not_less - more, more], 0.0, 1.0))


def draws_region_probabilities(difference: Array, rope: float) -> Array:
    """mu from draws of the difference; a third each where there are none, because nothing is known."""
    if len(difference) == 0:
        return np.full(3, 1 / 3)
    less, more = float((difference < -rope).mean()), float((difference > rope).mean())
    return np.array([less, 1 - less - more, more])
