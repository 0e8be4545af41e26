"""Calibration errors of two models that are never right together: what speaks for one speaks against the other, and the
difference is off by more than if each erred by itself.

120 pools of 1,500 items, 100 labels each. A true coverage of 95 % falls below 88 % once in a thousand such tests
(standard error 2.0 points); where the two are put together as if they were independent, 82 % hold.
"""

import numpy as np

import fewlabels as fl
from fewlabels.reading.calibrations import CalibrationsReading

RUNS, ITEMS, LABELS, LEAST = 120, 1500, 100, 0.88
NAMES = ["a", "b", "c"]


def error(right: np.ndarray, score: np.ndarray) -> float:
    """From all labels, in ten bins."""
    place = np.minimum((score * 10).astype(int), 9)
    gaps = [abs((right - score)[place == one].sum()) for one in np.unique(place)]
    return float(sum(gaps) / len(score))


def coverage() -> float:
    """The share of differences that their interval holds."""
    held = []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        one = rng.integers(0, 3, ITEMS)
        other = (one + rng.integers(1, 3, ITEMS)) % 3
        true = np.where(rng.random(ITEMS) < 0.55, one, np.where(rng.random(ITEMS) < 0.9, other, 3 - one - other))
        scores = rng.uniform(0.6, 1.0, (2, ITEMS))
        each = {"one": (one, scores[0]), "other": (other, scores[1])}
        pool = fl.Pool.join(
            {
                name: fl.Pool.from_arrays(predicted=[NAMES[p] for p in said], score=sure, classes=NAMES)
                for name, (said, sure) in each.items()
            }
        )
        study = fl.create_study(pool, fl.CompareModels("calibration_error", "one", "other"), seed=seed)
        study.tell({query.item: NAMES[true[query.item]] for query in study.ask(LABELS)})
        found, (first, second) = study.answer().difference, (error(true == said, sure) for said, sure in each.values())
        held.append(found.low <= first - second <= found.high)
    return float(np.mean(held))


def test_the_interval_holds():
    assert coverage() >= LEAST


def test_putting_them_together_as_if_they_were_independent_is_caught(monkeypatch):
    monkeypatch.setattr(CalibrationsReading, "opposed", 0.0)
    assert coverage() < LEAST
