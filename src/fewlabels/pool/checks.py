"""Is this a pool? Each check raises an error that names the row, the value, what was expected and what to do."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints
from fewlabels.errors import PoolError, listed
from fewlabels.tables.values import is_missing, is_whole_number, numbers, objects, plain_list, short, unmasked

ProbabilitiesAre = Literal["exclusive", "independent"]
ROUNDING = 1e-6  # how far a score may be outside [0, 1]
SUM_TOLERANCE = 1e-3  # how far a row of probabilities may be from summing to one


def check_ids(ids: Any, count: int) -> npt.NDArray[Any]:
    """Ids as an array of whole numbers or of text: unique, none missing."""
    if ids is None:
        return np.arange(count)
    if isinstance(ids, np.ndarray) and not isinstance(ids, np.ma.MaskedArray) and ids.dtype.kind == "i":
        array = plain_array(ids, "ids").astype(np.int64)
        check_length("ids", len(array), count)
    else:
        values = plain_list(ids, "ids")
        check_length("ids", len(values), count)
        array = _id_array(values)
    twice = _first_twice(array)
    if twice is not None:
        rows = np.flatnonzero(array == twice)
        raise id_twice(twice, len(rows), (int(rows[0]), int(rows[1])))
    return array


def id_twice(item: Any, times: int, rows: tuple[int, int] | None) -> PoolError:
    """For an id of several rows, the first two of them where rows have numbers."""
    first = "" if rows is None else f", first in rows {rows[0]} and {rows[1]}"
    return PoolError(
        f"id {item!r} appears {times} times{first}; ids must be unique. Remove duplicates, or name another column as "
        "id."
    )


def no_id(row: str) -> PoolError:
    """For a row without an id."""
    return PoolError(f"{row} has no id; every item needs one of its own, or leave ids out to number the rows.")


def _id_array(values: list[Any]) -> npt.NDArray[Any]:
    kinds = set(map(type, values))
    if not kinds <= {str, int}:
        _refuse_no_names(values, "ids")
    if type(None) in kinds or "" in values:
        row = next(row for row, value in enumerate(values) if value is None or value == "")
        raise no_id(f"row {row}")
    if kinds == {int} and min(values) >= -(2**63) and max(values) < 2**63:
        return np.array(values, dtype=np.int64)
    if len(kinds) > 1:
        refuse_two_types(values, "id")
    return objects(values if kinds == {str} else [str(value) for value in values])


def _first_twice(array: npt.NDArray[Any]) -> Any:
    """The first value that appears twice, None where there is none."""
    if array.dtype != object:
        values, counts = np.unique(array, return_counts=True)
        return values[counts > 1][0].item() if len(values) < len(array) else None
    seen: set[str] = set()
    return next((v for v in array.tolist() if v in seen or seen.add(v)), None)  # type: ignore[func-returns-value]


def _refuse_no_names(values: list[Any], name: str) -> None:
    for row, value in enumerate(values):
        if isinstance(value, list | tuple | dict | set | np.ndarray | complex):
            raise PoolError(f"{name} of row {row} is {value!r}; expected text or a whole number, one an item.")


def refuse_two_types(values: list[Any], name: str) -> None:
    """Refuses 1 beside "1": as text they are one, and nobody can say whether they were meant to be."""
    first: dict[str, tuple[int, Any]] = {}
    for row, value in enumerate(values):
        before, other = first.setdefault(str(value), (row, value))
        if type(other) is not type(value) and value is not None and other is not None:
            raise PoolError(
                f"{name} {other!r} of row {before} and {name} {value!r} of row {row} are of two types and read the "
                "same; write all as text, or all as numbers."
            )


def plain_array(values: npt.NDArray[Any], name: str) -> npt.NDArray[Any]:
    """The array, if it has one entry an item."""
    if values.ndim != 1:
        raise PoolError(f"{name} must be one value an item; got an array of shape {values.shape}.")
    return values


def check_column(values: Any, name: str) -> npt.NDArray[Any]:
    """An attribute of the items as Python objects, None where it is missing."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iufb" and not isinstance(values, np.ma.MaskedArray):
        return plain_array(values, name).astype(object)
    return objects(plain_list(values, name))


def check_payload(payload: Mapping[str, Any]) -> dict[str, list[Any]]:
    """What is shown to labellers: text, numbers, or lists and dictionaries of them, which a study can keep."""
    out = {}
    for name, values in payload.items():
        out[str(name)] = found = plain_list(values, name)
        if set(map(type, found)) <= {str, int, float, bool, type(None)}:
            continue
        for row, value in enumerate(found):
            if isinstance(value, np.ndarray):
                found[row] = value = value.tolist()
            if not isinstance(value, str | int | float | bool | None) and not _is_plain(value):
                raise PoolError(
                    f"{name} of row {row} is a {type(value).__name__}, which a study cannot keep; pass text, numbers "
                    "or an address, or lists and dictionaries of these."
                )
    return out


