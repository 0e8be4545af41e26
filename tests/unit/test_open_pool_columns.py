"""open_pool: columns and classes by other names, two files joined by id, and what cannot be opened."""

import pytest

import fewlabels as fl
from pool_files import groups, pa, pd, pl, said, write_csv, write_parquet

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
