"""A disk that is full: nothing acknowledged is lost, and once there is room the study goes on."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl

RNG = np.random.default_rng(0)
TEXTS = [RNG.bytes(30_000).hex() for _ in range(300)]  # which no server can write shorter than half
POOL = fl.Pool.from_arrays(probabilities=RNG.dirichlet([1, 1], 300), payload={"text": TEXTS})
root_only = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can mount a small disk")


@contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Callable[[int], None]]:
    """A disk of so many megabytes at this place; what it gives makes it larger."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)], check=True)
    try:
        yield lambda size: subprocess.run(["mount", "-o", f"remount,size={size}m", str(place)], check=True) and None
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def fill(address: str, grow: Callable[[int], None]) -> None:
    """Tell until the disk is full, look at what is there, make room, and go on."""
    study = fl.create_study(POOL, fl.Estimate("accuracy"), strategy="uniform", storage=address)
    told: dict[object, str] = {}

    def tell_on() -> None:
        for _ in range(280):
            (query,) = study.ask()
            study.tell(query, 1)
            told[query.item] = "1"

    with pytest.raises(fl.StudyError, match=r"(the disk|no room).*Nothing of this call was recorded"):
        tell_on()
    assert len(told) > 3
    assert study.labels == told
    assert fl.load_study(storage=address).labels == told
    grow(200)
    for query in [*study.open_queries, *study.ask(5)]:
        study.tell(query, 0)
        told[query.item] = "0"
    assert fl.load_study(storage=address).labels == told


@root_only
def test_a_full_disk_under_a_file_loses_nothing_acknowledged(tmp_path):
    with small_disk(tmp_path / "disk", 1) as grow:
        fill(f"sqlite:///{tmp_path}/disk/s.db", grow)


@root_only
def test_a_full_disk_under_a_server_loses_nothing_acknowledged(server):
    place = server.folder / "disk"
    with small_disk(place, 12) as grow:
        shutil.chown(place, "postgres")
        server.run_sql(f"create tablespace small location '{place}'")
        server.run_sql("create database on_small tablespace small")
        try:
            fill(server.url("on_small"), grow)
        finally:
            server.run_sql("drop database on_small with (force)")
            server.run_sql("drop tablespace small")
