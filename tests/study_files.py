"""Studies in files, processes that use them, and what a folder holds."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

import fewlabels as fl

ACCURACY = fl.Estimate("accuracy")
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1], 60))


CEILING = 3600  # seconds after which a test gives up waiting; a machine has to be very busy for a hundredth of it


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
