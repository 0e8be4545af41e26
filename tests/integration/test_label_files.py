"""Files of labels are read as they are written, or refused in words that name the line."""

import csv
import json
from pathlib import Path

import pytest

import fewlabels as fl
from command_line import asked, refused, run, run_json, write_numbered
from fewlabels.exchange.labels_file import read_labels

LONG = "9" * 5000


def labels_of(study: str) -> dict[object, str]:
    return dict(fl.load_study(Path(study).stem, storage=f"sqlite:///{study}").labels)


@pytest.fixture
def numbered(here: Path) -> str:
    """A study of items called 0, 1, 2, …"""
    run("new", write_numbered(here))
    return "n.db"


# -- one way of writing an id ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("written", ["0{}", "+{}", "{}.0", " {}", "{}\u0660"])
def test_a_whole_number_written_in_another_way_is_refused_before_anything_is_recorded(
    numbered: str, written: str
) -> None:
    item = asked(numbered)[0]
    run("tell", numbered, item, "refund")
    other = written.format(item)
    words = refused("correct", numbered, other, "invoice")
    assert "check its id" in words or f"did you mean {item}?" in words
    assert labels_of(numbered) == {int(item): "refund"}
    assert "whose ids are whole numbers" in refused("tell", numbered, other, "refund")
    assert "whose ids are whole numbers" in refused("skip", numbered, other)


def test_a_label_file_with_an_id_in_another_way_records_nothing_and_names_the_line(numbered: str) -> None:
    first, second = asked(numbered, 2)
    Path("l.csv").write_text(f"id,label\n{first},refund\n0{second},refund\n")
    assert f"line 3: item '0{second}'" in refused("tell", numbered, "--file", "l.csv")
    assert labels_of(numbered) == {}


def test_an_id_of_text_that_looks_like_a_number_is_read_as_it_is_written(here: Path) -> None:
    rows = [{"id": f"0{i}", "predicted": "ab"[i % 2], "score": 0.9} for i in range(10)]
    (here / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("new", "t.jsonl")
    item = asked("t.db")[0]
    run("tell", "t.db", item, "a")
    assert run_json("correct", "t.db", item, "b") == {"item": item, "before": "a", "after": "b"}
    assert "no label to correct" in refused("correct", "t.db", item[1:], "a")


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_id_of_five_thousand_digits_is_refused_in_words(numbered: str, form: str) -> None:
    text = f"id,label\n{LONG},refund\n" if form == "csv" else f'{{"id": {LONG}, "label": "refund"}}\n'
    Path("l").write_text(text)
    words = refused("tell", numbered, "--file", "l")
    assert "(5,000 characters) is not in the pool" in words
    assert len(words) < 300
    assert "5,000 characters" in refused("tell", numbered, LONG, "refund")


# -- what cannot be read ---------------------------------------------------------------------------------------------

REFUSED = {
    "a label twice": (b"id,label,label\na,x,y\n", "line 1 has 2 columns 'label'"),
    "an id twice": (b"id,label,ID\na,x,b\n", "line 1 has 2 columns 'id'"),
    "a JSON label twice": (b'{"id": "a", "label": "x", "label": "y"}\n', "line 1 has 2 columns 'label'"),
    "more cells than the head": (b"id,text,label\na,hello, world,x\n", "line 2 has 4 cells and the head line 3"),
    "a quote never closed": (b'id,label,text\na,x,"oops\nb,y,z\n', "is not CSV"),
    "another encoding": ("id,label\na,x\nb,caf\xe9\n".encode("cp1252"), "line 3 holds the byte 0xe9"),
    "sixteen bits": ("id,label\na,x\n".encode("utf-16"), "UTF-16"),
    "a byte of nothing": (b"id,label\na,x\nb,\0y\n", "line 3 holds a NUL byte"),
    "half a character": (b'{"id": "a", "label": "\\ud83d"}\n', "half a character"),
    "a list of labels": (b'{"id": "a", "label": ["x"]}\n', "must be one text or number"),
    "an object for a label": (b'{"id": "a", "label": {"name": "x"}}\n', "must be one text or number"),
    "a list of rows": (b'{"id": "a", "label": "x"}\n["b", "y"]\n', "line 2 is not an object"),
}


@pytest.mark.parametrize(("data", "words"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("way", ["file", "stdin"])
def test_a_file_that_is_not_what_it_seems_is_refused(march: str, data: bytes, words: str, way: str) -> None:
    Path("l.csv").write_bytes(data)
    said = refused("tell", march, "--file", "l.csv" if way == "file" else "-", stdin=data)
    assert words in said
    assert "iconv -f" in said or "UTF" not in words


def test_a_mark_at_the_beginning_of_stdin_is_no_part_of_the_head(march: str) -> None:
    item = asked(march)[0]
    text = f"id,label\n{item},refund\n".encode("utf-8-sig")
    assert run_json("tell", march, "--file", "-", stdin=text)["told"] == 1


def test_long_texts_may_stand_beside_labels(march: str) -> None:
    item, before = asked(march)[0], csv.field_size_limit()
    Path("l.csv").write_text(f'id,text,label\n{item},"{"word " * 60_000}",refund\n')
    assert run_json("tell", march, "--file", "l.csv")["told"] == 1
    assert csv.field_size_limit() == before


def test_head_lines_are_read_whatever_their_case_and_spaces(here: Path) -> None:
    (here / "l.csv").write_text("ID , Label,\na, cat,\nb,dog\n\nc\n")
    assert read_labels("l.csv")[:2] == ({"a": "cat", "b": "dog"}, 1)
    (here / "l.jsonl").write_text('{"Item": "a", " LABEL ": "cat", "note": "\u2028"}\r\n')
    assert read_labels("l.jsonl")[:2] == ({"a": "cat"}, 0)


def test_numbers_in_json_are_read_as_they_are_written(here: Path) -> None:
    (here / "l.jsonl").write_text('{"id": 1.0, "label": 1.60}\n{"id": 1e3, "label": 1}\n{"id": -0, "label": " cat "}\n')
    assert read_labels("l.jsonl")[0] == {"1.0": "1.60", "1e3": "1", "-0": " cat "}


def test_a_number_in_a_file_is_no_index_of_a_class(march: str) -> None:
    item = asked(march)[0]
    for label in ("1", "1.0", "1.6", "true"):
        Path("l.jsonl").write_text(f'{{"id": "{item}", "label": {label}}}\n')
        assert "unknown label" in refused("tell", march, "--file", "l.jsonl")
    Path("l.jsonl").write_text(f'{{"id": "{item}", "label": " refund "}}\n')
    assert "did you mean 'refund'" in refused("tell", march, "--file", "l.jsonl")
