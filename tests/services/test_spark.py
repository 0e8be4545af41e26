"""Pools on a cluster of several processes: what other engines find, to the bit, and a worker that is killed."""

import os
import pickle
import re
import signal
import threading
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fewlabels as fl
from fewlabels.core.groups import Column, PredictedClass, ScoreBins, ScoreLevels, ScoreStrata
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.tables import large_tables
from fewlabels.testing import engines as promises
from odd_pools import AXES, REFUSED, assert_same, random_table, some_probabilities
from pools_in_tables import in_spark, write
from services.spark_cluster import executors, interpreted

pytestmark = pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # of PySpark's

MANY, PARTS = 200_000, 8


@pytest.fixture(scope="module")
def made():
    """Engines by their items: queries of a cluster take their time, and of the same items nothing is asked twice."""
    return {}


@pytest.fixture
def make(spark, made):
    def of(items):
        key = pickle.dumps(vars(items))
        if key not in made:
            made[key] = in_spark(items, spark)
        return made[key]

    with interpreted(spark):
        yield of


@pytest.mark.parametrize("name", promises.AXES)
def test_all_is_as_in_memory_on_random_pools(make, name):
    promises.same_as_in_memory(make, promises.AXES[name])


@pytest.mark.parametrize("name", ["whole pool", "crossing"])
def test_the_promises_of_engines_are_kept(make, name):
    axes = promises.AXES[name]
    promises.cells_are_sums_over_items(make, axes)
    promises.outputs_are_those_of_the_rows(make, axes, "two")
    promises.a_scan_says_what_the_rows_say(make, axes)
    promises.an_order_holds_each_item_once(make, axes)
    promises.a_row_says_what_the_model_said(make, axes)
    promises.unknown_items_are_not_found(make, axes)


def test_the_promises_of_whole_engines_are_kept(make):
    promises.it_says_what_it_holds(make)
    promises.the_order_follows_the_seed_alone(make)
    promises.the_fingerprint_of_texts_changes_with_them(make)
    promises.the_fingerprint_changes_with_the_items(make)
    promises.many_items_are_all_there(make)


def in_duckdb(path, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_tables, "LARGE", 0)
        return fl.open_pool(path, **options)


@pytest.mark.parametrize("key", range(2))
def test_a_pool_in_spark_is_that_in_a_file_to_the_bit(spark, tmp_path, key):
    path, classes = write(tmp_path / "a.parquet", random_table(key)), ["ant", "bee", "cät", "dog"]
    one, two = in_duckdb(path, classes=classes), fl.open_pool(spark.read.parquet(str(path)), classes=classes)
    assert_same(one, two, AXES[key * 2 : key * 2 + 3])
    axes = (Column("region"), PredictedClass())
    assert one.engine.fingerprint("model", axes) == two.engine.fingerprint("model", axes)
    assert one.engine.payload_fingerprint == two.engine.payload_fingerprint
    known = dict(zip(one.ids, one.known_labels.tolist(), strict=True))
    assert two.ids == sorted(known)
    assert two.known_labels.tolist() == [known[item] for item in two.ids]


@pytest.mark.parametrize("kind", ["list", "columns"])
def test_probabilities_of_all_classes_are_read_alike(spark, tmp_path, kind):
    path = write(tmp_path / "a.parquet", some_probabilities(kind))
    one, two = in_duckdb(path), fl.open_pool(spark.read.parquet(str(path)))
    assert_same(one, two, ((PredictedClass(), ScoreBins(10)), (ScoreStrata(one.classes[1], 20),)))


