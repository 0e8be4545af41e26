"""Confusion matrices of a pool with known labels: counts, mean scores, and estimates from some labels."""

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.groups import PredictedClass
from fewlabels.engines import gathered
from fewlabels.pool import Pool
from fewlabels.reproduction.outcomes import model_of


def confusion_counts(pool: Pool, items: Ints | None = None) -> Ints:
    """Items of each predicted and true class, (n_predicted, n_true); of all items, or of these."""
    rows = gathered(pool.engine.scan(model_of(pool)))
    assert rows.labels is not None  # the pools of this package have them
    where = {name: i for i, name in enumerate(pool.true_classes)}
    true = np.array([where[str(label)] for label in rows.labels])
    chosen = slice(None) if items is None else items
    counts = np.zeros((len(pool.classes), len(pool.true_classes)), dtype=np.int64)
    np.add.at(counts, (rows.predicted[chosen], true[chosen]), 1)
    return counts


def mean_scores(pool: Pool) -> Array:
    """m_k: the mean class probabilities of the items of each predicted class, (n_predicted, n_true)."""
    cells = pool.engine.summarise(model_of(pool), (PredictedClass(),), probabilities=True)
    assert cells.probability_sum is not None  # as asked for
    out = np.full((len(pool.classes), len(pool.true_classes)), 1 / len(pool.true_classes))
    out[cells.coordinates[:, 0]] = cells.probability_sum / cells.size[:, None]
    return out


def confusion_estimate(pool: Pool, items: Ints, *, informed: bool) -> Array:
    """Posterior means of p(true | predicted) from the labels of these items, under a Dirichlet prior of strength 1."""
    n_true = len(pool.true_classes)
    prior = mean_scores(pool) if informed else np.full((len(pool.classes), n_true), 1 / n_true)
    total = prior + confusion_counts(pool, items)
    return np.asarray(total / total.sum(axis=1, keepdims=True))


def nearly_identity(size: Ints, n_true: int) -> Array:
    """F: the posterior means under a flat prior of strength 1 once each label was counted as predicted."""
    counted = np.eye(len(size), n_true) * size[:, None]
    return np.asarray((1 / n_true + counted) / (1 + size)[:, None])


def squared_error(estimate: Array, truth: Array) -> Array:
    """sum_j (estimate_kj - truth_kj)^2 of each predicted class k."""
    return np.asarray(((estimate - truth) ** 2).sum(axis=-1))
