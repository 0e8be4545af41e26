"""The file of a study: what it may be called, and that reading it changes nothing and waits for nobody."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.storages import MemoryStorage, file_of
from fewlabels.storages.sql import SqlStorage
from fewlabels.storages.sqlite_file import SqliteFile
from study_files import ACCURACY, POOL, lock_held, look, make, run_script

# -- names -------------------------------------------------------------------------------------------------------------

NAMES = [
    "q?.db", "per%20cent.db", "100%.db", "a#b.db", "a b.db", "it's.db", 'say "x".db', "new\nline.db", "a&b=c;d.db",
    "naïve.db", ":memory:", "file:x.db", "file:x?mode=memory", "[x].db", "back\\slash.db", "study", "~x.db",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
def test_a_study_is_kept_in_the_very_file_that_is_named(here, name, absolute):
    where = f"sqlite:///{here}/{name}" if absolute else f"sqlite:///{name}"
    study = fl.create_study(POOL, ACCURACY, storage=where)
    study.tell(study.ask()[0], 0)
    again = fl.load_study(storage=where)
    assert again.labels == study.labels
    assert len(again.labels) == 1
    del study, again
    assert {path.name.removesuffix("-wal").removesuffix("-shm") for path in here.iterdir()} == {name}
    assert sqlite3_magic(here / name)


def sqlite3_magic(file: Path) -> bool:
    return file.read_bytes()[:15] == b"SQLite format 3"


@pytest.mark.parametrize("name", ["q?.db", "per%20cent.db", "a#b.db", "it's a.db", "new\nline.db"])
def test_the_command_line_takes_a_file_name_as_it_is_written(here, name):
    Path("p.csv").write_text("id,predicted,score\n" + "".join(f"i{n},{'ab'[n % 2]},0.{n % 9 + 1}\n" for n in range(30)))
    run = CliRunner()
    made = run.invoke(app, ["new", "p.csv", "--study", name])
    assert made.exit_code == 0, made.output
    assert sorted(path.name for path in here.iterdir() if path.suffix not in (".db-wal", ".db-shm")) == sorted(
        ["p.csv", name]
    )
    for command in (["status", name], ["ask", name], ["list", name], ["status", f"sqlite:///{name}"]):
        done = run.invoke(app, command)
        assert done.exit_code == 0, done.output


def test_what_is_printed_for_the_next_command_can_be_pasted(here):
    Path("p.csv").write_text("id,predicted,score\n" + "".join(f"i{n},{'ab'[n % 2]},0.9\n" for n in range(30)))
    made = CliRunner().invoke(app, ["new", "p.csv", "--study", "march 1?.db"])
    assert "fewlabels label 'march 1?.db' " in made.stdout


def test_a_tilde_is_home_unless_there_is_one_here(here, monkeypatch):
    home = here / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    assert file_of("sqlite:///~/s.db") == home / "s.db"
    make("~/s.db")
    assert (home / "s.db").exists()
    assert not (here / "~").exists()
    (here / "~").mkdir()
    assert file_of("sqlite:///~/s.db") == Path("~/s.db")
    make("~/s.db")
    assert (here / "~" / "s.db").exists()


@pytest.mark.parametrize("address", ["sqlite:///", "sqlite:///a\0b.db"])
def test_an_address_that_can_name_no_file_is_refused(here, address):
    for use in (lambda: fl.create_study(POOL, ACCURACY, storage=address), lambda: fl.load_study(storage=address)):
        with pytest.raises(fl.StudyError, match=r"names no file"):
            use()
    assert list(here.iterdir()) == []


def test_a_study_stays_in_its_file_when_the_folder_is_changed(here, monkeypatch):
    study = make("s.db")
    (here / "sub").mkdir()
    monkeypatch.chdir(here / "sub")
    study.tell(study.ask()[0], 0)
    assert list((here / "sub").iterdir()) == []
    assert fl.load_study(storage=f"sqlite:///{here}/s.db").labels == study.labels


# -- reading -----------------------------------------------------------------------------------------------------------


def read_all(where: str) -> None:
    study = fl.load_study(storage=where)
    assert len(study.labels) == 3
    assert study.answer().overall.labels == 3
    assert study.progress.reason
    assert len(study.events) == 7  # a round planned, three queries and their labels


def test_reading_waits_for_no_writer(here):
    make(labels=3)
    with lock_held("s.db"):
        read_all("sqlite:///s.db")
        again = fl.create_study(POOL, ACCURACY, storage="sqlite:///s.db", load_if_exists=True)
        assert len(again.labels) == 3


def test_reading_changes_nothing_in_the_folder(here):
    run_script("study = fl.create_study(pool, fl.Estimate('accuracy'), storage='sqlite:///s.db')\n"
               "study.tell({q.item: 0 for q in study.ask(3)})")  # fmt: skip
    before = look(here)
    read_all("sqlite:///s.db")
    assert look(here) == before
    assert CliRunner().invoke(app, ["status", "s.db"]).exit_code == 0
    assert look(here) == before


def test_reading_after_a_kill_sees_every_label_and_leaves_all_as_it_was(here):
    run_script("study = fl.create_study(pool, fl.Estimate('accuracy'), storage='sqlite:///s.db')\n"
               "study.tell({q.item: 0 for q in study.ask(3)}); os._exit(0)")  # fmt: skip
    before = look(here)
    assert "s.db-wal" in before
    read_all("sqlite:///s.db")
    after = look(here)
    assert {name: after[name] for name in ("s.db", "s.db-wal")} == {name: before[name] for name in ("s.db", "s.db-wal")}
    study = fl.load_study(storage="sqlite:///s.db", pool=POOL)
    study.tell(study.ask()[0], 1)
    assert len(fl.load_study(storage="sqlite:///s.db").labels) == 4


def test_reading_an_empty_file_says_that_it_holds_no_study_and_leaves_it_empty(here):
    Path("s.db").touch()
    with pytest.raises(fl.StudyError, match=r"'s.db' holds no study: it is empty. Create one"):
        fl.load_study(storage="sqlite:///s.db")
    for command in ("status", "answer", "list"):
        done = CliRunner().invoke(app, [command, "s.db"])
        assert done.exit_code == 1
        assert "'s.db' holds no study" in done.stderr
    assert {name: content for name, (content, _) in look(here).items()} == {"s.db": b""}
    make("s.db")
    assert fl.load_study(storage="sqlite:///s.db").labels == {}


def test_a_database_without_tables_holds_no_study(here):
    with closing(sqlite3.connect("s.db")) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    with pytest.raises(fl.StudyError, match=r"'s.db' holds no study: it has no tables"):
        fl.load_study(storage="sqlite:///s.db")


def test_a_storage_is_not_made_before_a_study_is(here):
    with pytest.raises(fl.QuestionError):
        fl.create_study(POOL, fl.Estimate("accuracy", by="region"), storage="sqlite:///s.db")
    assert SqlStorage(SqliteFile(Path("s.db"))).names() == []
    assert list(here.iterdir()) == []


def test_a_database_of_something_else_holds_no_study_and_is_left_as_it_is(here):
    with closing(sqlite3.connect("shop.db")) as connection, connection:
        connection.execute("create table sold (id integer primary key)")
    before = look(here)
    with pytest.raises(fl.StudyError, match=r"'shop.db' holds no study: it is a database of something else.*sold"):
        fl.load_study(storage="sqlite:///shop.db")
    assert look(here) == before


def test_studies_stand_beside_the_tables_of_others(here):
    with closing(sqlite3.connect("shop.db")) as connection, connection:
        connection.execute("create table studies (id integer primary key)")
        connection.execute("insert into studies values (7)")
    study = make("shop.db", 3)
    assert fl.load_study(storage="sqlite:///shop.db").labels == study.labels
    with closing(sqlite3.connect("shop.db")) as connection:
        assert connection.execute("select * from studies").fetchall() == [(7,)]


# -- nothing slow under the lock ---------------------------------------------------------------------------------------


class Watched(MemoryStorage):
    """Knows whether its lock is held."""

    held = False

    @contextmanager
    def locked(self, name: str) -> Iterator:
        with super().locked(name) as log:
            self.held = True
            try:
                yield log
            finally:
                self.held = False


@pytest.fixture
def watched(here: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Watched, list[tuple[str, bool]]]:
    """A storage with a study of a pool in a file, and what was done slowly, with whether that was under the lock."""
    lines = [f"i{n},{'ab'[n % 2]},0.{n % 9 + 1}" for n in range(40)]
    Path("p.csv").write_text("\n".join(["id,predicted,score", *lines]))
    storage, slow = Watched(), []
    fl.create_study(fl.open_pool("p.csv"), fl.Estimate("accuracy", by="predicted_class"), storage=storage)

    def noted(name: str, function: Callable) -> Callable:
        return lambda *given, **named: slow.append((name, storage.held)) or function(*given, **named)

    from fewlabels.engines.kept import ByCell
    from fewlabels.engines.memory import MemoryEngine
    from fewlabels.study import pools_of_0_1_0 as module

    monkeypatch.setattr(module, "open_pool", noted("open", module.open_pool))
    monkeypatch.setattr(MemoryEngine, "fingerprint", noted("check", MemoryEngine.fingerprint))
    monkeypatch.setattr(ByCell, "of", noted("sort", ByCell.of))
    return storage, slow


def test_a_first_ask_opens_checks_and_sorts_the_pool_before_it_takes_the_lock(watched):
    storage, slow = watched
    study = fl.load_study(storage=storage)
    assert len(study.ask(3)) == 3
    assert slow == [("open", False), ("check", False), ("sort", False)]
    assert len(study.ask(3)) == 3
    assert len(slow) == 3


def test_labels_brought_along_open_the_pool_before_the_lock(watched):
    storage, slow = watched
    fl.load_study(storage=storage).tell({"i1": "a", "i2": "b"}, drawn="uniform")
    assert slow == [("open", False), ("check", False)]


def test_where_nothing_can_be_asked_or_looked_up_the_pool_is_not_opened(watched):
    storage, slow = watched
    study = fl.load_study(storage=storage)
    queries = study.ask(2)
    slow.clear()
    other = fl.load_study(storage=storage)
    other.tell({query.item: "a" for query in queries}, drawn="uniform")
    assert other.ask(0) == []
    with pytest.raises(fl.LabelError, match="drawn is"):
        other.tell("i39", "a", drawn="best")
    assert slow == []
