"""What the probabilities of many classes cost: `python benchmarks/wide_pool.py FOLDER [SRC of another version]`.

Makes Parquet files in the folder, with a progress bar, unless they are there: a million items of 100 classes, and
50,000 to 200,000 items of 1,000 classes, as columns and as lists of 32 and of 16 bits. Of each, in a process of its
own, a study is made and asked once; the first also by another version, in turns. Prints processor time and peak memory.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from rich.progress import track

PART = 10_000  # rows written at once
POOLS = {  # rows, classes, how
    "million.parquet": (1_000_000, 100, "columns"),
    "columns-50.parquet": (50_000, 1000, "columns"),
    "columns-100.parquet": (100_000, 1000, "columns"),
    "columns-200.parquet": (200_000, 1000, "columns"),
    "lists-100.parquet": (100_000, 1000, "float32"),
    "lists-200.parquet": (200_000, 1000, "float32"),
    "halves-100.parquet": (100_000, 1000, "float16"),
    "halves-200.parquet": (200_000, 1000, "float16"),
}
TURNS = 3


def make(file: Path, rows: int, classes: int, how: str) -> None:
    import pyarrow as pa  # noqa: PLC0415 - its room should not count as that of a study
    import pyarrow.parquet as pq  # noqa: PLC0415

    rng, writer = np.random.default_rng(0), None
    for start in track(range(0, rows, PART), file.name):
        ids = pa.array(np.arange(start, start + PART))
        table = rng.random((PART, classes), dtype=np.float32) ** 8
        table /= table.sum(axis=1, keepdims=True)
        if how == "columns":
            part = pa.table({"id": ids, **{f"p_{k:03}": table[:, k] for k in range(classes)}})
        else:
            lists = pa.FixedSizeListArray.from_arrays(pa.array(table.reshape(-1).astype(how)), classes)
            part = pa.table({"id": ids, "probabilities": lists.cast(pa.list_(lists.type.value_type))})
        writer = writer or pq.ParquetWriter(f"{file}.new", part.schema, use_dictionary=False)
        writer.write_table(part)
    assert writer is not None  # there are rows
    writer.close()
    os.replace(f"{file}.new", file)


def study(file: str) -> None:
    import fewlabels as fl  # noqa: PLC0415 - of one version or another

    start = time.perf_counter()
    pool = fl.open_pool(file)
    question = fl.Estimate("accuracy", by="predicted_class")
    fl.create_study(pool, question, strategy="thompson", estimator="beta").ask(1)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{Path(file).name:20} {len(pool):>9,} × {len(pool.classes):>5,}: {time.process_time():6.1f} s of a core, "
        f"{time.perf_counter() - start:6.1f} s in all, {memory:6,.0f} MB",
        flush=True,
    )


def main() -> None:
    if sys.argv[1] == "--study":
        return study(sys.argv[2])
    folder, others = Path(sys.argv[1]), sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    for name, (rows, classes, how) in POOLS.items():
        if not (folder / name).exists():
            make(folder / name, rows, classes, how)
        for _ in range(TURNS if others and name == "million.parquet" else 1):
            for source in ("", *(others if name == "million.parquet" else ())):
                environment = {**os.environ, **({"PYTHONPATH": source} if source else {})}
                print("another version: " if source else "", end="", flush=True)
                subprocess.run([sys.executable, __file__, "--study", str(folder / name)], env=environment, check=False)
    return None


if __name__ == "__main__":
    main()
