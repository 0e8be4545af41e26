"""A pool with known labels as plain arrays: what was predicted, how surely, what is true, and how often which."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.groups import PredictedClass
from fewlabels.engines import gathered
from fewlabels.errors import PoolError
from fewlabels.pool import Pool
from fewlabels.reproduction.base.data import SOURCES


@dataclass(frozen=True)
class LabelledPool:
    """Items with their predicted class, score and true class."""

    predicted: Ints  # index into the pool's classes
    score: Array
    true: Ints  # index into the true classes, which begin with the pool's
    n_classes: int

    def __len__(self) -> int:
        return len(self.predicted)

    @cached_property
    def right(self) -> Ints:
        """1 for each item whose prediction is right, else 0."""
        return np.asarray(self.predicted == self.true, dtype=np.int64)

    def bins(self, count: int) -> Ints:
        """The score bin of equal width of each item."""
        return np.minimum((self.score * count).astype(np.int64), count - 1)

    def some(self, items: Ints) -> "LabelledPool":
        """These items only."""
        return LabelledPool(self.predicted[items], self.score[items], self.true[items], self.n_classes)

    def calibration_error(self, count: int = 10) -> float:
        """The usual estimate of ECE from these items alone: their own shares, mean scores and accuracies by bin."""
        bins = self.bins(count)
        gap = np.bincount(bins, self.right, count) - np.bincount(bins, self.score, count)
        return float(np.abs(gap).sum() / len(self))


def model_of(pool: Pool) -> str:
    """The pool's model, of several the one the figures show."""
    wanted = {source.model for source in SOURCES.values()}
    return next((model for model in pool.models if model in wanted), pool.models[0])


def labelled(pool: Pool) -> LabelledPool:
    """The items of a pool with known labels."""
    rows = gathered(pool.engine.scan(model_of(pool)))
    if rows.labels is None:
        raise PoolError("a reproduction needs the true labels; the file of predictions has no column 'label'.")
    where = {name: i for i, name in enumerate(pool.true_classes)}
    true = np.array([where[str(label)] for label in rows.labels])
    return LabelledPool(rows.predicted, rows.score, true, len(pool.classes))


def random_items(pool: Pool, labels: int | None, seed: int = 0) -> Ints:
    """So many items at random, those of fewer being the first of those of more; None for all."""
    return np.random.default_rng(seed).permutation(len(pool))[:labels]


def confusion_counts(pool: Pool, items: Ints | None = None) -> Ints:
    """Items of each predicted and true class, (n_predicted, n_true); of all items, or of these."""
    known = labelled(pool) if items is None else labelled(pool).some(items)
    counts = np.zeros((len(pool.classes), len(pool.true_classes)), dtype=np.int64)
    np.add.at(counts, (known.predicted, known.true), 1)
    return counts


def mean_scores(pool: Pool) -> Array:
    """m_k: the mean class probabilities of the items of each predicted class, (n_predicted, n_true)."""
    cells = pool.engine.summarise(model_of(pool), (PredictedClass(),), probabilities=True)
    assert cells.probability_sum is not None  # as asked for
    out = np.full((len(pool.classes), len(pool.true_classes)), 1 / len(pool.true_classes))
    out[cells.coordinates[:, 0]] = cells.probability_sum / cells.size[:, None]
    return out
