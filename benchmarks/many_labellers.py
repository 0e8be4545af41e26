"""Thirty-two processes ask and tell for a minute, on SQLite and on PostgreSQL: `python benchmarks/many_labellers.py`.

Throughput, and how long a call takes in the middle and in one case of a hundred. `--seconds` and `--processes` make it
shorter; PostgreSQL is started as the tests start it, and left out where it is not installed.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from services import postgres_server
from services.many import label_together


def measure(name: str, address: str, processes: int, seconds: float) -> None:
    told = [row for one in label_together(address, processes, 10**9, seconds) for row in one]
    items, ask, tell = (np.array(column) for column in zip(*told, strict=True))
    assert len(set(items.tolist())) == len(items), "two got one item"
    calls = " ".join(
        f"{what} p50 {np.quantile(took, 0.5) * 1000:.1f} ms, p99 {np.quantile(took, 0.99) * 1000:.1f} ms;"
        for what, took in (("ask", ask), ("tell", tell))
    )
    print(f"{name:12} {processes} processes, {len(items) / seconds:7.1f} labels a second; {calls}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--processes", type=int, default=32)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", f"sqlite:///{folder}/s.db", given.processes, given.seconds)
    if postgres_server.programs() is None:
        print("PostgreSQL is not installed")
        return
    with postgres_server.running() as server:
        measure("PostgreSQL", server.new_database(), given.processes, given.seconds)


if __name__ == "__main__":
    main()
