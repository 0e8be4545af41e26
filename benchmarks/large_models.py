"""What two models in large files cost: `python benchmarks/large_models.py FOLDER 1000000 [10000000]`.

Makes Parquet files of so many rows for each model in the folder unless they are there, the second in another order;
then a study of which is more accurate, in a process of its own, a million rows also in memory, and looks into the
first as `fewlabels doctor` does. Prints processor time, peak memory and the first items asked for.
"""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

from large_pool import CLASSES, PART, make

import fewlabels as fl
from fewlabels.cli.examine_large import examine_large
from fewlabels.tables import large_tables

IN_MEMORY = 1_000_000  # rows up to which that is tried too
STEP = 7919  # between the ids of neighbouring rows; prime, so that every id comes once


def make_other(folder: Path, rows: int) -> Path:
    """The second model: four of five predictions are those of the first."""
    import duckdb  # noqa: PLC0415 - its room should not count as that of a study

    made = folder / f"other-{rows}"
    made.mkdir(parents=True, exist_ok=True)
    for start in range(0, rows, PART):
        file, end = made / f"part-{start // PART:05}.parquet", min(start + PART, rows)
        if not file.exists():
            said = f"case when hash(i + 3) % 5 = 0 then hash(i + 99) else hash(i) end % {CLASSES}"
            ids = f"select (k * {STEP}) % {rows} as i from range({start}, {end}) t(k)"
            query = f"select i as id, 'class ' || ({said}) as predicted, (hash(i + 31) % 1000003) / 1000003 as score"
            duckdb.execute(f"copy ({query} from ({ids})) to '{file}.new' (format parquet)")
            os.replace(f"{file}.new", file)
    return made


def used() -> str:
    return f"{time.process_time():.1f} s of a core, {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB"


def study(held: str, one: str, two: str, file: str) -> None:
    large_tables.LARGE = 0 if held == "DuckDB" else 1 << 60
    pool = fl.open_pool([one, two])
    made = fl.create_study(pool, fl.CompareModels("accuracy"), storage=f"sqlite:///{file}")
    asked = [query.item for query in made.ask(20)]
    size = Path(file).stat().st_size / 1e6
    print(f"{len(pool):>12,} rows, {held}: {used()}, {size:.1f} MB of study; asks for {asked[:4]}", flush=True)


def look(file: str) -> None:
    large_tables.LARGE = 0
    found = examine_large(file, {}, lambda: fl.open_pool(file))
    print(f"{found.rows:>12,} rows looked at: {used()}", flush=True)


def main() -> None:
    if sys.argv[1] == "--study":
        return study(*sys.argv[2:])
    if sys.argv[1] == "--look":
        return look(sys.argv[2])
    folder = Path(sys.argv[1])
    for rows in map(int, sys.argv[2:]):
        one, two, file = make(folder, rows), make_other(folder, rows), folder / f"models-{rows}.db"
        for held in ("DuckDB", "memory") if rows <= IN_MEMORY else ("DuckDB",):
            file.unlink(missing_ok=True)
            subprocess.run([sys.executable, __file__, "--study", held, str(one), str(two), str(file)], check=True)
        subprocess.run([sys.executable, __file__, "--look", str(one)], check=True)
    return None


if __name__ == "__main__":
    main()
