"""One belief for many small cells: they share an unknown shift and slope of the scores, and an unknown spread.

Independent priors are right for groups with labels of their own, and wrong for figures summed over many cells with few
labels each: a bias that all cells share does not average out, and a cell with one lucky label is not certain. Here

    theta_c ~ Beta(kappa m_c, kappa (1 - m_c)),  logit m_c = shift + slope * logit s_c,

with shift, slope and kappa unknown, their posterior taken on a grid by the beta-binomial likelihood of all labels
(Gelman and Hill's multilevel regression, with conjugate cells). Draws first draw a grid point, so that what is unknown
about all cells together shows in every sum over them.
"""

import math
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import expit, gammaln, logit, ndtr

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief, Columns, SharedRates
from fewlabels.core.beta import LEAST_PSEUDO_COUNT
from fewlabels.core.dirichlet import CHUNK, VARIATES, dirichlet_draws
from fewlabels.core.keyed import Keyed, Use

_SHIFTS = np.linspace(-5, 5, 41)
_SLOPES = np.linspace(0.0, 2.0, 9)
_SPREADS = np.array([0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0])  # kappa: how many labels the map is worth in a cell
_SHIFT_SD, _SLOPE_SD = 2.0, 0.5  # a model may be off by a lot; its scores usually mean something
_SHIFT_VARIANCE = float(np.average(_SHIFTS**2, weights=np.exp(-0.5 * (_SHIFTS / _SHIFT_SD) ** 2)))  # on the grid
_FEW = 20  # labels of a cell up to which factors are multiplied, which is faster than gamma functions
_MANY_CELLS = 30  # so many alike, or more that are not, make a sum over cells normal
_SOME = np.finfo(np.float64).tiny
_LITTLE = 1e-3  # points of the grid of less weight need not be judged
_VARIATES = 5_000_000  # draws are fewer where a single one takes many variates
_BLOCK = 250_000  # numbers worked on at once
_ADDED = (0.0, LEAST_PSEUDO_COUNT, -LEAST_PSEUDO_COUNT)  # pseudo-misses; as for single cells, see core/beta.py
_CLIP = 1e-3  # scores of exactly 0 or 1 have no logit


