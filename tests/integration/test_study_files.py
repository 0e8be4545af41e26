"""The file of a study: what it may be called, and what is said when the disk, the folder or another process says no."""

import os
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.storages import MemoryStorage, file_of
from fewlabels.storages.sql import SqlStorage
from fewlabels.storages.sqlite_file import SqliteFile

ACCURACY = fl.Estimate("accuracy")
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1], 60))
NOBODY = 65534
CEILING = 3600  # seconds after which a test gives up waiting; a machine has to be very busy for a hundredth of it


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make(file: object = "s.db", labels: int = 0) -> fl.Study:
    study = fl.create_study(POOL, ACCURACY, storage=f"sqlite:///{file}")
    study.tell({query.item: 0 for query in study.ask(labels)})
    return study


def run_script(code: str, *arguments: object) -> str:
    """What a process of its own prints; it has `fl`, a `pool` and `arguments`."""
    start = """
    import os, sys
    import numpy as np
    import fewlabels as fl
    pool = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1], 60))
    arguments = sys.argv[1:]
    """
    whole = textwrap.dedent(start) + textwrap.dedent(code)
    command = [sys.executable, "-c", whole, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=CEILING, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


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


@contextmanager
def lock_held(file: object) -> Iterator[None]:
    """Another process holds the lock for as long as the block lasts."""
    code = """
    import sqlite3, sys
    connection = sqlite3.connect(sys.argv[1], isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    print("held", flush=True)
    sys.stdin.read()
    connection.execute("ROLLBACK")
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield
        process.communicate()


def look(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


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


# -- without the right to write ----------------------------------------------------------------------------------------

# Another user may not be able to read this Python: what is used later is imported before.
BECOME_NOBODY = f"""
import sqlalchemy.dialects.sqlite, fewlabels.storages.sql
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


# -- trouble while writing ---------------------------------------------------------------------------------------------


def test_a_lock_held_for_too_long_is_an_error_and_afterwards_all_goes_on(here):
    make(labels=3)
    study = fl.load_study(storage=SqlStorage(SqliteFile(Path("s.db"), wait=0.01)), pool=POOL)
    first = study.open_queries or study.ask(2)
    with lock_held("s.db"):
        for write in (
            study.ask,
            lambda: study.tell(first[0], 1),
            lambda: study.skip(first[0]),
            lambda: fl.create_study(POOL, ACCURACY, storage=study._storage, name="second"),
        ):
            with pytest.raises(fl.StudyError, match=r"'s.db' cannot be written: another process has held its lock for"):
                write()
        assert len(study.labels) == 3
        assert [query.item for query in study.open_queries] == [query.item for query in first]
    study.tell(first[0], 1)
    assert len(study.labels) == 4
    assert fl.load_study(storage="sqlite:///s.db").labels == study.labels


FULL = """
import resource
study = fl.create_study(pool, fl.Estimate("accuracy"), storage="sqlite:///s.db")
study.tell({q.item: 0 for q in study.ask(5)})
told = dict(study.labels)
def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
limit(os.path.getsize("s.db-wal") + 10_000)
said = []
for _ in range(40):
    try:
        (query,) = study.ask()
        study.tell(query, 1, by="x" * 2000)
        told[query.item] = "1"
    except fl.StudyError as error:
        said.append(str(error))
        assert study.labels == told, (study.labels, told)
        assert fl.load_study(storage="sqlite:///s.db").labels == told
        assert study.answer().overall.labels == len(told)
print(len(said), len(told) < 40, said[-1])
try:
    fl.create_study(pool, fl.Estimate("accuracy"), storage="sqlite:///s.db", name="x" * 30_000)
except fl.StudyError as error:
    print(error)
limit(resource.RLIM_INFINITY)
for query in [*study.open_queries, *study.ask(3)]:
    study.tell(query, 1)
    told[query.item] = "1"
assert study.labels == told
assert fl.load_study(storage="sqlite:///s.db").labels == told
twin = fl.create_study(pool, fl.Estimate("accuracy"))
for event in study.events:
    if isinstance(event, fl.Query):
        assert [q.item for q in twin.ask()] == [event.item]
    elif hasattr(event, "label"):
        twin.tell(event.item, event.label)
assert [q.item for q in twin.ask(5)] == [q.item for q in study.ask(5)]
print("went on")
"""


def test_a_full_disk_loses_nothing_told_and_afterwards_the_same_study_goes_on(here):
    """A limit on the size of files stands for the disk: the log beside the file cannot grow past it."""
    said, created, went_on = run_script(FULL).splitlines()
    number, stopped, told = said.split(" ", 2)
    assert int(number) > 0
    assert stopped == "True"
    for words in (told, created):
        assert words.startswith("'s.db' cannot be written: the disk ")
        assert "Nothing of this call was recorded; " in words
    assert went_on == "went on"


def test_a_database_that_may_not_grow_says_that_the_disk_is_full(here):
    study = make(labels=3)
    file = study._storage._database
    with file.writing() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages}")
    (query,) = study.ask()
    with pytest.raises(fl.StudyError, match=r"'s.db' cannot be written: the disk is full. Nothing .*; make room"):
        study.tell(query, 0, by="x" * 100_000)
    assert len(study.labels) == 3
    study.tell(query, 0, by="x" * 100_000)  # the connection that had the limit is gone, as the trouble would be
    assert len(fl.load_study(storage="sqlite:///s.db").labels) == 4


