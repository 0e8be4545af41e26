"""Beside a model's figures, those by the chances of drawing alone: seldom at odds with a model that fits, nearly always
with one that does not.

Of 100 studies, an alarm in 2 % is one in six or more once in 60 such tests; one in 10 % passes once in 40. The rigid
model, to which groups are all alike, is the negative control: two groups of opposite miscalibration contradict it.
"""

from collections.abc import Iterator

import numpy as np
import pytest
from benchmarks.leaderboard.labelled import Labelled, take
from benchmarks.leaderboard.pools import entries, load, sub_pool
from benchmarks.leaderboard.studies import STUDIES

from fewlabels.core.recalibration import model
from fewlabels.simulation.compiled import fast

LOOKS, FEW, MANY = [50, 100, 200, 500], 12, 100


def runs_of(title: str, count: int) -> Iterator[Labelled]:
    """Runs on random sub-pools, ten labels at a time."""
    (entry,) = (e for e in entries() if e.title == title)
    for run in range(count):
        yield take(load(entry), sub_pool(entry, run), STUDIES["classes"], "gain+hierarchical", run, 10)


def alarms(title: str, count: int) -> np.ndarray:
    """The share of studies in which a figure is contradicted, at each look."""
    found = []
    with fast():
        for run in runs_of(title, count):
            readings = [run.reading(run.looks.index(look)) for look in LOOKS]
            found.append([any(f.contradicted for f in (*r.findings, r.overall)) for r in readings])
    return np.mean(found, axis=0)


@pytest.fixture
def _rigid(monkeypatch):
    """Groups have no effects of their own."""
    monkeypatch.setattr(model, "SPREADS", ((1e-3, 1.0),))
    monkeypatch.setattr(model, "WIDE_SPREAD", 1e-3)
    monkeypatch.setattr(model, "BETWEEN_SD", 1e-3)
    rigid = model.Trust((0.35, 0.40, 0.25), (1e-9, 1e-9), 1e-3, False, 1.0)
    monkeypatch.setattr("fewlabels.estimators.hierarchical.Hierarchical.trust", rigid)


@pytest.mark.usefixtures("_rigid")
def test_a_model_that_does_not_fit_is_contradicted():
    assert alarms("opposite_groups", FEW)[-1] > 0.7


def test_a_model_that_fits_is_not():
    assert alarms("opposite_groups", FEW).max() < 0.2


@pytest.mark.slow
@pytest.mark.usefixtures("_rigid")
def test_power():
    assert alarms("opposite_groups", MANY)[-1] >= 0.8


@pytest.mark.slow
@pytest.mark.parametrize("title", ["opposite_groups", "saturated", "one_group_at_zero", "20news", "cifar10_vgg16"])
def test_false_alarms(title):
    assert alarms(title, MANY).max() < 0.06
