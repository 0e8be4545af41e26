"""Beliefs about the true class in each cell: independent Dirichlet distributions over true classes.

[Ji21] supplement, Eq. 2: theta_.k ~ Dirichlet(alpha_.k). Rows here are cells (predicted classes, or predicted classes
within a group), columns true classes: the confusion matrix is J true x K predicted, transposed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from fewlabels.core.arrays import Array, Ints

CHUNK = 2_000_000  # variates held at once


@dataclass(frozen=True)
class DirichletBelief:
    """Dirichlet distributions over true classes, one row a cell."""

    prior: Array  # (n_cells, n_true)
    counts: Array  # (n_cells, n_true) labelled items by true class
    size: Ints  # (n_cells,)
    floor: Array | float = 0.0  # smallest pseudo-count in what is shown, (n_cells, 1) or one for all
    plain: Array | None = None  # (n_cells, n_true) plain frequencies to report, nan without labels

    @property
    def alpha(self) -> Array:
        return self.prior + self.counts

    @property
    def labels(self) -> Array:
        return np.asarray(self.counts.sum(axis=-1))

    @property
    def prior_strength(self) -> Array:
        return np.asarray(self.prior.sum(axis=1))

    @property
    def unlabelled(self) -> Array:
        return np.maximum(self.size - self.labels, 0.0)

    @property
    def mean(self) -> Array:
        """Posterior means (n_cells, n_true), or plain frequencies."""
        if self.plain is not None:
            return self.plain
        alpha = self.alpha
        return np.asarray(alpha / alpha.sum(axis=-1, keepdims=True))

    @property
    def pool_mean(self) -> Array:
        """Expected shares over the cell's very items."""
        rest = self.unlabelled[..., None]
        return np.asarray((self.counts + np.where(rest == 0, 0.0, rest * self.mean)) / self.size[:, None])

    def draw_chunks(self, count: int, rng: np.random.Generator, *, pool: bool) -> Iterator[Array]:
        """Joint draws (chunk, n_cells, n_true), chunk by chunk so that memory stays bounded."""
        alpha = np.maximum(self.alpha, self.floor)
        rest = self.unlabelled.astype(np.int64)
        at_once = max(1, CHUNK // alpha.size)
        for start in range(0, count, at_once):
            theta = dirichlet_draws(alpha, min(at_once, count - start), rng)
            yield (self.counts + rng.multinomial(rest, theta)) / self.size[:, None] if pool else theta

    def expecting(self, pending: Array) -> "DirichletBelief":
        """This belief as if `pending` open queries had come out at the posterior mean."""
        alpha = self.alpha
        expected = pending[:, None] * alpha / alpha.sum(axis=1, keepdims=True)
        return replace(self, counts=self.counts + expected, plain=None)


def dirichlet_draws(alpha: Array, count: int, rng: np.random.Generator) -> Array:
    """Draws (count, *alpha.shape) from a Dirichlet for each row of alpha.

    In logarithms, with Gamma(a) = Gamma(a + 1) * U^(1/a): for the small parameters of weak priors a Gamma variate
    itself underflows, and a row of zeros cannot be normalised.
    """
    shape = (count, *alpha.shape)
    with np.errstate(divide="ignore"):
        log_gamma = np.log(rng.standard_gamma(alpha + 1, size=shape)) - rng.standard_exponential(shape) / alpha
    log_gamma -= log_gamma.max(axis=-1, keepdims=True)
    weights = np.exp(log_gamma)
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True))


def dirichlet_total_variance(alpha: Array) -> Array:
    """sum_j Var(theta_j) of each row: (1 - sum_j m_j^2) / (A + 1), m = alpha / A."""
    total = alpha.sum(axis=-1)
    return np.asarray((1 - (alpha**2).sum(axis=-1) / total**2) / (total + 1))
