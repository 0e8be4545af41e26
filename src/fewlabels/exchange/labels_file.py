"""Labels somebody brings in a file: CSV or JSON lines. Ids and labels are read as they are written."""

import codecs
import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from fewlabels.errors import LabelError, shortened
from fewlabels.exchange.label_studio import ITEM, label_studio_rows

# In a table that Label Studio made, `id` is the number of a task, and our item has a name of its own.
_ITEM, _LABEL, _BY, _SKIPPED = (ITEM, "id", "item"), ("label",), ("by", "annotator"), ("skipped",)
_READ = (*_ITEM, *_LABEL, *_BY, *_SKIPPED)
_LONGEST_CELL = 2**31 - 1  # texts may stand beside the labels
Rows = Iterator[tuple[int, Mapping[str, str]]]  # lines, and what the columns read hold


class Line(NamedTuple):
    """What a line of a file says of an item; neither label nor reason where it says nothing yet."""

    number: int
    item: str
    label: str
    by: str | None = None
    skipped: str = ""  # why nobody can tell


def read_labels(file: str) -> tuple[dict[str, str], int, dict[str, int]]:
    """{item: label} as written in the file ("-" is stdin), how many rows had no label yet, and each item's line."""
    labels: dict[str, str] = {}
    numbers: dict[str, int] = {}
    empty = 0
    for line in read_lines(file):
        if line.label == "":
            empty += 1
            continue
        if labels.setdefault(line.item, line.label) != line.label:
            raise LabelError(
                f"{name_of(file)}, line {line.number} says {shortened(line.item)} is {shortened(line.label)}, and "
                f"before {shortened(labels[line.item])}; keep one."
            )
        numbers.setdefault(line.item, line.number)
    if not labels:
        raise LabelError(f"{name_of(file)} holds no labels: expected columns 'id' and 'label', one row an item.")
    return labels, empty, numbers


def read_lines(file: str) -> Iterator[Line]:
    """The lines of a CSV or JSON lines file, or of what Label Studio exports ("-" is stdin)."""
    if file != "-" and not Path(file).is_file():
        raise LabelError(
            f"no file {str(Path(file))!r}; labels come from a CSV or JSON lines file with columns id and label."
        )
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    file = name_of(file)
    text = _text(data, file)
    if not text.strip():
        raise LabelError(f"{file} is empty: expected a head line 'id,label' and one row an item.")
    for number, row in _rows(text, file):
        item, label = _cell(row, _ITEM, file, number), _cell(row, _LABEL, file, number)
        if item == "":
            raise LabelError(f"{file}, line {number} has no item; every label needs the id of its item.")
        by = next((row[name] for name in _BY if row.get(name)), None)
        yield Line(number, item, label, by, row.get("skipped", ""))


def _rows(text: str, file: str) -> Rows:
    first = text.lstrip()[:1]
    return label_studio_rows(text, file) if first == "[" else (_json_lines if first == "{" else _csv)(text, file)


def name_of(file: str) -> str:
    """What a file is called in messages."""
    return "stdin" if file == "-" else file


def _text(data: bytes, file: str) -> str:
    """The text of a file in UTF-8, with or without a mark at its beginning."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise LabelError(f"{file} is text in UTF-16; save it as UTF-8, or convert it: {_convert('UTF-16', file)}")
    data = data.removeprefix(codecs.BOM_UTF8)
    if (place := data.find(b"\0")) >= 0:
        raise LabelError(
            f"{file}, line {_line(data, place)} holds a NUL byte, so this is not the text of a CSV or JSON lines file."
        )
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LabelError(
            f"{file}, line {_line(data, error.start)} holds the byte 0x{data[error.start]:02x}, which is not text in "
            f"UTF-8; save the file as UTF-8, or convert it: {_convert('CP1252', file)}"
        ) from error


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _convert(encoding: str, file: str) -> str:
    return f"iconv -f {encoding} -t UTF-8 {'labels.csv' if file == 'stdin' else file} > labels-utf8.csv"


def _csv(text: str, file: str) -> Rows:
    separator = max(",;\t", key=text.split("\n", 1)[0].count)
    reader = csv.reader(
        io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True
    )  # strict: a quote that is never closed would swallow the rows after it
    with _long_cells():
        head: list[str] = []
        try:
            for cells in reader:
                if not head:
                    head = _head([cell.strip().lower() for cell in cells], file, 1)
                elif len(cells) > len(head) and any(cells[len(head) :]):
                    raise LabelError(
                        f"{file}, line {reader.line_num} has {len(cells)} cells and the head line {len(head)}; put "
                        f"texts that hold {separator!r} into quotes."
                    )
                elif cells:
                    filled = [cell.strip() for cell in cells] + [""] * (len(head) - len(cells))
                    yield reader.line_num, dict(zip(head, filled, strict=False))
        except csv.Error as error:
            raise LabelError(f"{file}, line {reader.line_num} is not CSV: {error}. Check its quotes.") from error


@contextmanager
def _long_cells() -> Iterator[None]:
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _head(names: list[str], file: str, line: int) -> list[str]:
    """The names of the columns; those that are read must not be there twice."""
    for name in _READ:
        if names.count(name) > 1:
            raise LabelError(f"{file}, line {line} has {names.count(name)} columns {name!r}; keep the one meant.")
    return names


def _json_lines(text: str, file: str) -> Rows:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line, object_pairs_hook=_Pairs, parse_int=str, parse_float=str, parse_constant=str)
        except (json.JSONDecodeError, RecursionError) as error:
            why = getattr(error, "msg", "too deep")
            raise LabelError(f"{file}, line {number} is not JSON ({why}); write one object a line.") from error
        if not isinstance(row, _Pairs):
            raise LabelError(f"{file}, line {number} is not an object with id and label.")
        names = _head([name.strip().lower() for name, _ in row], file, number)
        yield number, {name: _written(value, name, file, number) for name, (_, value) in zip(names, row, strict=True)}


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with every one of its keys, also those given twice."""


def _written(value: Any, name: str, file: str, line: int) -> str:
    """What a JSON object says, as it is written: 1.0 is not 1."""
    if name not in _READ:
        return ""
    if isinstance(value, list):
        raise LabelError(f"{file}, line {line}: {name!r} must be one text or number, not a list or an object.")
    text = "" if value is None else str(value)
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise LabelError(f"{file}, line {line}: {name!r} is {text!r}, which holds half a character; write it whole.")
    return text


def _cell(row: Mapping[str, str], names: tuple[str, ...], file: str, line: int) -> str:
    for name in names:
        if name in row:
            return row[name]
    wanted = " or ".join(repr(name) for name in names if name != ITEM)
    raise LabelError(f"{file}, line {line} has no column {wanted}; it has {', '.join(map(str, row))}.")
