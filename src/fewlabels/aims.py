"""What labels are chosen for: the figures of a question whose variance they are to bring down."""

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Aim, LearningBelief
from fewlabels.core.cells import Partition, View
from fewlabels.metrics import Metric

_BENDS = 12  # draws of the rates at which a figure that is not linear in them is taken for a line


def shares(parts: Partition, weight: Array) -> Aim:
    """The share of hits in each part."""
    return Aim(1 / parts.size[parts.index], parts.index, weight)


def values(metric: Metric, view: View, belief: LearningBelief, rng: np.random.Generator) -> list[Aim]:
    """The metric's rows, each weighing what its group does in the pool.

    A figure that bends, such as an absolute gap, is taken for a line at each of several draws: gaps of known sign then
    count together, others each for itself.
    """
    rows = metric.rows(view)
    if metric.linear:
        return [shares(rows.partition, rows.partition.weight)]
    cells, part = view.cells, rows.partition.index
    drawn = belief.draws(_BENDS, rng, pool=True)
    return [Aim(metric.influence(one, view).sum(axis=0) / cells.size, part, rows.partition.weight) for one in drawn]


def difference(parts: Partition, pair: tuple[int, int]) -> Aim:
    """The share of hits in one part, less that in another."""
    sign = np.select([parts.index == pair[0], parts.index == pair[1]], [1.0, -1.0], 0.0)
    return Aim(sign / parts.size[parts.index], np.zeros(len(sign), dtype=np.int64), np.ones(1))


def contested(draws: Array, top: int) -> Array:
    """How often each column is among the `top` lowest in one draw and not in another: what is left to find out."""
    among = np.argpartition(draws, top - 1, axis=1)[:, :top]
    often = np.bincount(among.ravel(), minlength=draws.shape[1]) / len(draws)
    return np.asarray(often * (1 - often))
