"""CSV and TSV: every cell is the text between the separators, unless its column is wanted as numbers."""

import csv
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from fewlabels.errors import PoolError
from fewlabels.tables.text_files import opened_text
from fewlabels.tables.values import check_distinct, objects, written_number

SEPARATORS = ",;\t|"
_AT_ONCE = 500  # rows: as many as a processor's cache holds
_LONGEST_HEAD = 1 << 24  # characters
Wanted = Callable[[Sequence[str]], Collection[str]]  # of all columns, those to be read as numbers


class _NoNumberError(Exception):
    """A column wanted as numbers, of this place, holds something else."""


def read_csv(path: Path, wanted: Wanted) -> dict[str, npt.NDArray[Any]]:
    """The columns of the file: text as it is written, None for an empty cell.

    Columns that are `wanted` as numbers come as floats, NaN for an empty cell; one of them that holds anything else
    comes as text, for the caller to say what is wrong with it. The first line is the head, whatever it looks like.
    """
    _allow_long_cells()
    not_numbers: set[int] = set()
    while True:
        try:
            return _read(path, wanted, not_numbers)
        except _NoNumberError as found:
            not_numbers.add(found.args[0])
        except csv.Error as error:
            raise PoolError(what_is_wrong(path, str(error))) from error


def _allow_long_cells() -> None:
    """Cells may be longer than the 128 KiB the csv module allows by default: texts of items often are."""
    csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))


def _read(path: Path, wanted: Wanted, not_numbers: Collection[int]) -> dict[str, npt.NDArray[Any]]:
    with opened_text(path, newline="") as text:
        names, rows = _head(path, text)
        chosen = set(wanted(names))
        numbers = {i for i, name in enumerate(names) if name in chosen} - set(not_numbers)
        found: list[list[Any]] = [[] for _ in names]
        while chunk := list(islice(rows, _AT_ONCE)):
            if set(map(len, chunk)) != {len(names)}:
                chunk = [row for row in chunk if row]
                if any(len(row) != len(names) for row in chunk):
                    raise csv.Error("")
            for i, cells in enumerate(zip(*chunk, strict=True)):
                if i in numbers:
                    found[i].append(_floats(cells, i))
                else:
                    found[i].append(objects([cell or None for cell in cells] if "" in cells else cells))
    return {name: np.concatenate(parts) if parts else objects(()) for name, parts in zip(names, found, strict=True)}


def _head(path: Path, text: IO[str]) -> tuple[list[str], Any]:
    """The names of the columns, and the csv module's reader of the rows below them."""
    lines = list(head_lines(text))
    rows = csv.reader(chain(lines, text), delimiter=separator_of("".join(lines), path), strict=True)
    first = next((row for row in rows if row), None)
    if first is None:
        raise PoolError(f"{path.name!r} is empty: expected a head line such as id,predicted,score and a row an item.")
    names = [_name(cell, i) for i, cell in enumerate(first)]
    check_distinct(names)
    return names, rows


def head_of(path: Path) -> tuple[list[str], str, int]:
    """The names of the columns, what parts the cells, and how many lines the head takes."""
    with opened_text(path, newline="") as text:
        lines = list(head_lines(text))
    with opened_text(path, newline="") as text:
        return _head(path, text)[0], separator_of("".join(lines), path), len(lines)


def head_lines(text: Iterable[str]) -> Iterator[str]:
    """The lines up to the end of the first row: empty ones, then as many as a quoted name spreads over."""
    quotes, length = 0, 0
    for line in text:
        yield line
        quotes, length = quotes + line.count('"'), length + len(line)
        if (line.strip("\r\n") and quotes % 2 == 0) or length > _LONGEST_HEAD:
            return


def _name(cell: str, place: int) -> str:
    name = cell.strip()
    if len(name) > 1 and name[0] == name[-1] == '"' and name != cell:  # quotes behind a space
        name = name[1:-1]
    return name or f"column{place}"


def separator_of(head: str, path: Path) -> str:
    """What parts the cells: of the signs , ; tab and | the one that is most frequent in the head outside quotes."""
    outside = "".join(head.split('"')[::2])
    if "\t" in outside and ".tsv" in path.name.lower():
        return "\t"
    return max(SEPARATORS, key=outside.count)


def _floats(cells: Sequence[str], column: int) -> npt.NDArray[np.float64]:
    together = "".join(cells)
    if together.isascii() and "_" not in together:  # which float() takes and a file of numbers does not hold
        try:
            return np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
        except ValueError:
            pass  # an empty cell perhaps
    found = [written_number(cell) for cell in cells]
    if None in found:
        raise _NoNumberError(column)
    return np.array(found, dtype=np.float64)


def what_is_wrong(path: Path, reason: str) -> str:
    """The first row that is not as wide as the head, or has a quote where none can be; in words."""
    before = 0
    try:
        with opened_text(path, newline="") as text:
            names, rows = _head(path, text)
            before = rows.line_num
            for row in rows:
                line, before = before + 1, rows.line_num
                if row and len(row) != len(names):
                    return (
                        f"line {line} of {path.name!r} has {len(row)} cells and the head {len(names)} columns "
                        f"({', '.join(names[:5])}{', …' if len(names) > 5 else ''}); give each row a cell a column, "
                        "and put quotes around a cell that holds a separator or a line break."
                    )
    except csv.Error as error:
        reason = str(error)
    return (
        f"the row that begins in line {before + 1} of {path.name!r} has a quote that is not closed, or text behind a "
        f'closing one ({reason}); a quote inside a quoted cell is written twice, as in "5"" pipe".'
    )
