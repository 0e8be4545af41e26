"""Studies that version 0.1.1 made, of every kind of question and entry it had, go on after an upgrade."""

import importlib.util
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import fewlabels as fl
from command_line import run, run_json

DATA = Path(__file__).parent.parent / "data" / "v011"
THEN = json.loads((DATA / "then.json").read_text())


@pytest.fixture
def upgraded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The studies in the current folder, beside their predictions, brought up to date."""
    monkeypatch.chdir(tmp_path)
    spec = importlib.util.spec_from_file_location("make_v011", DATA / "make.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    made.write_file(tmp_path)
    with closing(sqlite3.connect("studies.db")) as database:
        database.executescript((DATA / "studies.sql").read_text().replace("FOLDER", str(tmp_path)))
    run("upgrade", "studies.db")
    return "studies.db"


@pytest.mark.parametrize("name", THEN)
def test_a_study_of_0_1_1_has_its_labels_and_asks_for_what_it_would_have_asked(upgraded: str, name: str) -> None:
    study = fl.load_study(name, storage=f"sqlite:///{upgraded}")
    then = THEN[name]
    assert study.labels == then["labels"]
    assert [query.item for query in study.open_queries] == then["open"]
    assert list(study.skipped.values()) == ["unreadable"]
    assert [query.item for query in study.ask(5)] == then["asked next"]
    answer = study.answer()
    assert all(finding.low <= finding.value <= finding.high for finding in answer.findings)


def test_what_is_new_works_on_them_too(upgraded: str) -> None:
    study = fl.load_study("accuracy", storage=f"sqlite:///{upgraded}")
    (query, *_) = study.open_queries
    study.tell(query, "ham", by="cem")
    study.withdraw(query, by="cem")
    assert study.change(budget=35).budget == 35
    assert run_json("status", "accuracy", "--storage", f"sqlite:///{upgraded}")["budget"] == 35