def _is_plain(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except (TypeError, ValueError):
        return False
    return isinstance(value, list | dict)


def check_length(name: str, length: int, count: int) -> None:
    """Every column has one entry an item."""
    if length != count:
        raise PoolError(f"{name} has {length:,} entries and the pool {count:,} items; they must be of one length.")


def check_scores(scores: Any, ids: npt.NDArray[Any] | None, name: str = "score") -> Array:
    """Scores in [0, 1]; up to 1e-6 beyond is rounding, and clipped."""
    array = numbers(scores, name)
    if array.ndim != 1:
        raise PoolError(f"{name} must be one number an item; got an array of shape {array.shape}.")
    bad = np.flatnonzero(~((array >= -ROUNDING) & (array <= 1 + ROUNDING)))
    if len(bad):
        raise bad_score(name, _where(bad[0], ids), array[bad[0]])
    return np.asarray(np.clip(array, 0.0, 1.0))


def bad_score(name: str, where: str, value: float) -> PoolError:
    """For a score that is none."""
    return PoolError(f"{name} must lie in [0, 1]; {where} has {value:g}. {_advice(value)}")


def check_probabilities(
    values: Any, ids: npt.NDArray[Any] | None, kind: ProbabilitiesAre
) -> npt.NDArray[np.floating[Any]]:
    """Rows of class probabilities: in [0, 1], and summing to one unless the classes are independent."""
    check_kind(kind)
    array = _stacked(values)
    if array.ndim != 2 or array.shape[1] < 2:
        raise no_table(array.shape)
    rows, columns = np.nonzero(~((array >= -SUM_TOLERANCE) & (array <= 1 + SUM_TOLERANCE)))
    if len(rows):
        raise bad_probability(_where(rows[0], ids), array[rows[0], columns[0]], int(columns[0]))
    if kind == "exclusive":
        sums = array.sum(axis=1, dtype=np.float64)
        off = np.flatnonzero(np.abs(sums - 1) > SUM_TOLERANCE)
        if len(off):
            raise off_one(_where(off[0], ids), sums[off[0]], len(off), len(sums))
    return np.asarray(np.clip(array, 0, 1))


def check_kind(kind: str) -> None:
    """Whether probabilities sum to one is one of two things."""
    if kind not in ("exclusive", "independent"):
        raise PoolError(f"probabilities_are is 'exclusive' or 'independent'; got {kind!r}.")


def no_table(shape: tuple[int, ...]) -> PoolError:
    """For probabilities of fewer than two classes."""
    return PoolError(
        f"probabilities must be a table, items × classes, with two columns or more; got shape {shape}. "
        "For the score of one positive class pass positive_score= and positive=."
    )


def bad_probability(where: str, value: float, column: int) -> PoolError:
    """For a probability that is none."""
    return PoolError(f"probabilities must lie in [0, 1]; {where} has {value:g} in column {column}. {_advice(value)}")


def off_one(where: str, total: float, rows: int, of: int) -> PoolError:
    """For probabilities that do not sum to one."""
    return PoolError(
        f"probabilities of an item must sum to one within {SUM_TOLERANCE:g}; {where} "
        f"sums to {total:.4g} ({rows:,} of {of:,} rows are off). If these are "
        'independent sigmoids pass probabilities_are="independent"; if logits, take their softmax first.'
    )


def _stacked(values: Any) -> npt.NDArray[Any]:
    """Probabilities as a table of floats, from an array, or from a list of numbers an item."""
    if isinstance(values, np.ndarray) and (values.dtype != object or values.ndim > 1):
        plain = unmasked(values)
        return plain if plain.dtype.kind == "f" else numbers(plain, "probabilities")
    if hasattr(values, "__array__") and not isinstance(values, np.ndarray):
        return _stacked(np.asarray(values))
    rows = list(values)
    if not any(isinstance(row, list | tuple | np.ndarray | Mapping | str | bytes | None) for row in rows):
        return numbers(objects(rows), "probabilities")  # one number an item, which is refused by its shape
    made = [_probability_row(value, row) for row, value in enumerate(rows)]
    for row, value in enumerate(made):
        if len(value) != len(made[0]):
            raise uneven(f"row {row}", len(value), len(made[0]))
    return np.stack(made)


def uneven(row: str, found: int, first: int) -> PoolError:
    """For lists of probabilities of several lengths."""
    return PoolError(
        f"{row} has {found} probabilities and the first row {first}; every row needs one a "
        "class, of one length in every row."
    )


def no_probabilities(row: str) -> PoolError:
    """For a row without any."""
    return PoolError(f"{row} has no probabilities; every row needs one a class, or leave the item out.")


def _probability_row(value: Any, row: int) -> npt.NDArray[np.float64]:
    if is_missing(value):
        raise no_probabilities(f"row {row}")
    if isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "fiu":
        return np.asarray(np.ma.filled(np.ma.asarray(value, dtype=np.float64), np.nan))
    if not isinstance(value, list | tuple | np.ndarray):
        kind = "text" if isinstance(value, str | bytes) else "a dictionary" if isinstance(value, Mapping) else "a value"
        raise PoolError(
            f"probabilities of row {row} are {kind}, {short(value)}; write a list of numbers, one a class, or a "
            "column p_<class> for each class."
        )
    cells = np.ma.asarray(value).tolist() if isinstance(value, np.ndarray) else list(value)
    if not set(map(type, cells)) <= {int, float, type(None)}:
        for place, cell in enumerate(cells):
            if isinstance(cell, bool) or not isinstance(cell, int | float | np.number | None):
                raise PoolError(
                    f"probabilities of row {row} must be numbers, one a class; entry {place} is {short(cell)}. Write "
                    "a list of numbers such as [0.9, 0.1]."
                )
    return numbers(objects(cells), "probabilities") if None in cells else np.array(cells, dtype=np.float64)


def check_predicted(
    values: Any, classes: Sequence[Any] | None, ids: npt.NDArray[Any] | None
) -> tuple[Ints, tuple[str, ...]]:
    """Predicted classes as indices, and the class names.

    Without `classes` the names are the values that occur, whole numbers in the order of numbers and all others in that
    of text: codes 90210 and 10001 are two classes, not 90,211. With `classes` every value is a name among them; or, if
    not all are, and all are whole numbers (as such, or written so in a file without types), each is a place in it,
    counted from 0.
    """
    given = plain_list(values, "predicted")
    texts = class_texts(given, "predicted", ids)
    names, where = class_places(given, set(texts), classes)
    missing = set(texts) - set(where)
    if missing:
        row = next(row for row, text in enumerate(texts) if text in missing)
        raise not_a_class(_where(row, ids), given[row], names)
    return np.array(list(map(where.__getitem__, texts)), dtype=np.int64), names


def class_places(
    given: list[Any], found: Collection[str], classes: Sequence[Any] | None
) -> tuple[tuple[str, ...], dict[str, int]]:
    """The names of classes, and the place of each text that stands for one; what is predicted, as such and as text."""
    codes = set(map(type, given)) <= {int, str} and all(map(is_whole_number, found))
    if classes is None:
        names = classes_in_order(found)
        if codes and int(names[0]) < 0:
            raise PoolError(f"predicted class {names[0]} is negative; number classes from 0, or give their names.")
    else:
        names = check_classes(classes)
    where = {name: i for i, name in enumerate(names)}
    if codes and not set(found) <= set(where):
        where = {str(i): i for i in range(len(names))}
    return names, where


def not_a_class(where: str, value: Any, names: Sequence[str]) -> PoolError:
    """For a prediction of no class."""
    return PoolError(
        f"{where} is predicted {value!r}, which is not among the {len(names)} classes "
        f"({listed(names)}); add it to classes=."
    )


def no_class(where: str) -> PoolError:
    """For an item without a prediction."""
    return PoolError(f"{where} has no predicted class; every item needs one.")


def classes_in_order(names: Collection[str]) -> tuple[str, ...]:
    """Names of classes in the order of numbers where all are whole numbers, else in that of text.

    >>> classes_in_order({"10", "9"}), classes_in_order({"10", "09"})
    (('9', '10'), ('09', '10'))
    """
    return tuple(sorted(names, key=int) if all(map(is_whole_number, names)) else sorted(names))


def class_texts(given: list[Any], name: str, ids: npt.NDArray[Any] | None = None) -> list[str]:
    """Each value as the name of a class; none may be missing, and 1 and "1" may not both be there."""
    kinds = set(map(type, given))
    if type(None) in kinds or "" in given:
        row = next(row for row, value in enumerate(given) if value is None or value == "")
        raise no_class(_where(row, ids))
    if kinds == {str}:
        return given
    _refuse_no_names(given, name)
    if len(kinds) > 1:
        refuse_two_types(given, name)
    return list(map(str, given))


def check_classes(classes: Sequence[Any] | npt.NDArray[Any], name: str = "classes") -> tuple[str, ...]:
    """Class names: distinct, as text, none empty or missing."""
    given = plain_list([classes] if isinstance(classes, str) else classes, name)
    for place, value in enumerate(given):
        if value is None or value == "":
            raise PoolError(f"{name} names no class in place {place} ({classes[place]!r}); every class needs a name.")
    _refuse_no_names(given, name)
    names = tuple(map(str, given))
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise PoolError(f"class {twice!r} is named twice in {name}=; names must be distinct.")
    return names


def _where(row: Any, ids: npt.NDArray[Any] | None) -> str:
    return f"row {row}" if ids is None else where_of(row, ids[row].item() if ids.dtype != object else ids[row])


def where_of(row: int, item: Any) -> str:
    """An item and its row, for a message."""
    return f"item {item!r} (row {row})"


def _advice(value: float) -> str:
    if value != value:
        return "It is missing (NaN): leave the item out, or have the model score it."
    if 1 < value <= 100:
        return "Divide percentages by 100; of logits take the softmax (or sigmoid) first."
    return "Pass probabilities, not logits: take their softmax (or sigmoid) first."
