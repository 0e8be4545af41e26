"""What pandas, polars, pyarrow, DuckDB and the csv module write is what the pool holds, whatever the values are."""

import csv
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import fewlabels as fl
from odd_files import TEXTS, Columns, feather, held, pa, parquet, pd, pl

arrow_csv = pytest.importorskip("pyarrow.csv")
quick = settings(derandomize=True, deadline=None, max_examples=15)
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")  # what a text file can hold
texts = st.text(characters, min_size=1, max_size=6) | st.sampled_from([t for t in TEXTS if len(t) < 99])
numbers = st.integers(-(2**63), 2**63 - 1)
scores = st.floats(0, 1) | st.sampled_from([0.0, 1.0, 0.1, 5e-324, 1 - 2**-53])


@st.composite
def tables(draw: Callable[[Any], Any]) -> Columns:
    """Ids, classes, scores, labels, an attribute that may be missing, and texts."""
    count = draw(st.integers(1, 8))

    def column(values: Any, **how: Any) -> list[Any]:
        found: list[Any] = draw(st.lists(values, min_size=count, max_size=count, **how))
        return found

    classes = draw(st.lists(texts.filter(lambda t: not t.lstrip("-").isdigit()), min_size=1, max_size=4, unique=True))
    return {
        "id": column(texts, unique=True),
        "predicted": column(st.sampled_from(classes)),
        "score": column(scores),
        "label": column(st.sampled_from(classes)),
        "group": column(texts | st.none()),
        "text": column(texts),
    }


def by_csv_module(table: Columns, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))


def by_duckdb(table: Columns, path: Path) -> None:
    how = {".csv": "format csv, header, force_quote *", ".parquet": "format parquet", ".jsonl": "format json"}[
        path.suffix
    ]
    connection = duckdb.connect()
    connection.register("given", pa.table(table))
    connection.execute(f"copy given to '{path}' ({how})")
    connection.close()


WRITERS: dict[str, tuple[str, Callable[[Columns, Path], Any]]] = {
    "csv module": ("t.csv", by_csv_module),
    "pandas csv": ("t.csv", lambda table, path: pd.DataFrame(table).to_csv(path, index=False)),
    "pandas tsv": ("t.tsv", lambda table, path: pd.DataFrame(table).to_csv(path, index=False, sep="\t")),
    "pandas csv.gz": ("t.csv.gz", lambda table, path: pd.DataFrame(table).to_csv(path, index=False)),
    "pandas parquet": ("t.parquet", lambda table, path: pd.DataFrame(table).to_parquet(path)),
    "pandas feather": ("t.feather", lambda table, path: pd.DataFrame(table).to_feather(path)),
    "polars csv": ("t.csv", lambda table, path: pl.DataFrame(table).write_csv(path)),
    "polars csv, all quoted": ("t.csv", lambda table, path: pl.DataFrame(table).write_csv(path, quote_style="always")),
    "polars parquet": ("t.parquet", lambda table, path: pl.DataFrame(table).write_parquet(path)),
    "polars jsonl": ("t.ndjson", lambda table, path: pl.DataFrame(table).write_ndjson(path)),
    "polars arrow": ("t.arrow", lambda table, path: pl.DataFrame(table).write_ipc(path)),
    "pyarrow csv": ("t.csv", lambda table, path: arrow_csv.write_csv(pa.table(table), path)),
    "pyarrow parquet": ("t.parquet", lambda table, path: parquet.write_table(pa.table(table), path)),
    "pyarrow feather": ("t.feather", lambda table, path: feather.write_feather(pa.table(table), path)),
    "duckdb csv": ("t.csv", by_duckdb),
    "duckdb parquet": ("t.parquet", by_duckdb),
    "duckdb jsonl": ("t.jsonl", by_duckdb),
}


NO_RETURNS = ("pandas csv", "pandas tsv", "pandas csv.gz")  # they put no quotes around a carriage return


@pytest.mark.parametrize("writer", WRITERS)
def test_what_was_written_is_what_is_held(writer: str) -> None:
    name, write = WRITERS[writer]

    @quick
    @given(tables())
    def check(table: Columns) -> None:
        if writer in NO_RETURNS:
            assume(not any("\r" in str(value) for values in table.values() for value in values))
        with TemporaryDirectory() as folder:
            write(table, Path(folder) / name)
            assert held(fl.open_pool(Path(folder) / name)) == table

    check()


FRAMES: dict[str, Callable[[Columns], Any]] = {
    "pandas": pd.DataFrame,
    "pandas with its own types": lambda table: pd.DataFrame(table).convert_dtypes(),
    "pandas with types of Arrow": lambda table: pa.table(table).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "lazy polars": pl.LazyFrame,
    "pyarrow": pa.table,
    "a dictionary": lambda table: table,
    "a dictionary of arrays": lambda table: {k: np.array(v, dtype=object) for k, v in table.items()},
}


@pytest.mark.parametrize("kind", FRAMES)
def test_what_a_frame_holds_is_what_is_held(kind: str) -> None:
    @quick
    @given(tables())
    def check(table: Columns) -> None:
        assert held(fl.open_pool(FRAMES[kind](table))) == table

    check()


@pytest.mark.parametrize("writer", [w for w in WRITERS if "csv" not in w and "tsv" not in w])
def test_whole_numbers_that_were_written_are_whole_numbers(writer: str) -> None:
    name, write = WRITERS[writer]

    @quick
    @given(st.lists(numbers, min_size=1, max_size=8, unique=True))
    def check(ids: list[int]) -> None:
        table = {"id": ids, "predicted": ["x"] * len(ids), "score": [0.5] * len(ids), "group": ids}
        with TemporaryDirectory() as folder:
            write(table, Path(folder) / name)
            pool = fl.open_pool(Path(folder) / name)
        assert held(pool) == table
        assert pool.engine.whole_ids

    check()


@pytest.mark.parametrize("writer", WRITERS)
def test_probabilities_that_were_written_are_the_ones_held(writer: str) -> None:
    name, write = WRITERS[writer]

    @quick
    @given(st.lists(st.lists(st.floats(0, 1), min_size=3, max_size=3), min_size=1, max_size=6))
    def check(rows: list[list[float]]) -> None:
        table = {f"p_{j}": [row[j] for row in rows] for j in range(3)}
        with TemporaryDirectory() as folder:
            write(table, Path(folder) / name)
            pool = fl.open_pool(Path(folder) / name, probabilities_are="independent")
        assert pool.engine.models["model"].probabilities.tolist() == rows

    check()
