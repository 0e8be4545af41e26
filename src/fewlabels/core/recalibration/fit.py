"""What the labels say of the regression, at every point of the grid: modes by Newton's method, evidence by Laplace's.

A group's effect is integrated under both of its priors, as one of most groups and as an exception. Each has its own
mode, and their share is what the labels leave of the chance that the group is an exception.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.recalibration.model import Model

_MOST_STEPS = 60
_NEAR = 1e-6  # steps smaller than this end the search
_LARGE = 0.3  # steps larger than this are halved until they do not lead downhill
_LEAST_STEP = 1e-3


@dataclass(frozen=True)
class Fit:
    """The mode and curvature of every point of the grid; effects of groups without labels are their prior's mean."""

    beta: Array  # (n_points, n_terms)
    effect: Array  # (n_points, n_groups) posterior mode, averaged over both priors
    exception: Array  # (n_points, n_groups) P(the group is an exception | labels)
    curvature: Array  # (n_points, n_terms, n_terms) S: minus the second derivative by beta, effects integrated out
    weight: Array  # (n_points,) posterior


def fit(model: Model, hits: Array, labels: Array) -> Fit:
    """What hits among labels, of each cell in the model's order, say. A pure function of them: it starts at nought."""
    cells = np.flatnonzero(labels)
    found = _Search(model, cells, hits[cells], labels[cells]).run() if len(cells) else None
    shape = (len(model.tau), model.groups)
    effect, exception = model.trust.exception * model.away[model.reading], np.full(shape, model.trust.exception)
    if found is None:
        beta, curvature, log_evidence = np.zeros(model.precision.shape), _diagonals(model.precision), np.zeros(shape[0])
    else:
        beta, curvature, log_evidence = found.beta, found.curvature, found.log_evidence
        effect[:, found.groups], exception[:, found.groups] = found.effect, found.exception
    log_weight = log_evidence + model.log_prior
    weight = np.exp(log_weight - log_weight.max())
    return Fit(beta, effect, exception, curvature, weight / weight.sum())


def _diagonals(values: Array) -> Array:
    return values[:, :, None] * np.eye(values.shape[1])


@dataclass(frozen=True)
class _Found:
    groups: Ints  # those with labels
    beta: Array
    effect: Array
    exception: Array
    curvature: Array
    log_evidence: Array


