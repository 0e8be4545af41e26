"""Values as they were handed in: missing ones as None, bytes as the text they encode, times as ISO text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.errors import PoolError

_MISSING = ("NAType", "NaTType", "MaskedConstant")  # pandas' and NumPy's own
_AS_THEY_ARE = {str, int, bool, type(None)}
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf|infinity)", re.ASCII | re.IGNORECASE)
_WHOLE = re.compile(r"0|-?[1-9]\d*", re.ASCII)  # a whole number written the one way it is printed
_AT_ONCE = 50_000  # values looked at together


def check_distinct(names: Sequence[str]) -> None:
    """Refuses a name of a column that appears twice; Id and id are two names."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PoolError(f"column {twice!r} appears twice; give each column a name of its own.")


def plain_list(values: Any, name: str) -> list[Any]:
    """The values as a list of Python's own, None where one is missing.

    Bytes become the text they encode in UTF-8; what is no text is refused, as are arrays of more than one dimension.
    """
    if isinstance(values, np.ndarray):
        if values.ndim > 1:
            raise PoolError(f"{name} must be one value an item; got an array of shape {values.shape}.")
        values = as_objects(values) if values.dtype.kind in "MmSV" else values
    plain = values.tolist() if hasattr(values, "tolist") else values
    if isinstance(plain, str | bytes | Mapping | set | frozenset) or not hasattr(plain, "__iter__"):
        raise PoolError(f"{name} must be a list or array, one entry an item; got {values!r}.")
    found = list(plain)
    if not set(map(type, found)) <= _AS_THEY_ARE:
        found = [_plain(value, name, row) for row, value in enumerate(found)]
    _refuse_half_characters(found, name)
    return found


def _plain(value: Any, name: str, row: int) -> Any:
    if isinstance(value, str):
        return str(value)
    if is_missing(value):
        return None
    if isinstance(value, np.datetime64):
        return times_as_text(np.array([value]))[0]
    if isinstance(value, np.generic):
        return _plain(value.item(), name, row)
    if isinstance(value, bytes | bytearray | memoryview):
        try:
            return bytes(value).decode("utf-8")
        except UnicodeDecodeError as error:
            raise PoolError(
                f"{name} of row {row} is {bytes(value)[:20]!r}, bytes that are no text in UTF-8; write text instead."
            ) from error
    return value


def _refuse_half_characters(values: list[Any], name: str) -> None:
    """Text with half of a surrogate pair cannot be written anywhere, so a study could not keep it."""
    for start in range(0, len(values), _AT_ONCE):
        part = values[start : start + _AT_ONCE]
        if not is_whole_text("".join([value for value in part if isinstance(value, str)])):
            row, value = next(
                (row, v) for row, v in enumerate(part, start) if isinstance(v, str) and not is_whole_text(v)
            )
            raise PoolError(
                f"{name} of row {row} is {value!r}, which holds half of a surrogate pair and is no text in UTF-8; "
                "write the whole character, or leave it out."
            )


def is_whole_text(text: str) -> bool:
    """Whether the text can be written in UTF-8: no half of a surrogate pair stands alone."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def is_missing(value: Any) -> bool:
    """Whether a value stands for none: None, NaN, a masked one, or pandas' NA and NaT."""
    if value is None or (isinstance(value, float | np.floating) and value != value):
        return True
    return type(value).__name__ in _MISSING or (isinstance(value, np.datetime64) and bool(np.isnat(value)))


def is_whole_number(value: Any) -> bool:
    """Whether a value is a whole number, or text that is written as one: '7', but neither '07' nor '7.0'."""
    if isinstance(value, str):
        return _WHOLE.fullmatch(value) is not None
    return isinstance(value, int) and not isinstance(value, bool)


