"""The file of a study without the right to write, or to read."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from study_files import POOL, look, make, run_script

NOBODY = 65534


# Another user may not be able to read this Python: what is used later is imported before.
BECOME_NOBODY = f"""
import sqlalchemy.dialects.sqlite, fewlabels.storages.sql, fewlabels.storages.sqlite_file
fl.create_study(pool, fl.Estimate("accuracy")).answer()
os.setgid({NOBODY}); os.setuid({NOBODY})
"""
READ_AS_NOBODY = f"""{BECOME_NOBODY}
os.chdir(arguments[0])
study = fl.load_study(storage="sqlite:///s.db", pool=pool)
print(len(study.labels), study.answer().overall.labels, len(study.events))
try:
    study.ask()
except fl.StudyError as error:
    print(error)
print(len(study.labels))
"""
TRY_TO_LOAD = """
try:
    fl.load_study(storage="sqlite:///s.db")
except fl.StudyError as error:
    print(error)
"""
root_only = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can become another user")


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that other users reach. Those of pytest are private, and are made so again by any run that begins."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def make_in(folder: Path, *, kill: bool = False) -> None:
    run_script(f"""
    os.chdir(arguments[0])
    study = fl.create_study(pool, fl.Estimate('accuracy'), storage='sqlite:///s.db')
    study.tell({{q.item: 0 for q in study.ask(3)}})
    {'os._exit(0)' if kill else ''}
    """, folder)  # fmt: skip


@root_only
@pytest.mark.parametrize("folder_mode", [0o755, 0o777], ids=["folder read-only", "folder writable"])
def test_a_file_that_may_only_be_read_is_answered_from(shared, folder_mode):
    make_in(shared)
    (shared / "s.db").chmod(0o444)
    shared.chmod(folder_mode)
    before = look(shared)
    counts, said, after = run_script(READ_AS_NOBODY, shared).splitlines()
    assert counts == "3 3 7"
    assert said.startswith("'s.db' cannot be written: you may only read it")
    assert after == "3"
    assert look(shared) == before  # nothing of another owner beside it, which would keep its own owner from writing
    study = fl.load_study(storage=f"sqlite:///{shared}/s.db", pool=POOL)
    study.tell(study.ask()[0], 0)
    assert len(study.labels) == 4


@root_only
def test_a_file_that_may_only_be_read_is_answered_from_while_its_owner_writes(shared):
    study = make(shared / "s.db", 3)
    with study._storage.locked("study"):
        counts, said, _ = run_script(READ_AS_NOBODY, shared).splitlines()
    assert counts == "3 3 7"
    assert said.startswith("'s.db' cannot be written: you may only read it")


@root_only
def test_a_file_that_may_only_be_read_is_answered_from_after_its_owner_was_killed(shared):
    make_in(shared, kill=True)
    assert run_script(READ_AS_NOBODY, shared).startswith("3 3 7\n")
    (shared / "s.db-shm").unlink()  # as when the other two were copied
    code = f"{BECOME_NOBODY}\nos.chdir(arguments[0])\n{TRY_TO_LOAD}"
    assert run_script(code, shared).startswith("'s.db' cannot be opened: a process that was killed left entries in")


@root_only
@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("load('s.db')", "'s.db' cannot be opened: you may not read it"),
        ("load('locked/s.db')", "'locked/s.db' cannot be opened: you may not enter the folder 'locked'"),
        ("create('new.db')", "'new.db' cannot be made: you may not write to the folder '.'"),
        ("create('nowhere/new.db')", "'nowhere/new.db' cannot be opened: there is no folder 'nowhere'"),
    ],
)
def test_a_right_that_is_missing_is_named(shared, act, words):
    make_in(shared)
    (shared / "s.db").chmod(0o600)
    (shared / "locked").mkdir(mode=0o700)
    said = run_script(f"""{BECOME_NOBODY}
os.chdir(arguments[0])
load = lambda file: fl.load_study(storage="sqlite:///" + file)
create = lambda file: fl.create_study(pool, fl.Estimate("accuracy"), storage="sqlite:///" + file)
try:
    {act}
except fl.StudyError as error:
    print(error)
""", shared)  # fmt: skip
    assert said.startswith(words)


def test_a_folder_in_place_of_a_file_is_named_as_one(here):
    Path("s.db").mkdir()
    for use in (lambda: make("s.db"), lambda: fl.load_study(storage="sqlite:///s.db")):
        with pytest.raises(fl.StudyError, match=r"'s.db' cannot be opened: it is a folder. Name a file in it"):
            use()
    done = CliRunner().invoke(app, ["status", "s.db"])
    assert "it is a folder" in done.stderr
