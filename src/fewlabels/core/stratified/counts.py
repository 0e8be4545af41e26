"""How many of a group's items are right: a distribution, from the moments of its cells at every node."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc, gammaln

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.stratified.layout import FIRM, MANY_EXCEPTIONS
from fewlabels.core.stratified.told import Own, compiled

LEAST_CHANCE = 2e-4  # of a node: below, it is left out
MOST_STEPS = 2000  # between none and all of a group's unlabelled items; larger groups are counted in coarser steps
_RATE_STEPS = 1000  # between a rate of 0 and of 1, where the population is meant
FURTHEST = 500.0  # the logarithm of a ratio beyond which nothing changes


@dataclass(frozen=True)
class GroupCounts:
    """What is believed of one group: as one of most groups, and as an exception."""

    share: Array  # (n_values,) that may be right, rising
    usual: Array  # (n_values,) chances of these as one of most groups,
    flat: Array  # and as an exception
    node: Array  # (n_nodes,) chances of the nodes
    alpha: Array  # (n_nodes, n_cells) of each cell's rate, and
    strength: Array  # (n_cells,) alpha + beta
    log_odds: float  # of the labels, as one of most groups rather than an exception
    flat_alpha: float  # of the rate of an exception
    flat_beta: float
    labels: float

    def exception(self, exceptions: float = MANY_EXCEPTIONS) -> float:
        """The chance that the group is an exception, where so large a share of groups are."""
        against = (1 - exceptions) / exceptions if exceptions else np.inf
        return float(1 / (1 + against * np.exp(min(self.log_odds, FURTHEST))))

    def chances(self, exceptions: float) -> Array:
        """Of each share."""
        own = self.exception(exceptions)
        return np.asarray((1 - own) * self.usual + own * self.flat)

    def upto(self, exceptions: float) -> Array:
        """The same added up, with nothing in front, (n_values + 1,)."""
        if (known := self._upto.get(exceptions)) is None:
            known = self._upto[exceptions] = np.zeros(len(self.share) + 1)
            np.cumsum(self.chances(exceptions), out=known[1:])
        return known

    @cached_property
    def _upto(self) -> dict[float, Array]:
        return {}

    @cached_property
    def rates(self) -> Array:
        """The mean rate of each cell, (n_cells,)."""
        own, flat = self.exception(), self.flat_alpha / (self.flat_alpha + self.flat_beta)
        return np.asarray((1 - own) * (self.node @ self.alpha) / self.strength + own * flat)


def group_counts(own: Own, log_weight: Array, rates: Array, size: Ints, labels: Array, hits: Array, *, pool: bool) -> (
    GroupCounts
):  # fmt: skip
    """From what a group's labels say and the weights of the nodes; the rest is of its cells: the rate of each at the
    nodes, its size and labels. Of the pool's own items, or else of the rates they came from."""
    left = np.asarray(size - labels if pool else size, dtype=np.float64)
    right, told, rest = float(hits.sum()), float(labels.sum()), float(left.sum())
    flat = (1 + right, 1 + told - right)
    known, items = (right, float(size.sum())) if pool else (0.0, rest)
    steps = min(round(rest), MOST_STEPS) if pool else _RATE_STEPS
    as_nodes = (log_weight + own.log_chance, FIRM * rates + hits, FIRM + labels, left, steps)
    loops = compiled()
    if loops is None:
        usual, node, log_chance = _as_one_of_most(*as_nodes, pool=pool)
    else:
        usual, node, log_chance = loops.as_one_of_most(*as_nodes, pool, LEAST_CHANCE)
    as_exception = beta_binomial(steps, *flat) if pool and steps == rest else _beta_steps(steps, *flat)
    share = np.asarray((known + np.arange(steps + 1) * (rest / max(steps, 1))) / items, dtype=np.float64)
    log_odds = float(log_chance) - own.if_exception
    return GroupCounts(share, usual, as_exception, node, as_nodes[1], as_nodes[2], log_odds, *flat, told)


def _as_one_of_most(log_chance: Array, alpha: Array, strength: Array, left: Array, steps: int, *, pool: bool) -> (
    tuple[Array, Array, float]
):  # fmt: skip
    """The chances of 0, ..., steps, and of the nodes; and the logarithm of the chance of the labels."""
    top = log_chance.max()
    node = np.exp(log_chance - top)
    total = float(node.sum())
    node /= total
    if steps == 0:
        return np.ones(1), node, float(top + np.log(total))
    used = np.flatnonzero(node >= LEAST_CHANCE)
    mean, variance = moments(alpha[used], strength, left, pool=pool)
    scale = steps / float(left.sum())
    usual = katz(steps, mean * scale, variance * scale**2, node[used])
    return usual / usual.sum(), node, float(top + np.log(total))


def moments(alpha: Array, strength: Array, left: Array, *, pool: bool) -> tuple[Array, Array]:
    """Mean and variance of how many of the items `left` in some cells are right, Beta-binomial each; or with the rates
    of a population, of the sum of these. Along the last axis."""
    beta = strength - alpha
    spread = left * (left + strength) if pool else left**2
    variance = spread * alpha * beta / (strength**2 * (strength + 1))
    return (left * alpha / strength).sum(axis=-1), variance.sum(axis=-1)


def katz(steps: int, mean: Array, variance: Array, weight: Array) -> Array:
    """Katz's family: p(i + 1) / p(i) = (a + b i) / (i + 1), b = 1 - m / v, a = m^2 / v, cut off at the last step.

    Mean m and variance v before the cut: binomial where v < m, Poisson, negative binomial where v > m. It is laid on
    whichever of right and wrong is rarer, and the Poisson's tail goes the right way.
    """
    flipped = mean > steps / 2
    m = np.maximum(np.where(flipped, steps - mean, mean), 1e-9)[:, None]
    v = np.maximum(variance, 1e-9)[:, None]
    i = np.arange(steps)
    ratio = (m * m / v + (1 - m / v) * i) / (i + 1)
    ended = np.logical_or.accumulate(ratio <= 0, axis=1)
    log_p = np.zeros((len(mean), steps + 1))
    np.cumsum(np.where(ended, -np.inf, np.log(np.where(ended, 1.0, ratio))), axis=1, out=log_p[:, 1:])
    p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
    p *= (weight / p.sum(axis=1))[:, None]
    return np.asarray(p[~flipped].sum(axis=0) + p[flipped].sum(axis=0)[::-1])


def beta_binomial(steps: int, alpha: float, beta: float) -> Array:
    """The chances of 0, ..., steps hits where every rate is as likely as Beta(alpha, beta) has it."""
    if (loops := compiled()) is not None:
        return np.asarray(loops.beta_binomial(steps, alpha, beta))
    i = np.arange(steps + 1)
    log_p = gammaln(alpha + i) - gammaln(i + 1) + gammaln(beta + steps - i) - gammaln(steps - i + 1)
    p = np.exp(log_p - log_p.max())
    return np.asarray(p / p.sum())


def _beta_steps(steps: int, alpha: float, beta: float) -> Array:
    """Beta(alpha, beta) itself, each step standing for the rates next to it."""
    edges = np.clip((np.arange(steps + 2) - 0.5) / steps, 0, 1)
    return np.diff(betainc(alpha, beta, edges))
