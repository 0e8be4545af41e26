"""open_pool: every file and frame gives the same pool, also when a study opens it again."""

import numpy as np
import pytest

import fewlabels as fl
from pool_files import NO_LISTS, NO_TYPES, WAYS, groups, said, write_csv, write_parquet

CLASSES = ["cat", "dog", "night owl"]
PROBABILITIES = np.array([[0.75, 0.125, 0.125], [0.25, 0.25, 0.5], [0.125, 0.75, 0.125], [0.5, 0.25, 0.25]])
COMMON = {
    "id": ["a1", "a2", "a3", "a4"],
    "region": ["N", None, "S", "S"],
    "year": [2020, 2021, 2021, 2020],
    "text": ["one", "two", "three, four", 'five "six"'],
    "label": ["cat", "dog", "dog", "cat"],
}
FORMS = {
    "a column per class": {f"p_{name}": PROBABILITIES[:, j].tolist() for j, name in enumerate(CLASSES)},
    "numbered columns": {f"p_{j:03}": PROBABILITIES[:, j].tolist() for j in range(3)},
    "a list column": {"probabilities": PROBABILITIES.tolist()},
    "predicted and score": {"predicted": ["cat", "night owl", "dog", "cat"], "score": [0.75, 0.5, 0.75, 0.5]},
}
OPTIONS = {
    "a column per class": {},
    "numbered columns": {"classes": CLASSES},
    "a list column": {"classes": CLASSES},
    "predicted and score": {"classes": CLASSES},
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("way", WAYS)
def test_every_file_and_frame_gives_the_same_pool(tmp_path, way, form):
    if form == "a list column" and way in NO_LISTS:
        form = "a column per class"
    pool = fl.open_pool(WAYS[way](tmp_path, {**COMMON, **FORMS[form]}), **OPTIONS[form])
    assert pool.classes == tuple(CLASSES)
    assert said(pool) == [
        ("a1", "cat", 0.75, {"text": "one"}),
        ("a2", "night owl", 0.5, {"text": "two"}),
        ("a3", "dog", 0.75, {"text": "three, four"}),
        ("a4", "cat", 0.5, {"text": 'five "six"'}),
    ]
    assert pool.columns == ("region", "year")
    assert groups(pool, "region") == {"(missing)": 0.25, "N": 0.25, "S": 0.5}
    assert groups(pool, "year") == {"2020": 0.5, "2021": 0.5}
    assert pool.known_labels.tolist() == ["cat", "dog", "dog", "cat"]
    assert pool.engine.full_probabilities == (form != "predicted and score")


@pytest.mark.parametrize("way", WAYS)
def test_a_positive_score_column_is_named_by_the_caller(tmp_path, way):
    source = WAYS[way](tmp_path, {"id": [11, 12, 13], "risk": [0.25, 0.5, 0.75], "other": [0.5, 0.5, 0.5]})
    pool = fl.open_pool(source, positive_score="risk", positive="fraud", threshold=0.6)
    ids = ["11", "12", "13"] if way in NO_TYPES else [11, 12, 13]
    assert said(pool) == [(ids[0], "not fraud", 0.75, {}), (ids[1], "not fraud", 0.5, {}), (ids[2], "fraud", 0.75, {})]
    assert pool.columns == ("other",)


@pytest.mark.parametrize("way", NO_TYPES)
def test_ids_of_a_file_without_types_are_text(tmp_path, way):
    pool = fl.open_pool(WAYS[way](tmp_path, {"id": [30, 4], "predicted": ["x", "y"], "score": [0.5, 0.25]}))
    assert [row[0] for row in said(pool)] == ["30", "4"]
    assert not pool.engine.whole_ids


@pytest.mark.parametrize("way", [w for w in WAYS if w not in NO_TYPES])
def test_whole_number_ids_stay_whole_numbers(tmp_path, way):
    pool = fl.open_pool(WAYS[way](tmp_path, {"id": [30, 4], "predicted": ["x", "y"], "score": [0.5, 0.25]}))
    assert [row[0] for row in said(pool)] == [30, 4]
    assert pool.engine.whole_ids


@pytest.mark.parametrize("way", WAYS)
def test_without_an_id_column_rows_are_numbered(tmp_path, way):
    pool = fl.open_pool(WAYS[way](tmp_path, {"predicted": ["x", "y"], "score": [0.5, 0.25]}))
    assert [row[0] for row in said(pool)] == [0, 1]


@pytest.mark.parametrize("way", [w for w in WAYS if w != "a dictionary"])
def test_a_missing_number_is_an_error_that_names_the_item(tmp_path, way):
    source = WAYS[way](tmp_path, {"id": ["a", "b"], "predicted": ["x", "y"], "score": [0.5, None]})
    with pytest.raises(fl.PoolError, match=r"score.*'b'.*nan"):
        fl.open_pool(source)


@pytest.mark.parametrize("way", [w for w in WAYS if w not in NO_LISTS])
def test_a_missing_number_inside_a_list_is_an_error_that_names_the_item(tmp_path, way):
    source = WAYS[way](tmp_path, {"id": ["a", "b"], "probabilities": [[0.5, 0.5], [1.0, None]]})
    with pytest.raises(fl.PoolError, match=r"'b'.*(nan|missing)"):
        fl.open_pool(source)


@pytest.mark.parametrize("way", [w for w in WAYS if w not in NO_LISTS])
@pytest.mark.parametrize("row", [0, 1])
def test_a_missing_list_is_an_error_that_names_the_row(tmp_path, way, row):
    lists = [[0.5, 0.5], [0.25, 0.75]]
    lists[row] = None
    with pytest.raises(fl.PoolError, match=rf"row {row}|'{'ab'[row]}'"):
        fl.open_pool(WAYS[way](tmp_path, {"id": ["a", "b"], "probabilities": lists}))


@pytest.mark.parametrize("way", [w for w in WAYS if w not in NO_LISTS])
def test_lists_of_several_lengths_are_an_error_that_names_the_row(tmp_path, way):
    with pytest.raises(fl.PoolError, match=r"(row 1|'b').*\b1\b.*\b2\b"):
        fl.open_pool(WAYS[way](tmp_path, {"id": ["a", "b"], "probabilities": [[0.5, 0.5], [1.0]]}))


@pytest.mark.parametrize("way", WAYS)
def test_an_id_given_twice_in_a_file_is_an_error(tmp_path, way):
    with pytest.raises(fl.PoolError, match=r"'a'.*2 times.*rows 0 and 2"):
        fl.open_pool(WAYS[way](tmp_path, {"id": ["a", "b", "a"], "predicted": ["x"] * 3, "score": [0.5] * 3}))


@pytest.mark.parametrize("way", [w for w in WAYS if w != "a dictionary"])
def test_a_missing_prediction_in_a_file_is_an_error(tmp_path, way):
    source = WAYS[way](tmp_path, {"id": ["a", "b"], "predicted": ["x", None], "score": [0.5, 0.5]})
    with pytest.raises(fl.PoolError, match=r"'b'.*no predicted class"):
        fl.open_pool(source)


# -- NPZ and several models --------------------------------------------------------------------------------------------


def test_an_npz_file_names_its_classes_inside(tmp_path):
    np.savez(tmp_path / "p.npz", probabilities=PROBABILITIES, label=np.array([0, 1, 1, 2]), class_names=CLASSES)
    pool = fl.open_pool(tmp_path / "p.npz")
    assert pool.classes == tuple(CLASSES)
    assert pool.known_labels.tolist() == ["cat", "dog", "dog", "night owl"]
    assert pool.columns == ()


def test_an_npz_file_may_hold_several_models(tmp_path):
    predicted = np.array([[0, 1, 2], [1, 1, 2]], dtype=np.uint8)
    score = np.array([[0.5, 0.75, 1.0], [0.25, 0.5, 0.75]], dtype=np.float16)
    np.savez(tmp_path / "p.npz", predicted=predicted, score=score, models=["first", "second"], region=["N", "S", "S"])
    pool = fl.open_pool(tmp_path / "p.npz")
    assert pool.models == ("first", "second")
    assert [row[1:3] for row in said(pool, "first")] == [("0", 0.5), ("1", 0.75), ("2", 1.0)]
    assert [row[1:3] for row in said(pool, "second")] == [("1", 0.25), ("1", 0.5), ("2", 0.75)]
    assert pool.columns == ("region",)


def test_models_of_one_file_share_their_classes_though_one_never_predicts_the_last(tmp_path):
    score = np.full((2, 2), 0.5)
    np.savez(tmp_path / "p.npz", predicted=np.array([[0, 1], [1, 2]]), score=score, models=["first", "second"])
    assert fl.open_pool(tmp_path / "p.npz").classes == ("0", "1", "2")


def test_several_models_without_names_are_numbered(tmp_path):
    np.savez(tmp_path / "p.npz", predicted=np.array([[0, 1], [1, 0]]), score=np.full((2, 2), 0.5))
    assert len(set(fl.open_pool(tmp_path / "p.npz").models)) == 2


def test_names_for_another_number_of_models_are_an_error(tmp_path):
    np.savez(tmp_path / "p.npz", predicted=np.array([[0, 1], [1, 0]]), score=np.full((2, 2), 0.5), models=["only"])
    with pytest.raises(fl.PoolError, match="models"):
        fl.open_pool(tmp_path / "p.npz")


def test_two_arrays_of_an_npz_file_of_other_lengths_are_an_error(tmp_path):
    np.savez(tmp_path / "p.npz", predicted=np.array([0, 1]), score=np.full(3, 0.5))
    with pytest.raises(fl.PoolError, match=r"\b3\b.*\b2\b"):
        fl.open_pool(tmp_path / "p.npz")


def test_an_npz_file_of_python_objects_is_not_read(tmp_path):
    np.savez(tmp_path / "p.npz", predicted=np.array([0, {}], dtype=object))
    with pytest.raises(fl.PoolError, match=r"'p.npz'.*(Python objects|Object arrays).*save plain arrays"):
        fl.open_pool(tmp_path / "p.npz")


# -- opened again by a study -------------------------------------------------------------------------------------------


def test_a_study_of_a_file_is_loaded_without_the_pool_and_goes_on(tmp_path):
    table = {"id": [f"i{n}" for n in range(8)], "p_000": [0.25] * 8, "p_001": [0.75] * 8}
    items = {"id": table["id"], "text": [f"text {n}" for n in range(8)]}
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "names.txt").write_text("cat\ndog\n")
    files = write_parquet(tmp_path / "one", table), write_csv(tmp_path / "two", items)
    pool = fl.open_pool(files[0], items=files[1], classes=tmp_path / "names.txt", other_labels=("elk",))
    where = f"sqlite:///{tmp_path}/study.db"
    study = fl.create_study(pool, fl.Estimate("accuracy"), storage=where)
    study.tell(study.ask()[0], "elk")
    (tmp_path / "names.txt").unlink()
    again = fl.load_study(storage=where)
    query = again.ask()[0]
    assert query.payload["text"] == f"text {query.item.removeprefix('i')}"
    again.tell(query, "dog")
    assert sorted(again.labels.values()) == ["dog", "elk"]


