"""A study of a large pool keeps the first items of each cell, and asks without looking into the pool again."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.study import first_items
from fewlabels.tables import large_tables
from pools_in_tables import write

N = 400
PLAIN = {"strategy": "uniform", "estimator": "beta"}  # a cell is a class
QUESTION = fl.Estimate("accuracy", by="predicted_class")


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Where a study of a pool in a file is made, which counts as large."""
    rng = np.random.default_rng(3)
    table = {"id": np.arange(N), "predicted": rng.choice(["ant", "bee"], N), "score": rng.uniform(size=N)}
    write(tmp_path / "pool.parquet", {**table, "text": [f"item {n}" for n in range(N)]})
    monkeypatch.setattr(first_items, "FROM", 0)
    monkeypatch.setattr(first_items, "LEAST", 8)
    monkeypatch.setattr(first_items, "MOST", 8)
    monkeypatch.setattr(large_tables, "LARGE", 0)
    return tmp_path


def label(study: fl.Study, times: int) -> list[tuple[object, ...]]:
    asked = []
    for _ in range(times):
        (query,) = study.ask(1)
        study.tell(query, query.predicted)
        asked.append((query.item, query.cell, query.score, query.payload["text"]))
    return asked


def test_a_reopened_study_asks_without_its_pool_as_long_as_items_are_kept(place, monkeypatch):
    address = f"sqlite:///{place}/study.db"
    pool = fl.open_pool(place / "pool.parquet")
    assert isinstance(pool.engine, SqlEngine)
    expected = label(fl.create_study(pool, QUESTION, **PLAIN), 60)
    fl.create_study(pool, QUESTION, **PLAIN, storage=address)
    (place / "pool.parquet").rename(place / "moved.parquet")
    study = fl.load_study(storage=address)
    assert label(study, 10) == expected[:10]
    with pytest.raises(fl.StudyError, match="the study's pool is not where it was"):
        label(study, 30)
    (place / "moved.parquet").rename(place / "pool.parquet")
    done = len(study.labels)
    assert label(fl.load_study(storage=address), 60 - done) == expected[done:]


def test_what_runs_out_is_filled_up_in_one_query_and_kept(place, monkeypatch):
    address = f"sqlite:///{place}/study.db"
    fl.create_study(fl.open_pool(place / "pool.parquet"), QUESTION, **PLAIN, storage=address)
    study = fl.load_study(storage=address)
    limits = []
    below = SqlEngine._below
    monkeypatch.setattr(SqlEngine, "_below", lambda *a: limits.append(a[-1]) or below(*a))
    label(study, 40)
    assert 1 <= len(limits) <= 2
    (place / "pool.parquet").unlink()
    kept = fl.load_study(storage=address)
    places = [row.place for row in kept._storage.firsts.items("study", 0, 0, 0, 99)]
    assert places == list(range(len(places)))
    assert len(places) > 20
    label(kept, 5)


def test_two_studies_of_one_pool_share_what_is_kept(place):
    address = f"sqlite:///{place}/study.db"
    pool = fl.open_pool(place / "pool.parquet")
    one, two = (fl.create_study(pool, QUESTION, **PLAIN, storage=address, name=n) for n in ("a", "b"))
    assert label(one, 12) == label(two, 12)


def test_nobody_waits_while_a_new_study_looks_into_its_pool_and_nothing_is_left_if_it_is_killed(place, monkeypatch):
    """Another study in the same file is told a label in the middle of the pass."""
    address = f"sqlite:///{place}/studies.db"
    pool = fl.open_pool(place / "pool.parquet")
    other = fl.create_study(fl.Pool.from_arrays(predicted=["a", "b"], score=[0.5, 0.6]), QUESTION, storage=address)
    (query,) = other.ask(1)

    def killed(*_):
        other.tell(query, query.predicted)
        raise KeyboardInterrupt

    monkeypatch.setattr(SqlEngine, "_below", killed)
    with pytest.raises(KeyboardInterrupt):
        fl.create_study(pool, QUESTION, **PLAIN, storage=address, name="large")
    assert len(other.labels) == 1
    assert fl.load_study(storage=address).labels == other.labels
    assert list(other._storage.names()) == ["study"]
