"""Writers of one SQLite file come in the order in which they came; a turn is courtesy, and nobody depends on it."""

import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

import fewlabels as fl
from fewlabels.storages import turns
from fewlabels.storages.turns import turn

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="turns are for Linux")
CEILING = 60


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """A file, by device and number; its turns are in a folder of their own."""
    (tmp_path / "turns").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "turns"))
    (tmp_path / "s.db").touch()
    found = os.stat(tmp_path / "s.db")
    return found.st_dev, found.st_ino


class Writer(threading.Thread):
    """Notes when its turn came."""

    def __init__(self, file: tuple[int, int], order: list[int], number: int) -> None:
        super().__init__(daemon=True)
        self.file, self.order, self.number = file, order, number

    def run(self) -> None:
        with turn(self.file, CEILING):
            self.order.append(self.number)


def in_line(tmp_path: Path) -> int:
    """The last number that somebody took."""
    (place,) = (tmp_path / "turns").iterdir()
    return int.from_bytes(place.read_bytes(), "big")


def test_writers_come_in_the_order_in_which_they_came(file, tmp_path):
    order: list[int] = []
    writers = [Writer(file, order, number) for number in range(6)]
    with turn(file, CEILING):
        for number, writer in enumerate(writers):
            writer.start()
            while in_line(tmp_path) < number + 2:  # it stands in line
                pass
        assert order == []
    for writer in writers:
        writer.join(CEILING)
    assert order == list(range(6))
    assert list((tmp_path / "turns").iterdir()) == [], "the last one removes what was there for it"


def test_who_waited_long_enough_does_without(file):
    order: list[int] = []
    with turn(file, CEILING), turn(file, 0.01):
        order.append(1)
    with turn(file, CEILING):
        order.append(2)
    assert order == [1, 2]


def test_a_turn_ends_with_the_process_that_has_it(file, tmp_path):
    code = f"""
import os
from fewlabels.storages.turns import turn
with turn({file}, {CEILING}):
    os._exit(9)
"""
    child = subprocess.run(
        [sys.executable, "-c", code], check=False, env={**os.environ, "TMPDIR": str(tmp_path / "turns")}
    )
    assert child.returncode == 9
    assert in_line(tmp_path) == 1
    with turn(file, CEILING):
        assert in_line(tmp_path) == 2


@pytest.mark.parametrize("trouble", ["no folder", "another's file", "no such file"])
def test_where_there_are_no_turns_writers_do_without(file, tmp_path, monkeypatch, trouble):
    if trouble == "no folder":
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    if trouble == "another's file":
        owner = os.getuid()
        monkeypatch.setattr(turns.os, "getuid", iter([owner, owner + 1]).__next__)
    with turn(None if trouble == "no such file" else file, CEILING):
        pass


def test_a_study_takes_its_turn(file, tmp_path):
    pool = fl.Pool.from_arrays(predicted=[0, 1] * 10, score=[0.5] * 20)
    study = fl.create_study(pool, fl.Estimate("accuracy"), storage=f"sqlite:///{tmp_path}/s.db")
    asked = threading.Thread(target=study.ask, daemon=True)
    with turn(file, CEILING):
        asked.start()
        while in_line(tmp_path) < 2:
            pass
        assert study.asked == set()
    asked.join(CEILING)
    assert len(study.asked) == 1
