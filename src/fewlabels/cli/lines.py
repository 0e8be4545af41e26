"""Where a row of a table stands in its file: errors count rows from 0, people look for lines."""

import csv
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from fewlabels.tables.csv_table import head_lines, separator_of

_ROW = re.compile(r"(?<![\w'\"])(?<!first )row (\d+)\b")
_TWO_ROWS = re.compile(r"(?<![\w'\"])rows (\d+) and (\d+)\b")


def with_lines(message: str, file: str) -> str:
    """The message, with the line of the file beside each row it names; as it is where lines are not known."""

    def one(match: re.Match[str]) -> str:
        line = line_of_row(file, int(match[1]))
        return match[0] if line is None else f"{match[0]}, line {line} of the file"

    def two(match: re.Match[str]) -> str:
        lines = [line_of_row(file, int(row)) for row in match.groups()]
        return match[0] if None in lines else f"{match[0]}, lines {lines[0]} and {lines[1]} of the file"

    return _TWO_ROWS.sub(two, _ROW.sub(one, message))


def line_of_row(file: str, row: int) -> int | None:
    """The line, counted from 1, at which a row of a CSV or JSON lines file begins; None where that is not known."""
    try:
        return next(islice(_row_lines(file), row, None), None)
    except (UnicodeDecodeError, csv.Error):
        return None


def is_empty(file: str) -> bool:
    """Whether a CSV or JSON lines file holds no row: nothing at all, or only a head."""
    if not _is_text(file):
        return False
    try:
        return next(_row_lines(file), -1) == -1
    except (UnicodeDecodeError, csv.Error):
        return False


def _is_text(file: str) -> bool:
    return Path(file).suffix.lower() in (".csv", ".tsv", ".jsonl", ".ndjson") and Path(file).is_file()


def _row_lines(file: str) -> Iterator[int | None]:
    """The line at which each row begins; None for a row that hardly is what it seems."""
    if not _is_text(file):
        return iter(())
    return _csv_lines(Path(file)) if Path(file).suffix.lower() in (".csv", ".tsv") else _json_lines(Path(file))


def _csv_lines(path: Path) -> Iterator[int | None]:
    """The first line of each row below the head; None once rows are not as wide as the head, which is then no head."""
    with path.open(encoding="utf-8-sig", newline="") as text:
        head = list(head_lines(text))
        reader = csv.reader(chain(head, text), delimiter=separator_of("".join(head), path))
        width, before = 0, 0
        for cells in reader:
            begins, before = before + 1, reader.line_num
            if width and cells:
                yield begins if len(cells) == width else None
            width = width or len(cells)


def _json_lines(path: Path) -> Iterator[int | None]:
    with path.open(encoding="utf-8-sig") as text:
        yield from (number for number, line in enumerate(text, start=1) if line.strip())
