"""The promises of storages/base.py, kept by every storage."""

from datetime import UTC, datetime
from functools import partial

import pytest

import fewlabels as fl
from fewlabels.storages import MemoryStorage, Storage, open_storage
from fewlabels.testing import check_storage, processes
from fewlabels.testing import storages as promises
from fewlabels.testing.processes import make_pool
from fewlabels.testing.storages import RECORD


@pytest.fixture(params=["memory", "sqlite"])
def storage(request, tmp_path) -> Storage:
    return open_storage(None if request.param == "memory" else f"sqlite:///{tmp_path}/s.db")


@pytest.mark.parametrize("promise", promises.ON_A_STORAGE, ids=lambda promise: promise.__name__)
def test_every_storage_keeps_its_promises(storage, promise):
    promise(storage)


@pytest.mark.parametrize("values", promises.PAYLOADS.values(), ids=promises.PAYLOADS.keys())
def test_any_plain_payload_can_be_asked_and_comes_back(storage, values):
    promises.any_plain_payload_comes_back(storage, values)


def test_refused_names_say_what_to_do(storage):
    with pytest.raises(fl.StudyError, match=r"'may'.*none"):
        storage.load("may")
    storage.create(RECORD)
    with pytest.raises(fl.StudyError, match=r"'march' exists already.*load_if_exists"):
        storage.create(RECORD)


def test_a_payload_that_cannot_be_kept_is_refused_when_the_pool_is_made():
    """Not when an item is asked, when it would block the study, or be kept as another value than was shown."""
    for value in (datetime(2024, 1, 1, tzinfo=UTC), b"\xff", object()):
        with pytest.raises(fl.PoolError, match=r"shown of row 3\b.*text"):
            make_pool(40, payload={"shown": [*"abc", value, *"x" * 36]})


# -- SQLite alone ------------------------------------------------------------------------------------------------------


def test_two_processes_on_one_file_ask_no_item_twice_and_lose_nothing(tmp_path):
    processes.two_processes_lose_nothing(partial(open_storage, f"sqlite:///{tmp_path}/s.db"))


def test_a_process_killed_in_the_middle_leaves_whole_blocks_and_the_lock_free(tmp_path):
    processes.a_kill_leaves_whole_blocks(partial(open_storage, f"sqlite:///{tmp_path}/s.db"))


def test_a_file_written_by_a_newer_version_is_refused(tmp_path):
    import sqlite3
    from contextlib import closing

    where = f"sqlite:///{tmp_path}/s.db"
    fl.create_study(make_pool(40), fl.Estimate("accuracy"), storage=where)
    with closing(sqlite3.connect(tmp_path / "s.db")) as connection, connection:
        connection.execute("update fewlabels_schema set version = 99")
    with pytest.raises(fl.StudyError, match=r"version 99"):
        fl.load_study(storage=where)


def test_memory_is_the_storage_when_none_is_named():
    assert isinstance(open_storage(None), MemoryStorage)
    storage = MemoryStorage()
    assert open_storage(storage) is storage


def test_all_of_it_in_one_call():
    check_storage(MemoryStorage)
