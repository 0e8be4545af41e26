"""A pool among more classes than it predicts."""

from dataclasses import replace

import numpy as np

from fewlabels.engines import in_memory
from fewlabels.pool.pool import Pool


def with_classes(pool: Pool, classes: tuple[str, ...], other_labels: tuple[str, ...] | None = None) -> Pool | None:
    """The pool with classes that are never predicted among its own, and with these other labels; None where it has
    classes besides these, or tells the probabilities of fewer."""
    others = pool.other_labels if other_labels is None else other_labels
    if (pool.classes, pool.other_labels) == (classes, others):
        return pool
    less = pool.classes != classes
    if not set(pool.classes) <= set(classes) or (less and pool.engine.full_probabilities):
        return None
    engine, place = in_memory(pool.engine), np.array([classes.index(name) for name in pool.classes], dtype=np.int64)
    models = {name: replace(said, predicted=place[said.predicted]) for name, said in engine.models.items()}
    source = None if pool.source is None else {**pool.source, "classes": list(classes), "other_labels": list(others)}
    return replace(pool, engine=replace(engine, classes=classes, other_labels=others, models=models), source=source)
