"""Files of older versions: upgraded they open, and an upgrade that is cut short leaves them as they were."""

import json
import os
import signal
import sqlite3
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
import sqlalchemy as sa

import fewlabels as fl
from command_line import run
from fewlabels.storages import migrations, open_storage, upgrade_storage
from fewlabels.study.rules import Upgraded, upgrade
from fewlabels.testing.processes import CEILING, starting

DATA = Path(__file__).parent.parent / "data" / "v010"


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file that version 0.1 wrote, in the current folder."""
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("old.db")) as database:
        database.executescript((DATA / "studies.sql").read_text().replace("FOLDER", str(tmp_path)))
    return "old.db"


def content(file: str) -> dict[str, list]:
    """All that is in the tables."""
    with closing(sqlite3.connect(file)) as database:
        names = [name for (name,) in database.execute("select name from sqlite_master where type = 'table'")]
        return {name: database.execute(f"select * from {name}").fetchall() for name in names}


def test_a_file_of_an_older_version_says_how_to_bring_it_up_to_date(old):
    before = content(old)
    for use in (lambda: fl.load_study("truth.csv", storage=f"sqlite:///{old}"), open_storage(f"sqlite:///{old}").names):
        with pytest.raises(fl.StudyError, match=r"bring them up to date with: fewlabels upgrade old\.db"):
            use()
    assert content(old) == before


def test_upgraded_it_holds_all_it_held_with_who_and_when(old):
    before = content(old)
    assert upgrade_storage(f"sqlite:///{old}") == (1, 2)
    after = content(old)
    assert set(after) == {"fewlabels_" + name for name in
                          ("schema", "pools", "prefixes", "payloads", "studies", "events")}  # fmt: skip
    assert len(after["fewlabels_events"]) == len(before["events"])
    for (study, number, kind, text), row in zip(before["events"], after["fewlabels_events"], strict=True):
        then = json.loads(text)
        assert row[:3] == (study, number, kind)
        assert (row[3], row[4]) == (then.pop("at"), then.pop("by", None))
        assert json.loads(row[5]) == then
    names = open_storage(f"sqlite:///{old}").names()
    assert names == [row[1] for row in before["studies"]]
    assert upgrade(f"sqlite:///{old}").moved == tuple(names)
    assert all(len(fl.load_study(name, storage=f"sqlite:///{old}").labels) == 4 for name in names)


def test_to_upgrade_twice_changes_nothing(old):
    assert upgrade(f"sqlite:///{old}").before == 1
    once = content(old)
    assert upgrade(f"sqlite:///{old}") == Upgraded(2, 2, ())
    assert content(old) == once


def test_on_the_command_line(old):
    assert "brought from version 1 to 2" in run("upgrade", old).stdout
    assert "up to date already" in run("upgrade", f"sqlite:///{old}").stdout
    assert json.loads(run("upgrade", old, "--json").stdout)["from"] == 2
    assert run("list", old).exit_code == 0
    assert "two places" in run("upgrade", old, "--storage", "sqlite:///x.db", code=2).stderr
    assert "no file" in run("upgrade", "nowhere.db", code=1).stderr


def upgrade_until(last: int, report: Connection) -> None:
    """One process: an upgrade that is killed at so many statements, or tells how many there were."""
    seen = 0

    def count(*_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == last:
            os.kill(os.getpid(), signal.SIGKILL)

    sa.event.listen(sa.Engine, "before_cursor_execute", count)
    sa.event.listen(sa.Engine, "commit", count)
    upgrade_storage("sqlite:///old.db")
    report.send(seen)


def test_an_upgrade_killed_at_any_statement_leaves_the_file_to_the_version_that_wrote_it(old):
    before, context = content(old), starting()
    for last in (1, 3, 6, 9, 14, 20, 30, 36, 10_000):
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=upgrade_until, args=(last, there))
        process.start()
        process.join(CEILING)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        assert content(old) == before
    assert here.recv() > 36, "the kills did not reach the last statements"
    assert content(old)["fewlabels_schema"] == [(2,)]


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(old, monkeypatch):
    before = content(old)
    monkeypatch.setattr(migrations, "event_row", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        upgrade_storage(f"sqlite:///{old}")
    assert content(old) == before


def test_a_file_without_studies_cannot_be_upgraded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty.db").touch()
    with pytest.raises(fl.StudyError, match="holds no study"):
        upgrade_storage("sqlite:///empty.db")
    assert os.path.getsize("empty.db") == 0
