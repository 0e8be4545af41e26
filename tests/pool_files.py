"""One table in every kind of file and frame."""

import gzip
import json
from pathlib import Path

import pytest

import fewlabels as fl

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")


def write_csv(folder: Path, table: dict) -> Path:
    path = folder / "pool.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def write_tsv(folder: Path, table: dict) -> Path:
    path = folder / "pool.tsv"
    pd.DataFrame(table).to_csv(path, index=False, sep="\t")
    return path


def write_csv_gz(folder: Path, table: dict) -> Path:
    path = folder / "pool.csv.gz"
    with gzip.open(path, "wt") as file:
        pd.DataFrame(table).to_csv(file, index=False)
    return path


def write_jsonl(folder: Path, table: dict) -> Path:
    path = folder / "pool.jsonl"
    rows = [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def write_ndjson_gz(folder: Path, table: dict) -> Path:
    path = folder / "pool.ndjson.gz"
    with gzip.open(path, "wt") as file:
        file.write(write_jsonl(folder, table).read_text())
    return path


def write_json(folder: Path, table: dict) -> Path:
    path = folder / "pool.json"
    path.write_text(f"[{','.join(write_jsonl(folder, table).read_text().splitlines())}]")
    return path


def write_parquet(folder: Path, table: dict) -> Path:
    from pyarrow import parquet

    path = folder / "pool.parquet"
    parquet.write_table(pa.table(table), path)
    return path


def write_parquet_folder(folder: Path, table: dict) -> Path:
    from pyarrow import parquet

    path = folder / "parts"
    path.mkdir()
    whole = pa.table(table)
    parquet.write_table(whole.slice(0, 3), path / "part-0.parquet")
    parquet.write_table(whole.slice(3), path / "part-1.parquet")
    return path


def write_feather(folder: Path, table: dict) -> Path:
    from pyarrow import feather

    path = folder / "pool.feather"
    feather.write_feather(pa.table(table), path)
    return path


def write_arrow_file(folder: Path, table: dict) -> Path:
    path = folder / "pool.arrow"
    whole = pa.table(table)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, whole.schema) as writer:
        writer.write_table(whole)
    return path


def write_arrow_stream(folder: Path, table: dict) -> Path:
    path = folder / "pool.arrow"
    whole = pa.table(table)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, whole.schema) as writer:
        writer.write_table(whole)
    return path


WAYS = {
    "csv": write_csv,
    "tsv": write_tsv,
    "csv.gz": write_csv_gz,
    "jsonl": write_jsonl,
    "ndjson.gz": write_ndjson_gz,
    "json": write_json,
    "parquet": write_parquet,
    "a folder of parquet": write_parquet_folder,
    "feather": write_feather,
    "an arrow file": write_arrow_file,
    "an arrow stream": write_arrow_stream,
    "pandas": lambda _, table: pd.DataFrame(table),
    "polars": lambda _, table: pl.DataFrame(table),
    "lazy polars": lambda _, table: pl.DataFrame(table).lazy(),
    "an arrow table": lambda _, table: pa.table(table),
    "a record batch": lambda _, table: pa.table(table).to_batches()[0],
    "a dictionary": lambda _, table: table,
}
NO_TYPES = ("csv", "tsv", "csv.gz")
NO_LISTS = (*NO_TYPES, "a dictionary")


def said(pool: fl.Pool, model: str = "model") -> list[tuple]:
    rows = pool.engine.find(model, (), pool.engine.ids.tolist())
    return [(r.item, r.predicted, r.score, dict(r.payload)) for r in rows]


def groups(pool: fl.Pool, by: object) -> dict[str, float]:
    findings = fl.create_study(pool, fl.Estimate("accuracy", by=by), model=pool.models[0]).answer().findings
    return {f.group: f.weight for f in findings}
