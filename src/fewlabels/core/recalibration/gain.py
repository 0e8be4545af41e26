"""What one more label in each cell is expected to take off the variance of the figures in question."""

from collections.abc import Sequence

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
    points, out = _Points(model, fitted, labels, heaviest), np.zeros(len(model.size))
    for together in aims:
        off, of = np.zeros(len(model.size)), 0.0
        for aim in together:
            taken, all_of_it = points.taken_off(aim)
            off += weight @ taken
            of += float(weight @ all_of_it)
        out += off / max(of, np.finfo(float).tiny)
    return out


class _Points:
    """Some points of the grid, the first axis everywhere: the covariance of beta and effects there."""

    def __init__(self, model: Model, fitted: Fit, labels: Array, points: Ints) -> None:
        reading, self.group, self.groups = model.reading[points], model.group, model.groups
        eta = model.linear(fitted.beta[points], reading) + fitted.effect[points][:, self.group]
        rate = expit(eta)
        self.coin, self.rest, self.per_label = rate * (1 - rate), model.size - labels, model.trust.per_label
        exception, tau = fitted.exception[points], model.tau[points, None] ** 2
        seen, terms = self.per_label * labels * self.coin, model.terms[reading]

        def add(per_cell: Array) -> Array:
            return np.asarray(np.add.reduceat(per_cell, model.starts[:-1], axis=1))

        self.own = add(seen) + (1 - exception) / tau + exception / (tau + model.trust.slab**2)  # D_g
        self.x = terms - (add(seen[..., None] * terms) / self.own[..., None])[:, self.group]
        self.inverse = np.linalg.inv(fitted.curvature[points])
        self.t = self.x @ self.inverse
        self.uncertain = _dot(self.x, self.t) + (1 / self.own)[:, self.group]

    def taken_off(self, aim: Aim) -> tuple[Array, Array]:
        """What a label in each cell takes off sum_j weight_j Var(figure j), and all of that."""
        group, weight = self.group, aim.weight
        # Derivatives of the figures by beta; and by effects, of each pair of a figure and a group it has cells of.
        pair = aim.figure * self.groups + group
        order = np.argsort(pair, kind="stable")
        starts = np.flatnonzero(np.diff(pair[order], prepend=-1))
        figure, of_group = pair[order][starts] // self.groups, pair[order][starts] % self.groups
        each = (aim.per_hit * self.rest * self.coin)[:, order]
        by_effect = np.add.reduceat(each, starts, axis=1)
        firsts = np.flatnonzero(np.diff(figure, prepend=-1))
        by_beta = np.add.reduceat(each[..., None] * self.x[:, order], starts[firsts], axis=1)
        counted = weight[figure[firsts]]
        spread = (by_beta * counted[:, None]).transpose(0, 2, 1) @ by_beta
        of_pair = weight[figure] * by_effect
        place = np.cumsum(np.diff(figure, prepend=figure[:1]) > 0)  # of each pair's figure among those there are
        both = np.zeros((len(each), self.groups, self.x.shape[2]))  # sum_j weight_j (by effect of g) (by beta)
        own = np.zeros((len(each), self.groups))
        by_group = np.argsort(of_group, kind="stable")
        ends = np.flatnonzero(np.diff(of_group[by_group], prepend=-1))
        there = of_group[by_group][ends]
        both[:, there] = np.add.reduceat((of_pair[..., None] * by_beta[:, place])[:, by_group], ends, axis=1)
        own[:, there] = np.add.reduceat((of_pair * by_effect)[:, by_group], ends, axis=1)
        shared = _dot(self.t @ spread, self.t)
        shared += 2 * _dot(both[:, group], self.t) / self.own[:, group] + (own / self.own**2)[:, group]
        tossed = weight[aim.figure] * aim.per_hit**2 * self.coin
        off = self.coin * shared / (1 / self.per_label + self.coin * self.uncertain) + tossed
        of = (tossed * self.rest).sum(axis=1) + (own / self.own).sum(axis=1) + (spread * self.inverse).sum(axis=(1, 2))
        return off, of


def _dot(a: Array, b: Array) -> Array:
    """Of rows along the last axis."""
    return np.asarray(np.einsum("pct,pct->pc", a, b))
