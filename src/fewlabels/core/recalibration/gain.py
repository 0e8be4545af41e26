"""What one more label in each cell is expected to take off the variance of the groups' figures, and of the whole."""

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array
from fewlabels.core.recalibration.fit import Fit
from fewlabels.core.recalibration.model import SLAB, Model

_POINTS = 8  # of the grid, the heaviest; others hardly count
_LITTLE = 0.01  # of the weight of the heaviest


def gain(model: Model, fitted: Fit, labels: Array) -> Array:
    """For an item of each cell, in the model's order: the share that its label takes off sum_g p_g Var(theta_g), and
    that off the variance of the whole pool's figure, together; by Laplace's approximation.

    With theta_g the share of hits among the group's items, p_g its share of the pool. Which items not labelled are hits
    is part of the variance, and of the gain.
    """
    heaviest = np.argsort(-fitted.weight, kind="stable")[:_POINTS]
    heaviest = heaviest[fitted.weight[heaviest] > _LITTLE * fitted.weight[heaviest[0]]]
    weight = fitted.weight[heaviest] / fitted.weight[heaviest].sum()
    found = [_at(model, fitted, labels, int(point)) for point in heaviest]
    off_groups, with_whole, rate, of_groups, of_whole = (
        np.tensordot(weight, np.stack(column), axes=1) for column in zip(*found, strict=True)
    )
    coin = np.maximum(rate * (1 - rate), 1e-9)
    off_whole = with_whole**2 / coin + coin / model.size.sum() ** 2
    return np.asarray(off_groups / of_groups + off_whole / of_whole)


def _at(model: Model, fitted: Fit, labels: Array, point: int) -> tuple[Array, Array, Array, Array, Array]:
    """At one point of the grid: what a label takes off the groups' variance, its covariance with the whole, the rate of
    each cell; and both variances."""
    total, rest, group = model.size.sum(), model.size - labels, model.group
    terms, curvature = model.terms[model.reading[point]], fitted.curvature[point]
    eta = model.offset[model.reading[point]] + terms @ fitted.beta[point] + fitted.effect[point][group]
    rate = expit(eta)
    coin = rate * (1 - rate)

    def add(per_cell: Array) -> Array:
        return np.asarray(np.add.reduceat(per_cell, model.starts[:-1], axis=0))

    exception, tau = fitted.exception[point], model.tau[point] ** 2
    own = add(labels * coin) + (1 - exception) / tau + exception / (tau + SLAB**2)  # D_g
    x = terms - (add((labels * coin)[:, None] * terms) / own[:, None])[group]
    of_group, of_whole = rest * coin / model.group_size[group], rest * coin / total
    a, k = add(of_group[:, None] * x), add(of_group)
    fa, fk, p = of_whole @ x, add(of_whole), model.group_size / total
    inverse = np.linalg.inv(curvature)
    spread = (a * p[:, None]).T @ a
    t = x @ inverse
    at, mine = (a[group] * t).sum(axis=1), (k / own)[group]
    uncertain = (x * t).sum(axis=1) + (1 / own)[group]
    shared = ((t @ spread) * t).sum(axis=1) + p[group] * ((at + mine) ** 2 - at**2)
    off_groups = coin * shared / (1 + coin * uncertain) + coin * (p / model.group_size**2)[group]
    with_whole = coin * (t @ fa + (fk / own)[group])
    groups = (of_group / total).sum() + (p * k**2 / own).sum() + (spread * inverse).sum()
    whole = (of_whole / total).sum() + (fk**2 / own).sum() + fa @ inverse @ fa
    return off_groups, with_whole, rate, np.asarray(groups), np.asarray(whole)
