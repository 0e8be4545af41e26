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
_FURTHEST = 30.0  # of a logit: beyond, nothing changes
_BLOCK = 100_000  # draws times cells that are worked on at once


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
    chance, jitter = rng.random((2, count, len(groups)))
    log_likelihood = np.empty(count)
    log_shares = np.log(np.stack([1 - share, share]))
    for rows in np.array_split(np.arange(count), -(-count * len(cells) // _BLOCK)):
        linear = model.linear(beta[rows], model.reading[point[rows]], cells)
        seen = _Seen(linear, hits[cells], labels[cells], group)
        node, height, width = seen.quadrature(sds[:, rows], log_shares[:, rows])
        top = height.max(axis=0)
        upto = np.cumsum(np.exp(height - top), axis=0)  # (nodes of both priors, rows, n_groups)
        pick = (upto < chance[rows] * upto[-1]).sum(axis=0)[None]
        spread = np.where(pick < _NODES, width[0], width[1])[0]
        chosen = np.take_along_axis(node, pick, axis=0)[0]
        effect[np.ix_(rows, groups)] = chosen + (jitter[rows] - 0.5) * _SPACING * spread
        log_likelihood[rows] = (top + np.log(upto[-1])).sum(axis=1)
    return effect, log_likelihood


class _Seen:
    """The labelled cells under some draws of beta. A cell's odds are those without its group's effect, times the
    effect's exponential: exponentials are taken once a cell, and once a group of every effect that is tried."""

    def __init__(self, linear: Array, hits: Array, labels: Array, group: Ints) -> None:
        linear = np.clip(linear, -_FURTHEST, _FURTHEST)
        self.odds, self.labels, self.group = np.exp(linear), labels, group
        self.starts = np.searchsorted(group, np.arange(group[-1] + 1))
        self.hits, self.at_nought = self._sum(hits), self._sum(hits * linear)

    def _sum(self, per_cell: Array) -> Array:
        return np.asarray(np.add.reduceat(per_cell, self.starts, axis=-1))

    def quadrature(self, sds: Array, log_shares: Array) -> tuple[Array, Array, Array]:
        """Nodes over each group's effect under both priors, (nodes of both, count, n_groups), the logarithm of what
        each adds to the integral, and the nodes' standard deviations (2, count, n_groups)."""
        places = (np.arange(_NODES) - (_NODES - 1) / 2) * _SPACING
        nodes, heights, widths = [], [], []
        for sd, log_share in zip(sds, log_shares, strict=True):
            middle, width = self._mode(sd)
            outside = np.log(_SPACING * width / sd[:, None]) - _LOG_ROOT + log_share[:, None]
            widths.append(width)
            for place in places:
                node = middle + place * width
                nodes.append(node)
                heights.append(self._log_likelihood(node) - 0.5 * (node / sd[:, None]) ** 2 + outside)
        return np.stack(nodes), np.stack(heights), np.stack(widths)

    def _log_likelihood(self, effect: Array) -> Array:
        """Of the labels of each group given its effect, (count, n_groups)."""
        odds = self.odds * np.exp(effect)[:, self.group]
        return self.at_nought + self.hits * effect - self._sum(self.labels * np.log(1 + odds))

    def _mode(self, sd: Array) -> tuple[Array, Array]:
        """Of each group's effect under a normal prior (count,), and the standard deviation there."""
        inverse = sd[:, None] ** -2.0
        effect = np.zeros((len(sd), len(self.starts)))
        for _ in range(_MOST_STEPS):
            odds = self.odds * np.exp(effect)[:, self.group]
            likely = self.labels * (odds / (1 + odds))
            curvature = self._sum(likely / (1 + odds)) + inverse
            step = (self.hits - self._sum(likely) - inverse * effect) / curvature
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
