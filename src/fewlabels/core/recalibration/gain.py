"""What one more label in each cell is expected to take off the variance of the figures in question."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Aim
from fewlabels.core.recalibration.fit import Fit
from fewlabels.core.recalibration.model import Model

_POINTS = 8  # of the grid, the heaviest; others hardly count
_LITTLE = 0.01  # of the weight of the heaviest


def gain(model: Model, fitted: Fit, labels: Array, aims: Sequence[Sequence[Aim]]) -> Array:
    """For an item of each cell, in the model's order: the share that its label takes off the summed variances of each
    set of aims, added up over the sets; by Laplace's approximation at the heaviest points of the grid.

    Which items not labelled are hits is part of the variance, and of the gain.
    """
    heaviest = np.argsort(-fitted.weight, kind="stable")[:_POINTS]
    heaviest = heaviest[fitted.weight[heaviest] > _LITTLE * fitted.weight[heaviest[0]]]
    weight = fitted.weight[heaviest] / fitted.weight[heaviest].sum()
    points = [_Point(model, fitted, labels, int(point)) for point in heaviest]
    out = np.zeros(len(model.size))
    for together in aims:
        off, of = np.zeros(len(model.size)), 0.0
        for point, share in zip(points, weight.tolist(), strict=True):
            for aim in together:
                taken, all_of_it = point.taken_off(aim)
                off += share * taken
                of += share * all_of_it
        out += off / max(of, np.finfo(float).tiny)
    return out


class _Sums(NamedTuple):
    """Derivatives of the figures by the unknowns: x of beta, an effect of each group."""

    by_beta: Array  # (n_figures, n_terms)
    figure: Ints  # pairs of a figure and a group it has cells of
    group: Ints
    by_effect: Array  # of each pair


class _Point:
    """One point of the grid: the covariance of beta and effects there."""

    def __init__(self, model: Model, fitted: Fit, labels: Array, point: int) -> None:
        terms, self.group, self.groups = model.terms[model.reading[point]], model.group, model.groups
        eta = model.offset[model.reading[point]] + terms @ fitted.beta[point] + fitted.effect[point][self.group]
        rate = expit(eta)
        self.coin, self.rest, self.per_label = rate * (1 - rate), model.size - labels, model.trust.per_label
        exception, tau = fitted.exception[point], model.tau[point] ** 2
        seen = self.per_label * labels * self.coin

        def add(per_cell: Array) -> Array:
            return np.asarray(np.add.reduceat(per_cell, model.starts[:-1], axis=0))

        self.own = add(seen) + (1 - exception) / tau + exception / (tau + model.trust.slab**2)  # D_g
        self.x = terms - (add(seen[:, None] * terms) / self.own[:, None])[self.group]
        self.inverse = np.linalg.inv(fitted.curvature[point])
        self.t = self.x @ self.inverse
        self.uncertain = (self.x * self.t).sum(axis=1) + (1 / self.own)[self.group]

    def taken_off(self, aim: Aim) -> tuple[Array, float]:
        """What a label in each cell takes off sum_j weight_j Var(figure j), and all of that."""
        sums, weight, group = self._sums(aim), aim.weight, self.group
        spread = (sums.by_beta * weight[:, None]).T @ sums.by_beta
        of_pair = weight[sums.figure] * sums.by_effect
        both = np.zeros((self.groups, self.x.shape[1]))  # sum_j weight_j (by effect of g) (by beta)
        np.add.at(both, sums.group, of_pair[:, None] * sums.by_beta[sums.figure])
        own = np.bincount(sums.group, weights=of_pair * sums.by_effect, minlength=self.groups)
        shared = ((self.t @ spread) * self.t).sum(axis=1)
        shared += 2 * (both[group] * self.t).sum(axis=1) / self.own[group] + (own / self.own**2)[group]
        tossed = weight[aim.figure] * aim.per_hit**2 * self.coin
        off = self.coin * shared / (1 / self.per_label + self.coin * self.uncertain) + tossed
        of = float((tossed * self.rest).sum() + (own / self.own).sum() + (spread * self.inverse).sum())
        return off, of

    def _sums(self, aim: Aim) -> _Sums:
        each, figures = aim.per_hit * self.rest * self.coin, len(aim.weight)
        by_beta = np.stack([np.bincount(aim.figure, weights=each * x, minlength=figures) for x in self.x.T], axis=1)
        pairs, of_cell = np.unique(aim.figure * self.groups + self.group, return_inverse=True)
        by_effect = np.asarray(np.bincount(of_cell.reshape(-1), weights=each), dtype=np.float64)
        return _Sums(np.asarray(by_beta, dtype=np.float64), pairs // self.groups, pairs % self.groups, by_effect)
