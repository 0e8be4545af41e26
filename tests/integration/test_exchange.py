"""Items and labels to other tools and back: CSV, JSON lines, Label Studio; every line is checked before one is kept."""

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import fewlabels as fl
from command_line import run, run_json
from fewlabels.core.events import Told


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


def studio_task(number: int, item: str, text: str, *annotations: dict) -> dict:
    """A task with all that Label Studio's export says of one."""
    return {
        "id": number, "annotations": list(annotations), "file_upload": "3f2a-tasks.json", "drafts": [],
        "predictions": [], "data": {"text": text, "fewlabels_item": item}, "meta": {}, "inner_id": number,
        "created_at": "2026-03-09T21:52:49.513742Z", "updated_at": "2026-03-09T22:16:08.746926Z", "project": 83,
        "total_annotations": len(annotations), "cancelled_annotations": 0, "total_predictions": 0, "comment_count": 0,
        "unresolved_comment_count": 0, "last_comment_updated_at": None, "updated_by": 10, "comment_authors": [],
    }  # fmt: skip


def studio_annotation(number: int, who: object, *choices: str, cancelled: bool = False, name: str = "label") -> dict:
    result = {"value": {"choices": list(choices)}, "id": "Dx_aB91ISN", "from_name": name, "to_name": "text",
              "type": "choices", "origin": "manual"}  # fmt: skip
    return {
        "id": number, "completed_by": who, "result": [result] if choices else [], "was_cancelled": cancelled,
        "ground_truth": False, "created_at": "2026-03-09T22:16:08.728353Z", "updated_at": "2026-03-09T22:16:08.728378Z",
        "draft_created_at": None, "lead_time": 4.288, "prediction": {}, "result_count": len(choices), "task": 1,
        "unique_id": "b2c9", "import_id": None, "last_action": None, "project": 83, "updated_by": 10,
        "parent_prediction": None, "parent_annotation": None, "last_created_by": None,
    }  # fmt: skip


def test_an_export_of_label_studio_with_all_it_says_is_read(march):
    items = [query["item"] for query in run_json("ask", march, "-n", "4")]
    second = studio_annotation(1002, 11, "other")
    second["result"].append(studio_annotation(0, 11, "hard to say", name="how_sure")["result"][0])
    tasks = [
        studio_task(1, items[0], "a", studio_annotation(1001, {"id": 10, "email": "ann@example.org"}, "refund")),
        studio_task(2, items[1], "b", second),
        studio_task(3, items[2], "c", studio_annotation(1003, 11, cancelled=True)),
        studio_task(4, items[3], "d", studio_annotation(1004, 11)),  # submitted with nothing chosen
    ]
    Path("project-83.json").write_text(json.dumps(tasks))
    brought = run_json("import", march, "project-83.json")
    assert (brought["new"], brought["empty"]) == (3, 1)
    study = load(march)
    assert study.labels == {items[0]: "refund", items[1]: "other"}
    assert list(study.skipped) == [items[2]]
    assert {event.by for event in study.events if isinstance(event, Told)} == {"ann@example.org", "11"}


def test_in_a_table_of_label_studio_the_id_is_that_of_a_task_and_not_of_an_item(tmp_path, monkeypatch):
    """Where items are numbers, taking one for the other would label the wrong items without a word."""
    monkeypatch.chdir(tmp_path)
    pool = fl.Pool.from_arrays(positive_score=np.linspace(0, 1, 30), positive="spam")
    study = fl.create_study(pool, fl.Estimate("accuracy"), storage="sqlite:///n.db", name="march")
    asked = [query.item for query in study.ask(30)]
    first, second = asked.index(1), asked.index(2)
    rows = [f"{100 + n},{who},{asked[n]},{1 + n},spam" for n, who in ((first, "10"), (second, "ann@example.org"))]
    write("export.csv", "annotation_id,annotator,fewlabels_item,id,label", *rows)
    flat = [{"id": 9, "fewlabels_item": 3, "label": {"choices": ["spam"]}, "annotator": 7, "lead_time": 2.5},
            {"id": 1, "fewlabels_item": 4, "annotator": 7}]  # fmt: skip
    Path("min.json").write_text(json.dumps(flat))
    assert run_json("import", "n.db", "export.csv")["new"] == 2
    assert run_json("import", "n.db", "min.json")["new"] == 1
    study = load("n.db")
    assert study.labels == {1: "spam", 2: "spam", 3: "spam"}
    assert [event.by for event in study.events if isinstance(event, Told)] == ["10", "ann@example.org", "7"]


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
    assert "import two.db todo.csv --by ann" in run("ask", "two.db", "--by", "ann", "--csv", "todo.csv").stdout
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
