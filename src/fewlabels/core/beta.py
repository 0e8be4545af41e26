"""Beliefs about a rate in each cell: independent Beta distributions, prior and observed counts kept apart.

[Ji21] Bayesian Assessment: theta_g ~ Beta(alpha_g, beta_g) becomes Beta(alpha_g + r_g, beta_g + N_g - r_g).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import betainc, betaincinv

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Columns, OwnBelief, frequencies
from fewlabels.core.keyed import Keyed, Use

# Below this a pseudo-count says "impossible" before a label was seen: Beta(2, 1e-6) puts 97.5 % of its mass above
# 1 - 1e-12. What is shown to people (draws and intervals) treats smaller counts as this one; means do not.
SPREAD_FLOOR = 0.01

# Scores of .993 on average make a prior of .015 pseudo-failures: 20 labels, all right, would then be "99.5 to 100 %".
# What is shown by default starts from Jeffreys' half a failure and half a success at least, as without any scores.
LEAST_PSEUDO_COUNT = 0.5

_VARIATES = 5_000_000  # draws are fewer where a single one takes many variates
_FIRST_COLUMN = 1_000  # attempts of a generator below this are for other uses


@dataclass(frozen=True)
class Marginals:
    """Rows whose value is scale * theta + shift for one theta ~ Beta(alpha, beta): closed forms apply."""

    alpha: Array
    beta: Array
    known: Array  # labelled items with the outcome
    rest: Array  # unlabelled items
    size: Ints
    mean: Array
    pool_mean: Array
    scale: float
    shift: Array


@dataclass(frozen=True)
class BetaBelief(OwnBelief):
    """Beta distributions over cells. `size` is the number of items of each cell."""

    prior_alpha: Array  # (n_cells,)
    prior_beta: Array  # (n_cells,)
    hits: Array  # (n_cells,) labelled items with the outcome
    misses: Array  # (n_cells,) labelled items without it
    size: Ints  # (n_cells,)
    floor: Array | float = SPREAD_FLOOR  # smallest pseudo-count in what is shown, less where a unit had to be split
    plain: Array | None = (
        None  # plain frequencies to report, nan without labels; the Beta then serves for intervals only
    )
    least: Array | float = 0.0  # smallest prior pseudo-count in what is shown; see LEAST_PSEUDO_COUNT

    rates: ClassVar[bool] = True

    @property
    def tally(self) -> Array:
        return np.stack([self.hits, self.misses], axis=-1)

    def after(self, counts: Array) -> "BetaBelief":
        hits, misses = counts[..., 0].copy(), counts[..., 1].copy()
        plain = None if self.plain is None else frequencies(hits, hits + misses)
        return replace(self, hits=hits, misses=misses, plain=plain)

    @property
    def most_draws(self) -> int:
        return _VARIATES // len(self.size)

    @cached_property
    def alpha(self) -> Array:
        return self.prior_alpha + self.hits

    @cached_property
    def beta(self) -> Array:
        return self.prior_beta + self.misses

    @property
    def prior_strength(self) -> Array:
        return self.prior_alpha + self.prior_beta

    @cached_property
    def mean(self) -> Array:
        """Posterior mean of each rate, or the plain frequency."""
        return self.alpha / (self.alpha + self.beta) if self.plain is None else self.plain

    @cached_property
    def pool_mean(self) -> Array:
        """Expected share over the cell's very items: labelled ones known exactly, the rest predicted."""
        predicted = self.unlabelled * self.mean
        return (self.hits + np.where(self.unlabelled == 0, 0.0, predicted)) / self.size

    @property
    def variance(self) -> Array:
        return beta_variance(self.alpha, self.beta)

    def quantile(self, probability: Array) -> Array:
        """theta with P(theta_g < theta) = probability: a keyed uniform becomes a Thompson draw."""
        return np.asarray(betaincinv(self.alpha, self.beta, probability))

    @cached_property
    def spread(self) -> tuple[Array, Array]:
        """Parameters for what is shown to people; see SPREAD_FLOOR and LEAST_PSEUDO_COUNT."""
        alpha = np.maximum(self.prior_alpha, self.least) + self.hits
        beta = np.maximum(self.prior_beta, self.least) + self.misses
        return np.maximum(alpha, self.floor), np.maximum(beta, self.floor)

    def marginals(self, order: Ints, scale: float, shift: Array) -> Marginals:
        """These cells, one a row, for closed forms of scale * theta + shift."""
        alpha, beta = self.spread
        return Marginals(
            alpha[order],
            beta[order],
            self.hits[order],
            self.unlabelled[order],
            self.size[order],
            self.mean[order],
            self.pool_mean[order],
            scale,
            shift,
        )

    def draws(
        self, count: int, generator: Callable[[int], np.random.Generator], *, pool: bool, kept: Columns | None = None
    ) -> Array:
        """Joint draws (count, n_cells) of the rates, or with `pool` of the shares over the pool's own items.

        Each cell has a generator of its own, so that a label changes the draws of one cell and no others: those of
        cells that are as they were are taken from `kept`, and the new ones put there.
        """
        out, kept = np.empty((count, len(self.size)), order="F"), {} if kept is None else kept
        widened = self.widened
        columns = (*self.spread, self.hits, self.unlabelled, self.size)
        for cell, about in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
            known = kept.get((widened, cell))
            if known is None or known[0] != about:
                alpha, beta, hits, rest, size = about
                rng = generator(cell)
                theta = rng.beta(alpha, beta, size=count)
                known = about, (hits + rng.binomial(int(rest), theta)) / size if pool else theta
                kept[widened, cell] = known
            out[:, cell] = known[1]
        return out

    def joint(self, count: int, keyed: Keyed, *, pool: bool, kept: Columns | None = None) -> Iterator[Array]:
        def generator(cell: int) -> np.random.Generator:
            return keyed.generator(Use.ANSWER, attempt=_FIRST_COLUMN + cell)

        yield self.draws(count, generator, pool=pool, kept=kept)

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        """By inverse distribution function."""
        return self.quantile(keyed.uniforms(Use.ARM_DRAW, len(self.size), attempt))

    def believed(self, count: int, rng: np.random.Generator) -> Iterator[Array]:
        yield rng.beta(self.alpha, self.beta, size=(count, len(self.size)))

    def expecting(self, pending: Array) -> "BetaBelief":
        """Same mean, less variance: choosing with it keeps a batch from piling on one group. Plain frequencies do not
        choose."""
        if self.plain is None and not pending.any():
            return self
        mean = self.alpha / (self.alpha + self.beta)
        return replace(self, hits=self.hits + pending * mean, misses=self.misses + pending * (1 - mean), plain=None)


def beta_variance(alpha: Array, beta: Array) -> Array:
    """Var(theta) for theta ~ Beta(alpha, beta)."""
    total = alpha + beta
    return alpha * beta / (total**2 * (total + 1))


def mean_absolute_distance(alpha: Array, beta: Array, point: Array) -> Array:
    """E|theta - point| for theta ~ Beta(alpha, beta), in closed form.

    E|theta - s| = s (2 F(s; a, b) - 1) - m (2 F(s; a + 1, b) - 1): the partial mean of a Beta is m F(s; a + 1, b).
    """
    point = np.clip(point, 0.0, 1.0)
    mean = alpha / (alpha + beta)
    return np.asarray(point * (2 * betainc(alpha, beta, point) - 1) - mean * (2 * betainc(alpha + 1, beta, point) - 1))
