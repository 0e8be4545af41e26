"""Joint draws of every cell's rate, exact but for the number of draws.

Points of the grid and beta are proposed from their approximation, the effects of groups are drawn from what they are
given those, by quadrature, and draws are weighed by how much more likely the labels make them than they were proposed.
"""

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.recalibration.fit import Fit
from fewlabels.core.recalibration.model import Model

_PRIOR_SHARE = 0.1  # of proposals, from the grid's prior: no point is out of reach
_FREEDOM, _SCALE = 6.0, 1.15  # Student's, wider than the approximation it stands for
_NODES, _SPACING = 9, 0.8  # of the quadrature over a group's effect, in standard deviations
_MOST_STEPS, _LONGEST, _NEAR = 12, 1.5, 1e-3  # of the search for its mode
_LOG_ROOT = 0.5 * np.log(2 * np.pi)


def draw_rates(model: Model, fitted: Fit, hits: Array, labels: Array, count: int, rng: np.random.Generator) -> Array:
    """Draws (count, n_cells) in the model's order."""
    point, beta, log_proposed = _proposed(model, fitted, count, rng)
    share = rng.permutation(np.repeat(model.trust.exceptions, [count - count // 2, count // 2]))
    effects = _Effects(model, point, beta, share, hits, labels)
    precision = model.precision[point]
    log_prior = model.log_prior[point] + 0.5 * (np.log(precision) - precision * beta**2).sum(axis=1)
    kept = _resampled(effects.log_likelihood + log_prior - log_proposed, rng)
    eta = model.linear(beta[kept], model.reading[point[kept]]) + effects.drawn(kept, rng)[:, model.group]
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


class _Effects:
    """What groups may do of their own given draws of beta: integrated for the weights of these, drawn for those kept.

    A draw kept twice has effects of its own each time.
    """

    def __init__(self, model: Model, point: Ints, beta: Array, share: Array, hits: Array, labels: Array) -> None:
        self.share, self.sds, self.away = share, model.sds[:, point], model.away[model.reading[point]]
        self.log_likelihood = np.zeros(len(point))
        cells = np.flatnonzero(labels)
        self.groups, group = np.unique(model.group[cells], return_inverse=True)
        if not len(cells):
            return
        seen = _Seen(model.linear(beta, model.reading[point], cells), hits[cells], labels[cells], group)
        away = self.away[:, self.groups]
        centre = np.stack([np.zeros_like(away), away])
        modes = (seen.mode(sd, around) for sd, around in zip(self.sds, centre, strict=True))
        middle, width = (np.stack(of) for of in zip(*modes, strict=True))
        places = (np.arange(_NODES) - (_NODES - 1) / 2) * _SPACING
        node = middle[..., None] + width[..., None] * places  # (2, count, n_groups, n_nodes)
        log_height = seen.log_likelihood(node) - 0.5 * ((node - centre[..., None]) / self.sds[:, :, None, None]) ** 2
        log_height += np.log(_SPACING * width / self.sds[:, :, None])[..., None] - _LOG_ROOT
        log_height += np.log(np.stack([1 - share, share]))[:, :, None, None]
        self.width, self.node, flat = width, _side_by_side(node), _side_by_side(log_height)
        top = flat.max(axis=-1, keepdims=True)
        self.upto = np.cumsum(np.exp(flat - top), axis=-1)
        self.log_likelihood = (top[..., 0] + np.log(self.upto[..., -1])).sum(axis=1)

    def drawn(self, kept: Ints, rng: np.random.Generator) -> Array:
        """Effects (n_kept, n_groups) given these draws of beta."""
        exception = rng.random((len(kept), self.away.shape[1])) < self.share[kept, None]
        sd = np.where(exception, self.sds[1, kept, None], self.sds[0, kept, None])
        effect = np.where(exception, self.away[kept], 0.0) + rng.standard_normal(sd.shape) * sd
        if len(self.groups):
            upto = self.upto[kept]
            pick = (upto < rng.random((*upto.shape[:2], 1)) * upto[..., -1:]).sum(axis=-1)
            chosen = np.take_along_axis(self.node[kept], pick[..., None], axis=-1)[..., 0]
            width = np.where(pick < _NODES, self.width[0, kept], self.width[1, kept])
            effect[:, self.groups] = chosen + (rng.random(chosen.shape) - 0.5) * _SPACING * width
        return effect


def _side_by_side(of_both: Array) -> Array:
    """Nodes under either prior in one row: (2, count, n_groups, n_nodes) to (count, n_groups, 2 n_nodes)."""
    return np.moveaxis(of_both, 0, 2).reshape(*of_both.shape[1:3], -1)


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

    def mode(self, sd: Array, centre: Array) -> tuple[Array, Array]:
        """Of each group's effect under a normal prior, sd (count,) about (count, n_groups), and the standard deviation
        there."""
        inverse = sd[:, None] ** -2.0
        effect = np.zeros_like(centre)
        for _ in range(_MOST_STEPS):
            rate = expit(self.linear + effect[:, self.group])
            curvature = self._sum(self.labels * rate * (1 - rate)) + inverse
            step = (self._sum(self.hits - self.labels * rate) - inverse * (effect - centre)) / curvature
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
