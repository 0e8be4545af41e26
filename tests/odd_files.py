"""Files as people have them: tables of odd values, and the ways to write a table down."""

import csv
import gzip
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fewlabels as fl

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")
parquet = pytest.importorskip("pyarrow.parquet")

Columns = dict[str, list[Any]]

# Texts that look like something else: as an id, a class, a label, an attribute and a text they are what they are.
TEXTS = [
    "007", "0012345", "1.10", "12e4", "1e5", "8.6", "-5", "+1", "1_000", "0x1F", ".5", "1,5", "9007199254740993",
    "123456789012345678901234567890", "true", "TRUE", "False", "yes", "2024-01-31", "2024-01-31 10:00", "10:30",
    "01/02/2024", "6F9619FF-8B86-D011-B42D-00C04FC964FF", "NaN", "nan", "None", "null", "NULL", "NA", "N/A", "inf",
    "-", "#remark", "//x", "=1+1", "@x", "'x'", "'it''s'", 'say "hi"', '"', "a,b", "a;b", "a|b", "tab\tbed",
    "two\nlines", "old\rlines", "dos\r\nlines", " before", "after ", "\\", "\\n", "{a}", "[1, 2]", "{}", "%20", "$x",
    "é", "e\u0301", "ß", "Ω", "日本", "😀", "٣", "½", "\u00a0", "\u2028", "\u200b", "\ufeff", "x" * 200_000, "Id", "id",
]  # fmt: skip


def odd_table(value: str) -> Columns:
    """Four items; the odd value has every role a text can have."""
    return {
        "id": [value, "b", "c", "d"],
        "predicted": ["x", value, "x", "y"],
        "score": [0.5, 0.123456789012345678, 1.0, 1e-7],
        "label": ["x", "y", value, "x"],
        "group": ["g", value, None, "h"],
        "text": ["one", "two", "three", value],
    }


def held(pool: fl.Pool, model: str = "model") -> Columns:
    """What the pool holds, by the names of the roles."""
    rows = pool.engine.find(model, (), pool.ids)
    columns = {name: [_plain(v) for v in values.tolist()] for name, values in pool.engine.columns.items()}
    known = {} if pool.known_labels is None else {"label": pool.known_labels.tolist()}
    return {
        "id": [row.item for row in rows],
        "predicted": [row.predicted for row in rows],
        "score": [row.score for row in rows],
        **known,
        **columns,
        **{name: [_plain(v) for v in values] for name, values in pool.engine.payload.items()},
    }


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def csv_text(table: Columns, separator: str = ",", **how: Any) -> str:
    out = io.StringIO()
    if any("\r" in str(v) for values in table.values() for v in values):
        how["quoting"] = csv.QUOTE_ALL  # the csv module leaves a lone carriage return without quotes
    writer = csv.writer(out, delimiter=separator, **{"lineterminator": "\n", **how})
    writer.writerow(table)
    writer.writerows(["" if v is None else v for v in row] for row in zip(*table.values(), strict=True))
    return out.getvalue()


def put(path: Path, text: str, encoding: str = "utf-8") -> Path:
    data = text.encode(encoding)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def objects(table: Columns) -> list[dict[str, Any]]:
    return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]


def json_text(table: Columns, **how: Any) -> str:
    return "".join(json.dumps(row, **how) + "\n" for row in objects(table))


def write_npz(folder: Path, table: Columns) -> Path:
    filled = {name: ["" if v is None else v for v in values] for name, values in table.items()}
    np.savez(folder / "t.npz", **{name: np.array(values) for name, values in filled.items()})
    return folder / "t.npz"


def write_parquet(path: Path, table: Any) -> Path:
    parquet.write_table(table if isinstance(table, pa.Table) else pa.table(table), path)
    return path


def write_feather(folder: Path, table: Columns) -> Path:
    feather.write_feather(pa.table(table), folder / "t.feather")
    return folder / "t.feather"


def write_stream(folder: Path, table: Columns) -> Path:
    whole = pa.table(table)
    with pa.OSFile(str(folder / "t.arrow"), "wb") as sink, pa.ipc.new_stream(sink, whole.schema) as writer:
        writer.write_table(whole)
    return folder / "t.arrow"


def write_folder(folder: Path, table: Columns) -> Path:
    parts = folder / "parts"
    parts.mkdir()
    whole = pa.table(table)
    for number in range(whole.num_rows):
        write_parquet(parts / f"part-{number:03}.parquet", whole.slice(number, 1))
    return parts


WITHOUT_TYPES: dict[str, Callable[[Path, Columns], Any]] = {
    "csv": lambda folder, table: put(folder / "t.csv", csv_text(table)),
    "csv, all quoted": lambda folder, table: put(folder / "t.csv", csv_text(table, quoting=csv.QUOTE_ALL)),
    "csv, dos lines": lambda folder, table: put(folder / "t.csv", csv_text(table, lineterminator="\r\n")),
    "csv, mark of byte order": lambda folder, table: put(folder / "t.csv", csv_text(table), "utf-8-sig"),
    "csv, semicolons": lambda folder, table: put(folder / "t.csv", csv_text(table, ";")),
    "csv, bars": lambda folder, table: put(folder / "t.CSV", csv_text(table, "|")),
    "csv.gz": lambda folder, table: put(folder / "t.csv.gz", csv_text(table)),
    "tsv": lambda folder, table: put(folder / "t.tsv", csv_text(table, "\t")),
}
WITH_TYPES: dict[str, Callable[[Path, Columns], Any]] = {
    "jsonl": lambda folder, table: put(folder / "t.jsonl", json_text(table)),
    "jsonl, no escapes": lambda folder, table: put(folder / "t.ndjson", json_text(table, ensure_ascii=False)),
    "jsonl.gz": lambda folder, table: put(folder / "t.jsonl.gz", json_text(table)),
    "json": lambda folder, table: put(folder / "t.json", json.dumps(objects(table), indent=1)),
    "parquet": lambda folder, table: write_parquet(folder / "t.parquet", table),
    "folder": write_folder,
    "feather": write_feather,
    "arrow stream": write_stream,
    "npz": write_npz,
    "pandas": lambda _, table: pd.DataFrame(table),
    "pandas, objects": lambda _, table: pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in table.items()}),
    "polars": lambda _, table: pl.DataFrame(table),
    "arrow table": lambda _, table: pa.table(table),
    "dictionary": lambda _, table: table,
    "dictionary of arrays": lambda _, table: {k: np.array(v, dtype=object) for k, v in table.items()},
}
WAYS = {**WITHOUT_TYPES, **WITH_TYPES}
