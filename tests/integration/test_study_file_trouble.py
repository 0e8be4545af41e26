"""The file of a study when the disk is full, the lock is held, or the file is damaged or gone."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.storages.sql import SqlStorage
from fewlabels.storages.sqlite_file import SqliteFile
from study_files import ACCURACY, POOL, lock_held, make, run_script

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
    """Zeros where there are none but zeros would damage nothing."""
    random = np.random.default_rng(0)
    for place in range(0, len(whole), 256):
        yield f"noise at {place}", whole[:place] + random.bytes(64) + whole[place + 64 :]
        if any(whole[place : place + 200]):
            yield f"zeros at {place}", whole[:place] + bytes(200) + whole[place + 200 :]
    for length in range(0, len(whole), 1000):
        yield f"cut at {length}", whole[:length]


def test_a_damaged_file_is_an_error_in_words_wherever_the_damage_is(here):
    """Or none at all, where the damage lies in a part that is not used."""
    run_script("study = fl.create_study(pool, fl.Estimate('accuracy'), strategy='uniform', estimator='beta', "
               "storage='sqlite:///s.db')\n"
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