def as_objects(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array's values as Python objects, None where one is masked; times as text."""
    data = np.asarray(np.ma.getdata(values))
    if data.dtype.kind == "m":
        data = data.astype("timedelta64[us]")  # finer ones would come as bare whole numbers
    out = times_as_text(data) if data.dtype.kind == "M" else data.astype(object)
    if isinstance(values, np.ma.MaskedArray):
        out[np.ma.getmaskarray(values)] = None
    return out


def unmasked(values: Any) -> npt.NDArray[Any]:
    """An array without a mask: missing numbers as NaN, all else that is missing as None."""
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.dtype.kind in "Mm":
        return as_objects(array)
    if not isinstance(array, np.ma.MaskedArray):
        return array
    if not np.ma.getmaskarray(array).any():
        return np.asarray(array.data)
    return np.asarray(array.filled(np.nan)) if array.dtype.kind == "f" else as_objects(array)


def times_as_text(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Dates as '2024-01-31'; times as '2024-01-31 08:30:00', with the fraction of a second where there is one."""
    if np.datetime_data(values.dtype)[0] in ("s", "ms", "m", "h"):
        values = values.astype("datetime64[us]")
    texts = np.datetime_as_string(values).reshape(-1).tolist()
    return objects([_without_zeros(text) for text in texts]).reshape(values.shape)


def _without_zeros(text: str) -> str | None:
    if text == "NaT":
        return None
    whole, dot, fraction = text.replace("T", " ").partition(".")
    while fraction.endswith("000"):
        fraction = fraction[:-3]
    return whole + dot + fraction if fraction else whole


def objects(values: Sequence[Any]) -> npt.NDArray[Any]:
    """An array of one dimension that holds these very values, lists among them."""
    return np.fromiter(values, dtype=object, count=len(values))


def column_of(values: Iterable[Any]) -> npt.NDArray[Any]:
    """Values of one column as an array: floats, whole numbers or booleans where all are so, else as they are."""
    found = list(values)
    kinds = set(map(type, found))
    if kinds == {float} or kinds == {float, type(None)}:
        return np.array([np.nan if value is None else value for value in found])
    if kinds == {bool} or (kinds == {int} and all(-(2**63) <= value < 2**63 for value in (min(found), max(found)))):
        return np.array(found)
    return objects(found)


def table_of(values: Sequence[Any]) -> npt.NDArray[Any]:
    """The same, but lists of one length make a table of their values."""
    widths = {len(value) if isinstance(value, list | tuple) else -1 for value in values}
    if len(widths) != 1 or widths & {-1, 0}:
        return column_of(values)
    return column_of(value for row in values for value in row).reshape(len(values), -1)


def written_number(text: str) -> float | None:
    """The number a text is, NaN where it is empty; None where it is none.

    >>> written_number(" 0.25"), written_number("1_0"), written_number("0,5")
    (0.25, None, None)
    """
    trimmed = text.strip(" \t")
    if trimmed == "":
        return float("nan")
    return float(trimmed) if NUMBER.fullmatch(trimmed) else None


def numbers(values: Any, name: str) -> npt.NDArray[Any]:
    """The values of a column as floats, NaN where one is missing; text is read as the number it is, or refused.

    The error names the row, the column and the value: nothing is rounded, cut or guessed to make it a number.
    """
    array = unmasked(values if isinstance(values, np.ndarray) else _as_array(values))
    if array.dtype.kind in "fiub":
        return array.astype(np.float64)
    if array.dtype.kind not in "OUS":
        raise PoolError(f"{name} must be numbers in [0, 1]; got an array of {array.dtype}. Pass real numbers.")
    flat = array.reshape(-1).tolist()
    out = np.empty(len(flat))
    for place, value in enumerate(flat):
        number = _number(value)
        if number is None:
            row = place if array.ndim < 2 else place // max(1, int(np.prod(array.shape[1:])))
            raise not_a_number(name, f"row {row}", value)
        out[place] = number
    return out.reshape(array.shape)


def _as_array(values: Any) -> npt.NDArray[Any]:
    """Lists, and lists of lists of one length, as an array of the values themselves."""
    if hasattr(values, "__array__"):
        return np.asarray(values)
    try:
        return np.array(values, dtype=object) if isinstance(values, list | tuple) else np.asarray(values)
    except ValueError:
        return objects(list(values))


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if not isinstance(value, int) or abs(value) < 1 << 1000 else float("inf")
    if is_missing(value):
        return float("nan")
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return written_number(value)
    if isinstance(value, complex | np.complexfloating | list | tuple | Mapping | np.ndarray):
        return None
    try:
        return float(value)  # a decimal, a fraction, a number of another library
    except (TypeError, ValueError, OverflowError):
        return None


def not_a_number(name: str, row: str, value: Any) -> PoolError:
    """The error of a cell that is no number."""
    return PoolError(f"{name} must be numbers; {row} has {short(value)}. {_remedy(value)}")


def short(value: Any, most: int = 60) -> str:
    """A value as a message shows it, cut where it is long."""
    return repr(value) if len(repr(value)) <= most else f"{repr(value)[:most]}…"


def _remedy(value: Any) -> str:
    if isinstance(value, str) and re.fullmatch(r"\s*\d*,\d+\s*", value):
        return "Write decimals with a point: 0.5, not 0,5."
    if isinstance(value, str) and value.rstrip().endswith("%"):
        return "Divide percentages by 100: 0.5, not 50%."
    return "Write a number such as 0.5 there, or leave the row out."
