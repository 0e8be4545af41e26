"""What DuckDB writes beyond its memory is gone when its process is, also where that was killed."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.spilling import Spilling

WORK = """
import sys
from fewlabels.engines import duckdb_tables
duckdb_tables.MEMORY = "30MB"
tables = duckdb_tables.DuckDbTables()
name = tables.made("select i, hash(i) as h from range(5000000) t(i)")
assert tables.columns(f"select count(*) from {name}") == [[5000000]]
print("spilled", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path, monkeypatch) -> Path:
    """The folder for temporary files, of this process and of those it starts."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def working(place):
    """A process that has written more than fits into its memory, and waits."""
    with subprocess.Popen([sys.executable, "-c", WORK], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"spilled\n"
        yield process
        process.kill()


def spilled(place: Path) -> int:
    """Bytes in temporary files."""
    return sum(file.stat().st_size for file in place.rglob("*") if file.is_file())


def test_a_folder_goes_with_its_tables(place):
    tables = DuckDbTables()
    assert len(list(place.iterdir())) == 1
    del tables
    assert list(place.iterdir()) == []


def test_a_process_that_ends_takes_its_folder_along(working, place):
    assert spilled(place) > 10_000_000
    working.communicate()
    assert working.returncode == 0
    assert list(place.iterdir()) == []


def test_what_a_killed_process_left_is_removed_by_the_next(working, place):
    (left,) = place.iterdir()
    working.kill()
    working.wait()
    assert spilled(left) > 10_000_000
    tables = DuckDbTables()
    assert not left.exists()
    assert len(list(place.iterdir())) == 1
    del tables


def test_what_a_living_process_uses_is_left_alone(working, place):
    (used,) = place.iterdir()
    del [DuckDbTables()][0]
    assert spilled(used) > 10_000_000
    assert list(place.iterdir()) == [used]


def test_folders_that_others_have_made_are_left_alone(place):
    (place / "fewlabels-duckdb-x").mkdir()
    (place / "elsewhere").mkdir()
    (place / "elsewhere" / "in-use").touch()
    (place / "fewlabels-duckdb-y").symlink_to(place / "elsewhere")
    del [DuckDbTables()][0]
    assert (place / "elsewhere" / "in-use").exists()
    assert (place / "fewlabels-duckdb-x").exists()


def test_a_fork_leaves_the_folder_to_the_process_that_made_it(place):
    spilling = Spilling()
    child = os.fork()
    if child == 0:
        spilling.end()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert spilling.folder.exists()
    Spilling().end()
    assert list(place.iterdir()) == [spilling.folder]
    spilling.end()
    assert list(place.iterdir()) == []
