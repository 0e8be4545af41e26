"""Studies made under the rules of fewlabels 0.1: an upgrade moves them to today's, and their reports can be checked."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from command_line import run, run_json
from fewlabels.reporting.receipt import read_receipt, receipt_of
from fewlabels.settings import RULES, StudySettings
from fewlabels.study.rules import upgrade

CLASSES = ["cat", "dog", "eel"]
QUESTIONS: dict[str, Any] = {
    "groups": fl.Estimate("accuracy", by="predicted_class"),
    "f1": fl.Estimate("f1", positive="eel"),
    "worst": fl.Identify("accuracy", by="region"),
}


def make_pool() -> tuple[fl.Pool, list[str]]:
    rng = np.random.default_rng(4)
    table = rng.dirichlet(np.full(3, 0.4), size=300)
    labels = [CLASSES[rng.choice(3, p=row)] for row in table]
    region = rng.choice(["north", "south"], 300).tolist()
    return fl.Pool.from_arrays(probabilities=table, classes=CLASSES, columns={"region": region}), labels


def older(database: str, name: str) -> None:
    """Make the study one of 0.1: its settings say nothing of rules, and its answers none."""
    with closing(sqlite3.connect(database)) as tables, tables:
        (text,) = tables.execute("select settings from fewlabels_studies where name = ?", (name,)).fetchone()
        settings = json.loads(text)
        del settings["rules"]
        settings["schema"] = 1
        tables.execute("update fewlabels_studies set settings = ? where name = ?", (json.dumps(settings), name))


@pytest.fixture(params=QUESTIONS)
def study_of_0_1(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a study in old.db, with 24 labels, one item skipped and one that waits."""
    monkeypatch.chdir(tmp_path)
    pool, labels = make_pool()
    study = fl.create_study(pool, QUESTIONS[request.param], storage="sqlite:///old.db", name=request.param, seed=3)
    for size in (10, 10, 6):
        waiting, *queries = study.ask(size)
        for query in queries:
            study.tell(query, labels[int(query.item)])
        if size == 6:
            continue
        study.skip(waiting, reason="unreadable") if size == 10 and not study.skipped else study.tell(
            waiting, labels[int(waiting.item)]
        )
    older("old.db", request.param)
    return str(request.param)


def test_it_says_which_command_brings_it_up_to_date(study_of_0_1: str) -> None:
    with pytest.raises(fl.StudyError, match=r"rules of fewlabels 0\.1.*fewlabels upgrade old\.db"):
        fl.load_study(study_of_0_1, storage="sqlite:///old.db")
    assert "fewlabels upgrade old.db" in run("answer", "old.db", code=1).stderr


def test_an_upgrade_moves_it_and_the_answer_says_so(study_of_0_1: str) -> None:
    said = run_json("upgrade", "old.db")
    assert said["studies_moved"] == [study_of_0_1]
    assert said["rules"] == RULES
    pool, labels = make_pool()
    study = fl.load_study(study_of_0_1, storage="sqlite:///old.db", pool=pool)
    assert study.settings.rules == RULES
    assert len(study.labels) == 24
    note = next(note for note in study.answer().notes if "rules of fewlabels 0.1" in note)
    assert note.startswith("The first 24 labels of this study came under the rules of fewlabels 0.1")
    for query in study.ask(10):
        study.tell(query, labels[int(query.item)])
    assert len(study.labels) == 34
    assert run_json("upgrade", "old.db")["studies_moved"] == []


def test_its_report_verifies_and_older_draws_are_taken_as_recorded(study_of_0_1: str) -> None:
    upgrade("sqlite:///old.db")
    pool, labels = make_pool()
    study = fl.load_study(study_of_0_1, storage="sqlite:///old.db", pool=pool)
    for query in study.ask(5):
        study.tell(query, labels[int(query.item)])
    found = fl.verify(fl.report(study, "report.html"), pool)
    assert found.ok, str(found)
    assert found.page
    assert found.as_recorded == 26
    assert "Draws 1 to 26 were made under older rules" in str(found)


def test_a_receipt_of_0_1_itself_is_checked_as_far_as_no_rule_changes(study_of_0_1: str) -> None:
    pool, receipt = make_pool()[0], receipt_of_0_1(study_of_0_1)
    Path("receipt.json").write_text(receipt)
    found = fl.verify("receipt.json", pool)
    assert found.ok is None, str(found)
    assert found.computed_by == "fewlabels 0.1.1"
    assert "verify them with that version" in str(found)
    assert run_json("verify", "receipt.json", code=3)["ok"] is None


def receipt_of_0_1(name: str) -> str:
    """As 0.1.1 would have written it, with answers of its own."""
    upgrade("sqlite:///old.db")
    text = receipt_of(fl.load_study(name, storage="sqlite:///old.db")).to_json()
    receipt = json.loads(text)
    receipt["events"] = [event for event in receipt["events"] if event[0] != "changed"]
    receipt["software"]["fewlabels"] = "0.1.1"
    for finding in receipt["answer"]["findings"]:
        finding["value"], finding["low"] = 0.123, 0.012  # another version's numbers
    return json.dumps(receipt)


def forged_count(receipt: dict[str, Any]) -> None:
    receipt["answer"]["findings"][0]["labels"] += 3


def forged_item(receipt: dict[str, Any]) -> None:
    asked = [content for kind, content in receipt["events"] if kind == "asked"]
    used = {content["item"] for content in asked}
    asked[-1]["item"] = next(item for item in range(300) if item not in used)


def forged_score(receipt: dict[str, Any]) -> None:
    next(content for kind, content in receipt["events"] if kind == "asked")["score"] += 0.01


@pytest.mark.parametrize("forge", [forged_count, forged_item, forged_score])
def test_what_is_forged_in_a_receipt_of_0_1_is_noticed(study_of_0_1: str, forge: Any) -> None:
    receipt = json.loads(receipt_of_0_1(study_of_0_1))
    forge(receipt)
    Path("receipt.json").write_text(json.dumps(receipt))
    found = fl.verify("receipt.json", make_pool()[0])
    assert found.ok is False, str(found)


def test_a_study_of_rules_that_are_not_known_yet_is_refused_in_words() -> None:
    settings = fl.create_study(make_pool()[0], fl.Estimate("accuracy")).settings.to_json()
    assert settings["rules"] == RULES
    with pytest.raises(fl.StudyError, match=r"rules of version 9.*install the fewlabels that wrote it"):
        StudySettings.from_json(settings | {"rules": 9})
    with pytest.raises(fl.StudyError, match="settings of version 9"):
        StudySettings.from_json(settings | {"schema": 9})


def test_an_older_version_refuses_an_upgraded_study_in_words(study_of_0_1: str) -> None:
    upgrade("sqlite:///old.db")
    events = read_receipt(receipt_of(fl.load_study(study_of_0_1, storage="sqlite:///old.db")).to_json()).events
    assert events[-1].settings["schema"] == 2  # which 0.1 does not read, and says so