def test_on_a_grid_scores_are_cut_alike(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("fewlabels.engines.sql_axes.EXACT", 100)
    score = 1 / (1 + np.exp(-np.random.default_rng(2).normal(0, 12, 3000)))
    score[:6] = 0.0, 1.0, 0.5, np.nextafter(0.5, 0), 5e-324, -0.0
    path = write(tmp_path / "a.parquet", {"id": np.arange(3000), "s": score})
    of = {"positive_score": "s", "positive": "yes"}
    one, two = in_duckdb(path, **of), fl.open_pool(spark.read.parquet(str(path)), **of)
    assert_same(one, two, ((ScoreStrata("yes", 50), ScoreLevels(10)),))
    assert one.engine.fingerprint("model", ()) == two.engine.fingerprint("model", ())


@pytest.mark.parametrize("name", ["no score", "not a number", "an id twice", "no id", "sums", "lists", "an entry"])
def test_what_is_no_pool_is_refused_in_the_same_words(spark, tmp_path, name):
    """But for the numbers of rows, which there are none of."""
    table = REFUSED[name]
    some = pa.table({"id": ["x", "y", "z"][: len(next(iter(table.values())))], **table})
    pq.write_table(some, tmp_path / "a.parquet")
    with pytest.raises(fl.PoolError) as in_a_file:
        fl.open_pool(tmp_path / "a.parquet")
    with pytest.raises(fl.PoolError) as in_spark:
        fl.open_pool(spark.read.parquet(str(tmp_path / "a.parquet")))
    words = re.sub(r" \(row \d+\)|, first in rows \d+ and \d+", "", str(in_a_file.value))
    words = re.sub(r"row 1 has no id", "a row has no id", words)
    assert str(in_spark.value) == re.sub(r"\brow 1\b", "item 'y'", words)


def test_what_only_spark_lacks_is_said(spark):
    frame = spark.createDataFrame([("a", 0.5)], "predicted string, score double")
    with pytest.raises(fl.PoolError, match="rows in Spark have no numbers to call items by; name the column"):
        fl.open_pool(frame)
    with pytest.raises(fl.PoolError, match="join the two in Spark"):
        fl.open_pool(frame, items={"id": [1]})


def test_simulations_are_those_of_the_file_and_a_study_can_be_pointed_at_it(spark, tmp_path, monkeypatch):
    file = write(tmp_path / "pool.parquet", random_table(0))
    question, options = fl.Estimate("accuracy", by="predicted_class"), {"id": "id", "other_labels": ["owl"]}
    pool = fl.open_pool(spark.read.parquet(str(file)), **options)
    how = {"methods": ["iprior+ts"], "budgets": [20], "runs": 2, "workers": 1}
    there = fl.simulate(pool, None, question, **how).to_dicts()
    assert there == fl.simulate(fl.open_pool(file, **options), None, question, **how).to_dicts()
    pool = fl.open_pool(spark.read.parquet(str(file)), id="id")
    address = f"sqlite:///{tmp_path}/study.db"
    fl.create_study(pool, question, storage=address).ask(2)
    study = fl.load_study(storage=address)
    with pytest.raises(fl.StudyError, match="it did not come from a file"):
        study.ask(1)
    monkeypatch.setattr(large_tables, "LARGE", 0)
    study.relocate(file)
    assert len(study.ask(1)) == 1


# -- a pool of some size -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def some_files(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("pool"), np.random.default_rng(8)
    for part in range(PARTS):
        n = MANY // PARTS
        table = {
            "id": np.arange(part * n, (part + 1) * n),
            "predicted": rng.choice(["ant", "bee", "cat"], n),
            "score": rng.uniform(size=n),
            "text": [rng.bytes(24).hex() for _ in range(n)],
        }
        write(folder / f"{part}.parquet", table)
    return folder


def asked(pool):
    question = fl.Estimate("accuracy", by="predicted_class")
    study = fl.create_study(pool, question, seed=3, strategy="uniform", estimator="beta")  # a cell is a class
    for size in (1, 5, 30):
        study.tell({query.item: query.predicted for query in study.ask(size)})
    return [(e.item, e.score, e.cell, e.payload) for e in study.events if hasattr(e, "payload")], str(study.answer())


def test_a_study_goes_on_when_a_worker_is_killed_in_the_middle(spark, some_files):
    found = []
    work = threading.Thread(
        target=lambda: found.append(asked(fl.open_pool(spark.read.parquet(str(some_files)), id="id")))
    )
    before = executors()
    assert len(before) == 2
    work.start()
    stages = spark.sparkContext.statusTracker()
    while not any(stages.getStageInfo(stage).numActiveTasks for stage in stages.getActiveStageIds()):
        assert work.is_alive()
        time.sleep(0.01)
    os.kill(before[0], signal.SIGKILL)
    work.join()
    assert found == [asked(in_duckdb(some_files))]
    assert before[0] not in executors()


def test_nothing_of_the_size_of_the_pool_comes_to_the_driver(spark, some_files):
    """Spark ends a query whose result is larger than the cluster's limit of 4 MB; the texts alone are more."""
    frame = spark.read.parquet(str(some_files))
    pool = fl.open_pool(frame)
    assert isinstance(pool.engine, SqlEngine)
    assert len(asked(pool)[0]) == 36
    with pytest.raises(Exception, match="maxResultSize"):
        frame.collect()
