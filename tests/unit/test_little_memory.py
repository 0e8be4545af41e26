"""Nothing that grows with the pool is handed over to Python: tried with less memory than the pool would take there."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from pools_in_tables import write

MOST = 270 << 20  # bytes beyond what is taken once all is imported
N = 400_000
WORK = f"""
import resource, tempfile
import fewlabels as fl
from fewlabels.cli.examine_large import examine_large
from fewlabels.engines import duckdb_tables, gathered
from fewlabels.study import first_items
from fewlabels.tables import large_tables

large_tables.LARGE, first_items.FROM, duckdb_tables.MEMORY = 0, 0, "80MB"
for name in ("warm", "pool"):
    if name == "pool":  # all is imported, all threads have started
        taken = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmData"))
        resource.setrlimit(resource.RLIMIT_DATA, (taken + {MOST}, taken + {MOST}))
    pool = fl.open_pool(FOLDER + f"/{{name}}.parquet")
    study = fl.create_study(
        pool, fl.Estimate("accuracy", by="predicted_class"), strategy="thompson", estimator="beta",
        storage=f"sqlite:///{{tempfile.mkdtemp(dir=FOLDER)}}/study.db",
    )
    study.tell({{query.item: query.predicted for query in study.ask(50)}})
    study.answer()
    looked = examine_large(FOLDER + f"/{{name}}.parquet", {{}}, lambda: pool)
print(len(pool), len(study.labels), [column.distinct for column in looked.columns])
"""
SAID = f"{N} 50 {[N, 3, N, N]}\n"  # items, labels, distinct values of each column
CONTROL = """
gathered(pool.engine.scan("model", whole=True))
print("all of it")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two pools of one kind; as Python has them the larger would take some 400 MB."""
    made, rng = tmp_path_factory.mktemp("pools"), np.random.default_rng(5)
    for name, n in (("warm", 1000), ("pool", N)):
        texts = pa.array(rng.integers(0, 2**63, (n, 8)).astype("S19").view("S152").reshape(-1)).cast(pa.string())
        table = {"id": [f"item {i}" for i in range(n)], "predicted": rng.choice(["a", "b", "c"], n)}
        write(made / f"{name}.parquet", {**table, "score": rng.uniform(size=n), "text": texts})
    return made


@pytest.fixture(scope="module")
def done(folder) -> subprocess.CompletedProcess[str]:
    """The work and then the control, in one process of so little memory."""
    command = [sys.executable, "-c", f"FOLDER = {str(folder)!r}\n{WORK}{CONTROL}"]
    return subprocess.run(command, check=False, capture_output=True, text=True)


def test_a_study_of_a_pool_and_a_look_into_it_take_less_memory_than_the_pool(done):
    assert done.stdout.startswith(SAID), done.stderr


def test_what_collects_the_pool_does_not_fit_into_that(done):
    assert done.stdout == SAID
    assert "Memory" in done.stderr
