"""Known labels, arranged so that a run can be dealt from them: each cell's items in the keyed order of the run."""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Ints, Keys
from fewlabels.core.cells import Cells
from fewlabels.core.keyed import item_order
from fewlabels.core.outcomes import Outcome


@dataclass(frozen=True)
class Deck:
    """One run's order: the items of cell c are dealt from starts[c] on."""

    label: Ints  # (n_items,) index of the true class, in the order of dealing
    predicted: Ints  # (n_items,) index of the predicted class
    correct: Ints  # (n_items,) 1 where the prediction is right
    starts: Ints  # (n_cells + 1,)

    def dealt(self, cells: Ints) -> Ints:
        """The places of the items, one being dealt from each of these cells in turn."""
        order = np.argsort(cells, kind="stable")
        before = np.searchsorted(cells[order], cells[order])  # draws from cells further in front
        place = np.empty(len(cells), dtype=np.int64)
        place[order] = self.starts[cells[order]] + np.arange(len(cells)) - before
        return place


@dataclass(frozen=True)
class Known:
    """The true class of every item, with its cell and prediction."""

    cells: Cells
    cell: Ints  # (n_items,)
    predicted: Ints
    label: Ints
    hashes: Keys

    def deal(self, seed: int) -> Deck:
        """The order of a run. The same seed gives the same order to every method: runs are paired."""
        order = np.lexsort((item_order(seed, self.hashes), self.cell))
        starts = np.searchsorted(self.cell[order], np.arange(self.cells.count + 1))
        label, predicted = self.label[order], self.predicted[order]
        return Deck(label, predicted, (label == predicted).astype(np.int64), starts.astype(np.int64))

    def counts(self, outcome: Outcome) -> Array:
        """Items of each cell by what their labels say, (n_cells, n_codes)."""
        codes, width = outcome.codes(self.label, self.predicted), outcome.width
        flat = np.bincount(self.cell * width + codes, minlength=self.cells.count * width)
        return flat.reshape(self.cells.count, width).astype(np.float64)

    def shares(self, outcome: Outcome) -> Array:
        """The rate of each cell (n_cells,), or its shares (n_cells, n_codes)."""
        share = self.counts(outcome) / self.cells.size[:, None]
        return np.ascontiguousarray(share[:, 0]) if outcome.rates else share
