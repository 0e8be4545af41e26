"""The items of an engine in memory, written to Parquet and read by DuckDB or Spark."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fewlabels.engines import MemoryEngine, joined
from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.layout import Layout, ModelColumns
from fewlabels.engines.spark_tables import SparkTables
from fewlabels.engines.sql_engine import SqlEngine
from fewlabels.testing.engines import shuffled

_FOLDER = tempfile.TemporaryDirectory()


def write(path: Path, table: dict[str, object]) -> Path:
    """A file of Parquet."""
    pq.write_table(pa.table(table), path)
    return path


def written(items: MemoryEngine) -> tuple[Path, Layout]:
    """The items in two files of Parquet, and where all of them stands in it, as DuckDB reads it."""
    folder = Path(tempfile.mkdtemp(dir=_FOLDER.name))
    table = {"item": items.ids.tolist()}
    models = {}
    for number, (name, said) in enumerate(items.models.items()):
        table |= {f"predicted{number}": said.predicted.tolist(), f"score{number}": said.score.tolist()}
        places = ()
        if said.probabilities is not None:
            table[f"p{number}"] = said.probabilities.tolist()
            places = tuple(f"p{number}[{place + 1}]" for place in range(len(items.classes)))
        models[name] = ModelColumns(f"predicted{number}", f"score{number}", places or None)
    table |= {f"column {name}": values.tolist() for name, values in items.columns.items()}
    table |= {f"shown {name}": list(values) for name, values in items.payload.items()}
    if items.labels is not None:
        table["label"] = items.labels.tolist()
    whole = pa.table(table)
    half = len(items.ids) // 2
    pq.write_table(whole.slice(0, half), folder / "a.parquet")
    pq.write_table(whole.slice(half), folder / "b.parquet")
    layout = Layout(
        f"read_parquet('{folder}/*.parquet')",
        items.count,
        items.whole_ids,
        items.classes,
        items.other_labels,
        f"file_row_number + {half} * file_index",
        "item",
        models,
        {name: f'"column {name}"' for name in items.columns},
        {name: f'"shown {name}"' for name in items.payload},
        None if items.labels is None else "label",
    )
    return folder, layout


def in_duckdb(items: MemoryEngine) -> SqlEngine:
    return SqlEngine(written(items)[1], DuckDbTables())


def in_files_of_models(items: MemoryEngine) -> SqlEngine:
    """The same items in files of their own for each model, those of later ones in another order; joined by ids."""
    engines: dict[str, SqlEngine] = {}
    for name in items.models:
        engine = in_duckdb(shuffled(items) if engines else items)
        engines[name] = replace(engine, layout=replace(engine.layout, models={name: engine.layout.models[name]}))
    found = joined(engines)
    assert isinstance(found, SqlEngine)
    return found


def in_spark(items: MemoryEngine, session: Any) -> SqlEngine:
    """The same files, read by Spark: the same layout but for what it calls rows, entries of lists and columns."""
    folder, layout = written(items)
    database = SparkTables(session)
    models = {
        name: replace(said, probabilities=said.probabilities and tuple(map(_entry, said.probabilities)))
        for name, said in layout.models.items()
    }
    called = {
        part: {name: column.replace('"', "`") for name, column in getattr(layout, part).items()}
        for part in ("columns", "payload")
    }
    rows = database.view(session.read.parquet(str(folder)))
    return SqlEngine(replace(layout, rows=rows, row="item", models=models, **called), database)


def _entry(column: str) -> str:
    """An entry of a list, counted from 1."""
    return "element_at({}, {})".format(*column.rstrip("]").split("["))
