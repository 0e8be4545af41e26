"""The items of several engines, of one model each over the same ids, as those of one engine of all these models."""

from collections.abc import Mapping

import numpy as np

from fewlabels.core.arrays import Ints
from fewlabels.engines import narrow
from fewlabels.engines.base import Engine
from fewlabels.engines.duckdb_tables import DuckDbTables
from fewlabels.engines.memory import MemoryEngine, ModelOutputs, aligned, in_memory
from fewlabels.engines.sql_engine import SqlEngine


def joined(engines: Mapping[str, Engine]) -> Engine:
    """Models by their names, in the order of the first's items and classes; columns and payload of all of them.

    Where all lie in files that DuckDB reads they are joined there, else in memory.
    """
    tables = [engine for engine in engines.values() if isinstance(engine, SqlEngine)]
    databases = [engine.database for engine in tables if isinstance(engine.database, DuckDbTables)]
    if len(databases) < len(engines):
        return _in_memory(engines)
    database = databases[0]
    for other in databases[1:]:
        database.take(other)
    layouts = {name: engine.layout for name, engine in zip(engines, tables, strict=True)}
    return SqlEngine(narrow.joined(layouts, database), database)


def _in_memory(engines: Mapping[str, Engine]) -> MemoryEngine:
    first_name = next(iter(engines))
    base = in_memory(engines[first_name])
    models, columns, payload, known = {}, dict(base.columns), dict(base.payload), base.labels
    for name, held in engines.items():
        engine = in_memory(held)
        order = aligned(base.ids, engine.ids, first_name, name)
        models[name] = _reordered(next(iter(engine.models.values())), order, engine.classes, base.classes)
        if known is None and engine.labels is not None:
            known = engine.labels[order]
        for column, values in engine.columns.items():
            columns.setdefault(column, values[order])
        for column, texts in engine.payload.items():
            payload.setdefault(column, [texts[i] for i in order])
    others = tuple(dict.fromkeys(name for engine in engines.values() for name in engine.other_labels))
    return MemoryEngine(base.ids, base.classes, others, models, columns, payload, known)


def _reordered(outputs: ModelOutputs, order: Ints, classes: tuple[str, ...], wanted: tuple[str, ...]) -> ModelOutputs:
    position, table = np.array([wanted.index(c) for c in classes]), outputs.probabilities
    if table is not None:
        table = table[order][:, [classes.index(c) for c in wanted]]
    return ModelOutputs(position[outputs.predicted[order]], outputs.score[order], table)
