"""Intervals: equal-tailed and highest-density, for rates and for shares over a finite pool."""

import math
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import betaincinv, betaln, gammaln

from fewlabels.core.arrays import Array, Ints

IntervalKind: TypeAlias = Literal["equal-tailed", "highest-density"]

# Up to so many unlabelled items the beta-binomial is summed exactly; beyond, a Beta with the same mean and variance
# stands in for the share, within 1e-3 of the exact quantiles.
EXACT_POOL = 2000
_BLOCK = 1_000_000  # probabilities held at once
_OF_ERROR_AT_A_STOP = 0.7


def beta_interval(alpha: Array, beta: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """Ends of the interval that holds `level` of each Beta(alpha, beta)."""
    tail = 1 - level
    if kind == "equal-tailed":
        return np.asarray(betaincinv(alpha, beta, tail / 2)), np.asarray(betaincinv(alpha, beta, 1 - tail / 2))
    lower = _shortest_lower_tail(alpha, beta, tail)
    return np.asarray(betaincinv(alpha, beta, lower)), np.asarray(betaincinv(alpha, beta, lower + 1 - tail))


def rate_intervals(alpha: Array, beta: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """The same for many rows (n,) of which some are alike."""
    once, which = _distinct_rows(alpha, beta)
    low, high = beta_interval(alpha[once], beta[once], level, kind)
    return low[which], high[which]


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


def beta_binomial_pmf(count: int, alpha: Array | float, beta: Array | float) -> Array:
    """P(X = x), x = 0..count, for X | theta ~ Binomial(count, theta), theta ~ Beta(alpha, beta); for columns of
    parameters (n, 1) one row each."""
    x = np.arange(count + 1)
    log_choose = gammaln(count + 1) - gammaln(x + 1) - gammaln(count - x + 1)
    pmf = np.exp(log_choose + betaln(x + alpha, count - x + beta) - betaln(alpha, beta))
    return np.asarray(pmf / pmf.sum(axis=-1, keepdims=True))


def pool_share_intervals(
    known: Array, rest: Array, size: Array, alpha: Array, beta: Array, level: float, kind: IntervalKind
) -> tuple[Array, Array]:
    """Ends of the intervals for (known + X) / size, X the hits among the `rest` unlabelled items of each row.

    Ends are attained shares, so an interval holds at least `level`. Nothing unlabelled: the exact share, twice.
    """
    once, which = _distinct_rows(rest, alpha, beta)
    first, last = _hits_intervals(rest[once].astype(np.int64), alpha[once], beta[once], level, kind)
    return (known + first[which]) / size, (known + last[which]) / size


def level_at_a_stop(level: float) -> float:
    """For which exact intervals are made where a study stops as soon as they are short enough: whoever does stops
    rather where misses happen to be few, and three tenths of the error are kept back for that. At every true share they
    then hold as often as `level` says, added up over every course that labelling may take; at single ones that may be a
    tenth of a percentage point short.

    >>> round(level_at_a_stop(0.95), 4)
    0.965
    """
    return 1 - _OF_ERROR_AT_A_STOP * (1 - level)


def exact_share_intervals(hits: Array, misses: Array, size: Array, level: float) -> tuple[Array, Array]:
    """Ends of the intervals of [Clopper, Pearson 1934] for the share of hits among `size` items of which so many,
    drawn uniformly, turned out to be hits and misses: the shares under which no fewer hits, and no more, have a chance
    of (1 - level) / 2 each.

    Drawing from a finite pool, that is the beta-binomial with one hit, or one miss, beforehand. Where no miss was
    drawn all may be hits.
    """
    rest, ends = size - hits - misses, np.array([np.zeros(len(size)), np.ones(len(size))])
    sides = ((hits, 1 + misses, hits > 0, np.floor), (1 + hits, misses, misses > 0, np.ceil))
    for end, (alpha, beta, some, outward) in enumerate(sides):
        own = (hits[some], rest[some], size[some], alpha[some], beta[some])
        found = pool_share_intervals(*own, level, "equal-tailed")[end]
        ends[end, some] = outward(np.round(found * size[some], 6)) / size[some]  # a share that so many items may have
    low, high = np.where(rest == 0, hits / size, ends)
    return low, high


def exact_summed_interval(hits: Array, misses: Array, size: Array, level: float) -> tuple[float, float]:
    """The same for the share of hits in several parts together, each drawn from by itself: by a Beta with the mean and
    the variance of their sum.

    >>> low, high = exact_summed_interval(np.array([8.0, 0.0]), np.array([2.0, 0.0]), np.array([100.0, 100.0]), 0.95)
    >>> round(low, 2), round(high, 2)
    (0.25, 0.98)
    """
    tail = (1 - level) / 2
    ends = ((hits, 1 + misses, tail), (1 + hits, misses, 1 - tail))
    low, high = (_summed_quantile(hits, size - hits - misses, size, *end) for end in ends)
    return low, high


def _summed_quantile(known: Array, rest: Array, size: Array, alpha: Array, beta: Array, at: float) -> float:
    """Of what several parts come to, the known hits of each and those among the rest, beta-binomial."""
    weight, strength = size / size.sum(), alpha + beta
    mean = float(weight @ ((known + rest * alpha / strength) / size))
    spread = rest * (rest + strength) * alpha * beta / (strength**2 * (strength + 1)) / size**2
    variance = float(weight**2 @ spread)
    if variance <= 0:  # all is known, or may be a hit, or a miss
        return mean
    worth = mean * (1 - mean) / variance - 1
    return float(betaincinv(mean * worth, (1 - mean) * worth, at))


def _distinct_rows(*columns: Array) -> tuple[Ints, Ints]:
    """One row of each kind of equal rows, and the kind of every row: a confusion matrix has many alike."""
    order = np.lexsort(columns)
    new = np.zeros(len(order), dtype=np.bool_)
    new[:1] = True
    for column in columns:
        new[1:] |= np.diff(column[order]) != 0
    which = np.empty(len(order), dtype=np.int64)
    which[order] = np.cumsum(new) - 1
    return order[new], which


def _hits_intervals(count: Ints, alpha: Array, beta: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """Ends of the intervals for X, row by row beta-binomial."""
    first, last = np.zeros(len(count)), np.zeros(len(count))
    many = count > EXACT_POOL
    ends = beta_interval(*matched_beta(count[many], alpha[many], beta[many]), level, kind)
    first[many], last[many] = count[many] * ends[0], count[many] * ends[1]
    none = np.exp(betaln(alpha, beta + count) - betaln(alpha, beta))  # P(X = 0)
    outside = (1 - level) / 2 if kind == "equal-tailed" else 1 - level
    # Where no hit at all is so likely, the interval starts there; so it does for most pairs of many classes.
    low = ~many & (count > 0) & (none > outside + 1e-9)
    last[low] = _first_to_reach(1 - outside - 1e-12, none[low], count[low], alpha[low], beta[low])
    for n in np.unique(count[~many & ~low & (count > 0)]).tolist():
        rows = np.flatnonzero(~many & ~low & (count == n))
        for start in range(0, len(rows), at_once := max(1, _BLOCK // (n + 1))):
            some = rows[start : start + at_once]
            pmf = beta_binomial_pmf(n, alpha[some, None], beta[some, None])
            first[some], last[some] = _discrete_intervals(pmf, level, kind)
    return first, last


def _first_to_reach(mass: float, none: Array, count: Ints, alpha: Array, beta: Array) -> Ints:
    """The smallest x with P(X <= x) >= mass, upwards from P(X = 0) by the ratio of P(X = x + 1) to P(X = x)."""
    x, out = 0, np.zeros(len(none), dtype=np.int64)
    going = np.flatnonzero(none < mass)
    upto, p, n, a, b = (column[going] for column in (none, none, count.astype(np.float64), alpha, beta))
    while len(going):
        p = p * ((n - x) / (x + 1) * (x + a) / (n - x - 1 + b))
        upto, x = upto + p, x + 1
        out[going] = x
        on = np.flatnonzero((upto < mass) & (n > x))
        going = going[on]
        upto, p, n, a, b = (column[on] for column in (upto, p, n, a, b))
    return out


def matched_beta(count: int | Ints, alpha: Array, beta: Array) -> tuple[Array, Array]:
    """The Beta with the mean and variance of X / n, X beta-binomial: for A = a + b its total is (A+1) n/(A+n) - 1."""
    total = alpha + beta
    t = (total + 1) * count / (total + count) - 1
    return alpha / total * t, beta / total * t


def _discrete_intervals(pmf: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """First and last x of the interval under each row of pmf."""
    cumulative, most = np.cumsum(pmf, axis=1), pmf.shape[1] - 1
    if kind == "equal-tailed":
        tail = (1 - level) / 2
        first, last = (cumulative <= tail).sum(axis=1), (cumulative < 1 - tail - 1e-12).sum(axis=1)
        return np.minimum(first, most).astype(np.float64), np.minimum(last, most).astype(np.float64)
    found = np.array([_shortest(row, level) for row in cumulative], dtype=np.float64).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _shortest(cumulative: Array, level: float) -> tuple[int, int]:
    """First and last x of the shortest run that holds `level`, the first of several."""
    before = np.concatenate([[0.0], cumulative[:-1]])
    ends = np.searchsorted(cumulative, before + level - 1e-12, side="left")
    possible = np.flatnonzero(ends < len(cumulative))
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


def defined_interval(draws: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """The interval of each column over the draws in which it is defined, nan where it is in none.

    A true-positive rate is not defined in draws without positives; its interval is for the case that there are some.
    """
    defined = ~np.isnan(draws)
    if defined.all():
        return draws_interval(draws, level, kind)
    ends = np.full((2, draws.shape[1]), np.nan)
    for column in np.flatnonzero(defined.any(axis=0)):
        low, high = draws_interval(draws[defined[:, column], column][:, None], level, kind)
        ends[:, column] = low[0], high[0]
    return ends[0], ends[1]


class Caution(NamedTuple):
    """How far a model's interval for a whole pool is trusted: it is one model of many."""

    stretch: float  # of the interval
    distrust: float  # of the way from it to what the labels allow without a model,
    few_errors: float  # until so many errors are to be expected,
    few_labels: float  # or to so many labels; then it fades
    heed: float = 0.0  # of how far it is off by labels that are weighed by the chances of their drawing

    def fades(self, value: float, labels: float) -> float:
        """How much of the distrust is left after so many labels, where so large a share is right."""
        errors = max(labels * (1 - value), 1e-9)
        return min(1.0, self.few_errors / errors, self.few_labels / max(labels, 1e-9))


AT_ONE_LOOK = Caution(1.1, 0.9, 5.0, 100.0)
# Whoever stops at a width stops early where errors happen to come late: of fewer errors the interval is shorter; and
# where the model happens to be surer than it may be.
AT_A_STOP = AT_ONE_LOOK._replace(distrust=1.2, few_labels=200.0, heed=0.3)


def cautious_share(
    value: float,
    low: float,
    high: float,
    labels: float,
    left: float,
    level: float,
    caution: Caution = AT_ONE_LOOK,
    off: float = 0.0,
) -> tuple[float, float, bool]:
    """A model's interval for a share of right predictions after so many labels, and whether its low end was lowered;
    `left` is the share of items not labelled, `off` what the labels say without the model, less what it says.

    Stretched, but no wider than [Clopper, Pearson 1934] of a uniform sample of that share. Its low end is lowered
    towards theirs: while hardly an error was to be seen, that all is as well as the scores say is a matter of trust.
    Then it reaches further on the side on which the labels are.
    """
    if not labels:
        return low, high, False
    tail = (1 - level) / 2
    hits = value * labels
    exact_low = float(betaincinv(hits, labels - hits + 1, tail)) if hits > 0 else 0.0
    exact_high = float(betaincinv(hits + 1, labels - hits, 1 - tail)) if hits < labels else 1.0
    stretch = min(max((exact_high - exact_low) / max(high - low, 1e-12), 1.0), caution.stretch)
    distrust = caution.distrust * caution.fades(value, labels) * math.sqrt(max(left, 0.0))
    lowered = value - distrust * (value - exact_low)
    stretched, above = value + stretch * (low - value), value + stretch * (high - value)
    down, up = caution.heed * min(off, 0.0), caution.heed * max(off, 0.0)
    return max(min(stretched, lowered) + down, 0.0), min(above + up, 1.0), lowered < stretched
