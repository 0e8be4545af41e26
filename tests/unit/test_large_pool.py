"""Pools that stay in their files: the same items, cells, orders and refusals as of the same file in memory."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fewlabels as fl
from fewlabels.core.groups import Column, PredictedClass, ScoreBins, ScoreLevels, ScoreStrata
from fewlabels.engines import gathered, in_memory
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.tables import large_tables
from odd_pools import AXES, GOOD, REFUSED, N, assert_same, random_table, some_probabilities
from pools_in_tables import write


def opened(path: Path, **options: object) -> tuple[fl.Pool, fl.Pool]:
    """The same file in memory, and left where it is."""
    small = fl.open_pool(path, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_tables, "LARGE", 0)
        large = fl.open_pool(path, **options)
    assert isinstance(large.engine, SqlEngine)
    assert not isinstance(small.engine, SqlEngine)
    return small, large


@pytest.mark.parametrize("key", range(2))
def test_a_pool_left_in_its_file_is_that_in_memory_to_the_bit(tmp_path, key):
    small, large = opened(write(tmp_path / "a.parquet", random_table(key)), classes=["ant", "bee", "cät", "dog"])
    assert_same(small, large)
    assert small.ids == large.ids
    assert small.known_labels.tolist() == large.known_labels.tolist()
    again = in_memory(large.engine)
    assert again.columns["region"].tolist() == in_memory(small.engine).columns["region"].tolist()


@pytest.mark.parametrize("narrow", [True, False], ids=["narrow", "as it is"])
@pytest.mark.parametrize("kind", ["list", "columns"])
def test_probabilities_of_all_classes_are_read_alike(tmp_path, kind, narrow, monkeypatch):
    monkeypatch.setattr("fewlabels.pool.large_pool.MANY_CLASSES", 2 if narrow else 99)
    small, large = opened(write(tmp_path / "a.parquet", some_probabilities(kind)))
    strata = (ScoreStrata(small.classes[1], 20),)
    assert_same(small, large, ((PredictedClass(), ScoreBins(10)), strata))


def test_scores_of_one_class_and_rows_without_ids_are_read_alike(tmp_path):
    score = np.random.default_rng(1).choice([0.0, 0.2, 0.5, 0.7, 1.0], N)
    small, large = opened(
        write(tmp_path / "a.parquet", {"s": score}), positive_score="s", positive="yes", threshold=0.7
    )
    assert_same(small, large, ((PredictedClass(),), (ScoreStrata("yes", 5),)))
    assert large.ids == list(range(N))


def test_a_folder_is_read_in_the_order_of_its_files(tmp_path):
    whole = pa.table({k: v for k, v in random_table(1).items() if k != "id"})
    for place, name in enumerate(("b", "a", "c")):
        pq.write_table(whole.slice(100 * place, 100), tmp_path / f"{name}.parquet")
    for place in (tmp_path, tmp_path / "[abc].parquet"):
        small, large = opened(place)
        assert_same(small, large, AXES[:2])


def test_csv_is_read_as_text(tmp_path):
    lines = ["id;predicted;score;region", '"a;1";007;0.5;', 'b 2;10; .25 ;"say ""so"""', "c;007;1e-1;\u00e9"]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    small, large = opened(tmp_path / "a.csv")
    assert_same(small, large, ((), (PredictedClass(), Column("region"))))
    assert large.ids == ["a;1", "b 2", "c"]


@pytest.mark.parametrize("table", REFUSED.values(), ids=REFUSED)
def test_what_is_no_pool_is_refused_in_the_same_words(tmp_path, table, monkeypatch):
    path = write(tmp_path / "a.parquet", table)
    with pytest.raises(fl.PoolError) as small:
        fl.open_pool(path)
    monkeypatch.setattr(large_tables, "LARGE", 0)
    with pytest.raises(fl.PoolError) as large:
        fl.open_pool(path)
    assert str(large.value) == str(small.value)


def test_rows_of_several_models_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(large_tables, "LARGE", 0)
    path = write(tmp_path / "a.parquet", {**GOOD, "id": ["x", "x", "y"], "model": ["a", "b", "a"]})
    with pytest.raises(fl.PoolError, match="tables of this size hold one model"):
        fl.open_pool(path)


