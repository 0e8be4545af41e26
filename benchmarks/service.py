"""Labellers in their browsers, a pool of a million items, SQLite and PostgreSQL: `python benchmarks/service.py`.

Thirty-two ask and tell for two minutes, as fast as they are answered: no item goes to two of them, all that was
acknowledged is recorded, no answer is a 5xx. Then eight, as fast as they are answered, and eight who look at each item
for a second: how long it takes to tell one label and get the next item, in the middle and in one case of a hundred.
`--seconds`, `--items`, `--study` make it shorter, or another study. The clients run on the same two cores.

Measured on 17 November 2026 on two free virtual cores (`--seconds 40`; before the eight came, thirty-two had given some
10,000 labels): eight at once get a label and the next item in 77 ms in 99 of 100 cases with SQLite (30 in the middle),
in 82, 97 and 97 with PostgreSQL in three runs (37, 34, 41); eight who look at each item for a second in 31 and in 41,
37, 62. A label takes 3.4 to 5.1 ms of the service's processor time. Thirty-two at once: 322 labels a second with
SQLite, 277 to 292 with PostgreSQL. Of 13,000 to 15,500 labels in each run none was lost, no item went to two, no answer
was a 5xx; nor in runs of two minutes on cores that others used too (12,526 and 15,754 labels).
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

import fewlabels as fl
from fewlabels.core.events import Query
from services import postgres_server
from services.quick_client import Connection, Labeller, label_for
from services.serving import TOKEN, Command, client

CLASSES = 10
QUESTIONS: dict[str, tuple[Any, Any]] = {
    "estimate": (fl.Estimate("accuracy", by="predicted_class"), fl.HalfWidth(0.001)),
    "identify": (fl.Identify("accuracy", by="predicted_class", top=2), fl.Probability(0.9999)),
}


def pool_file(folder: Path, items: int) -> Path:
    """A million items or so: texts, and probabilities of ten classes."""
    rows = np.random.default_rng(0).dirichlet(np.full(CLASSES, 0.3), items)
    columns = {"id": [f"item-{n}" for n in range(items)], "text": [f"text of item {n}" for n in range(items)]}
    file = folder / "pool.parquet"
    parquet.write_table(pa.table({**columns, **{f"p_{c}": rows[:, c] for c in range(CLASSES)}}), file)
    return file


def processor_seconds(pid: int) -> float:
    """What a process has used so far; nan where the system does not say."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return float("nan")
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


class Load:
    """A service on one storage, and labellers with links of their own."""

    def __init__(self, service: Command, storage: str, name: str) -> None:
        self.url, self.pid, self.storage, self.name = service.url, service.process.pid, storage, name
        self.everybody: list[Labeller] = []

    def labellers(self, count: int) -> list[Labeller]:
        with client(self.url) as owner:
            classes = owner.get(f"/api/studies/{self.name}/classes").json()["classes"]
            for _ in range(count):
                seed = len(self.everybody)
                link = owner.post(f"/api/studies/{self.name}/links", json={"by": f"labeller-{seed}"}).json()
                self.everybody.append(Labeller(Connection(self.url, link["token"]), self.name, classes, seed))
        return self.everybody[-count:]

    def run(self, count: int, seconds: float, think: float = 0.0) -> None:
        them, before = self.labellers(count), processor_seconds(self.pid)
        label_for(them, seconds, think)
        spent = processor_seconds(self.pid) - before
        took = np.array([pair for one in them for pair in one.seconds]) * 1000
        both = took.sum(axis=1)
        words = ", ".join(
            f"{what} p50 {np.quantile(t, 0.5):.1f} p99 {np.quantile(t, 0.99):.1f} ms"
            for what, t in (("ask", took[:, 0]), ("tell", took[:, 1]), ("both", both))
        )
        looking = f"{think:g} s an item" if think else "at once"
        print(f"  {count:2} labellers, {looking:11}: {len(took) / seconds:6.1f} labels a second; {words}", flush=True)
        print(
            f"    service: {1000 * spent / len(took):.1f} ms of processor time a label, {spent / seconds:.0%} of a "
            f"core; load of the machine {os.getloadavg()[0]:.1f}",
            flush=True,
        )

    def check(self) -> None:
        """Raise where an item went to two, a label is lost, or an answer was a 5xx."""
        failed = [one for labeller in self.everybody for one in labeller.failed]
        assert not failed, f"{len(failed)} failed, first {failed[0]}"
        given = [item for labeller in self.everybody for item in labeller.given]
        assert len(set(given)) == len(given), "two got one item"
        study = fl.load_study(self.name, storage=self.storage)
        labels = study.labels
        lost = [i for one in self.everybody for i, label in one.acknowledged.items() if labels.get(i) != label]
        assert not lost, f"{len(lost)} labels lost"
        asked = [event.item for event in study.events if isinstance(event, Query)]
        assert len(set(asked)) == len(asked), "an item was asked twice"
        print(f"  {len(labels):,} labels: none lost, none given to two, no 5xx", flush=True)


def measure(what: str, storage: str, file: Path, given: argparse.Namespace) -> None:
    question, until = QUESTIONS[given.study]
    fl.create_study(fl.open_pool(str(file)), question, until=until, storage=storage, name="load")
    service = Command("load", "--storage", storage, FEWLABELS_TOKEN=TOKEN)
    try:
        print(f"{what}, {given.items:,} items, {question.describe()}", flush=True)
        load = Load(service, storage, "load")
        with client(service.url) as owner:
            owner.post("/api/studies/load/ask", json={"n": 1}).raise_for_status()  # the pool is opened
        for count, seconds, think in (
            (32, given.seconds, 0.0),
            (8, given.seconds / 4, 0.0),
            (8, given.seconds / 4, 1.0),
        ):
            load.run(count, seconds, think)
        load.check()
    finally:
        service.process.terminate()
        service.ended()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--study", choices=QUESTIONS, default="estimate")
    parser.add_argument("--storage", choices=["sqlite", "postgresql", "both"], default="both")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = pool_file(Path(folder), given.items)
        if given.storage != "postgresql":
            measure("SQLite", f"sqlite:///{folder}/s.db", file, given)
        if given.storage == "sqlite":
            return
        if postgres_server.programs() is None:
            print("PostgreSQL is not installed")
            return
        with postgres_server.running() as server:
            measure("PostgreSQL", server.new_database(), file, given)


if __name__ == "__main__":
    main()
