"""A pool with known labels as plain arrays: what was predicted, how surely, and whether it was right."""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.engines import gathered
from fewlabels.errors import PoolError
from fewlabels.pool import Pool
from fewlabels.reproduction.data import SOURCES


@dataclass(frozen=True)
class Outcomes:
    """Items with their predicted class, score, and whether the prediction is right."""

    predicted: Ints
    score: Array
    right: Ints
    n_classes: int

    def __len__(self) -> int:
        return len(self.predicted)

    def bins(self, count: int) -> Ints:
        """The score bin of equal width of each item."""
        return np.minimum((self.score * count).astype(np.int64), count - 1)

    def some(self, items: Ints) -> "Outcomes":
        """These items only."""
        return Outcomes(self.predicted[items], self.score[items], self.right[items], self.n_classes)

    def calibration_error(self, count: int = 10) -> float:
        """The usual estimate of ECE from these items alone: their own shares, mean scores and accuracies by bin."""
        bins = self.bins(count)
        gap = np.bincount(bins, self.right, count) - np.bincount(bins, self.score, count)
        return float(np.abs(gap).sum() / len(self))


def model_of(pool: Pool) -> str:
    """The pool's model, of several the one the figures show."""
    wanted = {source.model for source in SOURCES.values()}
    return next((model for model in pool.models if model in wanted), pool.models[0])


def outcomes_of(pool: Pool) -> Outcomes:
    """The items of a pool with known labels."""
    rows = gathered(pool.engine.scan(model_of(pool)))
    if rows.labels is None:
        raise PoolError("a reproduction needs the true labels; the file of predictions has no column 'label'.")
    right = np.array(pool.classes, dtype=object)[rows.predicted] == rows.labels
    return Outcomes(rows.predicted, rows.score, right.astype(np.int64), len(pool.classes))
