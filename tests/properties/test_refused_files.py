"""Files that cannot be read exactly are refused: in words that name the row, the column, the value and what to do."""

import gzip
import io
import json
import os
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_refused_cells import ARRAYS, BAD_CELLS, FRAMES, LISTS, MIXED

import fewlabels as fl
from odd_files import WAYS, csv_text, pa, put, write_parquet
from refused_pools import PLAIN, refusal

# -- files -------------------------------------------------------------------------------------------------------------

GOOD = csv_text(PLAIN)
LINE = '{"id": "a", "predicted": "x", "score": 0.5}\n'
TEXT_FILES: dict[str, tuple[str, str | bytes, list[str]]] = {
    "an empty csv": ("t.csv", "", ["t.csv", "empty", "head line"]),
    "blank lines": ("t.csv", "\n\n\n", ["t.csv", "empty"]),
    "a head alone": ("t.csv", "id,predicted,score\n", ["empty"]),
    "a short row": ("t.csv", GOOD + "d,x\n", ["line 5", "2 cells", "3 columns"]),
    "a long row": ("t.csv", GOOD + "d,x,0.5,1\n", ["line 5", "4 cells", "3 columns"]),
    "a short row behind lines in quotes": ("t.csv", GOOD + '"d\ne",x,1\nf\n', ["line 7", "1 cells"]),
    "a carriage return without quotes": ("t.csv", GOOD + "d\re,x,1\n", ["line 5", "1 cells", "quotes", "line break"]),
    "an open quote": ("t.csv", GOOD + '"d,x,0.5\ne,x,0.5\n', ["line 5", "quote", "closed"]),
    "text behind a quote": ("t.csv", GOOD + '"d"e,x,0.5\n', ["line 5", "quote"]),
    "a column twice": ("t.csv", "id,p_cat,p_dog,p_cat\na,0.5,0.5,0.5\n", ["'p_cat'", "twice"]),
    "a column twice but for spaces": ("t.csv", "id,score, score\na,0.5,0.5\n", ["'score'", "twice"]),
    "no head": ("t.csv", "a,x,0.5\nb,y,0.5\n", ["no predictions found", "a, x, 0.5"]),
    "a remark above the head": ("t.csv", "# made today\n" + GOOD, ["line 2", "3 cells", "# made today"]),
    "an unknown separator": ("t.csv", GOOD.replace(",", "^"), ["no predictions found", "id^predicted^score"]),
    "decimal commas": ("t.csv", "id;predicted;score\na;x;0,5\n", ["score", "row 0", "'0,5'", "point"]),
    "latin letters": ("t.csv", GOOD.encode() + "d\xe9,x,0.5\n".encode("latin-1"), ["line 5", "UTF-8", "\\xe9"]),
    "two bytes a letter": ("t.csv", GOOD.encode("utf-16"), ["line 1", "UTF-8", "\\xff\\xfe"]),
    "a class column without a name": ("t.csv", "id,p_a,p_\na,0.5,0.5\n", ["name"]),
    "not gzip": ("t.csv.gz", b"no gzip at all", ["t.csv.gz", "cannot be read"]),
    "half of a gzip": ("t.csv.gz", gzip.compress(GOOD.encode() * 99)[:-20], ["t.csv.gz", "cannot be read"]),
    "lists in a csv": ("t.csv", 'id,probabilities\na,"[0.5, 0.5]"\n', ["row 0", "text", "p_<class>"]),
    "an empty jsonl": ("t.jsonl", "", ["t.jsonl", "empty"]),
    "an empty json": ("t.json", "", ["t.json", "empty"]),
    "an empty list": ("t.json", "[]", ["t.json", "empty"]),
    "a broken line": ("t.jsonl", LINE + '{"id": "b", \n', ["line 2", "not JSON"]),
    "a name twice": ("t.jsonl", LINE + '{"id": "b", "score": 0.5, "score": 0.6}\n', ["line 2", "'score'", "twice"]),
    "a name twice in a list": ("t.json", '[{"id": 1, "id": 2}]', ["'id'", "twice"]),
    "a list on a line": ("t.jsonl", LINE + "[1, 2]\n", ["line 2", "[1, 2]", "object"]),
    "a number on a line": ("t.jsonl", "7\n" + LINE, ["line 1", "7", "object"]),
    "a list of numbers": ("t.json", "[1, 2]", ["row 0", "1", "object"]),
    "a broken list": ("t.json", f"[{LINE}, ", ["t.json", "not JSON"]),
    "a list in a jsonl": ("t.jsonl", f"[\n{LINE}]", ["line 1", "not JSON"]),
    "columns in lists": ("t.json", json.dumps(PLAIN), ["row 0"]),
    "deep nesting": ("t.jsonl", '{"id": ' + "[" * 100_000 + "]" * 100_000 + "}", ["line 1", "not JSON"]),
    "a number of ten thousand digits": ("t.jsonl", '{"id": ' + "1" * 10_000 + "}", ["line 1", "not JSON"]),
    "latin letters in json": ("t.jsonl", LINE.encode() + b'{"id": "\xe9"}', ["line 2", "UTF-8"]),
    "an unknown kind": ("t.xlsx", "PK", ["t.xlsx", ".parquet", ".csv"]),
    "no kind": ("t", GOOD, ["'t'", ".parquet", ".csv"]),
    "text as parquet": ("t.parquet", GOOD, ["t.parquet", "again"]),
    "nothing as parquet": ("t.parquet", "", ["t.parquet", "again"]),
    "text as npz": ("t.npz", GOOD, ["t.npz", "numpy.savez"]),
    "nothing as npz": ("t.npz", "", ["t.npz", "numpy.savez"]),
    "text as feather": ("t.feather", GOOD, ["t.feather", "write it again"]),
    "nothing as arrow": ("t.arrow", "", ["t.arrow", "write it again"]),
}


