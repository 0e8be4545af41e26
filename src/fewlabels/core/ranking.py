"""Ranks with uncertainty: which group is worst, how sure, and between which ranks each one lies.

[Ji21] supplement, Bayesian Ranking, draws 10,000 samples. For independent Betas the distribution of a rank is an
integral of Poisson-binomial distributions, computed here exactly; other metrics use draws.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincinv

from fewlabels.core.arrays import Array, Ints

EXACT_GROUPS = 150  # the exact distribution costs groups^3; beyond this many, draws
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(64)


@dataclass(frozen=True)
class Ranks:
    """For each group: the interval of its rank (1 is first) and the probability of being among the first `top`."""

    low: Ints
    high: Ints
    p_top: Array


def beta_rank_distribution(alpha: Array, beta: Array) -> Array:
    """P(rank of g = r + 1), (n_groups, n_groups), rank 1 being the lowest rate."""
    groups = len(alpha)
    u = (_NODES + 1) / 2
    theta = betaincinv(alpha[:, None], beta[:, None], u[None, :])  # (groups, nodes)
    pmf = np.zeros((groups, len(u), groups))
    pmf[:, :, 0] = 1.0
    for other in range(groups):
        below = betainc(alpha[other], beta[other], theta)[:, :, None]
        below[other] = 0.0  # a group is not below itself
        moved = pmf * below
        pmf -= moved
        pmf[:, :, 1:] += moved[:, :, :-1]
    return np.asarray(np.einsum("q,gqr->gr", _WEIGHTS / 2, pmf))


def ranks_from_distribution(distribution: Array, level: float, top: int) -> Ranks:
    """Rank intervals and membership from P(rank = r + 1)."""
    cumulative = np.cumsum(distribution, axis=1)
    tail = (1 - level) / 2
    low = (cumulative >= tail).argmax(axis=1) + 1
    high = (cumulative >= 1 - tail - 1e-12).argmax(axis=1) + 1
    return Ranks(low, high, np.minimum(cumulative[:, top - 1], 1.0))


def ranks_from_draws(values: Array, level: float, top: int, rng: np.random.Generator) -> Ranks:
    """The same from draws (n_draws, n_groups), lowest first; ties (finite pools) are broken at random."""
    order = np.lexsort((rng.random(values.shape), values), axis=1)
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(1, values.shape[1] + 1)[None, :], axis=1)
    tail = (1 - level) / 2
    low, high = np.quantile(ranks, [tail, 1 - tail], axis=0, method="inverted_cdf")
    return Ranks(low.astype(np.int64), high.astype(np.int64), (ranks <= top).mean(axis=0))


def probability_of_set(values: Array, members: Ints, rng: np.random.Generator) -> float:
    """The share of draws (n_draws, n_groups) whose len(members) lowest groups are exactly the members."""
    inside = np.zeros(values.shape[1], dtype=bool)
    inside[members] = True
    if inside.all():
        return 1.0
    # A tie at the border goes to either side with equal chance.
    worst_in, best_out = values[:, inside].max(axis=1), values[:, ~inside].min(axis=1)
    tied = worst_in == best_out
    if not tied.any():
        return float((worst_in < best_out).mean())
    order = np.lexsort((rng.random(values.shape), values), axis=1)[:, : len(members)]
    return float(inside[order].all(axis=1).mean())
