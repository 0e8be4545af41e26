"""Several models, a large file each: joined where they lie, and the same pool as of the same files in memory."""

from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.groups import Column, OfModel, PredictedClass, ScoreBins, ScoreLevels
from fewlabels.engines import in_memory
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.tables import large_tables
from odd_pools import N, random_table
from pools_in_tables import write


def left_where_they_are(files: list[Path], **options: object) -> tuple[fl.Pool, fl.Pool]:
    """The same files in memory, and left where they are."""
    small = fl.open_pool(files, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_tables, "LARGE", 0)
        large = fl.open_pool(files, **options)
    assert isinstance(large.engine, SqlEngine)
    assert not isinstance(small.engine, SqlEngine)
    return small, large


def shuffled(table: dict[str, object], seed: int = 8) -> dict[str, list[object]]:
    order = np.random.default_rng(seed).permutation(N)
    return {name: [np.asarray(values, dtype=object)[i] for i in order] for name, values in table.items()}


@pytest.fixture(params=[0, 1], ids=["ids of text", "whole ids"])
def files(request, tmp_path) -> list[Path]:
    """Three models: the second in another order with an attribute and texts of its own and the labels, the third as
    CSV, whose ids are text whatever they are elsewhere, and that never predicts one of the classes."""
    one, rng = random_table(request.param), np.random.default_rng(3)
    labels = one.pop("label")
    said = {"predicted": rng.choice(["ant", "bee", "cät"], N), "score": rng.choice([0.0, 0.5, 0.25, 1.0], N)}
    more = {"url": [f"u{i}" for i in range(N)], "season": rng.choice(["dry", "wet"], N), "label": labels}
    two = shuffled({"id": one["id"], **said, **more})
    ids = np.asarray(one["id"], dtype=object).tolist()
    three = [f'"{item}",{"ant" if i % 3 else "bee"},{i / N}' for i, item in enumerate(ids)]
    (tmp_path / "c.csv").write_text("\n".join(["id,predicted,score", *three]) + "\n", encoding="utf-8")
    made = [write(tmp_path / "a.parquet", one), write(tmp_path / "b.parquet", two)]
    return [*made, tmp_path / "c.csv"]


AXES = (
    (),
    (PredictedClass(), OfModel("b", PredictedClass()), OfModel("c", PredictedClass())),
    (Column("region"), OfModel("c", ScoreBins(5, "mass"))),
    (Column("season"), ScoreLevels(3)),
)


def test_they_are_the_pool_in_memory_to_the_bit(files):
    small, large = left_where_they_are(files, other_labels=["owl"])
    assert (large.models, large.classes, large.columns) == (small.models, small.classes, small.columns)
    assert large.models == ("a", "b", "c")
    assert (large.ids, large.other_labels) == (small.ids, small.other_labels)
    assert large.known_labels.tolist() == small.known_labels.tolist()
    one, two = small.engine, large.engine
    for model in small.models:
        for axes in AXES:
            cells, others = (engine.summarise(model, axes, probabilities=True) for engine in (one, two))
            assert cells.names == others.names
            for field in ("coordinates", "size", "score_sum", "probability_sum"):
                assert getattr(cells, field).tolist() == getattr(others, field).tolist()
            for cell in range(cells.count):
                assert one.draw(model, axes, 3, cell, 0, 9) == two.draw(model, axes, 3, cell, 0, 9)
    again = in_memory(two)
    assert {name: list(texts) for name, texts in again.payload.items()} == {
        name: list(texts) for name, texts in one.payload.items()
    }
    assert again.columns["season"].tolist() == one.columns["season"].tolist()


@pytest.mark.parametrize("kind", ["list", "columns"])
def test_probabilities_are_put_into_the_order_of_the_first(tmp_path, kind, monkeypatch):
    monkeypatch.setattr("fewlabels.pool.large_pool.MANY_CLASSES", 2)  # each of them has a narrow table of its own
    rng, files = np.random.default_rng(6), []
    for name, classes in (("a", "xyz"), ("b", "zxy")):
        table = rng.dirichlet([1, 1, 1], 80)
        said = {f"p_{c}": table[:, k] for k, c in enumerate(classes)}
        said = said if kind == "columns" else {"probabilities": list(table)}
        files.append(write(tmp_path / f"{name}.parquet", {"id": np.arange(80)[:: 1 if name == "a" else -1], **said}))
    small, large = left_where_they_are(files)
    for model in ("a", "b"):
        for axes in ((PredictedClass(),), (OfModel("a", PredictedClass()), OfModel("b", PredictedClass()))):
            cells, others = (pool.engine.summarise(model, axes, probabilities=True) for pool in (small, large))
            assert cells.probability_sum.tolist() == others.probability_sum.tolist()
            assert cells.coordinates.tolist() == others.coordinates.tolist()


