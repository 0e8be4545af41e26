"""Labels somebody brings in a file: CSV or JSON lines."""

import csv
import io
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fewlabels.errors import LabelError

_ITEM = ("id", "item")


def read_labels(file: str) -> tuple[dict[str, str], int]:
    """{item: label} as written in the file ("-" is stdin), and how many rows had no label yet."""
    labels, empty, _ = read_labels_and_lines(file)
    return labels, empty


def read_labels_and_lines(file: str) -> tuple[dict[str, str], int, dict[str, int]]:
    """The same, and the line each item's label stands in."""
    text = sys.stdin.read() if file == "-" else _text(Path(file))
    file = name_of(file)
    if not text.strip():
        raise LabelError(f"{file} is empty: expected a head line 'id,label' and one row an item.")
    rows = _json_lines(text, file) if text.lstrip().startswith("{") else _csv(text)
    labels: dict[str, str] = {}
    lines: dict[str, int] = {}
    empty = 0
    for line, row in rows:
        item, label = _cell(row, _ITEM, file, line), _cell(row, ("label",), file, line)
        if item == "":
            raise LabelError(f"{file}, line {line} has no item; every label needs the id of its item.")
        if label == "":
            empty += 1
            continue
        if labels.setdefault(item, label) != label:
            raise LabelError(f"{file}, line {line} says {item!r} is {label!r}, and before {labels[item]!r}; keep one.")
        lines.setdefault(item, line)
    if not labels:
        raise LabelError(f"{file} holds no labels: expected columns 'id' and 'label', one row an item.")
    return labels, empty, lines


def name_of(file: str) -> str:
    """What a file is called in messages."""
    return "stdin" if file == "-" else file


def _text(path: Path) -> str:
    if not path.is_file():
        raise LabelError(f"no file {str(path)!r}; labels come from a CSV or JSON lines file with columns id and label.")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise LabelError(f"{path.name!r} is not text in UTF-8; --file takes CSV or JSON lines.") from error


def _csv(text: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    head = text.split("\n", 1)[0]
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    for row in reader:
        yield reader.line_num, {(key or "").strip().lower(): value for key, value in row.items()}


def _json_lines(text: str, file: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise LabelError(f"{file}, line {number} is not JSON ({error.msg}); write one object a line.") from error
        if not isinstance(row, dict):
            raise LabelError(f"{file}, line {number} is not an object with id and label.")
        yield number, row


def _cell(row: Mapping[str, Any], names: tuple[str, ...], file: str, line: int) -> str:
    for name in names:
        if name in row:
            value = row[name]
            return "" if value is None else str(value).strip()
    raise LabelError(
        f"{file}, line {line} has no column {' or '.join(repr(n) for n in names)}; it has {', '.join(map(str, row))}."
    )