class _Search:
    """Newton's method over labelled cells; the effects of groups, two each, are eliminated (an arrow's shaft)."""

    def __init__(self, model: Model, cells: Ints, hits: Array, labels: Array) -> None:
        self.model, self.hits, self.labels = model, hits, labels
        self.groups, self.group = np.unique(model.group[cells], return_inverse=True)
        self.starts = np.searchsorted(self.group, np.arange(len(self.groups)))
        self.cells = cells
        self.inverse = model.sds**-2.0  # (2, n_points)
        away = model.away[model.reading][:, self.groups]
        self.centre = np.stack([np.zeros_like(away), away])  # of the effects beforehand, (2, n_points, n_groups)
        self.log_share = np.log([1 - model.trust.exception, model.trust.exception])[:, None, None]
        self.parts = [self._part(np.flatnonzero(model.reading == v), model.terms[v, cells]) for v in range(3)]

    @staticmethod
    def _part(points: Ints, terms: Array) -> tuple[Ints, Array, Array]:
        """The points of one reading, its terms, and their products with one another."""
        return points, terms, (terms[:, :, None] * terms[:, None, :]).reshape(len(terms), -1)

    def run(self) -> _Found:
        beta = np.zeros(self.model.precision.shape)
        effect = np.zeros((2, len(beta), len(self.groups)))
        rate, log_part = self._look(beta, effect)
        for _ in range(_MOST_STEPS):
            slope, share, curvature, pull = self._slopes(beta, effect, rate, log_part)
            step: Array = np.asarray(np.linalg.solve(curvature, pull[..., None])[..., 0], dtype=np.float64)
            step_of = (slope.effect - (slope.cross @ step[..., None])[..., 0]) / slope.own
            largest = max(float(np.abs(step).max()), float(np.abs(step_of).max()))
            if largest < _NEAR:
                break
            beta, effect, rate, log_part = self._moved(beta, effect, step, step_of, share, log_part, largest)
        integral = self.log_share + log_part - 0.5 * np.log(slope.own)
        precision = self.model.precision
        log_evidence = np.logaddexp(*integral).sum(axis=1) + 0.5 * np.log(precision).sum(axis=1)
        log_evidence += -0.5 * (precision * beta**2).sum(axis=1) - 0.5 * np.linalg.slogdet(curvature)[1]
        averaged = (share * effect).sum(axis=0)
        return _Found(self.groups, beta, averaged, share[1], curvature, log_evidence)

    def _sum(self, per_cell: Array) -> Array:
        """Over the cells of each group, along the last axis."""
        return np.asarray(np.add.reduceat(per_cell, self.starts, axis=-1))

    def _look(self, beta: Array, effect: Array) -> tuple[Array, Array]:
        """Rates (2, n_points, n_cells), and the logarithm of each group's part of the posterior (2, n_points, n)."""
        eta = self.model.linear(beta, self.model.reading, self.cells) + effect[..., self.group]
        likelihood = self._sum(self.hits * eta - self.labels * np.logaddexp(0.0, eta))
        inverse = self.inverse[..., None]
        return expit(eta), likelihood - 0.5 * inverse * (effect - self.centre) ** 2 + 0.5 * np.log(inverse)

    def _slopes(
        self, beta: Array, effect: Array, rate: Array, log_part: Array
    ) -> "tuple[_Slopes, Array, Array, Array]":
        weight, rest = self.labels * rate * (1 - rate) + 1e-12, self.hits - self.labels * rate
        inverse = self.inverse[..., None]
        own, slope = self._sum(weight) + inverse, self._sum(rest) - inverse * (effect - self.centre)
        integral = self.log_share + log_part - 0.5 * np.log(own)
        exception = expit(integral[1] - integral[0])
        share = np.stack([1 - exception, exception])
        per_cell = share[..., self.group]
        heavy, pulled = (per_cell * weight).sum(axis=0), (per_cell * rest).sum(axis=0)
        curvature, pull = _diagonals(self.model.precision), -self.model.precision * beta
        cross, n_terms = np.empty((2, len(beta), len(self.groups), beta.shape[1])), beta.shape[1]
        for points, terms, products in self.parts:
            curvature[points] += (heavy[points] @ products).reshape(-1, n_terms, n_terms)
            pull[points] += pulled[points] @ terms
            each = weight[:, points].reshape(-1, len(terms)).T[:, :, None] * terms[:, None, :]
            summed = np.add.reduceat(each, self.starts, axis=0).reshape(len(self.groups), 2, len(points), n_terms)
            cross[:, points] = summed.transpose(1, 2, 0, 3)
        scaled = cross * (share / own)[..., None]
        curvature -= (scaled.transpose(0, 1, 3, 2) @ cross).sum(axis=0)
        pull -= (slope[..., None, :] @ scaled)[..., 0, :].sum(axis=0)
        return _Slopes(own, slope, cross), share, curvature, pull

    def _moved(
        self, beta: Array, effect: Array, step: Array, step_of: Array, share: Array, log_part: Array, largest: float
    ) -> tuple[Array, Array, Array, Array]:
        """A step onwards; where it is large, no further than leads uphill."""
        far, before = np.ones(len(beta)), self._height(share, log_part, beta)
        while True:
            to, to_of = beta + far[:, None] * step, effect + far[:, None] * step_of
            rate, log_part = self._look(to, to_of)
            worse = (self._height(share, log_part, to) < before - 1e-9) & (far > _LEAST_STEP)
            if largest < _LARGE or not worse.any():
                return to, to_of, rate, log_part
            far[worse] *= 0.5

    def _height(self, share: Array, log_part: Array, beta: Array) -> Array:
        return np.asarray((share * log_part).sum(axis=(0, 2)) - 0.5 * (self.model.precision * beta**2).sum(axis=1))


@dataclass(frozen=True)
class _Slopes:
    own: Array  # (2, n_points, n_groups) D
    effect: Array  # the first derivative by the effect
    cross: Array  # (2, n_points, n_groups, n_terms) B
