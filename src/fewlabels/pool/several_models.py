"""Tables of one row for each model and item: a pool of several models in one file."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Ints
from fewlabels.engines import ModelOutputs, aligned, in_memory
from fewlabels.errors import PoolError
from fewlabels.pool.checks import check_ids, refuse_two_types
from fewlabels.pool.pool import Pool
from fewlabels.pool.roles import MODEL
from fewlabels.tables.values import is_missing, plain_list


def rows_by_model(table: Mapping[str, npt.NDArray[Any]], id: str) -> dict[str, Ints] | None:
    """The rows of each model, in the order of their first appearance; None where the table is of one model.

    It is of several where ids appear more than once, but never twice with the same model.
    """
    if id not in table or MODEL not in table or table[id].ndim != 1 or table[MODEL].ndim != 1:
        return None
    ids, models = plain_list(table[id], "ids"), plain_list(table[MODEL], MODEL)
    if len(set(map(str, ids))) == len(ids) or len(models) != len(ids) or None in ids or "" in ids:
        return None
    refuse_two_types(ids, "id")
    refuse_two_types(models, MODEL)
    if len(set(zip(map(str, ids), map(str, models), strict=True))) < len(ids):
        return None  # the same item twice of one model: said by the check of ids
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(models):
        if name is None or name == "":
            raise PoolError(
                f"row {row} names no model, and ids appear once a model; name it in column {MODEL!r} of every row."
            )
        rows.setdefault(str(name), []).append(row)
    return {name: np.array(found, dtype=np.int64) for name, found in rows.items()}


def apart(pool: Pool, ids: npt.NDArray[Any], rows: Mapping[str, Ints]) -> Pool:
    """The pool of several models in a pool whose items are rows, `rows` of each model.

    The text and the known label of an item must be the same in all its rows. An attribute that is not (a model's
    answering time, say) belongs to no item: it is left out.
    """
    whole = in_memory(pool.engine)
    first = next(iter(rows))
    own = {name: check_ids(ids[found], len(found)) for name, found in rows.items()}
    order = {name: found[aligned(own[first], own[name], first, name)] for name, found in rows.items()}
    outputs = whole.models[pool.models[0]]
    for name, texts in {**whole.payload, "label": whole.labels}.items():
        if texts is not None:
            _refuse_differing(name, texts, order, own[first])
    columns = {
        name: values[order[first]]
        for name, values in whole.columns.items()
        if name != MODEL and all(_same(values, order[first], other) is None for other in order.values())
    }
    engine = replace(
        whole,
        ids=own[first],
        models={name: _of_rows(outputs, found) for name, found in order.items()},
        columns=columns,
        payload={name: [texts[i] for i in order[first]] for name, texts in whole.payload.items()},
        labels=None if whole.labels is None else whole.labels[order[first]],
    )
    return replace(pool, engine=engine)


def _same(values: Any, one: Ints, other: Ints) -> tuple[int, int] | None:
    """The first two rows of one item whose values differ; None where there are none."""
    for a, b in zip(one.tolist(), other.tolist(), strict=True):
        left, right = values[a], values[b]
        if left is not right and not (is_missing(left) and is_missing(right)) and repr(left) != repr(right):
            return a, b
    return None


def _refuse_differing(name: str, values: Any, order: Mapping[str, Ints], ids: npt.NDArray[Any]) -> None:
    first, *others = order.values()
    for other in others:
        rows = _same(values, first, other)
        if rows is not None:
            item = ids.tolist()[first.tolist().index(rows[0])]
            a, b = (values[row] for row in rows)
            raise PoolError(
                f"{name} of item {item!r} is {a!r} in row {rows[0]} and {b!r} in row {rows[1]}; an item has one "
                f"{name}, whatever the model. Make them equal, or give the items other ids."
            )


def _of_rows(outputs: ModelOutputs, rows: Ints) -> ModelOutputs:
    table = None if outputs.probabilities is None else outputs.probabilities[rows]
    return ModelOutputs(outputs.predicted[rows], outputs.score[rows], table)