@dataclass(frozen=True)
class PooledRates(SharedRates):
    """Rates of cells that learn from one another. The same reading as a BetaBelief; no closed forms."""

    expected: Array  # (n_cells,) what the scores expect, in [0, 1]
    hits: Array
    misses: Array
    size: Ints

    widens: ClassVar[bool] = True

    @property
    def tally(self) -> Array:
        return np.stack([self.hits, self.misses], axis=-1)

    @property
    def most_draws(self) -> int:
        return _VARIATES // len(self.size)

    def joint(self, count: int, keyed: Keyed, *, pool: bool, kept: Columns | None = None) -> Iterator[Array]:  # noqa: ARG002
        yield self.draws(count, keyed.generator(Use.ANSWER), pool=pool)

    @cached_property
    def _score(self) -> tuple[Array, float]:
        """What the scores expect, in logits, and their mean."""
        score = logit(np.clip(self.expected, _CLIP, 1 - _CLIP))
        return score, float(np.average(score, weights=self.size))

    @cached_property
    def _grid(self) -> tuple[Array, Array, Array, Array]:
        """Shifts, slopes, spreads and weights (n_points,) of the grid points that matter."""
        shift, slope = (a.reshape(-1) for a in np.meshgrid(_SHIFTS, _SLOPES, indexing="ij"))
        prior = -0.5 * (shift / _SHIFT_SD) ** 2 - 0.5 * ((slope - 1) / _SLOPE_SD) ** 2
        log_weight = (prior[:, None] + self._log_likelihood(shift, slope)).reshape(-1)
        weight = np.exp(log_weight - log_weight.max())
        keep = np.flatnonzero(weight > 1e-6)
        of_map, of_spread = np.divmod(keep, len(_SPREADS))
        return shift[of_map], slope[of_map], _SPREADS[of_spread], weight[keep] / weight[keep].sum()

    def _log_likelihood(self, shift: Array, slope: Array) -> Array:
        """Of all labels together, (n_maps, n_spreads): the logarithm of B(a + hits, b + misses) / B(a, b), cell by cell
        and summed; a block of cells at once."""
        score, centre = self._score
        seen = np.flatnonzero(self.labels)
        cells, count = _together(score[seen], self.hits[seen], self.misses[seen])
        out = np.zeros((len(shift), len(_SPREADS)))
        for block in _blocks(len(cells), len(shift)):
            (s, hits, misses), n = cells[block].T, count[block]
            mean = _inside(expit((shift + centre)[:, None] + slope[:, None] * (s - centre)))
            for i, kappa in enumerate(_SPREADS):
                found = _log_rising(kappa * mean, hits) + _log_rising(kappa * (1 - mean), misses)
                out[:, i] += (found - _log_rising(np.full((1, len(s)), kappa), hits + misses)) @ n
        return out

    def _means(self, points: Ints | slice) -> Array:
        """What some points of the grid make of the scores, (n_points, n_cells)."""
        shift, slope, _, _ = self._grid
        score, centre = self._score
        return _inside(expit((shift[points] + centre)[:, None] + slope[points, None] * (score - centre)))

    @cached_property
    def mean(self) -> Array:
        """Posterior mean of each rate."""
        _, _, spread, weight = self._grid
        out = np.zeros(len(self.size))
        for block in _blocks(len(weight), len(self.size)):
            kappa = spread[block, None]
            out += weight[block] @ ((kappa * self._means(block) + self.hits) / (kappa + self.labels))
        return out

    @cached_property
    def pool_mean(self) -> Array:
        return np.asarray((self.hits + self.unlabelled * self.mean) / self.size)

    @cached_property
    def prior_strength(self) -> Array:
        """What the shared map is worth in each cell, in labels: the posterior mean of kappa."""
        _, _, spread, weight = self._grid
        return np.full(len(self.size), float(weight @ spread))

    @property
    def prior_share(self) -> Array:
        """How much of what all cells share rests on its prior: the shift's variance, as a share of that beforehand."""
        if not self.labels.any():
            return np.ones(len(self.size))
        shift, _, _, weight = self._grid
        share = min(float(weight @ (shift - weight @ shift) ** 2) / _SHIFT_VARIANCE, 1.0)
        return np.full(len(self.size), share)

    def _weight(self, added: float) -> Array:
        """The weight of each point of the grid, with pseudo-misses (below 0: hits) added to all cells together."""
        _, _, _, weight = self._grid
        if not added:
            return weight
        hit = np.concatenate([self._means(b) @ self.size for b in _blocks(len(weight), len(self.size))])
        share = hit / self.size.sum()
        more = weight * (1 - share if added > 0 else share) ** abs(added)
        return np.asarray(more / more.sum())

    def mean_interval(self, level: float, *, pool: bool, added: float = 0.0) -> tuple[float, float] | None:
        """The equal-tailed interval of the mean over all items; None where too few cells decide it.

        Given a point of the grid the mean is a sum over independent cells, normal for many of them; over the grid it is
        a mixture of such, whose quantiles are found by halving. Draws would give the same but for their noise.
        """
        if len(self.size) < _MANY_CELLS:
            return None
        _, _, spread, _ = self._grid
        weight = self._weight(added)
        share, centre, variance = self.size / self.size.sum(), np.empty(len(weight)), np.empty(len(weight))
        deciding = math.inf
        for block in _blocks(len(weight), len(self.size)):
            kappa = spread[block, None]
            theta = (kappa * self._means(block) + self.hits) / (kappa + self.labels)
            of_rate = theta * (1 - theta) / (kappa + self.labels + 1)
            rest = self.unlabelled / self.size if pool else np.ones(len(self.size))
            more = rest * theta * (1 - theta) / self.size if pool else 0.0  # which of the items left are hits
            each = share**2 * (rest**2 * of_rate + more - (rest * of_rate / self.size if pool else 0.0))
            known = self.hits / self.size if pool else np.zeros(len(self.size))
            centre[block], variance[block] = (known + rest * theta) @ share, each.sum(axis=1)
            few = each.sum(axis=1) ** 2 / np.maximum((each**2).sum(axis=1), 1e-300)
            deciding = min(deciding, float(few[weight[block] > _LITTLE].min(initial=math.inf)))
        if deciding < _MANY_CELLS:
            return None
        tails, sd = ((1 - level) / 2, (1 + level) / 2), np.sqrt(variance)
        low, high = (_mixture_quantile(p, weight, centre, sd) for p in tails)
        return low, high

    def widest_mean(self, level: float, *, pool: bool) -> tuple[float, float] | None:
        """The same, also holding what half a pseudo-label on either side would leave possible."""
        found = [self.mean_interval(level, pool=pool, added=added) for added in _ADDED]
        known = [ends for ends in found if ends is not None]
        if len(known) < len(found):
            return None
        return min(low for low, _ in known), max(high for _, high in known)

    def widest_draws(self, count: int, keyed: Keyed, *, pool: bool) -> Array:
        """Joint draws (3 count, n_cells): as they are, and with half a pseudo-label more on either side."""
        first = keyed.generator(Use.ANSWER)
        return np.concatenate([self.draws(count, deepcopy(first), pool=pool, added=added) for added in _ADDED])

    def draws(self, count: int, rng: np.random.Generator, *, pool: bool, added: float = 0.0) -> Array:
        """Joint draws (count, n_cells) of the rates, or with `pool` of the shares over the pool's own items."""
        _, _, spread, _ = self._grid
        weight = self._weight(added)
        point = rng.choice(len(weight), size=count, p=weight)
        theta = np.empty((count, len(self.size)))
        for block in _blocks(count, len(self.size)):
            used, which = np.unique(point[block], return_inverse=True)
            mean, kappa = self._means(used)[which], spread[point[block], None]
            theta[block] = rng.beta(kappa * mean + self.hits, kappa * (1 - mean) + self.misses)
        if pool:
            rest = self.unlabelled.astype(np.int64)
            for block in _blocks(count, len(self.size)):
                theta[block] = (self.hits + rng.binomial(rest, theta[block])) / self.size
        return theta