def test_a_study_whose_file_is_gone_records_nothing_and_says_so(here):
    """On an open file that has no name any more every label would be written, acknowledged, and lost."""
    study = make(labels=3)
    (query,) = study.ask()
    for file in here.iterdir():
        file.rename(here / f"old-{file.name}")
    with pytest.raises(fl.StudyError, match=r"'s.db'"):
        study.tell(query, 0)
    assert not Path("s.db").exists()
    for file in here.iterdir():
        file.rename(here / file.name.removeprefix("old-"))
    study.tell(query, 0)
    assert len(fl.load_study(storage="sqlite:///s.db").labels) == len(study.labels) == 4


# -- damage ------------------------------------------------------------------------------------------------------------


def use_everything(where: str) -> None:
    study = fl.load_study(storage=where, pool=POOL)
    study.answer()
    assert study.progress.reason
    query = (study.open_queries or study.ask())[0]
    study.tell(query, 0)
    study.ask(2)
    fl.create_study(POOL, ACCURACY, storage=where, name="second")


def damaged_copies(whole: bytes) -> Iterator[tuple[str, bytes]]:
    random = np.random.default_rng(0)
    for place in range(0, len(whole), 256):
        yield f"noise at {place}", whole[:place] + random.bytes(64) + whole[place + 64 :]
        yield f"zeros at {place}", whole[:place] + bytes(200) + whole[place + 200 :]
    for length in range(0, len(whole), 1000):
        yield f"cut at {length}", whole[:length]


def test_a_damaged_file_is_an_error_in_words_wherever_the_damage_is(here):
    """Or none at all, where the damage lies in a part that is not used."""
    run_script("study = fl.create_study(pool, fl.Estimate('accuracy'), storage='sqlite:///s.db')\n"
               "study.tell({q.item: 0 for q in study.ask(25)})\n"
               "study.skip(study.ask()[0], 'x' * 5000)")  # fmt: skip
    whole, failed = Path("s.db").read_bytes(), 0
    for n, (how, content) in enumerate(damaged_copies(whole)):
        Path(f"{n}.db").write_bytes(content)
        try:
            use_everything(f"sqlite:///{n}.db")
        except fl.FewlabelsError:
            failed += 1
        except Exception as error:
            raise AssertionError(how) from error
    assert failed > 20


def test_damage_in_the_middle_names_the_file_and_what_to_do(here):
    study = make(labels=40)
    study._storage._database._writer.dispose()
    pages = Path("s.db").stat().st_size // 4096
    with open("s.db", "r+b") as file:
        for page in range(2, pages):
            file.seek(4096 * page)
            file.write(b"\xff" * 64)
    for use in (lambda: fl.load_study(storage="sqlite:///s.db").labels, study.ask, lambda: study.tell(0, 0)):
        with pytest.raises(fl.StudyError, match=r"'s.db' is damaged \(.*\). Restore it from a copy"):
            use()


def test_a_damaged_file_put_right_again_serves_the_same_study(here):
    study = make(labels=20)
    kept = study.labels
    study._storage._database._writer.dispose()
    whole = Path("s.db").read_bytes()
    os.truncate("s.db", 5000)
    with pytest.raises(fl.StudyError, match=r"'s.db' is damaged"):
        study.ask()
    Path("s.db").write_bytes(whole)
    for leftover in ("s.db-wal", "s.db-shm"):
        Path(leftover).unlink(missing_ok=True)
    study.tell(study.ask()[0], 0)
    assert len(study.labels) == len(kept) + 1
    assert fl.load_study(storage="sqlite:///s.db").labels == study.labels


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
