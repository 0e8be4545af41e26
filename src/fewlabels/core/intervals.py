"""Intervals: equal-tailed and highest-density, for rates and for shares over a finite pool."""

from typing import Literal, TypeAlias

import numpy as np
from scipy.special import betaincinv, betaln, gammaln

from fewlabels.core.arrays import Array

IntervalKind: TypeAlias = Literal["equal-tailed", "highest-density"]

# Up to so many unlabelled items the beta-binomial is summed exactly; beyond, a Beta with the same mean and variance
# stands in for the share, within 1e-3 of the exact quantiles.
EXACT_POOL = 2000


def beta_interval(alpha: Array, beta: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """Ends of the interval that holds `level` of each Beta(alpha, beta)."""
    tail = 1 - level
    if kind == "equal-tailed":
        return np.asarray(betaincinv(alpha, beta, tail / 2)), np.asarray(betaincinv(alpha, beta, 1 - tail / 2))
    lower = _shortest_lower_tail(alpha, beta, tail)
    return np.asarray(betaincinv(alpha, beta, lower)), np.asarray(betaincinv(alpha, beta, lower + 1 - tail))


def _shortest_lower_tail(alpha: Array, beta: Array, tail: float) -> Array:
    """The mass below the shortest interval, by golden section on [0, tail].

    The width is unimodal in the lower tail for a unimodal density. A density that piles up at an end has its shortest
    interval at that end; one that piles up at both ends has no single highest-density interval, and the better of
    the two ends is taken.
    """

    def width(lower: Array) -> Array:
        return np.asarray(betaincinv(alpha, beta, lower + 1 - tail) - betaincinv(alpha, beta, lower))

    ratio = (np.sqrt(5) - 1) / 2
    low, high = np.zeros_like(alpha), np.full_like(alpha, tail)
    for _ in range(60):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        narrower_left = width(left) < width(right)
        low, high = np.where(narrower_left, low, left), np.where(narrower_left, right, high)
    inside = (low + high) / 2
    ends = np.stack([width(np.zeros_like(alpha)), width(inside), width(np.full_like(alpha, tail))])
    best = ends.argmin(axis=0)
    return np.asarray(np.choose(best, [np.zeros_like(alpha), inside, np.full_like(alpha, tail)]))


def beta_binomial_pmf(count: int, alpha: float, beta: float) -> Array:
    """P(X = x), x = 0..count, for X | theta ~ Binomial(count, theta), theta ~ Beta(alpha, beta)."""
    x = np.arange(count + 1)
    log_choose = gammaln(count + 1) - gammaln(x + 1) - gammaln(count - x + 1)
    pmf = np.exp(log_choose + betaln(x + alpha, count - x + beta) - betaln(alpha, beta))
    return np.asarray(pmf / pmf.sum())


def pool_share_intervals(
    known: Array, rest: Array, size: Array, alpha: Array, beta: Array, level: float, kind: IntervalKind
) -> tuple[Array, Array]:
    """Ends of the intervals for (known + X) / size, X the hits among the `rest` unlabelled items of each row.

    Ends are attained shares, so an interval holds at least `level`. Nothing unlabelled: the exact share, twice.
    """
    first, last = np.zeros(len(known)), np.zeros(len(known))
    for count in np.unique(rest).astype(np.int64).tolist():
        rows = np.flatnonzero(rest == count)
        if count > EXACT_POOL:
            ends = beta_interval(*matched_beta(count, alpha[rows], beta[rows]), level, kind)
            first[rows], last[rows] = count * ends[0], count * ends[1]
        elif count > 0:
            for row in rows:
                pmf = beta_binomial_pmf(count, float(alpha[row]), float(beta[row]))
                first[row], last[row] = _discrete_interval(pmf, level, kind)
    return (known + first) / size, (known + last) / size


def matched_beta(count: int, alpha: Array, beta: Array) -> tuple[Array, Array]:
    """The Beta with the mean and variance of X / n, X beta-binomial: for A = a + b its total is (A+1) n/(A+n) - 1."""
    total = alpha + beta
    t = (total + 1) * count / (total + count) - 1
    return alpha / total * t, beta / total * t


def _discrete_interval(pmf: Array, level: float, kind: IntervalKind) -> tuple[int, int]:
    cumulative = np.cumsum(pmf)
    if kind == "equal-tailed":
        tail = (1 - level) / 2
        first = int(np.searchsorted(cumulative, tail, side="right"))
        last = int(np.searchsorted(cumulative, 1 - tail - 1e-12, side="left"))
        return min(first, len(pmf) - 1), min(last, len(pmf) - 1)
    before = np.concatenate([[0.0], cumulative[:-1]])
    ends = np.searchsorted(cumulative, before + level - 1e-12, side="left")
    possible = np.flatnonzero(ends < len(pmf))
    first = int(possible[np.argmin(ends[possible] - possible)])
    return first, int(ends[first])


def draws_interval(draws: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """Ends of the interval that holds `level` of the draws (n_draws, n): sample quantiles, or the shortest window."""
    if kind == "equal-tailed":
        tail = (1 - level) / 2
        low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
        return low, high
    ordered = np.sort(draws, axis=0)
    span = int(np.ceil(level * len(ordered)))
    widths = ordered[span - 1 :] - ordered[: len(ordered) - span + 1]
    first = widths.argmin(axis=0)
    columns = np.arange(ordered.shape[1])
    return ordered[first, columns], ordered[first + span - 1, columns]
