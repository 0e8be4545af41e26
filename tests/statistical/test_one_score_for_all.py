"""A model that says 1 of everything, as an API without scores does: its groups, some right in 90 of 100 cases and some
in 99, from twenty labels.

100 pools of 1,500 items, five groups each. A true coverage of 92 % falls below 87 % once in 2,000 such tests (groups of
a pool miss together, standard error 1.4 points); where the score is believed as it is, 82 % hold.
"""

import numpy as np

import fewlabels as fl
from fewlabels.core.recalibration import model

RUNS, ITEMS, LABELS, LEAST = 100, 1500, 20, 0.87
RATES = np.array([0.90, 0.92, 0.95, 0.97, 0.99])


def coverage() -> float:
    """The share of groups whose interval holds the truth."""
    held = []
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        group = rng.integers(0, len(RATES), ITEMS)
        right = rng.random(ITEMS) < RATES[group]
        pool = fl.Pool.from_arrays(
            predicted=["a"] * ITEMS, score=np.ones(ITEMS), classes=["a", "b"], columns={"group": group.astype(str)}
        )
        study = fl.create_study(pool, fl.Estimate("accuracy", by="group"), seed=seed)
        study.tell({query.item: "a" if right[query.item] else "b" for query in study.ask(LABELS)})
        true = {str(one): right[group == one].mean() for one in range(len(RATES))}
        held += [f.low - 1e-9 <= true[f.group] <= f.high + 1e-9 for f in study.answer().findings]
    return float(np.mean(held))


def test_a_model_that_is_always_sure_is_not_believed():
    assert coverage() >= LEAST


def test_believing_it_is_caught(monkeypatch):
    monkeypatch.setattr(model, "YES", 1.0)
    assert coverage() < LEAST
