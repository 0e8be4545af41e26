"""Files and frames are read exactly: what is held, value by value, is what was written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from odd_files import (
    TEXTS,
    WAYS,
    WITH_TYPES,
    WITHOUT_TYPES,
    Columns,
    csv_text,
    held,
    json_text,
    odd_table,
    pa,
    pd,
    pl,
    put,
    write_parquet,
)  # fmt: skip

ROWS = 25_000  # more than any reader looks at to guess the type of a column
PLAIN: Columns = {"id": ["a", "b", "c"], "predicted": ["x", "y", "x"], "score": [0.5, 0.25, 1.0]}


@pytest.mark.parametrize("way", WAYS)
def test_text_that_looks_like_something_else_is_what_it_is(tmp_path: Path, way: str) -> None:
    for number, value in enumerate(TEXTS):
        table = odd_table(value)
        if way == "npz":  # which knows no missing text
            table["group"] = ["g", value, "", "h"]
        folder = tmp_path / str(number)
        folder.mkdir()
        pool = fl.open_pool(WAYS[way](folder, table))
        assert held(pool) == table, value[:50]
        assert set(pool.classes) == {"x", "y", value}


@pytest.mark.parametrize("way", WAYS)
def test_no_value_is_read_for_another(tmp_path: Path, way: str) -> None:
    """All odd values in one table: none is merged with another, as '1.10' with '1.1' or 'TRUE' with 'true'."""
    texts = [*TEXTS, "1.1", "7", "120000.0", "6f9619ff-8b86-d011-b42d-00c04fc964ff", "001.10"]
    table = {"id": texts, "predicted": texts, "score": [0.5] * len(texts), "label": texts, "group": texts}
    pool = fl.open_pool(WAYS[way](tmp_path, table))
    assert held(pool) == table
    assert set(pool.classes) == set(texts)


# -- values past the first rows ----------------------------------------------------------------------------------------

LATE: dict[str, tuple[str, Any, Any]] = {
    "a score after whole ones": ("score", 1, 0.4),
    "a whole score after others": ("score", 0.25, 1),
    "a label after whole numbers": ("label", "1", "1.6"),
    "a label after truth values": ("label", "true", "cat"),
    "a class after whole numbers": ("predicted", "1", "1.6"),
    "a class with zeros in front": ("predicted", "1", "01"),
    "an attribute after numbers": ("group", "2020", "2020.50"),
    "an attribute after dates": ("group", "2024-01-31", "2024-02-31"),
    "a text after numbers": ("text", "17", "seventeen"),
    "an attribute after empty cells": ("group", None, "x"),
}


@pytest.mark.parametrize("way", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("what", LATE)
def test_a_value_past_the_first_rows_is_read_as_written(tmp_path: Path, way: str, what: str) -> None:
    column, usual, late = LATE[what]
    table = {
        "id": [f"i{n}" for n in range(ROWS + 1)],
        "predicted": ["x", *["y"] * ROWS],
        "score": [0.5] * (ROWS + 1),
        column: [*[usual] * ROWS, late],
    }
    assert held(fl.open_pool(WAYS[way](tmp_path, table))) == table


@pytest.mark.parametrize("late", ["0012345", "8.6", "x", "1e5", "99999999999999999999"])
@pytest.mark.parametrize("way", ["csv", "tsv"])
def test_an_id_past_the_first_rows_is_read_as_written(tmp_path: Path, way: str, late: str) -> None:
    ids = [*map(str, range(ROWS)), late]
    pool = fl.open_pool(WAYS[way](tmp_path, {"id": ids, "predicted": ["x"] * len(ids), "score": [0.5] * len(ids)}))
    assert pool.ids == ids


@pytest.mark.parametrize("late", ["0012345", 8.6, "x", 2**70])
def test_an_id_of_another_type_past_the_first_lines_is_read_as_written(tmp_path: Path, late: Any) -> None:
    ids = [*range(ROWS), late]
    text = json_text({"id": ids, "predicted": ["x"] * len(ids), "score": [0.5] * len(ids)})
    assert fl.open_pool(put(tmp_path / "t.jsonl", text)).ids == [str(item) for item in ids]


@pytest.mark.parametrize("way", ["csv", "tsv", "jsonl"])
def test_probabilities_past_the_first_rows_are_read_as_written(tmp_path: Path, way: str) -> None:
    table = {"id": [f"i{n}" for n in range(ROWS + 1)], "p_a": [*[1] * ROWS, 0.4], "p_b": [*[0] * ROWS, 0.6]}
    outputs = fl.open_pool(WAYS[way](tmp_path, table)).engine.models["model"]
    assert outputs.probabilities[-1].tolist() == [0.4, 0.6]
    assert outputs.probabilities[0].tolist() == [1.0, 0.0]


def test_lists_past_the_first_lines_are_read_as_written(tmp_path: Path) -> None:
    lists = [*[[1, 0]] * ROWS, [0.4, 0.6], [1.0, 0]]
    text = json_text({"id": [f"i{n}" for n in range(len(lists))], "probabilities": lists})
    outputs = fl.open_pool(put(tmp_path / "t.jsonl", text)).engine.models["model"]
    assert outputs.probabilities[-2:].tolist() == [[0.4, 0.6], [1.0, 0.0]]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_each_file_of_a_folder_has_its_own_types(tmp_path: Path, order: tuple[int, int]) -> None:
    parts = [
        {"id": ["a", "b"], "predicted": ["x", "y"], "score": [1, 0], "year": [2020, 2021]},
        {"id": ["c", "d"], "predicted": ["x", "y"], "score": [0.4, 0.7], "year": ["2020", "MMXX"]},
    ]
    for number, part in zip(order, parts, strict=True):
        write_parquet(tmp_path / f"{number}.parquet", part)
    found = held(fl.open_pool(tmp_path))
    by_id = {item: row for item, *row in zip(*found.values(), strict=True)}
    assert by_id == {"a": ["x", 1.0, 2020], "b": ["y", 0.0, 2021], "c": ["x", 0.4, "2020"], "d": ["y", 0.7, "MMXX"]}


# -- names of files and folders ----------------------------------------------------------------------------------------

NAMES = [
    "preds[1]", "a*", "a?", "[", "]", "x]y", "[!a]", "100%", "%41", "it's", 'a"b', "two words", "~", "~x", "{a,b}",
    "a=b", "#1", "$HOME", "back\\slash", "new\nline", "-x", "é", "日本", "a;b", "a'; drop table x; --", "x.csv",
]  # fmt: skip
DECOYS = ["preds1", "ab", "a", "A", "b", "words", "x"]
KINDS = ["csv", "jsonl", "json", "parquet", "npz", "feather"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_name_is_a_file_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    monkeypatch.chdir(tmp_path)
    names = [*NAMES, *DECOYS]
    for number, name in enumerate(names):
        Path(WAYS[kind](tmp_path, {**PLAIN, "score": [0.5, 0.25, number / 100]})).rename(tmp_path / f"{name}.{kind}")
    for number, name in enumerate(names):
        for source in (f"{name}.{kind}", tmp_path / f"{name}.{kind}"):
            pool = fl.open_pool(source)
            assert held(pool)["score"] == [0.5, 0.25, number / 100], name
        assert pool.source is not None
        assert held(fl.open_pool(pool.source["source"]))["score"] == [0.5, 0.25, number / 100], name


def test_a_tilde_is_the_home_folder_unless_a_folder_is_called_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("HOME", str(home))
    put(home / "t.csv", csv_text(PLAIN))
    pool = fl.open_pool("~/t.csv")
    assert pool.ids == PLAIN["id"]
    assert pool.source is not None
    assert pool.source["source"] == str(home / "t.csv")
    (here / "~").mkdir()
    put(here / "~" / "t.csv", csv_text({**PLAIN, "id": ["here", "b", "c"]}))
    assert fl.open_pool("~/t.csv").ids == ["here", "b", "c"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl", "folder"])
@pytest.mark.parametrize("named", ["score=0.9", "id=7", "group=N", "p_x=1"])
def test_a_folder_called_like_a_column_changes_no_column(tmp_path: Path, kind: str, named: str) -> None:
    (tmp_path / named).mkdir()
    table = {**PLAIN, "group": ["S", "S", "S"]}
    assert held(fl.open_pool(WAYS[kind](tmp_path / named, table))) == table


# -- names of columns --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
def test_columns_that_differ_by_case_alone_are_two(tmp_path: Path, way: str) -> None:
    table = {
        "Id": ["P", "Q", "R"],
        **PLAIN,
        "ID": ["1p", "2q", "3r"],
        "Score": ["s", "t", "u"],
        "id_1": ["x", "y", "z"],
    }
    assert held(fl.open_pool(WAYS[way](tmp_path, table))) == table


@pytest.mark.parametrize("way", WAYS)
def test_classes_that_differ_by_case_alone_are_two(tmp_path: Path, way: str) -> None:
    table = {"id": ["a", "b"], "p_it": [0.25, 0.5], "p_IT": [0.5, 0.25], "p_It": [0.25, 0.25]}
    pool = fl.open_pool(WAYS[way](tmp_path, table))
    assert pool.classes == ("it", "IT", "It")
    assert held(pool)["predicted"] == ["IT", "it"]


@pytest.mark.parametrize("way", WAYS)
def test_class_columns_keep_their_names(tmp_path: Path, way: str) -> None:
    table = {"id": ["a"], "p_1.10": [0.5], "p_true": [0.25], "p_01": [0.125], "p_1": [0.125], "p_ x": [0.0]}
    if way in WITHOUT_TYPES:
        table["p_x"] = table.pop("p_ x")
    assert fl.open_pool(WAYS[way](tmp_path, table)).classes == tuple(name.removeprefix("p_") for name in table)[1:]


@pytest.mark.parametrize("way", [way for way in WAYS if way not in ("npz", "dictionary", "dictionary of arrays")])
@pytest.mark.parametrize("name", ["classes", "class_names", "models", "superclass_names"])
def test_a_column_may_be_called_like_a_list_of_classes(tmp_path: Path, way: str, name: str) -> None:
    table = {**PLAIN, name: ["q", "q", "r"]}
    assert held(fl.open_pool(WAYS[way](tmp_path, table))) == table


def test_attributes_called_like_probabilities_stay_as_they_are_written(tmp_path: Path) -> None:
    table = {**PLAIN, "p_code": ["007", "7", "8"], "p_value": ["0.10", "0.1", "1e-3"]}
    assert held(fl.open_pool(put(tmp_path / "t.csv", csv_text(table)))) == table


def test_predicted_and_score_beside_probabilities_stay_as_they_are_written(tmp_path: Path) -> None:
    table = {"id": ["a", "b"], "predicted": ["x", "y"], "score": ["0.50", "1"], "p_x": [0.5, 0.0], "p_y": [0.5, 1.0]}
    pool = fl.open_pool(put(tmp_path / "t.csv", csv_text(table)))
    assert {name: values.tolist() for name, values in pool.engine.columns.items()} == {
        "predicted": ["x", "y"],
        "score": ["0.50", "1"],
    }


# -- types of the source -----------------------------------------------------------------------------------------------

IDS: dict[str, list[Any]] = {
    "whole numbers": [30, 4, -7],
    "large whole numbers": [2**53 + 1, 2**63 - 1, -(2**63)],
    "text of numbers": ["30", "04", "4"],
    "fractions": [0.5, 8.6, 1e22],
}


@pytest.mark.parametrize("way", WITH_TYPES)
@pytest.mark.parametrize("what", IDS)
def test_ids_have_the_type_of_the_source(tmp_path: Path, way: str, what: str) -> None:
    ids = fl.open_pool(WAYS[way](tmp_path, {**PLAIN, "id": IDS[what]})).ids
    assert ids == ([str(item) for item in IDS[what]] if what == "fractions" else IDS[what])
    assert {type(item) for item in ids} == ({int} if "whole" in what else {str})


@pytest.mark.parametrize("way", ["parquet", "feather", "pandas", "polars", "arrow table"])
def test_typed_values_are_written_out_in_full(tmp_path: Path, way: str) -> None:
    from datetime import date, datetime
    from decimal import Decimal

    kinds = pa.table({
        **PLAIN,
        "flag": [True, False, None],
        "day": [date(2024, 1, 31), None, date(1, 1, 1)],
        "time": pa.array([datetime(2024, 1, 31, 10), None, datetime(2024, 1, 31, 10, 0, 0, 500)], pa.timestamp("us")),
        "exact": pa.array([1_700_000_000_000_000_001, None, 0], pa.timestamp("ns")),
        "price": pa.array([Decimal("1.10"), Decimal("0.00"), None], pa.decimal128(38, 2)),
        "huge": pa.array([Decimal(10**37 + 1), Decimal(7), None], pa.decimal128(38, 0)),
        "count": pa.array([2**64 - 1, 0, None], pa.uint64()),
        "bytes": [b"caf\xc3\xa9", b"x", None],
        "kind": pa.array(["k", None, "k"]).dictionary_encode(),
    })  # fmt: skip
    frames = {"pandas": lambda: kinds.to_pandas(types_mapper=pd.ArrowDtype), "polars": lambda: pl.from_arrow(kinds)}
    source = frames[way]() if way in frames else kinds if way == "arrow table" else WAYS[way](tmp_path, kinds)
    pool = fl.open_pool(source)
    texts = {name: [None if v is None else str(v) for v in values] for name, values in held(pool).items()}
    assert texts["flag"] == ["True", "False", None]
    assert texts["day"] == ["2024-01-31", None, "0001-01-01"]
    assert texts["time"] == ["2024-01-31 10:00:00", None, "2024-01-31 10:00:00.000500"]
    assert texts["exact"] == ["2023-11-14 22:13:20.000000001", None, "1970-01-01 00:00:00"]
    assert texts["price"] == ["1.10", "0.00", None]
    assert texts["huge"] == [str(10**37 + 1), "7", None]
    assert texts["count"] == [str(2**64 - 1), "0", None]
    assert texts["bytes"] == ["café", "x", None]
    assert texts["kind"] == ["k", None, "k"]


@pytest.mark.parametrize("unit", ["D", "s", "ms", "us", "ns"])
@pytest.mark.parametrize("way", ["pandas", "npz"])
def test_times_of_any_unit_are_written_out(tmp_path: Path, way: str, unit: str) -> None:
    times = np.array(["2024-01-31", "NaT", "2024-02-01"], dtype=f"datetime64[{unit}]")
    table = {**PLAIN, "when": times}
    np.savez(tmp_path / "t.npz", **table)
    found = held(fl.open_pool(pd.DataFrame(table) if way == "pandas" else tmp_path / "t.npz"))["when"]
    dates = unit == "D" and way == "npz"  # pandas knows no dates
    assert found == (
        ["2024-01-31", None, "2024-02-01"] if dates else ["2024-01-31 00:00:00", None, "2024-02-01 00:00:00"]
    )


def test_bytes_are_the_text_they_encode(tmp_path: Path) -> None:
    table = {k: [v.encode() for v in PLAIN[k]] for k in ("id", "predicted")}
    wanted = {**PLAIN, "label": ["x", "x", "x"]}
    arrays = {**{k: np.array(v) for k, v in table.items()}, "score": PLAIN["score"], "label": np.array([b"x"] * 3)}
    np.savez(tmp_path / "t.npz", **arrays)
    assert held(fl.open_pool(tmp_path / "t.npz")) == wanted
    assert held(fl.open_pool({**table, "score": PLAIN["score"], "label": [b"x"] * 3})) == wanted
    assert held(fl.open_pool(write_parquet(tmp_path / "t.parquet", {**table, "score": PLAIN["score"]}))) == PLAIN
    assert fl.open_pool({"predicted": [0, 1], "score": [0.5, 0.5]}, classes=[b"cat", b"dog"]).classes == ("cat", "dog")


@pytest.mark.parametrize("kind", ["Int64", "Float64", "string", "boolean", "category", "object"])
def test_missing_values_of_pandas_are_missing(kind: str) -> None:
    values = {"Int64": [1, None, 2], "Float64": [0.5, None, 1.5], "boolean": [True, None, False]}.get(
        kind, ["u", None, "v"]
    )
    pool = fl.open_pool(pd.DataFrame({**PLAIN, "group": pd.Series(values, dtype=kind)}))
    assert [str(v) if v is not None else None for v in held(pool)["group"]] == [
        None if v is None else str(v) for v in values
    ]


@pytest.mark.parametrize("way", WAYS)
def test_missing_attributes_and_texts_are_missing(tmp_path: Path, way: str) -> None:
    table = {**PLAIN, "group": ["g", None, None], "text": [None, "t", None]}
    found = held(fl.open_pool(WAYS[way](tmp_path, table)))
    nothing = "" if way == "npz" else None
    assert found["group"] == ["g", nothing, nothing]
    assert found["text"] == [nothing, "t", nothing]


# -- classes that are numbers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("codes", [[90210, 10001, 90210], [2_000_000_000, 1, 0], [10, 9, 100], [0, 1, 0]])
def test_codes_are_the_classes_that_occur_in_the_order_of_numbers(tmp_path: Path, way: str, codes: list[int]) -> None:
    pool = fl.open_pool(WAYS[way](tmp_path, {**PLAIN, "predicted": codes, "label": codes}))
    assert pool.classes == tuple(str(code) for code in sorted(set(codes)))
    assert held(pool)["predicted"] == held(pool)["label"] == [str(code) for code in codes]


@pytest.mark.parametrize("way", WAYS)
def test_codes_are_places_in_a_list_of_classes(tmp_path: Path, way: str) -> None:
    source = WAYS[way](tmp_path, {**PLAIN, "predicted": [2, 0, 2], "label": [1, 0, 2]})
    pool = fl.open_pool(source, classes=["cat", "dog", "owl"])
    assert held(pool)["predicted"] == ["owl", "cat", "owl"]
    assert held(pool)["label"] == ["dog", "cat", "owl"]
    assert pool.classes == ("cat", "dog", "owl")


# -- one file of several models ----------------------------------------------------------------------------------------

LONG: Columns = {
    "model": ["gpt", "gpt", "tiny", "tiny"],
    "id": ["a", "b", "b", "a"],
    "predicted": ["x", "y", "z", "x"],
    "score": [0.5, 0.25, 0.75, 1.0],
    "text": ["A", "B", "B", "A"],
    "label": ["x", "y", "y", "x"],
    "group": ["g", None, None, "g"],
    "seconds": ["1", "2", "3", "4"],
}


@pytest.mark.parametrize("way", [way for way in WAYS if way != "npz"])
def test_a_long_file_is_a_pool_of_several_models(tmp_path: Path, way: str) -> None:
    pool = fl.open_pool(WAYS[way](tmp_path, LONG))
    assert pool.models == ("gpt", "tiny")
    assert pool.classes == ("x", "y", "z")
    shared = {"id": ["a", "b"], "text": ["A", "B"], "label": ["x", "y"], "group": ["g", None]}
    assert held(pool, "gpt") == {"predicted": ["x", "y"], "score": [0.5, 0.25], **shared}
    assert held(pool, "tiny") == {"predicted": ["x", "z"], "score": [1.0, 0.75], **shared}


def test_a_long_file_of_probabilities_is_a_pool_of_several_models(tmp_path: Path) -> None:
    table = {k: LONG[k] for k in ("model", "id")} | {"p_x": [0.5, 0.25, 1.0, 0.0], "p_y": [0.5, 0.75, 0.0, 1.0]}
    pool = fl.open_pool(put(tmp_path / "t.csv", csv_text(table)))
    assert pool.engine.full_probabilities
    assert pool.engine.models["tiny"].probabilities.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_a_study_of_a_long_file_is_loaded_and_goes_on(tmp_path: Path) -> None:
    pool = fl.open_pool(put(tmp_path / "t.csv", csv_text(LONG)))
    where = f"sqlite:///{tmp_path}/s.db"
    fl.create_study(pool, fl.Estimate("accuracy"), model="tiny", storage=where)
    assert {query.item for query in fl.load_study(storage=where).ask(5)} == {"a", "b"}


def test_where_ids_are_unique_the_model_is_an_attribute() -> None:
    pool = fl.open_pool({**PLAIN, "model": ["m", "n", "m"]})
    assert pool.models == ("model",)
    assert held(pool)["model"] == ["m", "n", "m"]


# -- this very collection ----------------------------------------------------------------------------------------------


def test_the_collection_of_odd_files_is_large() -> None:
    assert len(TEXTS) * len(WAYS) + len(NAMES) * len(KINDS) + len(LATE) * 3 > 1000
    assert json.loads(json.dumps(TEXTS)) == TEXTS
    assert len(set(TEXTS)) == len(TEXTS)