def test_a_file_changed_since_is_not_the_pool_of_the_study(tmp_path):
    table = {"id": ["a", "b"], "predicted": ["x", "y"], "score": [0.5, 0.25]}
    path = write_csv(tmp_path, table)
    where = f"sqlite:///{tmp_path}/study.db"
    fl.create_study(fl.open_pool(path), fl.Estimate("accuracy"), storage=where)
    write_csv(tmp_path, {**table, "score": [0.5, 0.26]})
    with pytest.raises(fl.StudyError, match="not the pool the study was created with"):
        fl.load_study(storage=where).ask()


def test_a_study_of_a_csv_file_goes_on_with_the_same_pool_from_parquet(tmp_path):
    table = {"id": [1, 2, 3], "predicted": ["x", "y", "x"], "score": [0.5, 0.25, 0.75]}
    where = f"sqlite:///{tmp_path}/study.db"
    fl.create_study(fl.open_pool(write_csv(tmp_path, table)), fl.Estimate("accuracy"), storage=where)
    study = fl.load_study(storage=where, pool=fl.open_pool(write_parquet(tmp_path, table)))
    assert {query.item for query in study.ask(3)} == {"1", "2", "3"}
    study.tell({1: "x", 2: "y"})
    assert study.labels == {"1": "x", "2": "y"}


