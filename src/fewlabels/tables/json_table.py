"""JSON lines, and JSON files of a list of rows: each value with the type it is written in."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.errors import PoolError
from fewlabels.tables.text_files import opened_text
from fewlabels.tables.values import column_of, short

_NO_BLANK = re.compile(r"[^ \t\r\n]")
_EXACT = 2**53  # whole numbers up to here are floats too


class _TwiceError(ValueError):
    """A name appears twice in one object."""


def read_json(path: Path, *, lines: bool) -> dict[str, npt.NDArray[Any]]:
    """The columns of the file: 1 is a number, "1" is text, and what a row does not have is None."""
    columns: dict[str, list[Any]] = {}
    for before, row in enumerate(_lines(path) if lines else _rows(path)):
        for name, value in row.items():
            if name not in columns:
                columns[name] = [None] * before
            columns[name].append(_compact(value) if isinstance(value, list) else value)
        if len(row) < len(columns):
            for values in columns.values():
                if len(values) == before:
                    values.append(None)
    if not columns:
        raise PoolError(f'{path.name!r} is empty: expected an object a line, such as {{"id": 1, "score": 0.9}}.')
    return {name: column_of(values) for name, values in columns.items()}


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with opened_text(path) as text:
        for number, line in enumerate(text, start=1):
            if line.strip():
                yield _object(_parsed(line, f"line {number} of {path.name!r}"), f"line {number} of {path.name!r}")


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a list, or objects one after another."""
    with opened_text(path) as file:
        text = file.read()
    if text.lstrip().startswith("["):
        for row, value in enumerate(_parsed(text, f"{path.name!r}")):
            yield _object(value, f"row {row} of {path.name!r}")
        return
    decoder, row = json.JSONDecoder(object_pairs_hook=_distinct), 0
    place = _next(text, 0)
    while place < len(text):
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError) as error:
            raise _not_json(f"row {row} of {path.name!r}", error) from error
        yield _object(value, f"row {row} of {path.name!r}")
        row, place = row + 1, _next(text, place)


def _next(text: str, place: int) -> int:
    """Where the next object begins: the first sign from here that is no blank."""
    found = _NO_BLANK.search(text, place)
    return len(text) if found is None else found.start()


def _parsed(text: str, where: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        raise _not_json(where, error) from error


def _not_json(where: str, error: Exception) -> PoolError:
    if isinstance(error, _TwiceError):
        return PoolError(f"{where} has {error} twice; give each column a name of its own.")
    reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
    return PoolError(f"{where} is not JSON ({reason}); write one object an item.")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise _TwiceError(repr(next(name for name in names if names.count(name) > 1)))
    return found


def _object(value: Any, where: str) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise PoolError(f'{where} is {short(value, 40)}; write one object an item, such as {{"id": 1, "score": 0.9}}.')


def _compact(values: list[Any]) -> Any:
    """A list of numbers as an array, which takes a quarter of the room; any other list as it is."""
    kinds = set(map(type, values))
    if kinds == {float} or (
        kinds == {float, int} and all(-_EXACT <= v <= _EXACT for v in values if isinstance(v, int))
    ):
        return np.array(values, dtype=np.float64)
    return values
