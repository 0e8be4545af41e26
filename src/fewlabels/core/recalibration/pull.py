"""How much of the prior is left in what is believed after some labels."""

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array
from fewlabels.core.recalibration.fit import Fit, fit
from fewlabels.core.recalibration.model import Model


def pull_left(model: Model, fitted: Fit, labels: Array) -> Array:
    """Of each cell, in the model's order: what its rate changes by if the shift is expected to be another, as a share
    of what it changed by before the first label; never more than its logit does. From labels as much as they count.
    """
    nothing = np.zeros(len(model.size))
    coin, before = (_coins(model, one) for one in (fitted, fit(model, nothing, nothing)))
    on_logits = logits_with_the_shift(model, fitted, labels * coin)
    return np.asarray(np.clip(fitted.weight @ (on_logits * np.minimum(coin / before, 1.0)), 0.0, 1.0))


def logits_with_the_shift(model: Model, fitted: Fit, seen: Array) -> Array:
    """What each cell's logit changes by with the prior mean of the shift, (n_points, n_cells): their covariance, over
    the shift's variance beforehand. `seen` is what the labels of each cell tell of its logit."""

    def add(per_cell: Array) -> Array:
        return np.asarray(np.add.reduceat(per_cell, model.starts[:-1], axis=1))

    usual, exceptional = model.sds[..., None] ** -2.0
    own = add(seen) + (1 - fitted.exception) * usual + fitted.exception * exceptional  # D_g
    with_shift: Array = np.asarray(np.linalg.inv(fitted.curvature)[:, :, 0], dtype=np.float64)
    shared = model.linear(with_shift, model.reading) - model.offset[model.reading]
    return np.asarray(model.precision[:, :1] * (shared - (add(seen * shared) / own)[:, model.group]))


def _coins(model: Model, fitted: Fit) -> Array:
    """The variance of a label of each cell at the modes, (n_points, n_cells): what a rate changes by with its logit."""
    rate = expit(model.linear(fitted.beta, model.reading) + fitted.effect[:, model.group])
    return np.asarray(rate * (1 - rate))
