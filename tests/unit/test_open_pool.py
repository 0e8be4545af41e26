"""open_pool: every file and frame gives the same pool; what cannot be read says why."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

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


def write_csv(folder: Path, table: dict) -> Path:
    path = folder / "pool.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def write_tsv(folder: Path, table: dict) -> Path:
    path = folder / "pool.tsv"
    pd.DataFrame(table).to_csv(path, index=False, sep="\t")
    return path


def write_csv_gz(folder: Path, table: dict) -> Path:
    path = folder / "pool.csv.gz"
    with gzip.open(path, "wt") as file:
        pd.DataFrame(table).to_csv(file, index=False)
    return path


def write_jsonl(folder: Path, table: dict) -> Path:
    path = folder / "pool.jsonl"
    rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def write_ndjson_gz(folder: Path, table: dict) -> Path:
    path = folder / "pool.ndjson.gz"
    with gzip.open(path, "wt") as file:
        file.write(write_jsonl(folder, table).read_text())
    return path


def write_json(folder: Path, table: dict) -> Path:
    path = folder / "pool.json"
    path.write_text(f"[{','.join(write_jsonl(folder, table).read_text().splitlines())}]")
    return path


def write_parquet(folder: Path, table: dict) -> Path:
    from pyarrow import parquet

    path = folder / "pool.parquet"
    parquet.write_table(pa.table(table), path)
    return path


def write_parquet_folder(folder: Path, table: dict) -> Path:
    from pyarrow import parquet

    path = folder / "parts"
    path.mkdir()
    whole = pa.table(table)
    parquet.write_table(whole.slice(0, 3), path / "part-0.parquet")
    parquet.write_table(whole.slice(3), path / "part-1.parquet")
    return path


def write_feather(folder: Path, table: dict) -> Path:
    from pyarrow import feather

    path = folder / "pool.feather"
    feather.write_feather(pa.table(table), path)
    return path


def write_arrow_file(folder: Path, table: dict) -> Path:
    path = folder / "pool.arrow"
    whole = pa.table(table)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
        writer.write_table(whole)
    return path


def write_arrow_stream(folder: Path, table: dict) -> Path:
    path = folder / "pool.arrow"
    whole = pa.table(table)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, whole.schema) as writer:
        writer.write_table(whole)
    return path


WAYS = {
    "csv": write_csv,
    "tsv": write_tsv,
    "csv.gz": write_csv_gz,
    "jsonl": write_jsonl,
    "ndjson.gz": write_ndjson_gz,
    "json": write_json,
    "parquet": write_parquet,
    "a folder of parquet": write_parquet_folder,
    "feather": write_feather,
    "an arrow file": write_arrow_file,
    "an arrow stream": write_arrow_stream,
    "pandas": lambda _, table: pd.DataFrame(table),
    "polars": lambda _, table: pl.DataFrame(table),
    "lazy polars": lambda _, table: pl.DataFrame(table).lazy(),
    "an arrow table": lambda _, table: pa.table(table),
    "a record batch": lambda _, table: pa.table(table).to_batches()[0],
    "a dictionary": lambda _, table: table,
}
NO_TYPES = ("csv", "tsv", "csv.gz")
NO_LISTS = (*NO_TYPES, "a dictionary")


def said(pool: fl.Pool, model: str = "model") -> list[tuple]:
    rows = pool.engine.find(model, (), pool.engine.ids.tolist())
    return [(r.item, r.predicted, r.score, dict(r.payload)) for r in rows]


def groups(pool: fl.Pool, by: object) -> dict[str, float]:
    findings = fl.create_study(pool, fl.Estimate("accuracy", by=by), model=pool.models[0]).answer().findings
    return {f.group: f.weight for f in findings}


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


# -- columns by other names --------------------------------------------------------------------------------------------


def test_columns_may_have_other_names():
    table = {"key": ["a", "b"], "guess": ["x", "y"], "trust": [0.5, 0.75], "body": ["hi", "ho"], "truth": ["x", "x"]}
    pool = fl.open_pool(table, id="key", predicted="guess", score="trust", text="body", label="truth")
    assert said(pool) == [("a", "x", 0.5, {"body": "hi"}), ("b", "y", 0.75, {"body": "ho"})]
    assert pool.known_labels.tolist() == ["x", "x"]
    assert pool.columns == ()


def test_urls_and_images_are_shown_to_the_labeller_too():
    table = {"predicted": ["x"], "score": [0.5], "text": ["t"], "url": ["u"], "image_url": ["i"]}
    assert said(fl.open_pool(table))[0][3] == {"text": "t", "url": "u", "image_url": "i"}


@pytest.mark.parametrize("role", ["id", "text", "label", "predicted", "score", "probabilities", "positive_score"])
def test_a_named_column_that_is_not_there_is_an_error_listing_those_that_are(role):
    table = {"predicted": ["x"], "score": [0.5], "region": ["N"]}
    with pytest.raises(fl.PoolError, match=rf"'nope' for {role}.*predicted, score, region"):
        fl.open_pool(table, **{role: "nope"})


@pytest.mark.parametrize("role", ["text", "label", "score"])
def test_a_named_column_in_neither_of_two_files_is_an_error(role):
    table = {"id": ["a"], "predicted": ["x"], "score": [0.5]}
    with pytest.raises(fl.PoolError, match="'nope'"):
        fl.open_pool(table, items={"id": ["a"], "text": ["t"]}, **{role: "nope"})


def test_a_file_without_predictions_says_what_is_expected_and_what_is_there():
    with pytest.raises(fl.PoolError, match=r"no predictions.*p_<class>.*probabilities.*predicted.*score.*id, weight"):
        fl.open_pool({"id": ["a"], "weight": [3]})


def test_columns_that_happen_to_begin_with_p_do_not_hide_predicted_and_score():
    table = {"predicted": ["x", "y"], "score": [0.5, 0.75], "p_code": [7, 8], "p_value": [0.01, 0.9]}
    pool = fl.open_pool(table)
    assert pool.classes == ("x", "y")
    assert pool.columns == ("p_code", "p_value")


# -- class names -------------------------------------------------------------------------------------------------------


def test_class_columns_follow_the_order_of_the_class_list():
    table = {"p_cat": [0.25, 0.875], "p_dog": [0.75, 0.125]}
    pool = fl.open_pool(table, classes=["dog", "cat"])
    assert pool.classes == ("dog", "cat")
    assert [row[1:3] for row in said(pool)] == [("dog", 0.75), ("cat", 0.875)]


def test_class_columns_are_not_renamed_by_a_class_list_of_other_names():
    with pytest.raises(fl.PoolError, match=r"cat|dog"):
        fl.open_pool({"p_cat": [0.25], "p_dog": [0.75]}, classes=["dog", "elk"])


def test_numbered_columns_are_put_in_the_order_of_their_numbers():
    pool = fl.open_pool({"p_10": [0.0], "p_9": [1.0], "p_2": [0.0]}, classes=["two", "nine", "ten"])
    assert said(pool)[0][1] == "nine"


def test_numbered_columns_without_a_class_list_are_classes_by_the_numbers_as_written():
    pool = fl.open_pool({"p_001": [0.75], "p_000": [0.25], "label": [1]})
    assert pool.classes == ("000", "001")
    assert pool.known_labels.tolist() == ["001"]
    assert fl.open_pool({"p_0": [0.25], "p_1": [0.75]}).classes == ("0", "1")


def test_a_class_list_of_another_length_is_an_error():
    with pytest.raises(fl.PoolError, match=r"3 names.*2 columns"):
        fl.open_pool({"p_000": [0.25], "p_001": [0.75]}, classes=["a", "b", "c"])


def test_class_names_may_come_from_a_text_or_json_file(tmp_path):
    (tmp_path / "names.txt").write_text("cat\ndog\n\n")
    (tmp_path / "names.json").write_text('["cat", "dog"]')
    (tmp_path / "lists.json").write_text('{"pets": ["cat", "dog"], "wild": ["elk", "owl"]}')
    table = {"p_000": [0.25], "p_001": [0.75]}
    for classes in ("names.txt", "names.json", "lists.json:pets"):
        assert fl.open_pool(table, classes=str(tmp_path / classes)).classes == ("cat", "dog")
    assert fl.open_pool(table, classes=tmp_path / "names.txt").classes == ("cat", "dog")


def test_a_file_of_several_class_lists_says_how_to_name_one(tmp_path):
    (tmp_path / "lists.json").write_text('{"pets": ["cat", "dog"], "wild": ["elk", "owl"]}')
    for classes in ("lists.json", "lists.json:fish"):
        with pytest.raises(fl.PoolError, match=r"pets, wild.*lists.json:pets"):
            fl.open_pool({"p_000": [0.25], "p_001": [0.75]}, classes=str(tmp_path / classes))


def test_class_files_that_cannot_be_read_are_pool_errors(tmp_path):
    (tmp_path / "broken.json").write_text('["cat", ')
    for classes in ("nope.txt", "broken.json"):
        with pytest.raises(fl.PoolError, match=classes):
            fl.open_pool({"p_000": [0.25], "p_001": [0.75]}, classes=str(tmp_path / classes))


# -- two files ---------------------------------------------------------------------------------------------------------

PREDICTIONS = {"id": ["b", "a"], "p_cat": [0.25, 0.875], "p_dog": [0.75, 0.125]}
ITEMS = {"id": ["a", "b", "c"], "text": ["A", "B", "C"], "region": ["N", "S", "S"], "label": ["cat", "dog", "dog"]}


def test_items_and_predictions_are_joined_by_id(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    pool = fl.open_pool(write_parquet(tmp_path / "one", PREDICTIONS), items=write_csv(tmp_path / "two", ITEMS))
    assert said(pool) == [("b", "dog", 0.75, {"text": "B"}), ("a", "cat", 0.875, {"text": "A"})]
    assert pool.known_labels.tolist() == ["dog", "cat"]
    assert groups(pool, "region") == {"N": 0.5, "S": 0.5}


def test_a_prediction_without_its_item_is_an_error():
    with pytest.raises(fl.PoolError, match=r"'b' has predictions.*1 items"):
        fl.open_pool(PREDICTIONS, items={"id": ["a"], "text": ["A"]})


def test_an_item_given_twice_is_an_error():
    with pytest.raises(fl.PoolError, match=r"'a' appears twice"):
        fl.open_pool(PREDICTIONS, items={"id": ["a", "b", "a"], "text": ["A", "B", "C"]})


def test_two_files_without_a_shared_id_column_are_an_error():
    with pytest.raises(fl.PoolError, match=r"'id' for id in the items.*key, text"):
        fl.open_pool(PREDICTIONS, items={"key": ["a", "b"], "text": ["A", "B"]})


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


# -- what cannot be opened ---------------------------------------------------------------------------------------------


def test_a_file_that_is_not_there_is_an_error_naming_it(tmp_path):
    with pytest.raises(fl.PoolError, match=r"no file '.*nope.csv'"):
        fl.open_pool(tmp_path / "nope.csv")


def test_a_file_of_another_kind_lists_the_kinds_that_are_read(tmp_path):
    (tmp_path / "pool.xlsx").write_text("x")
    with pytest.raises(fl.PoolError, match=r"'pool.xlsx'.*\.parquet.*\.csv.*\.jsonl.*\.npz.*\.arrow"):
        fl.open_pool(tmp_path / "pool.xlsx")


def test_a_folder_without_parquet_files_is_an_error(tmp_path):
    with pytest.raises(fl.PoolError, match=r"holds no \.parquet files"):
        fl.open_pool(tmp_path)


@pytest.mark.parametrize(
    "name", ["p.parquet", "p.npz", "p.arrow", "p.feather", "p.csv.gz", "p.jsonl", "p.json", "p.csv"]
)
@pytest.mark.parametrize("content", [b"", b"certainly not what the name promises" * 3])
def test_a_broken_file_is_an_error_naming_it(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(fl.PoolError) as caught:
        fl.open_pool(tmp_path / name)
    assert name in str(caught.value) or "no predictions found" in str(caught.value)
    assert "Python objects" not in str(caught.value)


def test_a_table_with_a_header_only_is_an_empty_pool(tmp_path):
    (tmp_path / "p.csv").write_text("id,predicted,score\n")
    with pytest.raises(fl.PoolError, match="empty"):
        fl.open_pool(tmp_path / "p.csv")


def test_a_column_given_twice_is_an_error():
    columns = [pa.array(["x", "y"]), pa.array(["x", "y"]), pa.array([0.5, 0.25])]
    with pytest.raises(fl.PoolError, match="predicted"):
        fl.open_pool(pa.table(columns, names=["predicted", "predicted", "score"]))


@pytest.mark.parametrize(
    "source", [3, None, pd.Series([1, 2]), [1, 2], pl.Series([1, 2])], ids=lambda s: type(s).__name__
)
def test_what_is_no_table_is_an_error_listing_what_is(source):
    with pytest.raises(fl.PoolError, match=r"cannot read a pool from.*Parquet.*CSV"):
        fl.open_pool(source)


def test_text_in_a_number_column_is_an_error_quoting_it(tmp_path):
    (tmp_path / "p.csv").write_text("id,p_cat,p_dog\na,high,0.5\nb,0.25,0.75\n")
    with pytest.raises(fl.PoolError, match=r"p_cat.*numbers.*'high'"):
        fl.open_pool(tmp_path / "p.csv")


def test_text_ids_that_look_like_numbers_keep_their_zeros(tmp_path):
    (tmp_path / "p.csv").write_text("id,predicted,score\n007,x,0.5\n07,y,0.25\n")
    assert [row[0] for row in said(fl.open_pool(tmp_path / "p.csv"))] == ["007", "07"]


def test_sigmoids_in_a_file_are_accepted_when_said_to_be_so():
    table = {"p_cat": [0.875, 0.75], "p_dog": [0.5, 0.875]}
    with pytest.raises(fl.PoolError, match='probabilities_are="independent"'):
        fl.open_pool(table)
    pool = fl.open_pool(table, probabilities_are="independent")
    assert [row[1:3] for row in said(pool)] == [("cat", 0.875), ("dog", 0.875)]


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
