"""PostgreSQL keeps every promise of storages/base.py, beside others' tables and through the loss of its server."""

import threading
import time
from functools import partial

import numpy as np
import pytest
import sqlalchemy as sa

import fewlabels as fl
from command_line import run as run_command
from command_line import run_json, write_mail
from fewlabels.storages import migrations, open_storage, upgrade_storage
from fewlabels.storages.postgres import Postgres
from fewlabels.storages.sql import SqlStorage
from fewlabels.study.creation import study_names
from fewlabels.testing import processes
from fewlabels.testing import storages as promises
from services import old_tables

POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1], 60))
ACCURACY = fl.Estimate("accuracy")


@pytest.mark.parametrize("promise", promises.ON_A_STORAGE, ids=lambda promise: promise.__name__)
def test_postgresql_keeps_the_promises_of_every_storage(database, promise):
    promise(open_storage(database))


@pytest.mark.parametrize("values", promises.PAYLOADS.values(), ids=promises.PAYLOADS.keys())
def test_any_plain_payload_can_be_asked_and_comes_back(database, values):
    promises.any_plain_payload_comes_back(open_storage(database), values)


def test_two_processes_ask_no_item_twice_and_lose_nothing(database):
    processes.two_processes_lose_nothing(partial(open_storage, database))


def test_a_process_killed_in_the_middle_leaves_whole_blocks_and_the_lock_free(database):
    processes.a_kill_leaves_whole_blocks(partial(open_storage, database))


def run(database: str, *statements: str) -> list[sa.Row]:
    engine = sa.create_engine(sa.make_url(database).set(drivername="postgresql+psycopg"), poolclass=sa.NullPool)
    with engine.begin() as connection:
        return [list(done) for s in statements if (done := connection.execute(sa.text(s))).returns_rows]


def test_studies_stand_beside_the_tables_of_others(database):
    run(database, "create table studies (id int)", "create table events (id int)", "insert into events values (7)")
    study = fl.create_study(POOL, ACCURACY, storage=database)
    study.tell(study.ask()[0], 0)
    assert fl.load_study(storage=database).labels == study.labels
    assert run(database, "select id from events") == [[(7,)]]


def test_studies_may_live_in_a_schema_of_their_own(database):
    run(database, "create schema lab")
    inside = f"{database}?options=-csearch_path%3Dlab"
    fl.create_study(POOL, ACCURACY, storage=inside)
    assert study_names(inside) == ["study"]
    with pytest.raises(fl.StudyError, match="holds no study"):
        fl.load_study(storage=database)
    assert run(database, "select count(*) from lab.fewlabels_studies") == [[(1,)]]


def test_the_same_labels_give_the_same_queries_as_in_a_file(database, tmp_path):
    studies = [
        fl.create_study(POOL, ACCURACY, storage=where, seed=3) for where in (database, f"sqlite:///{tmp_path}/s")
    ]
    for _ in range(6):
        asked = [study.ask(3) for study in studies]
        assert [q.item for q in asked[0]] == [q.item for q in asked[1]]
        for study in studies:
            study.tell({q.item: q.item % 2 for q in asked[0]})
    assert studies[0].answer() == studies[1].answer()


def test_studies_do_not_wait_for_one_another(database):
    storage = SqlStorage(Postgres(database, wait=0.2))
    for name in ("one", "other"):
        fl.create_study(POOL, ACCURACY, storage=storage, name=name)
    with storage.locked("one"):
        fl.load_study("other", storage=storage, pool=POOL).ask()
        with pytest.raises(fl.StudyError, match=r"another process has held its lock for over 0.2 s. Nothing of this"):
            fl.load_study("one", storage=storage, pool=POOL).ask()
    assert len(fl.load_study("one", storage=storage, pool=POOL).ask()) == 1


def test_many_who_create_the_tables_at_once_all_get_a_study(database):
    problems: list[BaseException] = []

    def create(number: int) -> None:
        try:
            fl.create_study(POOL, ACCURACY, storage=database, name=f"s{number}")
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=create, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert sorted(study_names(database)) == [f"s{n}" for n in range(8)]
    assert run(database, "select count(*) from fewlabels_pools") == [[(1,)]]


def test_a_server_that_is_gone_loses_nothing_and_when_it_is_back_the_study_goes_on(server, database):
    study = fl.create_study(POOL, ACCURACY, storage=database)
    study.tell({q.item: 0 for q in study.ask(3)})
    (query,) = study.ask()
    kept = study.labels
    server.stop()
    try:
        for use in (study.ask, lambda: study.tell(query, 1), lambda: study.labels):
            with pytest.raises(fl.StudyError, match=r"cannot be (written|read): .*the server"):
                use()
    finally:
        server.start()
    assert study.labels == kept
    study.tell(query, 1)
    assert fl.load_study(storage=database).labels == {**kept, query.item: "1"}


def test_a_connection_lost_before_the_commit_records_nothing(database):
    study = fl.create_study(POOL, ACCURACY, storage=database)
    (query,) = study.ask()
    end = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> "
    storage = study._storage

    def lose() -> None:
        with storage.locked("study"):
            run(database, f"{end} pg_backend_pid()")

    with pytest.raises(fl.StudyError, match=r"It is not known whether"):
        lose()
    assert fl.load_study(storage=database).labels == {}
    study.tell(query, 1)
    assert len(fl.load_study(storage=database).labels) == 1


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("postgresql://nobody@127.0.0.1:{port}/nowhere", r"nobody.*check name, password and database|does not exist"),
        ("postgresql://postgres:secret@127.0.0.1:1/x", r"cannot be read: .*look whether the server runs"),
    ],
)
def test_an_address_that_leads_nowhere_says_what_to_check_and_not_the_password(server, address, words):
    with pytest.raises(fl.StudyError, match=words) as caught:
        fl.load_study(storage=address.format(port=server.port))
    assert "secret" not in str(caught.value)


def test_the_command_line_takes_the_address_of_a_database(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = write_mail(tmp_path)
    run_command("new", file, "--storage", database, "--name", "march")
    (query,) = run_json("ask", "march", "--storage", database, "-n", "1", "--by", "ann")
    run_command("tell", "march", query["item"], "refund", "--storage", database, "--by", "ann")
    monkeypatch.setenv("FEWLABELS_STORAGE", database)
    assert run_json("status", "march")["labelled"] == 1
    assert run_json("status", database)["labelled"] == 1
    assert [study["study"] for study in run_json("list")] == ["march"]
    assert "up to date already" in run_command("upgrade", database).stdout
    assert "no study named 'may'" in run_command("status", "may", code=2).stderr


def test_who_still_writes_as_before_an_upgrade_waits_for_it_and_writes_nothing(database, monkeypatch, tmp_path):
    """Else what is told after the events were copied would be gone with the old tables."""
    old_tables.write(database)
    log, waits = tmp_path / "log", "select count(*) from pg_locks where not granted"
    labeller = threading.Thread(target=old_tables.tell_as_before, args=(database, log))
    copy = migrations._copy_events_1

    def copy_and_look(connection: sa.Connection, study: int) -> None:
        copy(connection, study)
        if study == 1:
            labeller.start()
            while run(database, waits) == [[(0,)]] and not (log.exists() and log.read_text()):
                time.sleep(0.01)

    monkeypatch.setattr(migrations, "_copy_events_1", copy_and_look)
    upgrade_storage(database)
    labeller.join()
    assert log.read_text() == "", "acknowledged, and lost"