@pytest.mark.parametrize("what", TEXT_FILES)
def test_files_that_cannot_be_read_exactly_are_refused(tmp_path: Path, what: str) -> None:
    name, content, words = TEXT_FILES[what]
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    message = refusal(tmp_path / name)
    assert all(word in message for word in words), message


def npy(array: Any, shape: tuple[int, ...] | None = None) -> bytes:
    """The bytes of an .npy file, with a head that may lie about the shape."""
    out = io.BytesIO()
    array = np.asarray(array)
    head = {
        "descr": np.lib.format.dtype_to_descr(array.dtype),
        "fortran_order": False,
        "shape": array.shape if shape is None else shape,
    }
    np.lib.format.write_array_header_1_0(out, head)
    return out.getvalue() + array.tobytes()


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return path


PREDICTED, SCORE = npy(np.array(["x", "y"])), npy(np.array([0.5, 0.25]))
NPZ: dict[str, tuple[dict[str, bytes], list[str]]] = {
    "more than its shape says": ({"score": npy([0.5, 0.25, 0.75], (2,))}, ["score.npy", "(2,)", "24"]),
    "less than its shape says": ({"score": npy([0.5], (2,))}, ["score.npy", "(2,)", "16", "8"]),
    "a shape beyond all memory": ({"score": npy([0.5], (10**15,))}, ["score.npy", "8,000,000,000,000,000"]),
    "a shape below nothing": ({"score": npy([0.5, 0.5], (-2,))}, ["score.npy"]),
    "no array": ({"score": b"no array at all"}, ["numpy.savez"]),
    "a single score": ({"score": npy(0.5)}, ["'score'", "single value"]),
    "a single class": ({"predicted": npy(np.array("x"))}, ["'predicted'", "single value"]),
    "a single class name": ({"class_names": npy(np.array("x"))}, ["'class_names'", "single value"]),
    "class names in a table": ({"class_names": npy(np.array([["x", "y"]]))}, ["class_names", "(1, 2)"]),
    "class names twice": ({"class_names": npy(np.array(["x", "y", "x"]))}, ["'x'", "twice"]),
    "an empty class name": ({"class_names": npy(np.array(["x", "y", ""]))}, ["class_names", "place 2"]),
    "three dimensions": ({"predicted": npy(np.zeros((1, 1, 2), dtype=int))}, ["predicted", "(1, 1, 2)"]),
    "complex scores": ({"score": npy(np.array([0.5j, 1]))}, ["score", "complex"]),
    "fields": ({"score": npy(np.zeros(2, dtype=[("a", float)]))}, ["score.npy", "fields a", "numpy.savez"]),
    "bytes that are no text": ({"predicted": npy(np.array([b"\xff", b"x"]))}, ["row 0", "\\xff", "UTF-8"]),
    "ids of another length": ({"id": npy(np.array([1, 2, 3]))}, ["ids", "3", "2"]),
    "labels of another length": ({"label": npy(np.array(["x"]))}, ["labels", "1", "2"]),
}


