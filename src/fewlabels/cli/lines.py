"""Where a row of a table stands in its file: errors count rows from 0, people look for lines."""

import csv
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from fewlabels.tables.csv_table import head_lines, separator_of

_ROWS = re.compile(r"(?<![\w'\"])(?:(?<!first )row (\d+)|rows (\d+) and (\d+))\b")


def with_lines(message: str, file: str) -> str:
    """The message, with the line of the file beside each row it names; as it is where lines are not known."""

    def with_line(match: re.Match[str]) -> str:
        lines = [line_of_row(file, int(row)) for row in match.groups() if row is not None]
        shown = f"line{'s' if len(lines) > 1 else ''} {' and '.join(map(str, lines))}"
        return match[0] if None in lines else f"{match[0]}, {shown} of the file"

    return _ROWS.sub(with_line, message)


def line_of_row(file: str, row: int, beyond: int | None = None) -> int | None:
    """The line, counted from 1, at which a row of a CSV or JSON lines file begins; None where that is not known,
    `beyond` where the file has fewer rows."""
    path = Path(file)
    lines = {".csv": _csv_lines, ".tsv": _csv_lines, ".jsonl": _json_lines, ".ndjson": _json_lines}
    if path.suffix.lower() not in lines or not path.is_file():
        return None
    try:
        return next(islice(lines[path.suffix.lower()](path), row, None), beyond)
    except (UnicodeDecodeError, csv.Error):
        return None


def is_empty(file: str) -> bool:
    """Whether a CSV or JSON lines file holds no row: nothing at all, or only a head."""
    return line_of_row(file, 0, beyond=-1) == -1


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
