"""fewlabels ask, tell, skip and correct."""

import json
from pathlib import Path

import pytest

import fewlabels as fl
from command_line import MAIL_CLASSES, asked, run, run_json
from fewlabels.exchange.labels_file import read_labels

pytestmark = pytest.mark.usefixtures("fewer_draws")  # what is said is the same with as many draws or fewer


def test_asking_twice_shows_the_waiting_items_first(march: str) -> None:
    first = asked(march, 3)
    assert asked(march, 3) == first
    assert asked(march, 5)[:3] == first
    assert not {query["item"] for query in run_json("ask", march, "-n", "2", "--new")} & set(asked(march, 5))
    printed = run("ask", march, "-n", "5").stdout
    assert "message" in printed
    assert "5 of them asked before" in printed


def test_ask_says_why_there_is_nothing_to_ask(mail: str) -> None:
    run("new", mail, "--study", "s.db", "--budget", "1")
    run("tell", "s.db", asked("s.db")[0], "refund")
    assert run("ask", "s.db").stdout == "Nothing to ask: The budget of 1 label is spent.\n"


def test_a_told_label_is_recorded_with_who_said_so(march: str) -> None:
    item = asked(march)[0]
    assert "Recorded 1 label." in run("tell", march, item, "refund", "--by", "ann").stdout
    loaded = fl.load_study("march", storage="sqlite:///march.db")
    assert loaded.labels == {item: "refund"}
    assert loaded.events[-1].by == "ann"  # type: ignore[union-attr]
    assert run_json("tell", march, item, "refund")["known_before"] == 1


def test_a_wrong_label_is_refused_with_a_suggestion(march: str) -> None:
    item = asked(march)[0]
    assert "did you mean 'refund'" in run("tell", march, item, "refnd", code=2).stderr
    assert "never asked" in run("tell", march, "item-999", "refund", code=2).stderr


def test_contradicting_a_label_is_refused_and_correcting_it_works(march: str) -> None:
    item = asked(march)[0]
    run("tell", march, item, "refund")
    assert "correct" in run("tell", march, item, "other", code=2).stderr
    assert "was refund" in run("correct", march, item, "other").stdout
    assert run_json("correct", march, item, "invoice") == {"item": item, "before": "other", "after": "invoice"}


def test_a_skipped_item_is_not_asked_again_and_can_be_labelled_later(march: str) -> None:
    item = asked(march)[0]
    assert "fewlabels correct march.db" in run("skip", march, item, "--reason", "unreadable").stdout
    assert item not in asked(march, 20)
    assert "was skipped" in run("correct", march, item, "other").stdout
    other = asked(march)[0]
    assert run_json("skip", march, other) == {"skipped": other, "reason": None}
    assert "not open" in run("skip", march, other, code=2).stderr


@pytest.mark.parametrize("form", ["csv", "semicolon", "bom", "jsonl", "stdin"])
def test_labels_come_from_files_of_several_kinds(march: str, form: str) -> None:
    first, second, third = asked(march, 3)
    rows = {first: "refund", second: "other", third: ""}
    separator = ";" if form == "semicolon" else ","
    text = "\n".join([f"id{separator}label", *(f"{i}{separator}{label}" for i, label in rows.items())]) + "\n"
    if form == "jsonl":
        text = "".join(json.dumps({"item": i, "label": label or None}) + "\n" for i, label in rows.items())
    Path("labels").write_text(text, encoding="utf-8-sig" if form == "bom" else "utf-8")
    stdin = {"stdin": text} if form == "stdin" else {}
    told = run_json("tell", march, "--file", "-" if form == "stdin" else "labels", **stdin)
    assert (told["told"], told["without_label"]) == (2, 1)


def test_a_file_with_one_bad_row_records_nothing(march: str) -> None:
    first, second = asked(march, 2)
    Path("labels.csv").write_text(f"id,label\n{first},refund\n{second},nonsense\n")
    assert "nonsense" in run("tell", march, "--file", "labels.csv", code=2).stderr
    assert fl.load_study("march", storage="sqlite:///march.db").labels == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,label\na,x\na,y\n", "line 3 says 'a' is 'y'"),
        ("name,label\na,x\n", "no column 'id' or 'item'; it has name, label"),
        ("id,label\n,x\n", "line 2 has no item"),
        ("id,label\n", "holds no labels"),
        ("", "l is empty: expected a head line 'id,label'"),
        ('{"id": "a", "label": "x"}\n{"id"\n', "line 2 is not JSON"),
    ],
)
def test_a_file_of_labels_that_cannot_be_read_names_the_line(here: Path, text: str, words: str) -> None:
    (here / "l").write_text(text)
    with pytest.raises(fl.LabelError) as error:
        read_labels("l")
    assert words in str(error.value)


def test_labels_of_items_never_asked_need_their_origin(march: str) -> None:
    Path("labels.csv").write_text("id,label\nitem-1,refund\nitem-2,other\n")
    assert "uniform" in run("tell", march, "--file", "labels.csv", code=2).stderr
    assert run_json("tell", march, "--file", "labels.csv", "--drawn", "unknown")["told"] == 2
    assert run_json("status", march)["brought_along"] == 2
    assert "--drawn is 'uniform'" in run("tell", march, "item-3", "other", "--drawn", "best", code=2).stderr
    assert "ITEM and LABEL" in run("tell", march, "item-3", code=2).stderr


def test_whole_number_ids_are_read_as_numbers(here: Path) -> None:
    (here / "n.jsonl").write_text(
        "".join(json.dumps({"id": i, "predicted": MAIL_CLASSES[i % 3], "score": 0.9}) + "\n" for i in range(9))
    )
    run("new", "n.jsonl")
    item = run_json("ask", "n.db", "-n", "1")[0]["item"]
    assert isinstance(item, int)
    run("tell", "n.db", str(item), "other")
    run("correct", "n.db", str(item), "refund")
    assert "check its id" in run("tell", "n.db", "seven", "other", code=2).stderr