@dataclass(frozen=True)
class PooledClasses(Belief):
    """True classes in cells that learn from one another: whether the prediction is right is shared, which class it is
    when wrong is each cell's own. The same reading as a DirichletBelief."""

    right: SharedRates
    predicted: Ints  # (n_cells,) column of the predicted class
    prior: Array  # (n_cells, n_true) pseudo-counts of the wrong classes; 0 for the predicted one
    counts: Array  # (n_cells, n_true)

    rates: ClassVar[bool] = False
    shared: ClassVar[bool] = True
    plain: ClassVar[None] = None  # type: ignore[misc]  # no plain frequencies are shared

    @property
    def of_being_right(self) -> SharedRates:
        return self.right

    @property
    def tally(self) -> Array:
        return self.counts

    @property
    def most_draws(self) -> int:
        return VARIATES // self.prior.size

    def joint(self, count: int, keyed: Keyed, *, pool: bool, kept: Columns | None = None) -> Iterator[Array]:  # noqa: ARG002
        return self.draw_chunks(count, keyed.generator(Use.ANSWER), pool=pool)

    @property
    def size(self) -> Ints:  # type: ignore[override]  # frozen, like the others
        return self.right.size

    @property
    def prior_strength(self) -> Array:
        return self.right.prior_strength

    @property
    def prior_share(self) -> Array:
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

    @cached_property
    def mean(self) -> Array:
        wrong = self._wrong
        return self._joined(self.right.mean, wrong / wrong.sum(axis=1, keepdims=True))

    @cached_property
    def pool_mean(self) -> Array:
        return np.asarray((self.counts + self.unlabelled[:, None] * self.mean) / self.size[:, None])

    @property
    def drawn_from(self) -> tuple[Array, Array]:
        """The pseudo-counts that shares of the wrong classes are drawn from, and the labels; (n_cells, n_true)."""
        prior, counts, cells = self.prior.copy(), self.counts.copy(), np.arange(len(self.size))
        prior[cells, self.predicted] = counts[cells, self.predicted] = 0.0
        return prior, counts

    def right_draws(self, count: int, rng: np.random.Generator, *, pool: bool = False) -> Array | None:
        """Draws of how often each cell's prediction is right, (count, n_cells)."""
        return self.right.draws(count, rng, pool=pool)

    def draw_chunks(self, count: int, rng: np.random.Generator, *, pool: bool) -> Iterator[Array]:
        """Joint draws (chunk, n_cells, n_true), chunk by chunk so that memory stays bounded."""
        wrong, rest = self._wrong, self.unlabelled.astype(np.int64)
        least = np.where(wrong > 0, _SOME, 0.0)  # in a population each class occurs, be it ever so rare
        at_once = max(1, CHUNK // wrong.size)
        for start in range(0, count, at_once):
            now = min(at_once, count - start)
            mistaken = np.maximum(dirichlet_draws(wrong, now, rng), least)
            theta = self._joined(self.right.draws(now, rng, pool=False), mistaken)
            yield (self.counts + rng.multinomial(rest, theta)) / self.size[:, None] if pool else theta


def _mixture_quantile(probability: float, weight: Array, mean: Array, sd: Array) -> float:
    """Where a mixture of normal distributions has so much below it, by halving [0, 1]."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        below = float(weight @ ndtr((middle - mean) / np.maximum(sd, 1e-12)))
        low, high = (middle, high) if below < probability else (low, middle)
    return (low + high) / 2


def _together(score: Array, hits: Array, misses: Array) -> tuple[Array, Array]:
    """Cells with equal counts and scores equal to two digits, once each (n, 3), and how many there are of each."""
    distinct, counts = np.unique(np.stack([np.round(score, 2), hits, misses], axis=1), axis=0, return_counts=True)
    return distinct, counts.astype(np.float64)


def _blocks(count: int, width: int) -> Iterator[slice]:
    """Rows, as many at a time as fit into memory close to the processor."""
    at_once = max(1, _BLOCK // max(width, 1))
    return (slice(start, min(start + at_once, count)) for start in range(0, count, at_once))


def _inside(mean: Array) -> Array:
    return np.clip(mean, 1e-9, 1 - 1e-9)


def _log_rising(start: Array, times: Array) -> Array:
    """log(a (a + 1) … (a + n - 1)), that is log Γ(a + n) - log Γ(a): starts (n_rows, n), times (n,)."""
    few = times <= _FEW
    product = np.ones((len(start), int(few.sum())))
    for step in range(int(times[few].max(initial=0))):
        still = times[few] > step
        product[:, still] *= start[:, few][:, still] + step
    out = np.empty_like(start)
    out[:, few] = np.log(product)
    out[:, ~few] = gammaln(start[:, ~few] + times[~few]) - gammaln(start[:, ~few])
    return out
