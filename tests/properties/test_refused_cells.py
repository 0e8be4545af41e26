"""Cells, arrays and frames that cannot be read exactly are refused: in words that name row, column and value."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from odd_files import WAYS, pa, pd, pl, write_parquet
from refused_pools import HALF, PLAIN, refusal

# -- cells of every kind of source -------------------------------------------------------------------------------------

BAD_CELLS: dict[str, tuple[str, Any, list[str]]] = {
    "a score that is text": ("score", "high", ["score", "row 1", "'high'", "number"]),
    "a score with a comma": ("score", "0,5", ["score", "row 1", "'0,5'", "0.5"]),
    "a score in percent": ("score", "50%", ["score", "row 1", "'50%'", "100"]),
    "a score with an underscore": ("score", "1_0", ["score", "row 1", "'1_0'"]),
    "a score that is true": ("score", "true", ["score", "row 1", "'true'"]),
    "a score of foreign digits": ("score", "٠", ["score", "row 1", "'٠'"]),
    "a score of sixteen": ("score", "0x1", ["score", "row 1", "'0x1'"]),
    "a missing score": ("score", None, ["score", "'b'", "row 1", "missing"]),
    "a missing class": ("predicted", None, ["'b'", "row 1", "no predicted class"]),
    "an empty class": ("predicted", "", ["'b'", "row 1", "no predicted class"]),
    "a missing id": ("id", None, ["row 1", "no id"]),
    "an empty id": ("id", "", ["row 1", "no id"]),
    "an id twice": ("id", "a", ["'a'", "rows 0 and 1", "unique"]),
}
TEXT_SCORES = [name for name in BAD_CELLS if BAD_CELLS[name][0] == "score" and "missing" not in name]


@pytest.mark.parametrize("way", WAYS)
def test_a_bad_cell_is_refused_with_its_row_and_value(tmp_path: Path, way: str) -> None:
    for number, (name, (column, value, words)) in enumerate(BAD_CELLS.items()):
        if way == "npz" and value is None:
            continue
        values: list[Any] = list(PLAIN[column])
        if name in TEXT_SCORES:
            values = [str(v) for v in values]
        values[1] = value
        (tmp_path / str(number)).mkdir()
        message = refusal(WAYS[way](tmp_path / str(number), {**PLAIN, column: values}))
        assert all(word in message for word in words), f"{name}: {message}"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("value", "words"), [("1.3", ["1.3", "[0, 1]"]), ("-0.5", ["-0.5", "[0, 1]"]), ("inf", ["inf"])]
)
def test_a_score_beyond_the_unit_interval_is_refused(tmp_path: Path, way: str, value: str, words: list[str]) -> None:
    message = refusal(WAYS[way](tmp_path, {**PLAIN, "score": [0.5, float(value), 0.5]}))
    assert all(word in message for word in [*words, "'b'", "row 1"]), message


@pytest.mark.parametrize("way", WAYS)
def test_text_among_probabilities_is_refused_with_its_row_and_column(tmp_path: Path, way: str) -> None:
    table = {"id": ["a", "b"], "p_x": ["0.5", "high"], "p_y": [0.5, 0.5]}
    message = refusal(WAYS[way](tmp_path, table))
    assert all(word in message for word in ["'p_x'", "numbers", "row 1", "'high'"]), message


LISTS: dict[str, tuple[Any, list[str]]] = {
    "a dictionary": ({"x": 0.5, "y": 0.5}, ["row 1", "dictionary", "list of numbers"]),
    "text": ("0.5, 0.5", ["row 1", "text", "'0.5, 0.5'", "list of numbers"]),
    "nested lists": ([[0.5, 0.5], [0.5, 0.5]], ["row 1", "numbers"]),
    "lists of text": (["high", "low"], ["row 1", "'high'", "numbers"]),
    "truth values": ([True, False], ["row 1", "True", "numbers"]),
    "too few": ([1.0], ["row 1", "1 prob", "2"]),
    "none": (None, ["row 1", "no probabilities"]),
    "one missing": ([0.5, None], ["'b'", "missing"]),
    "a number": (0.5, ["row 1"]),
}


@pytest.mark.parametrize("what", LISTS)
@pytest.mark.parametrize("way", ["jsonl", "json", "dictionary", "pandas, objects"])
def test_what_is_no_list_of_probabilities_is_refused(tmp_path: Path, way: str, what: str) -> None:
    value, words = LISTS[what]
    message = refusal(WAYS[way](tmp_path, {"id": ["a", "b"], "probabilities": [[0.5, 0.5], value]}))
    assert all(word in message for word in words), message


@pytest.mark.parametrize("way", ["parquet", "feather", "polars", "arrow table", "jsonl", "dictionary"])
@pytest.mark.parametrize("what", ["a dictionary", "text", "nested lists", "lists of text"])
def test_a_whole_column_of_no_probabilities_is_refused(tmp_path: Path, way: str, what: str) -> None:
    value = LISTS[what][0]
    message = refusal(WAYS[way](tmp_path, {"id": ["a", "b"], "probabilities": [value, value]}))
    assert "probabilities" in message
    assert "row 0" in message or "shape" in message, message


MIXED: dict[str, list[Any]] = {"whole numbers": [1, "1"], "truth values": [True, "True"], "fractions": [0.5, "0.5"]}


@pytest.mark.parametrize("way", ["jsonl", "json", "dictionary", "dictionary of arrays", "pandas, objects"])
@pytest.mark.parametrize("column", ["id", "predicted"])
@pytest.mark.parametrize("what", MIXED)
def test_a_number_beside_its_text_is_refused_with_both_rows(tmp_path: Path, way: str, column: str, what: str) -> None:
    one, other = MIXED[what]
    message = refusal(WAYS[way](tmp_path, {**PLAIN, column: [one, "u", other]}))
    assert all(word in message for word in [repr(one), repr(other), "row 0", "row 2", "write all as text"]), message


def test_a_number_beside_its_text_in_two_files_of_a_folder_is_refused(tmp_path: Path) -> None:
    for number, item in enumerate([[1, 2], ["1", "x"]]):
        write_parquet(tmp_path / f"{number}.parquet", {"id": item, "predicted": ["x", "y"], "score": [0.5, 0.5]})
    assert all(word in refusal(tmp_path) for word in ["id 1 of row 0", "id '1' of row 2"])


@pytest.mark.parametrize("column", ["id", "predicted", "label", "group", "text"])
@pytest.mark.parametrize("way", ["jsonl", "json", "dictionary", "pandas, objects"])
def test_half_a_character_is_refused_with_its_row(tmp_path: Path, way: str, column: str) -> None:
    table = {**PLAIN, column: ["u", f"v{HALF}", "w"]}
    message = refusal(WAYS[way](tmp_path, table))
    assert all(word in message for word in ["row 1", "'v\\ud800'", "UTF-8"]), message


@pytest.mark.parametrize("place", ["classes", "column", "other_labels", "positive"])
def test_half_a_character_in_a_name_is_refused(place: str) -> None:
    table: dict[str, Any] = {**PLAIN, **({f"g{HALF}": ["u"] * 3} if place == "column" else {})}
    options: dict[str, Any] = {
        "classes": {"classes": ["x", "y", HALF]},
        "column": {},
        "other_labels": {"other_labels": [HALF]},
        "positive": {"positive_score": "score", "positive": HALF},
    }[place]
    assert "UTF-8" in refusal(table, **options)


# -- arrays and frames -------------------------------------------------------------------------------------------------

MASKED = np.ma.array([0.5, 0.9, 0.5], mask=[False, True, False])
ARRAYS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "a masked score": ({"predicted": ["x", "y", "x"], "score": MASKED}, ["score", "row 1", "missing"]),
    "a masked positive score": ({"positive_score": MASKED, "positive": "p"}, ["positive_score", "row 1", "missing"]),
    "a masked probability": (
        {"probabilities": np.ma.array([[0.5, 0.5], [0.5, 0.5]], mask=[[0, 0], [1, 0]])},
        ["row 1", "missing"],
    ),
    "a masked whole probability": (
        {"probabilities": np.ma.array([[1, 0], [0, 1]], mask=[[0, 0], [1, 0]])},
        ["row 1", "missing"],
    ),
    "a masked class": ({"predicted": np.ma.array(["x", "y"], mask=[0, 1]), "score": [0.5, 0.5]}, ["row 1", "no pred"]),
    "a masked id": ({**PLAIN, "ids": np.ma.array([1, 2, 3], mask=[0, 0, 1])}, ["row 2", "no id"]),
    "complex scores": ({"predicted": ["x", "y"], "score": np.array([0.5 + 1j, 1])}, ["score", "complex"]),
    "a complex score in a list": ({"predicted": ["x", "y"], "score": [0.5, 1j]}, ["score", "row 1", "1j"]),
    "complex probabilities": ({"probabilities": np.array([[0.5 + 1j, 0.5]])}, ["probabilities", "complex"]),
    "dates as scores": ({"predicted": ["x"], "score": np.array(["1970-01-01"], "M8[D]")}, ["score", "1970-01-01"]),
    "a score of no dimension": ({"predicted": ["x"], "score": np.array(0.5)}, ["score"]),
    "classes of no dimension": ({"predicted": np.array("x"), "score": [0.5]}, ["one entry an item"]),
    "classes of two dimensions": ({"predicted": np.array([["x"]]), "score": [0.5]}, ["predicted", "(1, 1)"]),
    "ids of two dimensions": ({**PLAIN, "ids": np.array([[1], [2], [3]])}, ["ids", "(3, 1)"]),
    "ids that are lists": ({**PLAIN, "ids": [[1], [2], [3]]}, ["ids", "row 0", "[1]"]),
    "classes that are lists": ({"predicted": [["x"], ["y"]], "score": [0.5, 0.5]}, ["predicted", "row 0", "['x']"]),
    "ids in a set": ({**PLAIN, "ids": {"a", "b", "c"}}, ["ids", "list"]),
    "pandas' missing id": ({**PLAIN, "ids": pd.Series(["a", pd.NA, "c"], dtype="string")}, ["row 1", "no id"]),
    "pandas' missing number": ({**PLAIN, "ids": pd.array([1, None, 3], dtype="Int64")}, ["row 1", "no id"]),
    "a missing time as id": ({**PLAIN, "ids": [pd.NaT, 1, 2]}, ["row 0", "no id"]),
    "bytes that are no text": ({**PLAIN, "ids": [b"a", b"\xff", b"c"]}, ["row 1", "\\xff", "UTF-8"]),
    "an empty class name": ({**PLAIN, "classes": ["x", "y", ""]}, ["classes", "place 2", "name"]),
    "a missing class name": ({**PLAIN, "classes": ["x", None, "y"]}, ["classes", "place 1", "None"]),
    "a class name that is no number": ({**PLAIN, "classes": ["x", float("nan"), "y"]}, ["classes", "place 1", "nan"]),
    "a class name of pandas": ({**PLAIN, "classes": ["x", pd.NA, "y"]}, ["classes", "place 1"]),
    "a class name twice": ({**PLAIN, "classes": ["x", "y", 1, "1"]}, ["'1'", "twice"]),
    "a class name that is a list": ({**PLAIN, "classes": ["x", "y", ["z"]]}, ["classes", "['z']"]),
    "an empty other label": ({**PLAIN, "other_labels": [""]}, ["other_labels", "name"]),
    "an empty positive class": ({"positive_score": [0.5], "positive": ""}, ["name"]),
    "a negative code": ({"predicted": [-1, 1], "score": [0.5, 0.5]}, ["-1", "from 0"]),
}  # fmt: skip


@pytest.mark.parametrize("what", ARRAYS)
def test_arrays_that_are_no_pool_are_refused(what: str) -> None:
    arguments, words = ARRAYS[what]
    arguments = {("ids" if key == "id" and "ids" not in arguments else key): v for key, v in arguments.items()}
    arguments.pop("id", None)
    with pytest.raises(fl.PoolError) as caught:
        fl.Pool.from_arrays(**arguments)
    assert all(word in str(caught.value) for word in words), str(caught.value)


FRAMES: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "pandas columns twice": (
        lambda: pd.DataFrame([["a", "x", 0.5, 0.5]], columns=["id", "predicted", "score", "score"]),
        ["'score'", "twice"],
    ),
    "pandas columns 1 and '1'": (lambda: pd.DataFrame([["a", "b"]], columns=[1, "1"]), ["'1'", "twice"]),
    "arrow columns twice": (
        lambda: pa.table([["a"], ["x"], [0.5], [0.5]], names=["id", "predicted", "score", "score"]),
        ["'score'", "twice"],
    ),
    "a masked array in a dictionary": (lambda: {**PLAIN, "score": MASKED}, ["row 1", "missing"]),
    "complex numbers in polars": (lambda: pl.DataFrame({**PLAIN, "score": [1j, 1j, 1j]}), ["score", "1j"]),
    "complex numbers in pandas": (lambda: pd.DataFrame({**PLAIN, "score": [1j, 1j, 1j]}), ["score", "complex"]),
    "a missing id of pandas": (
        lambda: pd.DataFrame({**PLAIN, "id": pd.array(["a", None, "c"], dtype="string")}),
        ["row 1", "no id"],
    ),
    "pd.NA among objects": (lambda: pd.DataFrame({**PLAIN, "id": ["a", pd.NA, "c"]}), ["row 1", "no id"]),
    "pd.NA in a dictionary": (lambda: {**PLAIN, "id": ["a", pd.NA, "c"]}, ["row 1", "no id"]),
    "pd.NA as a class": (lambda: {**PLAIN, "predicted": ["x", pd.NA, "y"]}, ["row 1", "no predicted class"]),
    "a list of frames": (lambda: [pd.DataFrame(PLAIN)], ["cannot read a pool from list"]),
    "a number": (lambda: 7, ["cannot read a pool from int"]),
    "columns of several lengths": (lambda: {**PLAIN, "score": [0.5, 0.5]}, ["score", "2", "3"]),
}


@pytest.mark.parametrize("what", FRAMES)
def test_frames_that_are_no_pool_are_refused(what: str) -> None:
    make, words = FRAMES[what]
    message = refusal(make())
    assert all(word in message for word in words), message
