"""Is this a pool? Each check raises an error that names the row, the value, what was expected and what to do."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints
from fewlabels.errors import PoolError, listed

ProbabilitiesAre = Literal["exclusive", "independent"]
SUM_TOLERANCE = 1e-3  # how far a row of probabilities may be from summing to one


def check_ids(ids: Any, count: int) -> npt.NDArray[Any]:
    """Ids as an array of whole numbers or of text: unique, none missing."""
    if ids is None:
        return np.arange(count)
    values = as_list(ids, "ids")
    check_length("ids", len(values), count)
    for row, value in enumerate(values):
        if value is None or value is np.ma.masked or value != value or value == "":
            raise PoolError(
                f"row {row} has no id; every item needs one of its own, or leave ids out to number the rows."
            )
    whole = all(isinstance(v, int | np.integer) and not isinstance(v, bool) and -(2**63) <= v < 2**63 for v in values)
    array = np.array(values, dtype=np.int64) if whole else np.array([str(v) for v in values], dtype=object)
    names, counts = np.unique(array, return_counts=True)
    if len(names) < len(array):
        twice = names[counts > 1][0]
        rows = np.flatnonzero(array == twice)
        raise PoolError(
            f"id {_plain(twice)!r} appears {len(rows)} times, first in rows {rows[0]} and {rows[1]}; ids must be "
            "unique. Remove duplicates, or name another column as id."
        )
    return array


def as_list(values: Any, name: str) -> list[Any]:
    """The values as a Python list."""
    plain = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(plain, str | bytes) or not hasattr(plain, "__iter__"):
        raise PoolError(f"{name} must be a list or array, one entry an item; got {values!r}.")
    return list(plain)


def check_payload(payload: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What is shown to labellers: text, numbers, or lists and dictionaries of them, which a study can keep."""
    out = {}
    for name, values in payload.items():
        out[str(name)] = as_list(values, name)
        for row, value in enumerate(out[str(name)]):
            if not isinstance(value, str | int | float | bool | None) and not _is_plain(value):
                raise PoolError(
                    f"{name} of row {row} is a {type(value).__name__}, which a study cannot keep; pass text, numbers "
                    "or an address, or lists and dictionaries of these."
                )
    return out


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return isinstance(value, list | dict)


def check_length(name: str, length: int, count: int) -> None:
    """Every column has one entry an item."""
    if length != count:
        raise PoolError(f"{name} has {length:,} entries and the pool {count:,} items; they must be of one length.")


def check_scores(scores: Any, ids: npt.NDArray[Any] | None, name: str = "score") -> Array:
    """Scores in [0, 1]; up to 1e-6 beyond is rounding, and clipped."""
    array = _numbers(scores, name)
    if array.ndim != 1:
        raise PoolError(f"{name} must be one number an item; got an array of shape {array.shape}.")
    bad = np.flatnonzero(~((array >= -1e-6) & (array <= 1 + 1e-6)))
    if len(bad):
        raise PoolError(
            f"{name} must lie in [0, 1]; {_where(bad[0], ids)} has {array[bad[0]]:g}. {_advice(array[bad[0]])}"
        )
    return np.asarray(np.clip(array, 0.0, 1.0))


def check_probabilities(
    values: Any, ids: npt.NDArray[Any] | None, kind: ProbabilitiesAre
) -> npt.NDArray[np.floating[Any]]:
    """Rows of class probabilities: in [0, 1], and summing to one unless the classes are independent."""
    if kind not in ("exclusive", "independent"):
        raise PoolError(f"probabilities_are is 'exclusive' or 'independent'; got {kind!r}.")
    array = values if isinstance(values, np.ndarray) and values.dtype.kind == "f" else _numbers(values, "probabilities")
    if array.ndim != 2 or array.shape[1] < 2:
        raise PoolError(
            f"probabilities must be a table, items × classes, with two columns or more; got shape {array.shape}. "
            "For the score of one positive class pass positive_score= and positive=."
        )
    rows, columns = np.nonzero(~((array >= -SUM_TOLERANCE) & (array <= 1 + SUM_TOLERANCE)))
    if len(rows):
        value = array[rows[0], columns[0]]
        raise PoolError(
            f"probabilities must lie in [0, 1]; {_where(rows[0], ids)} has {value:g} in column {columns[0]}. "
            f"{_advice(value)}"
        )
    if kind == "exclusive":
        sums = array.sum(axis=1, dtype=np.float64)
        off = np.flatnonzero(np.abs(sums - 1) > SUM_TOLERANCE)
        if len(off):
            raise PoolError(
                f"probabilities of an item must sum to one within {SUM_TOLERANCE:g}; {_where(off[0], ids)} "
                f"sums to {sums[off[0]]:.4g} ({len(off):,} of {len(sums):,} rows are off). If these are "
                'independent sigmoids pass probabilities_are="independent"; if logits, take their softmax first.'
            )
    return np.clip(array, 0, 1)


def check_predicted(
    values: Any, classes: Sequence[Any] | None, ids: npt.NDArray[Any] | None
) -> tuple[Ints, tuple[str, ...]]:
    """Predicted classes as indices, and the class names. Whole numbers index into `classes` when that is given."""
    given = as_list(values, "predicted")
    for row, value in enumerate(given):
        if value is None or value is np.ma.masked or value != value:
            raise PoolError(f"{_where(row, ids)} has no predicted class; every item needs one.")
    numbers = all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in given)
    if classes is None:
        names = tuple(str(i) for i in range(max(given) + 1)) if numbers else tuple(sorted({str(v) for v in given}))
        if numbers and min(given) < 0:
            raise PoolError(f"predicted class {min(given)} is negative; number classes from 0, or give their names.")
    else:
        names = check_classes(classes)
    where = {name: i for i, name in enumerate(names)}
    if numbers and not all(str(v) in where for v in set(given)):
        where = {str(i): i for i in range(len(names))}
    for row, value in enumerate(given):
        if str(value) not in where:
            raise PoolError(
                f"{_where(row, ids)} is predicted {value!r}, which is not among the {len(names)} classes "
                f"({listed(names)}); add it to classes=."
            )
    return np.array([where[str(v)] for v in given], dtype=np.int64), names


def check_classes(classes: Sequence[Any]) -> tuple[str, ...]:
    """Class names: distinct, as text."""
    names = (classes,) if isinstance(classes, str) else tuple(str(c) for c in classes)
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise PoolError(f"class {twice!r} is named twice in classes=; names must be distinct.")
    return names


def _numbers(values: Any, name: str) -> npt.NDArray[Any]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise PoolError(f"{name} must be numbers, of one length in every row; {error}.") from error


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _where(row: Any, ids: npt.NDArray[Any] | None) -> str:
    return (
        f"row {row}"
        if ids is None
        else f"item {ids[row]!r} (row {row})"
        if ids.dtype == object
        else f"item {ids[row]} (row {row})"
    )


def _advice(value: float) -> str:
    if value != value:
        return "It is missing (NaN): leave the item out, or have the model score it."
    if 1 < value <= 100:
        return "Divide percentages by 100; of logits take the softmax (or sigmoid) first."
    return "Pass probabilities, not logits: take their softmax (or sigmoid) first."
