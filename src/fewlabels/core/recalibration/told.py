"""The cells with labels, which are what a fit and its draws go over; and whether compiled code does."""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.loops import Loops
from fewlabels.core.recalibration.model import Model


@dataclass(frozen=True)
class Told:
    """The cells with labels in the model's order, with what was told of each."""

    cells: Ints
    hits: Array
    labels: Array
    groups: Ints  # those with labels
    group: Ints  # of each cell, its place among these
    ends: Ints  # where the cells of each group start, and the end

    @classmethod
    def of(cls, model: Model, hits: Array, labels: Array) -> "Told":
        """From hits and labels of every cell."""
        cells = np.flatnonzero(labels)
        groups, group = np.unique(model.group[cells], return_inverse=True)
        ends = np.searchsorted(group, np.arange(len(groups) + 1))
        return cls(cells, hits[cells], labels[cells], groups, group, ends)

    def sum(self, per_cell: Array) -> Array:
        """Over the cells of each group, along the last axis."""
        return np.asarray(np.add.reduceat(per_cell, self.ends[:-1], axis=-1))


_LOOPS = Loops("recalibration")
compiled, using = _LOOPS.used, _LOOPS.using
