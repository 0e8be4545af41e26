"""What pools of any size cost: `python benchmarks/large_pool.py FOLDER 10000000 [100000000]`.

Makes Parquet files of so many rows in the folder (with a progress bar; about 3 GB for 100 million) unless they are
there, then a study of each, in a process of its own, and prints processor time, peak memory and the size of the study;
then how long `ask` takes, in that process and in one that only reopens the study.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import fewlabels as fl
from fewlabels.engines.sql_engine import SqlEngine

PART = 1_000_000  # rows written at once
CLASSES = 100
ASKED = 1000


def make(folder: Path, rows: int) -> Path:
    """Files of a million rows: id, predicted class, score, region and a short text."""
    import duckdb  # noqa: PLC0415 - its room should not count as that of a study

    made = folder / f"pool-{rows}"
    made.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect()
    for start in track(range(0, rows, PART), f"{rows:,} rows"):
        file = made / f"part-{start // PART:05}.parquet"
        if not file.exists():
            n = min(PART, rows - start)
            query = (
                f"select i as id, 'class ' || (hash(i) % {CLASSES}) as predicted, "
                "1 - power((hash(i + 7) % 1000003) / 1000003, 3) as score, 'region ' || (hash(i + 13) % 5) as region, "
                f"'item number ' || i || ' says ' || hash(i + 17) as text from range({start}, {start + n}) t(i)"
            )
            connection.execute(f"copy ({query}) to '{file}.new' (format parquet)")
            os.replace(f"{file}.new", file)
    return made


def asked(study: fl.Study) -> str:
    """Milliseconds of an ask, one item at a time, each of them told as the model predicts it; and how many looked into
    the pool for more items."""
    took, worked, refills = [], [], [0]
    find = SqlEngine.draw

    def counted(*arguments: Any) -> Any:
        refills[0] += 1
        return find(*arguments)

    SqlEngine.draw = counted  # type: ignore[method-assign]
    for _ in range(ASKED):
        start, busy = time.perf_counter(), time.process_time()
        (query,) = study.ask(1)
        took.append(time.perf_counter() - start)
        worked.append(time.process_time() - busy)
        study.tell(query, query.predicted)
    return (
        ", ".join(
            f"{name} {np.quantile(worked, q) * 1e3:.2f} ms of a core, {np.quantile(took, q) * 1e3:.2f} in all"
            for name, q in (("median", 0.5), ("p99", 0.99))
        )
        + f"; {refills[0]} refills in {ASKED:,} labels"
    )


def created(pool: Path, file: Path) -> None:
    start, busy = time.perf_counter(), time.process_time()
    opened = fl.open_pool(pool)
    checked = time.process_time() - busy
    study = fl.create_study(
        opened, fl.Estimate("accuracy", by="predicted_class"), strategy="thompson", estimator="beta",
        storage=f"sqlite:///{file}",
    )  # fmt: skip
    worked, passed = time.process_time() - busy, time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    size = file.stat().st_size / 1e6
    print(
        f"{len(opened):>12,} rows: {worked:6.1f} s of a core ({checked:.1f} of them checking), {passed:.1f} s in all, "
        f"{memory:,.0f} MB, {size:.1f} MB of study",
        flush=True,
    )
    print(f"{'':>18} ask: {asked(study)}", flush=True)


def reopened(file: Path) -> None:
    start = time.perf_counter()
    study = fl.load_study(storage=f"sqlite:///{file}")
    study.ask(1)
    print(f"{'':>18} reopened: first ask after {time.perf_counter() - start:.2f} s, then {asked(study)}", flush=True)


def main() -> None:
    if sys.argv[1] == "--create":
        return created(Path(sys.argv[2]), Path(sys.argv[3]))
    if sys.argv[1] == "--reopen":
        return reopened(Path(sys.argv[2]))
    folder = Path(sys.argv[1])
    for rows in map(int, sys.argv[2:]):
        pool, file = make(folder, rows), folder / f"study-{rows}.db"
        file.unlink(missing_ok=True)
        subprocess.run([sys.executable, __file__, "--create", str(pool), str(file)], check=True)
        subprocess.run([sys.executable, __file__, "--reopen", str(file)], check=True)
    return None


if __name__ == "__main__":
    main()
