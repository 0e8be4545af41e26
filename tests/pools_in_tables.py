"""The items of an engine in memory, written to Parquet and read by DuckDB."""

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fewlabels.engines import MemoryEngine
from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.layout import Layout, ModelColumns
from fewlabels.engines.sql_engine import SqlEngine

_FOLDER = tempfile.TemporaryDirectory()


def written(items: MemoryEngine) -> tuple[Path, Layout]:
    """The items in two files of Parquet, and where all of them stands in it."""
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
