"""What pictures are made of: lines, boxes, dots, paths and words on a sheet, in pixels from its upper left corner.

How a mark looks is a style by name (`palette.py`), so that one drawing is painted in light or dark, as SVG or PNG.
A mark with a `tip` answers to a hover with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Anchor: TypeAlias = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Line:
    """From one point to another."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; `strength` is how much of its colour it has, for maps of numbers."""

    x: float
    y: float
    width: float
    height: float
    style: str
    tip: str = ""
    strength: float = 1.0


@dataclass(frozen=True, slots=True)
class Dot:
    """A disc."""

    x: float
    y: float
    style: str
    tip: str = ""
    radius: float = 4.5


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points, or the area they enclose where the style fills it."""

    points: tuple[tuple[float, float], ...]
    style: str
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text on its baseline."""

    x: float
    y: float
    text: str
    style: str = "words"
    anchor: Anchor = "start"


@dataclass(frozen=True, slots=True)
class Moved:
    """A drawing as part of a larger one."""

    marks: tuple["Mark", ...]
    x: float
    y: float


Mark: TypeAlias = Line | Box | Dot | Path | Words | Moved


@dataclass(frozen=True, slots=True)
class Drawing:
    """Marks on a sheet of this size, the first ones at the back."""

    width: float
    height: float
    marks: tuple[Mark, ...]


def stacked(drawings: Sequence[Drawing], gap: float = 18) -> Drawing:
    """Drawings below one another."""
    marks, y = [], 0.0
    for drawing in drawings:
        marks.append(Moved(drawing.marks, 0.0, y))
        y += drawing.height + gap
    return Drawing(max(d.width for d in drawings), y - gap, tuple(marks))


def beside(drawings: Sequence[Drawing], gap: float = 24) -> Drawing:
    """Drawings beside one another."""
    marks, x = [], 0.0
    for drawing in drawings:
        marks.append(Moved(drawing.marks, x, 0.0))
        x += drawing.width + gap
    return Drawing(x - gap, max(d.height for d in drawings), tuple(marks))