def test_classes_that_are_not_named_are_refused_in_the_same_words(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", GOOD)
    with pytest.raises(fl.PoolError) as small:
        fl.open_pool(path, classes=["a", "c"])
    monkeypatch.setattr(large_tables, "LARGE", 0)
    with pytest.raises(fl.PoolError) as large:
        fl.open_pool(path, classes=["a", "c"])
    assert str(large.value) == str(small.value)


def test_a_pool_of_many_classes_with_attributes_texts_and_labels_is_that_in_memory_to_the_bit(tmp_path, monkeypatch):
    """Classes and scores come out of a narrow table, all else out of the file."""
    monkeypatch.setattr("fewlabels.pool.large_pool.MANY_CLASSES", 2)
    others = {name: values for name, values in random_table(0).items() if name not in ("predicted", "score", "id")}
    file = write(tmp_path / "a.parquet", {**some_probabilities("columns"), **others})
    small, large = opened(file, other_labels=["ant", "bee", "owl"])
    assert large.engine.layout.narrow is not None
    assert_same(small, large)
    one, two = (in_memory(pool.engine) for pool in (small, large))
    assert one.ids.tolist() == two.ids.tolist()
    assert one.models["model"].probabilities.tolist() == two.models["model"].probabilities.tolist()
    assert (list(one.payload["text"]), one.labels.tolist()) == (list(two.payload["text"]), two.labels.tolist())
    prints = {large.engine.fingerprint("model", (PredictedClass(),))}
    monkeypatch.setattr("fewlabels.pool.large_pool.MANY_CLASSES", 99)
    wide = opened(file)[1]
    assert wide.engine.layout.narrow is None
    assert prints == {wide.engine.fingerprint("model", (PredictedClass(),))}


@pytest.mark.parametrize(
    "question", [fl.Estimate("accuracy", by="predicted_class"), fl.Identify("accuracy", by="region")]
)
def test_a_study_asks_for_the_same_items_and_answers_the_same(tmp_path, question):
    table = random_table(0)
    truth = dict(zip(table["id"], table["label"].tolist(), strict=True))
    asked = []
    for pool in opened(write(tmp_path / "a.parquet", table), other_labels=["owl"]):
        study = fl.create_study(pool, question, seed=4)
        for size in (1, 5, 14):
            study.tell({query.item: truth[query.item] for query in study.ask(size)})
        asked.append(
            ([(e.item, e.score, e.cell, e.payload) for e in study.events if hasattr(e, "payload")], str(study.answer()))
        )
    assert asked[0] == asked[1]


def test_on_a_grid_scores_are_cut_alike_by_every_engine(tmp_path, monkeypatch):
    monkeypatch.setattr("fewlabels.engines.binning.EXACT", 100)
    monkeypatch.setattr("fewlabels.engines.sql_axes.EXACT", 100)
    score = 1 / (1 + np.exp(-np.random.default_rng(2).normal(0, 12, 3000)))
    score[:5] = 0.0, 1.0, 0.5, np.nextafter(0.5, 0), 5e-324
    small, large = opened(write(tmp_path / "a.parquet", {"s": score}), positive_score="s", positive="yes")
    axes = ((ScoreStrata("yes", 50),), (ScoreBins(9, "mass"),), (ScoreLevels(10),))
    assert_same(small, large, axes)
    assert large.engine.summarise("model", axes[0], probabilities=False).count > 100


def test_a_scan_goes_through_all_items_in_their_order(tmp_path):
    _, large = opened(write(tmp_path / "a.parquet", random_table(0)))
    assert gathered(large.engine.scan("model", (Column("region"),))).items.tolist() == list(random_table(0)["id"])


def test_simulations_are_those_of_the_same_pool_in_memory(tmp_path):
    results = []
    for pool in opened(write(tmp_path / "a.parquet", random_table(0)), other_labels=["owl"]):
        for method in ("iprior+ts", "uprior"):
            result = fl.simulate(
                pool, None, fl.Estimate("accuracy", by="region"), methods=[method], budgets=[20], runs=3, workers=1
            )
            results.append(result.to_dicts())
    assert results[:2] == results[2:]


def test_a_study_finds_its_pool_where_that_has_moved(tmp_path, monkeypatch):
    monkeypatch.setattr(large_tables, "LARGE", 0)
    address, here = f"sqlite:///{tmp_path}/study.db", write(tmp_path / "a.parquet", random_table(0))
    study = fl.create_study(fl.open_pool(here), fl.Estimate("accuracy", by="region"), storage=address)
    first = study.ask(2)
    (tmp_path / "b").mkdir()
    Path(here).rename(tmp_path / "b" / "a.parquet")
    again = fl.load_study(storage=address)
    with pytest.raises(fl.StudyError, match=r"study\.relocate"):
        again.ask(2)
    again.relocate(tmp_path / "b" / "*.parquet")
    assert isinstance(again.pool.engine, SqlEngine)
    assert {query.item for query in again.ask(2)}.isdisjoint(query.item for query in first)
    write(tmp_path / "c.parquet", random_table(2))
    with pytest.raises(fl.StudyError, match="not the pool the study was created with"):
        again.relocate(tmp_path / "c.parquet")


@pytest.mark.parametrize("kind", ["list", "columns"])
def test_probabilities_a_little_outside_are_cut_before_the_highest_is_found(tmp_path, kind):
    near = [[1 - 1e-9, 1.0, 1 + 1e-9], [-1e-9, 0.0, -1e-9], [1 + 1e-9, 0.5, 1 + 2e-9], [0.2, 0.7, 0.7]]
    table = {"id": ["x", "y", "z", "u"]}
    table |= {"probabilities": near} if kind == "list" else {f"p_{k}": [row[k] for row in near] for k in range(3)}
    small, large = opened(write(tmp_path / "a.parquet", table), probabilities_are="independent")
    assert_same(small, large, ((), (PredictedClass(),)))
    assert [query.predicted for query in large.engine.find("model", (), ["x", "y", "z", "u"])] == [*"1001"]


def test_more_than_a_thousand_columns_of_classes_are_read(tmp_path):
    share = np.random.default_rng(4).dirichlet(np.ones(1100), 20)
    small, large = opened(write(tmp_path / "a.parquet", {f"p_{k:04}": share[:, k] for k in range(1100)}))
    assert_same(small, large, ((), (PredictedClass(),)))
