"""How long opening a pool takes: `make bench`, or `python benchmarks/open.py`. Needs pandas and pyarrow."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import fewlabels as fl

ITEMS = 1_000_000


def write(folder: Path) -> list[Path]:
    """A CSV file of probabilities, one of predicted classes and attributes, and a wide Parquet file."""
    import pandas as pd  # noqa: PLC0415 - its room should not count as that of opening

    rng = np.random.default_rng(0)
    ids = [f"i{n}" for n in range(ITEMS)]
    eight, hundred = (rng.dirichlet(np.ones(k), ITEMS).astype(np.float32) for k in (8, 100))
    region, year = rng.choice(list("NSEW"), ITEMS), rng.integers(2000, 2020, ITEMS)
    columns = {f"p_c{k}": eight[:, k] for k in range(8)}
    texts = [f"text of item {n}" for n in range(ITEMS)]
    pd.DataFrame({"id": ids, **columns, "region": region, "year": year, "text": texts}).to_csv(
        folder / "probabilities.csv", index=False
    )
    named = {"id": np.arange(ITEMS), "predicted": rng.choice(["cat", "dog"], ITEMS), "score": rng.random(ITEMS)}
    codes = {f"code_{k}": rng.integers(0, 9, ITEMS) for k in range(9)}
    pd.DataFrame({**named, **codes}).to_csv(folder / "predicted.csv", index=False)
    pd.DataFrame({"id": ids, **{f"p_{k:03}": hundred[:, k] for k in range(100)}}).to_parquet(folder / "wide.parquet")
    return sorted(folder.iterdir())


def main() -> None:
    if len(sys.argv) > 1:
        start, busy = time.perf_counter(), time.process_time()
        pool = fl.open_pool(sys.argv[1])
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        passed, worked = time.perf_counter() - start, time.process_time() - busy
        print(f"{Path(sys.argv[1]).name:20} {passed:5.1f} s, {worked:5.1f} s of a core, {memory:,.0f} MB: {pool}")
        return
    with tempfile.TemporaryDirectory() as folder:
        for file in write(Path(folder)):
            subprocess.run([sys.executable, __file__, str(file)], check=True)  # each in a process of its own


if __name__ == "__main__":
    main()