def test_files_with_and_without_types_are_joined_by_ids_that_read_the_same(tmp_path):
    predictions = write_parquet(tmp_path, {"id": [2, 1], "predicted": ["x", "y"], "score": [0.5, 0.25]})
    pool = fl.open_pool(predictions, items=write_csv(tmp_path, {"id": [1, 2], "text": ["one", "two"]}))
    assert said(pool) == [(2, "x", 0.5, {"text": "two"}), (1, "y", 0.25, {"text": "one"})]
    other = fl.open_pool(write_csv(tmp_path, {"id": [1, 2], "predicted": ["x", "y"], "score": [1, 0.5]}))
    both = fl.Pool.join({"one": pool, "two": other})
    assert [row[:3] for row in said(both, "two")] == [(2, "y", 0.5), (1, "x", 1.0)]


def test_labels_of_a_simulation_are_found_by_ids_that_read_the_same(tmp_path):
    ids = list(range(30))
    pool = fl.open_pool(write_csv(tmp_path, {"id": ids, "predicted": ["x", "y"] * 15, "score": [0.5] * 30}))
    labels = dict.fromkeys(ids, "x")
    found = fl.simulate(pool, labels, fl.Estimate("accuracy"), methods=["uprior"], budgets=[10], runs=2, seed=0)
    assert len(found.to_dicts()) > 0


def test_positive_labels_of_a_csv_file_may_be_truth_values(tmp_path):
    table = {"risk": [0.25, 0.75], "label": ["false", "TRUE"]}
    pool = fl.open_pool(write_csv(tmp_path, table), positive_score="risk", positive="fraud")
    assert pool.known_labels.tolist() == ["not fraud", "fraud"]