@pytest.mark.parametrize(
    "question",
    [fl.CompareModels("accuracy"), fl.CompareModels("accuracy", by="region"), fl.BestModel("accuracy")],
    ids=["which of two", "by region", "the best"],
)
def test_a_study_asks_for_the_same_items_and_answers_the_same(files, question):
    truth = fl.open_pool(files[1], other_labels=["owl"])
    told = dict(zip(map(str, truth.ids), truth.known_labels.tolist(), strict=True))
    files = files if isinstance(question, fl.BestModel) else files[:2]
    asked = []
    for pool in left_where_they_are(files, other_labels=["owl"]):
        study = fl.create_study(pool, question, seed=2)
        for size in (1, 6, 20):
            study.tell({query.item: told[str(query.item)] for query in study.ask(size)})
        events = [(e.item, e.score, e.cell, e.payload) for e in study.events if hasattr(e, "payload")]
        asked.append((events, str(study.answer())))
    assert asked[0] == asked[1]


def test_pools_opened_one_by_one_are_joined_where_they_lie(files, monkeypatch):
    small = fl.Pool.join({"x": fl.open_pool(files[0]), "y": fl.open_pool(files[1])})
    monkeypatch.setattr(large_tables, "LARGE", 0)
    large = fl.Pool.join({"x": fl.open_pool(files[0]), "y": fl.open_pool(files[1])})
    assert isinstance(large.engine, SqlEngine)
    axes = (PredictedClass(), OfModel("y", PredictedClass()))
    one, two = (pool.engine.summarise("x", axes, probabilities=False) for pool in (small, large))
    assert (one.names, one.size.tolist()) == (two.names, two.size.tolist())


@pytest.mark.parametrize("lacking", ["first", "second", "both"])
def test_models_of_other_items_are_refused_in_the_same_words(files, lacking, monkeypatch):
    a, b = files[:2]
    if lacking != "second":
        write(a, {name: np.asarray(values, dtype=object)[:-2].tolist() for name, values in random_table(0).items()})
    if lacking != "first":
        table = shuffled({name: random_table(0)[name] for name in ("id", "predicted", "score")})
        write(b, {name: values[5:] for name, values in table.items()})
    if lacking == "first":
        write(b, {name: random_table(0)[name] for name in ("id", "predicted", "score")})
    said = []
    for smallest in (10**12, 0):
        monkeypatch.setattr(large_tables, "LARGE", smallest)
        with pytest.raises(fl.PoolError, match="not over the same ids") as error:
            fl.open_pool([a, b])
        said.append(str(error.value))
    assert said[0] == said[1]


def test_a_file_without_ids_is_refused_in_the_same_words(files, monkeypatch):
    write(files[1], {"predicted": ["ant"], "score": [0.5]})
    with pytest.raises(fl.PoolError, match="has no column 'id'") as small:
        fl.open_pool(files[:2])
    monkeypatch.setattr(large_tables, "LARGE", 0)
    with pytest.raises(fl.PoolError) as large:
        fl.open_pool(files[:2])
    assert str(large.value) == str(small.value)


def test_a_file_that_must_be_held_brings_the_others_into_memory(files, tmp_path, monkeypatch):
    monkeypatch.setattr(large_tables, "LARGE", 0)
    lines = [f'{{"id": "{item}", "predicted": "bee", "score": 0.5}}' for item in fl.open_pool(files[0]).ids]
    (tmp_path / "d.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    pool = fl.open_pool([files[0], tmp_path / "d.jsonl"])
    assert not isinstance(pool.engine, SqlEngine)
    assert pool.models == ("a", "d")


def test_a_study_of_two_files_finds_them_again(files, tmp_path, monkeypatch):
    monkeypatch.setattr(large_tables, "LARGE", 0)
    pool, address = fl.open_pool(files[:2], other_labels=["owl"]), f"sqlite:///{tmp_path}/study.db"
    first = fl.create_study(pool, fl.CompareModels("accuracy"), storage=address).ask(3)
    again = fl.load_study(storage=address)
    assert isinstance(again.pool.engine, SqlEngine)
    assert {query.item for query in again.ask(3)}.isdisjoint(query.item for query in first)
