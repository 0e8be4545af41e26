"""A figure: a drawing for each width, a sentence that says what it shows, and the table behind it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fewlabels.errors import QuestionError
from fewlabels.figures.marks import Drawing
from fewlabels.figures.png import png
from fewlabels.figures.svg import inline, whole_file

WIDE, NARROW = 860.0, 340.0  # pixels: of a page, and of a telephone with the page's margins
KINDS = (".svg", ".png")


@dataclass(frozen=True)
class Number:
    """A number in a table: as it is, and as it is shown."""

    value: float
    text: str


@dataclass(frozen=True)
class Table:
    """The numbers behind a figure; the first column names the rows."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str | Number, ...], ...]
    left_out: int = 0  # rows that are not there, for want of room


@dataclass(frozen=True)
class Figure:
    """One figure of a study. Notebooks show it; `save` writes it, `svg` is its text."""

    name: str
    title: str
    caption: str
    draw: Callable[[float], Drawing] = field(repr=False, compare=False)  # given a width in pixels
    table: Table

    @property
    def svg(self) -> str:
        """The text of an SVG file."""
        return whole_file(self.draw(WIDE), f"{self.title}. {self.caption}")

    def _repr_svg_(self) -> str:
        return self.svg

    def inline(self, width: float, kind: str) -> str:
        """For a page that has the styles."""
        return inline(self.draw(width), f"{self.title}. {self.caption}", kind)

    def save(self, path: str | Path) -> Path:
        """Write the figure; the file's ending says in which form: .svg, or .png (extra `plots`)."""
        file = Path(path)
        if file.suffix.lower() not in KINDS:
            raise QuestionError(f"a figure is written as {' or '.join(KINDS)}; got {file.name!r}.")
        if file.suffix.lower() == ".svg":
            file.write_text(self.svg, encoding="utf-8")
        else:
            file.write_bytes(png(self.draw(WIDE)))
        return file

    def to_dicts(self) -> list[dict[str, Any]]:
        """The table behind it, one dictionary a row."""
        return [
            {
                head: cell.value if isinstance(cell, Number) else cell
                for head, cell in zip(self.table.heads, row, strict=True)
            }
            for row in self.table.rows
        ]

    def __repr__(self) -> str:
        return f"<Figure {self.name}: {self.title}>"


def table(heads: Sequence[str], rows: Sequence[Sequence[str | Number]], most: int = 500) -> Table:
    """A table of at most so many rows."""
    return Table(tuple(heads), tuple(tuple(row) for row in rows[:most]), max(len(rows) - most, 0))
