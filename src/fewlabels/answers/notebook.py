"""What notebooks and terminals show: HTML that is nothing but text in tables, frames, and lines that fit the screen."""

import html
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fewlabels.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd

MOST_ROWS = 20
_LEAST = 12  # letters that are left of a name


def html_of(head: str, lines: Iterable[str] = (), heads: Sequence[str] = (), rows: Sequence[Sequence[str]] = ()) -> str:
    """A heading, paragraphs, and a table of at most twenty rows; whatever is handed in is shown as it is written.

    >>> html_of("<b>", ["a & b"])
    '<p><strong>&lt;b&gt;</strong></p><p>a &amp; b</p>'
    """
    parts = [f"<p><strong>{html.escape(head)}</strong></p>", *(f"<p>{html.escape(line)}</p>" for line in lines)]
    if heads:
        parts.append(f"<table><thead>{_row(heads, 'th')}</thead><tbody>")
        parts += [*(_row(row, "td") for row in rows[:MOST_ROWS]), "</tbody></table>"]
    if len(rows) > MOST_ROWS:
        parts.append(f"<p>… and {len(rows) - MOST_ROWS:,} more: to_frame() has them all.</p>")
    return "".join(parts)


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"


def frame_of(rows: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Rows as a pandas DataFrame."""
    try:
        import pandas as pd  # noqa: PLC0415 - only when a frame is asked for
    except ImportError as error:
        raise MissingExtraError(
            "to_frame() needs pandas; pip install 'fewlabels[frames]', or use to_dicts()."
        ) from error
    return pd.DataFrame(rows)


def screen_width() -> int | None:
    """The letters that fit a line of the terminal; None where what is printed goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def wrapped(lines: Iterable[str], width: int | None) -> list[str]:
    """Sentences in lines that fit."""
    if width is None:
        return list(lines)
    return [part for line in lines for part in (textwrap.wrap(line, width) or [""])]


def aligned(rows: Sequence[Sequence[str]], width: int | None) -> list[str]:
    """Cells in columns, the first to the left; where a line would not fit, names are shortened, then the last columns
    left out.

    >>> aligned([["group", "value"], ["a_very_long_name", "81.0%"]], 20)
    ['group          value', 'a_very_long_…  81.0%']
    """
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    while width is not None and len(widths) > 1 and _beside(widths) + min(widths[0], _LEAST) > width:
        widths.pop()
    if width is not None:
        widths[0] = min(widths[0], max(width - _beside(widths), 1))
    return [
        "  ".join(_fit(c, w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths, strict=False)))
        for r in rows
    ]


def _beside(widths: Sequence[int]) -> int:
    """What all columns but the first take."""
    return sum(widths[1:]) + 2 * (len(widths) - 1)


def _fit(text: str, width: int) -> str:
    return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"
