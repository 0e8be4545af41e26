"""Studies in files, processes that use them, and what a folder holds."""

import gc
import io
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

import fewlabels as fl
from fewlabels.testing.processes import CEILING, starting

ACCURACY = fl.Estimate("accuracy")
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1], 60))


def make(file: object = "s.db", labels: int = 0) -> fl.Study:
    study = fl.create_study(POOL, ACCURACY, storage=f"sqlite:///{file}")
    study.tell({query.item: 0 for query in study.ask(labels)})
    return study


def _run(code: str, folder: str, arguments: list[str], test: Connection) -> None:
    os.chdir(folder)
    with redirect_stdout(io.StringIO()) as printed:
        exec(textwrap.dedent(code), {"fl": fl, "os": os, "sys": sys, "pool": POOL, "arguments": arguments})
    gc.collect()  # closes files, as the end of a program does
    test.send(printed.getvalue())


def run_script(code: str, *arguments: object) -> str:
    """What a process of its own prints, which may end itself; it has `fl`, a `pool` and `arguments`."""
    ours, theirs = starting().Pipe(duplex=False)
    worker = starting().Process(target=_run, args=(code, os.getcwd(), [*map(str, arguments)], theirs))
    worker.start()
    theirs.close()
    try:
        printed = str(ours.recv())
    except EOFError:
        printed = ""
    worker.join(CEILING)
    assert worker.exitcode == 0
    return printed


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
