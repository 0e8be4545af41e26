"""Items and labels to other tools and back: CSV, JSON lines, Label Studio; every line is checked before one is kept."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

import fewlabels as fl
from command_line import run, run_json


def load(study: str) -> fl.Study:
    return fl.load_study("march", storage=f"sqlite:///{study}")


def rows_of(file: str) -> list[dict[str, str]]:
    with open(file, newline="", encoding="utf-8") as opened:
        return list(csv.DictReader(opened))


def write(file: str, *lines: str) -> str:
    Path(file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_a_table_of_items_to_label_comes_back_filled_in(march):
    run("ask", march, "-n", "4", "--csv", "todo.csv")
    rows = rows_of("todo.csv")
    assert [row["id"] for row in rows] == [query.item for query in load(march).open_queries]
    assert not {"predicted", "score", "group"} & set(rows[0])
    filled = [f"{row['id']},{label}" for row, label in zip(rows, ("refund", "other", "", "invoice"), strict=True)]
    write("done.csv", "id,label", *filled)
    assert (
        "Recorded 3 labels, 1 rows without a label left out." in run("import", march, "done.csv", "--by", "ann").stdout
    )
    assert load(march).labels == {rows[0]["id"]: "refund", rows[1]["id"]: "other", rows[3]["id"]: "invoice"}
    assert run_json("import", march, "done.csv", "--by", "ann")["new"] == 0


@pytest.mark.parametrize("file", ["all.csv", "all.jsonl"])
def test_all_that_was_said_goes_out_and_into_another_study_of_the_same_pool(march, mail, file):
    study = load(march)
    queries = study.ask(6)
    for query in queries[:4]:
        study.tell(query, "other", by="ann")
    study.correct(queries[0], "refund", by="ben")
    study.skip(queries[4], "torn, “illegible”", by="ann")
    run("export", march, file)
    again = fl.create_study(fl.open_pool(mail), study.settings.question, name="march", storage="sqlite:///april.db")
    assert [query.item for query in again.ask(6)] == [query.item for query in queries]
    brought = run_json("import", "april.db", file)
    assert (brought["new"], brought["known"], brought["empty"]) == (5, 0, 1)
    again = load("april.db")
    assert again.labels == study.labels
    assert again.skipped == study.skipped
    told = {event.item: event.by for event in again.events if hasattr(event, "label") and hasattr(event, "by")}
    assert told == {query.item: "ben" if query is queries[0] else "ann" for query in queries[:4]}
    assert run_json("import", "april.db", file)["new"] == 0


def test_every_wrong_line_is_named_and_nothing_is_recorded(march):
    one, two, three = (query["item"] for query in run_json("ask", march, "-n", "3"))
    run("tell", march, three, "refund")
    lines = [f"{one},refund", "nobody,refund", f"{two},carrot", f"{one},other", f"{three},other", ",x"]
    said = run("import", march, write("bad.csv", "id,label", *lines[:5]), code=2).stderr
    for words in ("nothing of bad.csv was recorded", "line 3: item 'nobody' was never asked", "line 4: unknown label",
                  f"line 5: item {one!r} is 'other' here and 'refund' further up",
                  f"line 6: item {three!r} was told 'refund' before"):  # fmt: skip
        assert words in said
    assert load(march).labels == {three: "refund"}
    assert "has no item" in run("import", march, write("bad.csv", "id,label", lines[5]), code=2).stderr


def test_label_studio_gets_tasks_in_our_order_and_gives_annotations_back(march):
    items = [query["item"] for query in run_json("ask", march, "-n", "4")]
    run("export", march, "tasks.json", "--config", "interface.xml")
    tasks = json.loads(Path("tasks.json").read_text())
    assert [task["data"]["fewlabels_item"] for task in tasks] == items
    view = ElementTree.parse("interface.xml").getroot()
    assert [choice.get("value") for choice in view.iter("Choice")] == list(load(march).classes)
    shown = {element.get("name") for element in view}
    assert view.find("Choices").get("toName") in shown

    def annotated(choice: str | None, who: object, **more: object) -> dict:
        result = [] if choice is None else [{"type": "choices", "from_name": "label", "value": {"choices": [choice]}}]
        return {"completed_by": who, "result": result, **more}

    tasks[0]["annotations"] = [annotated("refund", {"id": 1, "email": "ann@example.org"})]
    tasks[1]["annotations"] = [annotated("other", 7)]
    tasks[2]["annotations"] = [annotated(None, 7, was_cancelled=True)]
    tasks[3]["annotations"] = []
    Path("back.json").write_text(json.dumps(tasks))
    assert run_json("import", march, "back.json")["new"] == 3
    study = load(march)
    assert study.labels == {items[0]: "refund", items[1]: "other"}
    assert study.skipped == {items[2]: "skipped in Label Studio"}
    flat = [{"fewlabels_item": items[3], "label": "invoice", "annotator": 3}]
    Path("flat.json").write_text(json.dumps(flat))
    assert run_json("import", march, "flat.json")["new"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[{", "is not JSON"),
        ("[3]", "task 1 is not an object"),
        ('[{"data": {}, "annotations": []}]', "no field 'fewlabels_item'"),
        ('[{"data": {"fewlabels_item": "x"}, "annotations": [{"result": [{"type": "choices", "value": {"choices": '
         '["a", "b"]}}]}]}]', "2 choices"),
    ],
)  # fmt: skip
def test_what_is_no_export_of_label_studio_is_refused(march, text, words):
    Path("back.json").write_text(text)
    assert words in run("import", march, "back.json", code=2).stderr


def test_formats_that_are_none_are_refused(march):
    assert "--format is one of" in run("export", march, "x.pdf", code=2).stderr
    assert "--config is Label Studio's" in run("export", march, "x.csv", "--config", "y.xml", code=2).stderr


def test_several_labellers_on_the_command_line(mail):
    run("new", mail, "--study", "two.db", "--labels-per-item", "2", "--name", "march")
    ann = [query["item"] for query in run_json("ask", "two.db", "-n", "2", "--by", "ann")]
    assert [query["item"] for query in run_json("ask", "two.db", "-n", "2", "--by", "ann")] == ann
    assert [query["item"] for query in run_json("ask", "two.db", "-n", "2", "--by", "ben")] == ann
    write("both.csv", "id,label,by", f"{ann[0]},refund,ann", f"{ann[0]},other,ben", f"{ann[1]},other,ann",
          f"{ann[1]},other,ben")  # fmt: skip
    assert run_json("import", "two.db", "both.csv")["new"] == 4
    status = run_json("status", "two.db")
    assert status["agreement"]["raw"] == 0.5
    assert status["disagreements"] == [{"item": ann[0], "labels": {"ann": "refund", "ben": "other"}}]
    assert "To be decided with correct" in run("status", "two.db").stdout
    run("correct", "two.db", ann[0], "refund", "--by", "chief")
    assert "None is to be decided" in run("status", "two.db").stdout
