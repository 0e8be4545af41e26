"""Known labels, arranged so that a run can be dealt from them: each cell's items in the keyed order of the run."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Ints, Keys
from fewlabels.core.cells import Cells
from fewlabels.core.keyed import item_order


@dataclass(frozen=True)
class Deck:
    """One run's order: the items of cell c are dealt from starts[c] on."""

    label: Ints  # (n_items,) index of the true class, in the order of dealing
    predicted: Ints  # (n_items,) index of the predicted class
    correct: Ints  # (n_items,) 1 where the prediction is right
    starts: Ints  # (n_cells + 1,)


@dataclass(frozen=True)
class Known:
    """The true class of every item, with its cell and prediction."""

    cells: Cells
    cell: Ints  # (n_items,)
    predicted: Ints
    label: Ints
    hashes: Keys
    n_true: int

    def deal(self, seed: int) -> Deck:
        """The order of a run. The same seed gives the same order to every method: runs are paired."""
        order = np.lexsort((item_order(seed, self.hashes), self.cell))
        starts = np.searchsorted(self.cell[order], np.arange(self.cells.count + 1))
        label, predicted = self.label[order], self.predicted[order]
        return Deck(label, predicted, (label == predicted).astype(np.int64), starts.astype(np.int64))

    @cached_property
    def rates(self) -> Array:
        """The share of right predictions in each cell."""
        right = (self.label == self.predicted).astype(np.float64)
        return np.bincount(self.cell, weights=right, minlength=self.cells.count) / self.cells.size

    @cached_property
    def shares(self) -> Array:
        """The share of each true class in each cell, (n_cells, n_true)."""
        flat = np.bincount(self.cell * self.n_true + self.label, minlength=self.cells.count * self.n_true)
        return np.asarray(flat.reshape(self.cells.count, self.n_true) / self.cells.size[:, None])

    def positive_rates(self, positive: int) -> Array:
        """The share of one true class in each cell."""
        return np.asarray(self.shares[:, positive])