@pytest.mark.parametrize("what", NPZ)
def test_arrays_of_a_file_that_lies_or_is_no_pool_are_refused(tmp_path: Path, what: str) -> None:
    members, words = NPZ[what]
    message = refusal(zipped(tmp_path / "t.npz", **{"predicted": PREDICTED, "score": SCORE, **members}))
    assert all(word in message for word in words), message


def test_a_single_array_called_npz_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.npz").write_bytes(npy([0.5]))
    assert "numpy.savez" in refusal(tmp_path / "t.npz")


def test_an_array_twice_in_a_file_is_refused(tmp_path: Path) -> None:
    zipped(tmp_path / "t.npz", predicted=PREDICTED, score=SCORE)
    with zipfile.ZipFile(tmp_path / "t.npz", "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("score.npy", SCORE)
    assert "twice" in refusal(tmp_path / "t.npz")


@pytest.mark.parametrize("way", ["npz", "feather", "arrow stream", "parquet", "csv.gz"])
def test_a_file_cut_short_or_changed_never_ends_in_a_traceback(tmp_path: Path, way: str) -> None:
    """Every refusal is in words; a change that still is a whole file may be read, as nothing says it was changed."""
    whole = Path(WAYS[way](tmp_path, {**PLAIN, "group": ["g" * 50, "h", None]})).read_bytes()
    suffix = "".join(Path(WAYS[way](tmp_path, PLAIN)).suffixes)
    rng = np.random.default_rng(0)
    for number in range(40):
        broken = bytearray(whole)
        if number % 2:
            del broken[int(rng.integers(len(broken))) :]
        else:
            broken[int(rng.integers(len(broken)))] ^= int(rng.integers(1, 256))
        path = tmp_path / f"broken-{number}{suffix}"
        path.write_bytes(bytes(broken))
        with suppress(fl.FewlabelsError):
            fl.open_pool(path)


def test_several_models_of_one_name_are_refused(tmp_path: Path) -> None:
    arrays = {"predicted": np.array([[0, 1], [1, 0]]), "score": np.full((2, 2), 0.5)}
    np.savez(tmp_path / "t.npz", **arrays, models=["same", "same"])
    message = refusal(tmp_path / "t.npz")
    assert "'same'" in message
    assert "twice" in message


@pytest.mark.parametrize("models", [np.array("one"), np.array(["one", ""]), np.array([["one", "two"]])])
def test_names_of_models_that_are_no_names_are_refused(tmp_path: Path, models: Any) -> None:
    np.savez(tmp_path / "t.npz", predicted=np.array([[0, 1], [1, 0]]), score=np.full((2, 2), 0.5), models=models)
    assert "models" in refusal(tmp_path / "t.npz")


FOLDERS: dict[str, tuple[list[dict[str, list[Any]]], list[str]]] = {
    "another column": ([PLAIN, {**PLAIN, "extra": ["1", "2", "3"]}], ["'extra'", "0.parquet", "1.parquet"]),
    "a column less": ([{**PLAIN, "extra": ["1", "2", "3"]}, PLAIN], ["'extra'", "0.parquet", "1.parquet"]),
    "the same ids": ([PLAIN, PLAIN], ["'a'", "rows 0 and 3"]),
    "nothing": ([], ["holds no .parquet files"]),
    "a score that is text": ([PLAIN, {**PLAIN, "id": ["d", "e", "f"], "score": ["1", "no", "0"]}], ["row 4", "'no'"]),
}  # fmt: skip


@pytest.mark.parametrize("what", FOLDERS)
def test_folders_of_files_that_do_not_go_together_are_refused(tmp_path: Path, what: str) -> None:
    tables, words = FOLDERS[what]
    for number, table in enumerate(tables):
        write_parquet(tmp_path / f"{number}.parquet", table)
    message = refusal(tmp_path)
    assert all(word in message for word in words), message


def test_a_parquet_column_twice_is_refused(tmp_path: Path) -> None:
    columns = [["a", "b"], [0.5, 0.5], [0.5, 0.5]]
    assert "'p_cat' appears twice" in refusal(
        write_parquet(tmp_path / "t.parquet", pa.table(columns, names=["id", "p_cat", "p_cat"]))
    )


# -- files of class names ----------------------------------------------------------------------------------------------

CLASS_FILES: dict[str, tuple[str, str | bytes, list[str]]] = {
    "no list": ("c.json", "{}", ["c.json", "no list", '["cat", "dog"]']),
    "a list of another name": ("c.json", '{"pets": ["cat"]}', ["pets", "c.json:pets"]),
    "text": ("c.json", '"cat"', ["c.json", "list", "'cat'"]),
    "a number": ("c.json", "7", ["c.json", "list", "7"]),
    "nothing": ("c.json", "", ["c.json", "not JSON"]),
    "half a list": ("c.json", '["cat", ', ["c.json", "not JSON"]),
    "an empty name": ("c.json", '["cat", ""]', ["place 1"]),
    "no name": ("c.json", '["cat", null]', ["place 1", "None"]),
    "lists in a list": ("c.json", '["cat", ["dog"]]', ["['dog']"]),
    "a name twice": ("c.json", '["cat", "cat"]', ["'cat'", "twice"]),
    "half a character": ("c.json", '["cat", "\\ud800"]', ["UTF-8"]),
    "latin letters": ("c.txt", "cat\nh\xe9ron\n".encode("latin-1"), ["c.txt", "line 2", "UTF-8"]),
    "latin letters in json": ("c.json", '["h\xe9ron"]'.encode("latin-1"), ["c.json", "UTF-8"]),
    "a name twice in text": ("c.txt", "cat\ncat\n", ["'cat'", "twice"]),
    "too few names": ("c.txt", "cat\n", ["1 names", "2 columns"]),
    "no names": ("c.txt", "\n\n", ["0 names", "2 columns"]),
}


@pytest.mark.parametrize("what", CLASS_FILES)
def test_files_that_name_no_classes_are_refused(tmp_path: Path, what: str) -> None:
    name, content, words = CLASS_FILES[what]
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    message = refusal({"p_0": [0.5], "p_1": [0.5]}, classes=tmp_path / name)
    assert all(word in message for word in words), message


def test_a_folder_of_classes_is_refused(tmp_path: Path) -> None:
    assert "is a folder" in refusal({"p_0": [0.5], "p_1": [0.5]}, classes=str(tmp_path))


def test_names_of_classes_keep_unusual_signs_of_a_line(tmp_path: Path) -> None:
    names = ["a\u2028b", "c\x85d", "e\x1cf", "ß"]
    put(tmp_path / "c.txt", "\ufeff" + "\r\n".join(names))
    assert fl.open_pool({f"p_{i}": [0.25] for i in range(4)}, classes=tmp_path / "c.txt").classes == tuple(names)


# -- several models in one file ----------------------------------------------------------------------------------------

LONG: dict[str, list[Any]] = {
    "model": ["m", "m", "n", "n"],
    "id": ["a", "b", "a", "b"],
    "predicted": ["x", "y", "x", "y"],
    "score": [0.5, 0.25, 0.75, 1.0],
}
LONG_FILES: dict[str, tuple[dict[str, list[Any]], list[str]]] = {
    "an item less": ({k: v[:3] for k, v in LONG.items()}, ["'b'", "'m'", "'n'"]),
    "an item more": ({k: [*v, w] for (k, v), w in zip(LONG.items(), ["n", "c", "x", 0.5], strict=True)}, ["'c'"]),
    "another item": ({**LONG, "id": ["a", "b", "a", "c"]}, ["'b'", "'m'", "'n'"]),
    "an item twice": ({**LONG, "model": ["m", "m", "m", "n"]}, ["'a'", "rows 0 and 2", "unique"]),
    "no id": ({**LONG, "id": ["a", "b", "a", None]}, ["row 3", "no id"]),
    "no model": ({**LONG, "model": ["m", "m", None, "n"]}, ["row 2", "'model'"]),
    "two labels": ({**LONG, "label": ["x", "y", "z", "y"]}, ["label", "'a'", "row 0", "row 2", "'x'", "'z'"]),
    "two texts": ({**LONG, "text": ["A", "B", "A", "C"]}, ["text", "'b'", "row 1", "row 3", "'B'", "'C'"]),
    "a bad score": ({**LONG, "score": [0.5, 0.25, 0.75, 7.0]}, ["score", "row 3", "7"]),
}  # fmt: skip


@pytest.mark.parametrize("what", LONG_FILES)
@pytest.mark.parametrize("way", ["csv", "jsonl", "parquet"])
def test_a_long_file_that_is_no_pool_of_several_models_is_refused(tmp_path: Path, way: str, what: str) -> None:
    table, words = LONG_FILES[what]
    message = refusal(WAYS[way](tmp_path, table))
    assert all(word in message for word in words), message


def test_a_number_beside_its_text_in_a_long_file_is_refused_with_both_rows(tmp_path: Path) -> None:
    for column, words in {"id": ["id 1 of row 0", "id '1' of row 2"], "model": ["model 1 of row 0", "row 2"]}.items():
        values = [1, 2, "1", "2"] if column == "id" else [1, 1, "1", "1"]
        message = refusal(WAYS["jsonl"](tmp_path, {**LONG, column: values}))
        assert all(word in message for word in words), message


def test_two_models_of_one_name_are_not_joined() -> None:
    pool = fl.Pool.from_arrays(predicted=["x", "y"], score=[0.5, 0.5])
    with pytest.raises(fl.PoolError, match=r"'1' is named twice in models"):
        fl.Pool.join({1: pool, "1": pool})  # type: ignore[dict-item]


# -- what is no file ---------------------------------------------------------------------------------------------------

_OPEN_ALL = """
import sys
import fewlabels as fl
for name in sys.argv[1:]:
    for options in ({}, {"classes": name}, {"items": name}):
        try:
            fl.open_pool({"id": ["a"], "predicted": ["x"], "score": [0.5]} if options else name, **options)
        except fl.FewlabelsError as error:
            print("refused:", error)
"""


def test_pipes_and_devices_are_refused_before_they_are_read(tmp_path: Path) -> None:
    kinds = ["csv", "tsv", "csv.gz", "jsonl", "json", "parquet", "npz", "arrow", "feather"]
    for kind in kinds:
        os.mkfifo(tmp_path / f"pipe.{kind}")
        (tmp_path / f"zeros.{kind}").symlink_to("/dev/zero")
        (tmp_path / f"nothing.{kind}").symlink_to("/dev/null")
    files = sorted(str(path) for path in tmp_path.iterdir())
    done = subprocess.run(
        [sys.executable, "-c", _OPEN_ALL, *files], capture_output=True, text=True, timeout=120, check=True
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 3 * len(files) == 81
    assert all("pipe or a device" in line for line in lines), done.stdout


def test_a_pipe_in_a_folder_of_files_is_refused(tmp_path: Path) -> None:
    write_parquet(tmp_path / "a.parquet", PLAIN)
    os.mkfifo(tmp_path / "b.parquet")
    assert "'b.parquet'" in refusal(tmp_path)


@pytest.mark.parametrize("name", ["", "\0.csv", "x" * 5000 + ".csv", "nowhere/t.csv", "~nobody-of-this-name/t.csv"])
def test_names_that_no_file_can_have_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    assert "file" in refusal(name)


def test_the_collection_of_refused_files_is_large() -> None:
    listed = [ARRAYS, FRAMES, TEXT_FILES, NPZ, FOLDERS, CLASS_FILES]
    several = len(BAD_CELLS) * len(WAYS) + 4 * len(LISTS) + 10 * len(MIXED) + 3 * len(LONG_FILES)
    assert sum(map(len, listed)) + several > 400
