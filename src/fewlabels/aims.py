"""What labels are chosen for: the figures of a question whose variance they are to bring down."""

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Aim
from fewlabels.core.cells import Partition


def shares(parts: Partition, weight: Array | None = None) -> Aim:
    """The share of hits in each part, which counts as much as it has items, or as is said."""
    return Aim(1 / parts.size[parts.index], parts.index, parts.weight if weight is None else weight)


def difference(parts: Partition, pair: tuple[int, int]) -> Aim:
    """The share of hits in one part, less that in another."""
    sign = np.select([parts.index == pair[0], parts.index == pair[1]], [1.0, -1.0], 0.0)
    return Aim(sign / parts.size[parts.index], np.zeros(len(sign), dtype=np.int64), np.ones(1))


def contested(draws: Array, top: int) -> Array:
    """How often each column is among the `top` lowest in one draw and not in another: what is left to find out."""
    among = np.argpartition(draws, top - 1, axis=1)[:, :top]
    often = np.bincount(among.ravel(), minlength=draws.shape[1]) / len(draws)
    return np.asarray(often * (1 - often))
