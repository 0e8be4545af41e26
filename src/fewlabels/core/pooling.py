"""One belief for many small cells: they share an unknown shift and slope of the scores, and an unknown spread.

Independent priors are right for groups with labels of their own, and wrong for figures summed over many cells with few
labels each: a bias that all cells share does not average out, and a cell with one lucky label is not certain. Here

    theta_c ~ Beta(kappa m_c, kappa (1 - m_c)),  logit m_c = shift + slope * logit s_c,

with shift, slope and kappa unknown, their posterior taken on a grid by the beta-binomial likelihood of all labels
(Gelman and Hill's multilevel regression, with conjugate cells). Draws first draw a grid point, so that what is unknown
about all cells together shows in every sum over them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import betaln, expit, logit

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.dirichlet import CHUNK, dirichlet_draws

_SHIFTS = np.linspace(-5, 5, 41)
_SLOPES = np.linspace(0.0, 2.0, 9)
_SPREADS = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0])  # kappa: how many labels the map is worth in a cell
_SHIFT_SD, _SLOPE_SD = 2.0, 0.5  # a model may be off by a lot; its scores usually mean something
_SHIFT_VARIANCE = float(np.average(_SHIFTS**2, weights=np.exp(-0.5 * (_SHIFTS / _SHIFT_SD) ** 2)))  # on the grid
_CLIP = 1e-3  # scores of exactly 0 or 1 have no logit


@dataclass(frozen=True)
class PooledRates:
    """Rates of cells that learn from one another. The same reading as a BetaBelief; no closed forms."""

    expected: Array  # (n_cells,) what the scores expect, in [0, 1]
    hits: Array
    misses: Array
    size: Ints

    plain: ClassVar[None] = None

    @property
    def labels(self) -> Array:
        return self.hits + self.misses

    @property
    def unlabelled(self) -> Array:
        return np.maximum(self.size - self.labels, 0.0)

    @cached_property
    def _grid(self) -> tuple[Array, Array, Array, Array]:
        """Means (n_points, n_cells), spreads, weights and shifts (n_points,) of the grid points that matter."""
        score = logit(np.clip(self.expected, _CLIP, 1 - _CLIP))
        centre = float(np.average(score, weights=self.size))
        shift, slope, spread = (a.reshape(-1) for a in np.meshgrid(_SHIFTS, _SLOPES, _SPREADS, indexing="ij"))
        seen = np.flatnonzero(self.labels)
        log_weight = -0.5 * (shift / _SHIFT_SD) ** 2 - 0.5 * ((slope - 1) / _SLOPE_SD) ** 2
        for cell in _together(score[seen], self.hits[seen], self.misses[seen]):
            s, hits, misses, count = cell
            mean = np.clip(expit(shift + centre + slope * (s - centre)), 1e-9, 1 - 1e-9)
            a, b = spread * mean, spread * (1 - mean)
            log_weight += count * (betaln(a + hits, b + misses) - betaln(a, b))
        weight = np.exp(log_weight - log_weight.max())
        keep = weight > 1e-6
        means = expit((shift[keep] + centre)[:, None] + slope[keep, None] * (score - centre))
        return np.clip(means, 1e-9, 1 - 1e-9), spread[keep], weight[keep] / weight[keep].sum(), shift[keep]

    @cached_property
    def mean(self) -> Array:
        """Posterior mean of each rate."""
        means, spread, weight, _ = self._grid
        kappa = spread[:, None]
        return np.asarray(weight @ ((kappa * means + self.hits) / (kappa + self.labels)))

    @property
    def pool_mean(self) -> Array:
        return np.asarray((self.hits + self.unlabelled * self.mean) / self.size)

    @cached_property
    def prior_strength(self) -> Array:
        """What the shared map is worth in each cell, in labels: the posterior mean of kappa."""
        _, spread, weight, _ = self._grid
        return np.full(len(self.size), float(weight @ spread))

    @property
    def prior_share(self) -> float:
        """How much of what all cells share rests on its prior: the shift's variance, as a share of that beforehand."""
        _, _, weight, shift = self._grid
        return min(float(weight @ (shift - weight @ shift) ** 2) / _SHIFT_VARIANCE, 1.0)

    def draws(self, count: int, rng: np.random.Generator, *, pool: bool) -> Array:
        """Joint draws (count, n_cells) of the rates, or with `pool` of the shares over the pool's own items."""
        means, spread, weight, _ = self._grid
        point = rng.choice(len(weight), size=count, p=weight)
        kappa = spread[point][:, None]
        theta = rng.beta(kappa * means[point] + self.hits, kappa * (1 - means[point]) + self.misses)
        if not pool:
            return np.asarray(theta)
        return np.asarray((self.hits + rng.binomial(self.unlabelled.astype(np.int64), theta)) / self.size)


@dataclass(frozen=True)
class PooledClasses:
    """True classes in cells that learn from one another: whether the prediction is right is shared, which class it is
    when wrong is each cell's own. The same reading as a DirichletBelief."""

    right: PooledRates
    predicted: Ints  # (n_cells,) column of the predicted class
    prior: Array  # (n_cells, n_true) pseudo-counts of the wrong classes; 0 for the predicted one
    counts: Array  # (n_cells, n_true)

    plain: ClassVar[None] = None

    @property
    def size(self) -> Ints:
        return self.right.size

    @property
    def labels(self) -> Array:
        return self.right.labels

    @property
    def unlabelled(self) -> Array:
        return self.right.unlabelled

    @property
    def prior_strength(self) -> Array:
        return self.right.prior_strength

    @property
    def prior_share(self) -> float:
        return self.right.prior_share

    @property
    def _wrong(self) -> Array:
        alpha = self.prior + self.counts
        alpha[np.arange(len(alpha)), self.predicted] = 0.0
        return alpha

    def _joined(self, right: Array, wrong: Array) -> Array:
        """(..., n_cells) and (..., n_cells, n_true) -> class shares."""
        theta = wrong * (1 - right)[..., None]
        theta[..., np.arange(len(self.size)), self.predicted] = right
        return theta

    @property
    def mean(self) -> Array:
        wrong = self._wrong
        return self._joined(self.right.mean, wrong / wrong.sum(axis=1, keepdims=True))

    @property
    def pool_mean(self) -> Array:
        return np.asarray((self.counts + self.unlabelled[:, None] * self.mean) / self.size[:, None])

    def draw_chunks(self, count: int, rng: np.random.Generator, *, pool: bool) -> Iterator[Array]:
        """Joint draws (chunk, n_cells, n_true), chunk by chunk so that memory stays bounded."""
        wrong, rest = self._wrong, self.unlabelled.astype(np.int64)
        at_once = max(1, CHUNK // wrong.size)
        for start in range(0, count, at_once):
            now = min(at_once, count - start)
            theta = self._joined(self.right.draws(now, rng, pool=False), dirichlet_draws(wrong, now, rng))
            yield (self.counts + rng.multinomial(rest, theta)) / self.size[:, None] if pool else theta


def _together(score: Array, hits: Array, misses: Array) -> list[tuple[float, float, float, int]]:
    """Cells with equal counts and scores equal to two digits, once each with how many there are."""
    key = np.stack([np.round(score, 2), hits, misses], axis=1)
    distinct, counts = np.unique(key, axis=0, return_counts=True)
    return [(float(s), float(h), float(m), int(n)) for (s, h, m), n in zip(distinct, counts, strict=True)]
