"""Items that were asked and that nobody could label, and what would be known if they had labels."""

from dataclasses import dataclass, replace

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.evidence import Evidence


@dataclass(frozen=True)
class Skips:
    """The evidence with a label for each skipped item. Only its labels are open: how each item was drawn is known."""

    evidence: Evidence  # its last rows are the skipped items
    count: int  # of these
    open: int = 0  # those among them that wait for an answer

    @property
    def cell(self) -> Ints:
        return self.evidence.cell[-self.count :]

    @property
    def predicted(self) -> Ints:
        return self.evidence.predicted[-self.count :]

    @property
    def score(self) -> Array:
        return self.evidence.score[-self.count :]

    @property
    def share(self) -> float:
        """Of the items that somebody looked at, how many were skipped."""
        return self.count / max(self.evidence.count, 1)

    @property
    def told(self) -> Evidence:
        """Columns of the labelled items alone."""
        rows = slice(0, self.evidence.count - self.count)
        found = self.evidence
        return Evidence(
            found.items[rows], found.cell[rows], found.predicted[rows], found.label[rows], found.score[rows]
        )

    def having(self, label: Ints) -> Evidence:
        """The evidence, if the skipped items had these labels."""
        known = self.evidence.label[: -self.count]
        return replace(self.evidence, label=np.concatenate([known, label]).astype(self.evidence.label.dtype))

    def moved(self, cell: Ints, predicted: Ints, score: Array, *, evenly: bool = False) -> "Skips":
        """The same with other cells, predictions and scores of all rows."""
        return replace(self, evidence=self.evidence.moved(cell, predicted, score, evenly=evenly))
