"""HERDING, a rival of [ACIS21]: items whose probability vectors average to those of the pool [Welling 2009].

The paper speaks of the moments of a high-dimensional distribution and does not say which; the probabilities of all
classes are what a pool has. Nothing is random and no class is preferred, so one order of items serves all classes.
"""

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.engines import gathered
from fewlabels.pool import Pool
from fewlabels.reproduction.acis21.one_vs_rest import classes_of, f1
from fewlabels.reproduction.base import labelled


def herded(features: Array, count: int) -> Ints:
    """So many items, one after the other that which moves the mean of those chosen closest to the mean of all.

    w_t = w_(t-1) + mean - x_t and x_t = argmax over unchosen x of w · x - |x|² / 2: the kernel is the plain product.
    """
    half, mean = (features**2).sum(axis=1) / 2, features.mean(axis=0)
    chosen, total = np.empty(count, dtype=np.int64), np.zeros(features.shape[1])
    for place in range(count):
        wanted = (place + 1) * mean - total
        gain = features @ wanted - half
        gain[chosen[:place]] = -np.inf
        chosen[place] = gain.argmax()
        total += features[chosen[place]]
    return chosen


def herding_errors(pool: Pool, budgets: tuple[int, ...]) -> Array:
    """Squared error and error of F1 by class and number of labels, (n_classes, n_budgets, 2)."""
    rows = gathered(pool.engine.scan(pool.models[0], whole=True))
    order, items = herded(np.asarray(rows.probabilities, dtype=np.float64), budgets[-1]), labelled(pool)
    some = [items.some(order[:labels]) for labels in budgets]
    error = np.array([[f1(part, k) - f1(items, k) for part in some] for k in classes_of(pool)])
    return np.stack([error**2, error], axis=-1)
