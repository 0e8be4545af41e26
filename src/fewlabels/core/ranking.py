"""Ranks with uncertainty: which group is worst, how sure, and between which ranks each one lies.

[Ji21] supplement, Bayesian Ranking, draws 10,000 samples. For independent Betas the distribution of a rank is an
integral of Poisson-binomial distributions, computed here exactly; other metrics use draws.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betainc, betaincinv

from fewlabels.core.arrays import Array, Ints

EXACT_GROUPS = 150  # the exact distribution costs knots * groups^2; beyond this many groups, draws
_TIE = 1e-12  # far less than the share of one item in any pool
_KNOTS, _LEAST_KNOTS = 8192, 64  # in all, and of each group


@dataclass(frozen=True)
class Ranks:
    """For each group: the interval of its rank (1 is first) and the probability of being among the first `top`."""

    low: Ints
    high: Ints
    p_top: Array


def beta_rank_distribution(alpha: Array, beta: Array) -> Array:
    """P(rank of g = r + 1), (n_groups, n_groups), rank 1 being the lowest rate.

    Given theta_g = x, the number of groups below is Poisson-binomial with probabilities F_h(x). It is integrated
    against dF_g by the trapezoidal rule over the merged quantiles of all groups, fine on the scale of every one,
    however different their widths; the error is below 1e-4.
    """
    groups = len(alpha)
    u = np.linspace(0, 1, max(_LEAST_KNOTS, _KNOTS // groups) + 1)
    knots = np.unique(betaincinv(alpha[:, None], beta[:, None], u))
    below = betainc(alpha, beta, knots[:, None])  # (knots, groups): F_h(x)
    mass = np.diff(below, axis=0, prepend=0.0)
    weight = (mass + np.vstack([mass[1:], np.zeros(groups)])) / 2  # trapezoids
    weight[0] += mass[0] / 2  # the first knot may carry mass of its own, where quantiles round to zero
    everyone = _poisson_binomial(below)
    out = np.empty((groups, groups))
    for g in range(groups):
        seen = weight[:, g] > 1e-12  # far tails add nothing but slow, denormal numbers
        out[g] = weight[seen, g] @ _without(everyone[seen], below[seen, g])
    out /= out.sum(axis=0)  # every rank is taken by one group, and every group takes one rank
    return np.asarray(out / out.sum(axis=1, keepdims=True))


def _poisson_binomial(probability: Array) -> Array:
    """P(r of the events happen), r = 0..n, for each row of probabilities (rows, n)."""
    rows, n = probability.shape
    pmf = np.zeros((rows, n + 1))
    pmf[:, 0] = 1.0
    for event in range(n):
        moved = pmf[:, : event + 1] * probability[:, event, None]
        pmf[:, : event + 1] -= moved
        pmf[:, 1 : event + 2] += moved
    return pmf


def _without(pmf: Array, probability: Array) -> Array:
    """The Poisson-binomial with one event left out: division by (1 - p) + p x, from the end where it is stable."""
    n = pmf.shape[1] - 1
    out = np.empty((len(pmf), n))
    low = probability <= 0.5
    for rows, p in ((low, probability[low]), (~low, 1 - probability[~low])):
        source = pmf[rows] if rows is low else pmf[rows][:, ::-1]
        found = np.empty((len(p), n))
        before = np.zeros(len(p))
        for r in range(n):
            before = (source[:, r] - p * before) / (1 - p)
            found[:, r] = before
        out[rows] = found if rows is low else found[:, ::-1]
    return out


def ranks_from_distribution(distribution: Array, level: float, top: int) -> Ranks:
    """Rank intervals and membership from P(rank = r + 1)."""
    cumulative = np.cumsum(distribution, axis=1)
    tail = (1 - level) / 2
    low = (cumulative >= tail).argmax(axis=1) + 1
    high = (cumulative >= 1 - tail - 1e-12).argmax(axis=1) + 1
    return Ranks(low, high, np.minimum(cumulative[:, top - 1], 1.0))


def ranks_from_draws(values: Array, level: float, top: int, rng: np.random.Generator) -> Ranks:
    """The same from draws (n_draws, n_groups), lowest first; ties (finite pools) are broken at random."""
    draws, groups = values.shape
    order = np.argsort(_untied(values, rng), axis=1)
    place = order * groups + np.arange(groups)  # of group order[d, r] at rank r
    counts = np.bincount(place.reshape(-1), minlength=groups**2).reshape(groups, groups)
    found = ranks_from_distribution(counts / draws, level, top)
    if np.isfinite(values).all():
        return found
    known = np.take_along_axis(np.isfinite(values), order, axis=1)[:, :top]  # what is not defined is not of the top
    p_top = np.bincount(order[:, :top][known], minlength=groups) / draws
    return replace(found, p_top=p_top)


def _untied(values: Array, rng: np.random.Generator) -> Array:
    """The values with a random hair's breadth added; those not defined, at infinity, a step beyond the others."""
    known = np.isfinite(values)
    if not known.all():
        values = np.where(known, values, values.max(where=known, initial=0.0) + 1.0)
    return values + _TIE * rng.random(values.shape)


def probability_of_set(values: Array, members: Ints, rng: np.random.Generator) -> float:
    """The share of draws (n_draws, n_groups) whose len(members) lowest groups are exactly the members."""
    inside = np.zeros(values.shape[1], dtype=bool)
    inside[members] = True
    if inside.all():
        return 1.0
    last, first = values[:, inside].max(axis=1), values[:, ~inside].min(axis=1)
    with np.errstate(invalid="ignore"):  # neither is defined
        tied = np.abs(last - first) <= _TIE
    untied = _untied(values[tied], rng)
    won = (untied[:, inside].max(axis=1) < untied[:, ~inside].min(axis=1)).sum()
    return float(((last < first) & ~tied).sum() + won) / len(values)
