"""Beliefs about the true class in each cell: independent Dirichlet distributions over true classes.

[Ji21] supplement, Eq. 2: theta_.k ~ Dirichlet(alpha_.k). Rows here are cells (predicted classes, or predicted classes
within a group), columns true classes: the confusion matrix is J true x K predicted, transposed.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Columns, OwnBelief, frequencies
from fewlabels.core.beta import SPREAD_FLOOR
from fewlabels.core.keyed import Keyed, Use

CHUNK = 2_000_000  # variates held at once
VARIATES = 15_000_000  # draws are fewer where a single one takes many variates


@dataclass(frozen=True)
class DirichletBelief(OwnBelief):
    """Dirichlet distributions over true classes, one row a cell."""

    prior: Array  # (n_cells, n_true)
    counts: Array  # (n_cells, n_true) labelled items by true class
    size: Ints  # (n_cells,)
    floor: Array | float = 0.0  # smallest pseudo-count in what is shown, (n_cells, 1) or one for all
    plain: Array | None = None  # (n_cells, n_true) plain frequencies to report, nan without labels
    least: Array | float = 0.0  # (n_cells,) smallest prior pseudo-count in what is shown; see core/beta.py
    predicted: Ints | None = None  # (n_cells,) the predicted class, whose share is what is right; needed with `least`

    rates: ClassVar[bool] = False

    @property
    def tally(self) -> Array:
        return self.counts

    def after(self, counts: Array) -> "DirichletBelief":
        plain = None if self.plain is None else frequencies(counts, counts.sum(axis=-1, keepdims=True))
        return replace(self, counts=counts, plain=plain)

    @property
    def most_draws(self) -> int:
        return VARIATES // self.prior.size

    @cached_property
    def alpha(self) -> Array:
        return self.prior + self.counts

    @property
    def prior_strength(self) -> Array:
        return np.asarray(self.prior.sum(axis=1))

    @cached_property
    def mean(self) -> Array:
        """Posterior means (n_cells, n_true), or plain frequencies."""
        if self.plain is not None:
            return self.plain
        alpha = self.alpha
        return np.asarray(alpha / alpha.sum(axis=-1, keepdims=True))

    @cached_property
    def pool_mean(self) -> Array:
        """Expected shares over the cell's very items."""
        rest = self.unlabelled[..., None]
        return np.asarray((self.counts + np.where(rest == 0, 0.0, rest * self.mean)) / self.size[:, None])

    @property
    def shown_prior(self) -> Array:
        """Pseudo-counts before the labels, for what is shown to people: with them never below the floor."""
        prior = self.prior if self.predicted is None else at_least(self.prior, self.predicted, self.least)
        return np.asarray(np.maximum(prior + self.counts, self.floor) - self.counts)

    @property
    def drawn_from(self) -> tuple[Array, Array]:
        """The pseudo-counts that shares are drawn from, without those of labels, and the labels; (n_cells, n_true)."""
        return self.shown_prior, self.counts

    def right_draws(self, count: int, rng: np.random.Generator, *, pool: bool = False) -> Array | None:  # noqa: ARG002
        """Draws of how often predictions are right, where that is believed apart from the shares; here it is not."""
        return None

    @property
    def spread(self) -> tuple[Array, Array]:
        """Beta parameters of each class's share by itself, each (n_cells, n_true), for what is shown to people."""
        least = np.broadcast_to(self.least, self.size.shape)[:, None]
        rest_prior, rest_counts = (part.sum(axis=1, keepdims=True) - part for part in (self.prior, self.counts))
        alpha = np.maximum(self.prior, least) + self.counts
        rest = np.maximum(rest_prior, least) + rest_counts
        return np.maximum(alpha, SPREAD_FLOOR), np.maximum(rest, SPREAD_FLOOR)

    def draw_chunks(self, count: int, rng: np.random.Generator, *, pool: bool) -> Iterator[Array]:
        """Joint draws (chunk, n_cells, n_true), chunk by chunk so that memory stays bounded."""
        alpha = self.shown_prior + self.counts
        rest = self.unlabelled.astype(np.int64)
        at_once = max(1, CHUNK // alpha.size)
        for start in range(0, count, at_once):
            theta = dirichlet_draws(alpha, min(at_once, count - start), rng)
            yield (self.counts + rng.multinomial(rest, theta)) / self.size[:, None] if pool else theta

    def joint(self, count: int, keyed: Keyed, *, pool: bool, kept: Columns | None = None) -> Iterator[Array]:  # noqa: ARG002
        return self.draw_chunks(count, keyed.generator(Use.ANSWER), pool=pool)

    def believed(self, count: int, rng: np.random.Generator) -> Iterator[Array]:
        return self.draw_chunks(count, rng, pool=False)

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        return np.asarray(dirichlet_draws(self.alpha, 1, keyed.generator(Use.ARM_DRAW, attempt))[0])

    def expecting(self, pending: Array) -> "DirichletBelief":
        if self.plain is None and not pending.any():
            return self
        alpha = self.alpha
        expected = pending[:, None] * alpha / alpha.sum(axis=1, keepdims=True)
        return replace(self, counts=self.counts + expected, plain=None)


def at_least(prior: Array, predicted: Ints, least: Array | float) -> Array:
    """The prior (n_cells, n_true) with at least so many pseudo-counts (n_cells,) on either side, right and wrong.

    What is wrong is raised in proportion: which class it is instead is still what the prior says.
    """
    cells = np.arange(len(prior))
    right = prior[cells, predicted]
    wrong = prior.sum(axis=1) - right
    out = prior * np.maximum(1.0, least / np.maximum(wrong, 1e-300))[:, None]
    out[cells, predicted] = np.maximum(right, least)
    return np.asarray(out)


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
