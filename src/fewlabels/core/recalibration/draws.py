"""Joint draws of every cell's rate, exact but for the number of draws.

Points of the grid and beta are proposed from their approximation, the effects of groups are drawn from what they are
given those, by quadrature, and draws are weighed by how much more likely the labels make them than they were proposed.
"""

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.recalibration.fit import Fit
from fewlabels.core.recalibration.model import EXCEPTIONS, Model

_PRIOR_SHARE = 0.1  # of proposals, from the grid's prior: no point is out of reach
_FREEDOM, _SCALE = 6.0, 1.15  # Student's, wider than the approximation it stands for
_NODES, _SPACING = 9, 0.8  # of the quadrature over a group's effect, in standard deviations
_MOST_STEPS, _LONGEST, _NEAR = 12, 1.5, 1e-3  # of the search for its mode
_LOG_ROOT = 0.5 * np.log(2 * np.pi)


def draw_rates(model: Model, fitted: Fit, hits: Array, labels: Array, count: int, rng: np.random.Generator) -> Array:
    """Draws (count, n_cells) in the model's order."""
    point, beta, log_proposed = _proposed(model, fitted, count, rng)
    share = rng.permutation(np.repeat(EXCEPTIONS, [count - count // 2, count // 2]))
    effect, log_likelihood = _effects(model, point, beta, share, hits, labels, rng)
    precision = model.precision[point]
    log_prior = model.log_prior[point] + 0.5 * (np.log(precision) - precision * beta**2).sum(axis=1)
    kept = _resampled(log_likelihood + log_prior - log_proposed, rng)
    eta = model.linear(beta[kept], model.reading[point[kept]]) + effect[kept][:, model.group]
    return np.asarray(expit(eta))


def _proposed(model: Model, fitted: Fit, count: int, rng: np.random.Generator) -> tuple[Ints, Array, Array]:
    """Points of the grid, beta, and the logarithm of the density they were proposed with, up to a constant."""
    chance = (1 - _PRIOR_SHARE) * fitted.weight + _PRIOR_SHARE * np.exp(model.log_prior)
    upto = np.cumsum(chance)
    point = np.searchsorted(upto, (np.arange(count) + rng.random()) / count * upto[-1] * (1 - 1e-12))
    normal = rng.standard_normal((count, model.precision.shape[1]))
    stretch = np.sqrt(_FREEDOM / rng.chisquare(_FREEDOM, count))
    beta, log_density = np.empty_like(normal), np.log(chance[point])
    for which in np.unique(point):
        rows = point == which
        root = np.linalg.cholesky(fitted.curvature[which])
        beta[rows] = fitted.beta[which] + _SCALE * stretch[rows, None] * np.linalg.solve(root.T, normal[rows].T).T
        log_density[rows] += np.log(np.diag(root)).sum()
    distance = (normal**2).sum(axis=1) * stretch**2
    return point, beta, log_density - 0.5 * (_FREEDOM + normal.shape[1]) * np.log1p(distance / _FREEDOM)


def _effects(
    model: Model, point: Ints, beta: Array, share: Array, hits: Array, labels: Array, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Draws of the groups' effects (count, n_groups), and the logarithm of the likelihood of each draw's beta."""
    count, sds = len(point), model.sds[:, point]
    exception = rng.random((count, model.groups)) < share[:, None]
    effect = rng.standard_normal((count, model.groups)) * np.where(exception, sds[1][:, None], sds[0][:, None])
    cells = np.flatnonzero(labels)
    if not len(cells):
        return effect, np.zeros(count)
    groups, group = np.unique(model.group[cells], return_inverse=True)
    seen = _Seen(model.linear(beta, model.reading[point], cells), hits[cells], labels[cells], group)
    middle, width = zip(*(seen.mode(sd) for sd in sds), strict=True)
    places = (np.arange(_NODES) - (_NODES - 1) / 2) * _SPACING
    node = np.stack(middle)[..., None] + np.stack(width)[..., None] * places  # (2, count, n_groups, n_nodes)
    log_height = seen.log_likelihood(node) - 0.5 * (node / sds[:, :, None, None]) ** 2
    log_height += np.log(_SPACING * np.stack(width) / sds[:, :, None])[..., None] - _LOG_ROOT
    log_height += np.log(np.stack([1 - share, share]))[:, :, None, None]
    flat = np.moveaxis(log_height, 0, 2).reshape(count, len(groups), -1)
    top = flat.max(axis=-1, keepdims=True)
    upto = np.cumsum(np.exp(flat - top), axis=-1)
    pick = (upto < rng.random((count, len(groups), 1)) * upto[..., -1:]).sum(axis=-1)
    chosen = np.take_along_axis(np.moveaxis(node, 0, 2).reshape(flat.shape), pick[..., None], axis=-1)[..., 0]
    spread = np.where(pick < _NODES, width[0], width[1])
    effect[:, groups] = chosen + (rng.random(chosen.shape) - 0.5) * _SPACING * spread
    return effect, (top[..., 0] + np.log(upto[..., -1])).sum(axis=1)


class _Seen:
    """The labelled cells under many draws of beta."""

    def __init__(self, linear: Array, hits: Array, labels: Array, group: Ints) -> None:
        self.linear, self.hits, self.labels, self.group = linear, hits, labels, group
        self.starts = np.searchsorted(group, np.arange(group[-1] + 1))

    def _sum(self, per_cell: Array) -> Array:
        return np.asarray(np.add.reduceat(per_cell, self.starts, axis=-1))

    def log_likelihood(self, effect: Array) -> Array:
        """Of the labels of each group given its effect, (2, count, n_groups, n_nodes)."""
        out = np.empty_like(effect)
        for place in np.ndindex(len(effect), effect.shape[-1]):
            eta = self.linear + effect[place[0], :, :, place[1]][:, self.group]
            out[place[0], :, :, place[1]] = self._sum(self.hits * eta - self.labels * np.logaddexp(0.0, eta))
        return out

    def mode(self, sd: Array) -> tuple[Array, Array]:
        """Of each group's effect under a normal prior (count,), and the standard deviation there."""
        inverse = sd[:, None] ** -2.0
        effect = np.zeros((len(sd), len(self.starts)))
        for _ in range(_MOST_STEPS):
            rate = expit(self.linear + effect[:, self.group])
            curvature = self._sum(self.labels * rate * (1 - rate)) + inverse
            step = (self._sum(self.hits - self.labels * rate) - inverse * effect) / curvature
            effect += np.clip(step, -_LONGEST, _LONGEST)
            if np.abs(step).max() < _NEAR:
                break
        return effect, 1 / np.sqrt(curvature)


def _resampled(log_weight: Array, rng: np.random.Generator) -> Ints:
    """Draws in proportion to their weights, by systematic sampling; no weight counts more than a root of their number
    times the mean."""
    count = len(log_weight)
    weight = np.exp(log_weight - log_weight.max())
    weight = np.minimum(weight, np.sqrt(count) * weight.mean())
    upto = np.cumsum(weight)
    return np.asarray(
        np.minimum(np.searchsorted(upto, (np.arange(count) + rng.random()) / count * upto[-1]), count - 1)
    )
