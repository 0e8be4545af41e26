"""Nothing that grows with the pool is handed over to Python: tried with less memory than the pool would take there."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

MOST = 270 << 20  # bytes beyond what is taken once all is imported
N = 400_000
ROWS = 50_000  # that lie together, and are read at once
START = f"""
import resource, tempfile
import fewlabels as fl
from fewlabels.cli.examine_large import examine_large
from fewlabels.engines import duckdb_tables, gathered
from fewlabels.study import first_items
from fewlabels.tables import large_tables

large_tables.LARGE, first_items.FROM, duckdb_tables.MEMORY = 0, 0, "80MB"

def asked(pool, question, **more):
    address = f"sqlite:///{{tempfile.mkdtemp(dir=FOLDER)}}/study.db"
    study = fl.create_study(pool, question, storage=address, **more)
    study.tell({{query.item: "a" for query in study.ask(50)}})
    study.answer()
    return len(study.labels)

for name in ("warm", "pool"):
    if name == "pool":  # all is imported, all threads have started
        taken = next(int(line.split()[1]) << 10 for line in open("/proc/self/status") if line.startswith("VmData"))
        resource.setrlimit(resource.RLIMIT_DATA, (taken + {MOST}, taken + {MOST}))
    file, other = (FOLDER + f"/{{name}}{{which}}.parquet" for which in ("", "-2"))
"""
WORK = {  # and what is printed
    "a study": (
        """
    pool = fl.open_pool(file)
    said = asked(pool, fl.Estimate("accuracy", by="predicted_class"), strategy="thompson", estimator="beta")
""",
        "50",
    ),
    "a look into it": (
        """
    pool = fl.open_pool(file)
    said = [column.distinct for column in examine_large(file, {}, lambda: pool).columns]
""",
        f"{[N, 3, N, N]}",
    ),
    "two models": (
        """
    pool = fl.open_pool([file, other])
    said = asked(pool, fl.CompareModels("accuracy"))
""",
        "50",
    ),
}
CONTROL = """
print(len(pool), said)
gathered(pool.engine.scan(pool.models[0], whole=True))
print("all of it")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two pools of one kind; as Python has them the larger would take some 400 MB."""
    made, rng = tmp_path_factory.mktemp("pools"), np.random.default_rng(5)
    for name, n in (("warm", 1000), ("pool", N)):
        texts = pa.array(rng.integers(0, 2**63, (n, 8)).astype("S19").view("S152").reshape(-1)).cast(pa.string())
        ids, classes = [f"item {i}" for i in range(n)], ["a", "b", "c"]
        table = {"id": ids, "predicted": rng.choice(classes, n), "score": rng.uniform(size=n)}
        other = {**table, "id": ids[::-1], "predicted": rng.choice(classes, n)}
        for which, said in (("", {**table, "text": texts}), ("-2", other)):
            pq.write_table(pa.table(said), made / f"{name}{which}.parquet", row_group_size=ROWS)
    return made


@pytest.fixture(scope="module", params=WORK)
def done(request, folder) -> tuple[subprocess.CompletedProcess[str], str]:
    """The work and then the control, in one process of so little memory; and what the work should print."""
    work, said = WORK[request.param]
    command = [sys.executable, "-c", f"FOLDER = {str(folder)!r}\n{START}{work}{CONTROL}"]
    return subprocess.run(command, check=False, capture_output=True, text=True), f"{N} {said}\n"


def test_what_is_done_with_a_pool_takes_less_memory_than_the_pool(done):
    process, said = done
    assert process.stdout.startswith(said), process.stderr


def test_what_collects_the_pool_does_not_fit_into_that(done):
    process, said = done
    assert process.stdout == said
    # DuckDB's threads, which find no room where nothing looks for that, may end the process before Python says so
    assert "Memory" in process.stderr or process.returncode < 0
