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

N = 300


def opened(path: Path, **options: object) -> tuple[fl.Pool, fl.Pool]:
    """The same file in memory, and left where it is."""
    small = fl.open_pool(path, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large_tables, "LARGE", 0)
        large = fl.open_pool(path, **options)
    assert isinstance(large.engine, SqlEngine)
    assert not isinstance(small.engine, SqlEngine)
    return small, large


def random_table(seed: int) -> dict[str, object]:
    """Ties, missing values, unicode, ends of the range of whole numbers, scores 0 and 1, an empty group."""
    rng = np.random.default_rng(seed)
    ids = rng.choice(2**62, N, replace=False)
    ids[:2] = -(2**63), 2**63 - 1
    score = rng.choice([0.0, 1.0, 0.5, 0.29, np.nextafter(1, 0), *rng.uniform(size=20)], N)
    region = rng.choice(np.array(["N", "", "Ost ✓", "O'Hara", None], dtype=object), N)
    return {
        "id": ids if seed % 2 else [f"ïd {n} 🦉'" for n in ids],
        "predicted": rng.choice(["ant", "bee", "cät"], N),
        "score": score,
        "region": pa.array(region.tolist(), pa.string()),
        "size": pa.array([None if n % 7 == 0 else float(n % 5) for n in range(N)]),
        "text": [None if n % 11 == 0 else f"say “{n}”" for n in range(N)],
        "label": rng.choice(["ant", "bee", "owl"], N),
    }


def write(path: Path, table: dict[str, object]) -> Path:
    pq.write_table(pa.table(table), path)
    return path


AXES = (
    (),
    (PredictedClass(),),
    (Column("region"), ScoreBins(100)),
    (Column("size"), ScoreBins(5, "mass")),
    (PredictedClass(), ScoreLevels(4)),
)


def assert_same(small: fl.Pool, large: fl.Pool, axes_of=AXES) -> None:
    one, two = small.engine, large.engine
    assert (small.classes, small.columns, len(small), small.positive) == (
        large.classes, large.columns, len(large), large.positive,
    )  # fmt: skip
    assert (one.whole_ids, one.full_probabilities) == (two.whole_ids, two.full_probabilities)
    for axes in axes_of:
        cells, others = (engine.summarise("model", axes, probabilities=True) for engine in (one, two))
        assert cells.names == others.names
        for field in ("coordinates", "size", "score_sum", "probability_sum"):
            assert getattr(cells, field).tolist() == getattr(others, field).tolist()
        for cell in range(cells.count):
            assert one.draw("model", axes, 3, cell, 0, 20) == two.draw("model", axes, 3, cell, 0, 20)


@pytest.mark.parametrize("key", range(2))
def test_a_pool_left_in_its_file_is_that_in_memory_to_the_bit(tmp_path, key):
    small, large = opened(write(tmp_path / "a.parquet", random_table(key)), classes=["ant", "bee", "cät", "dog"])
    assert_same(small, large)
    assert small.ids == large.ids
    assert small.known_labels.tolist() == large.known_labels.tolist()
    again = in_memory(large.engine)
    assert again.columns["region"].tolist() == in_memory(small.engine).columns["region"].tolist()


def some_probabilities(kind: str) -> dict[str, object]:
    rng = np.random.default_rng(5)
    table = rng.dirichlet([0.4, 0.3, 0.2], N).astype(np.float32)
    table[:3] = [[1, 0, 0], [0.5, 0.5, 0], [1.0002, 0, -0.0002]]  # ties, and what is cut
    if kind == "list":
        return {"id": np.arange(N), "probabilities": pa.array(list(table), pa.list_(pa.float32()))}
    return {"id": np.arange(N), **{f"p_{name}": table[:, k] for k, name in enumerate(("b", "a", "c"))}}


@pytest.mark.parametrize("kind", ["list", "columns"])
def test_probabilities_of_all_classes_are_read_alike(tmp_path, kind):
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
    small, large = opened(tmp_path)
    assert_same(small, large, AXES[:2])


def test_csv_is_read_as_text(tmp_path):
    lines = ["id;predicted;score;region", '"a;1";007;0.5;', 'b 2;10; .25 ;"say ""so"""', "c;007;1e-1;\u00e9"]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    small, large = opened(tmp_path / "a.csv")
    assert_same(small, large, ((), (PredictedClass(), Column("region"))))
    assert large.ids == ["a;1", "b 2", "c"]


GOOD = {"id": ["x", "y", "z"], "predicted": ["a", "b", "a"], "score": [0.5, 0.25, 1.0]}
REFUSED = {
    "a score": {**GOOD, "score": [0.5, 1.5, 2.0]},
    "no score": {**GOOD, "score": [0.5, None, 2.0]},
    "not a number": {**GOOD, "score": ["0.5", "0,5", "1"]},
    "an id twice": {**GOOD, "id": ["y", "x", "y"]},
    "a whole id twice": {**GOOD, "id": [7, 3, 3]},
    "no id": {**GOOD, "id": ["x", None, ""]},
    "no class": {**GOOD, "predicted": ["a", "", None]},
    "no predictions": {"id": ["x"], "other": [1]},
    "a probability": {"p_a": [0.5, -0.5], "p_b": [0.5, 1.5]},
    "sums": {"id": ["x", "y"], "p_a": [0.5, 0.75], "p_b": [0.5, 0.75]},
    "lists": {"probabilities": [[0.5, 0.5], [0.5, 0.25, 0.25]]},
    "a list": {"probabilities": [[0.5, 0.5], None]},
    "an entry": {"probabilities": [[0.5, 0.5], [None, 1.0]]},
    "nothing": {
        "id": pa.array([], pa.string()),
        "predicted": pa.array([], pa.string()),
        "score": pa.array([], pa.float64()),
    },
}


@pytest.mark.parametrize("table", REFUSED.values(), ids=REFUSED)
def test_what_is_no_pool_is_refused_in_the_same_words(tmp_path, table, monkeypatch):
    path = write(tmp_path / "a.parquet", table)
    with pytest.raises(fl.PoolError) as small:
        fl.open_pool(path)
    monkeypatch.setattr(large_tables, "LARGE", 0)
    with pytest.raises(fl.PoolError) as large:
        fl.open_pool(path)
    assert str(large.value) == str(small.value)


def test_classes_that_are_not_named_are_refused_in_the_same_words(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", GOOD)
    with pytest.raises(fl.PoolError) as small:
        fl.open_pool(path, classes=["a", "c"])
    monkeypatch.setattr(large_tables, "LARGE", 0)
    with pytest.raises(fl.PoolError) as large:
        fl.open_pool(path, classes=["a", "c"])
    assert str(large.value) == str(small.value)


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
