"""Rows of bars: counts and probabilities by name."""

from collections.abc import Sequence
from dataclasses import dataclass

from fewlabels.figures.axes import Scale, fitting, width_of
from fewlabels.figures.figure import NARROW
from fewlabels.figures.marks import Box, Drawing, Line, Mark, Words

_ROW, _NAMES = 22.0, 290.0


@dataclass(frozen=True)
class Bar:
    """A number from nothing on."""

    name: str
    number: float
    text: str
    tip: str
    beside: float | None = None  # a number it is held against, drawn as a tick
    named: bool = False


def bar_chart(bars: Sequence[Bar], width: float, axis: Scale, title: str, right: str = "") -> Drawing:
    """A bar a row, names to the left, or above each bar where there is no room."""
    above = 17.0 if width <= NARROW else 0.0
    names = 0.0 if above else min(max((width_of(b.name) for b in bars), default=0.0), _NAMES, 0.4 * width)
    numbers = max([width_of(b.text, 11.5) for b in bars] + [width_of(right, 11.5)]) + 14
    left, end, step = names + (0 if above else 14), width - numbers, _ROW + above
    top, bottom = 26.0, 26.0 + step * len(bars)
    marks: list[Mark] = [Words(width, 12, right, "axis", "end")] if right else []
    free = -1e9
    for tick in axis.ticks:
        x, half = axis.place(tick, left, end), width_of(axis.text(tick), 11.5) / 2
        marks.append(Line(x, top - 6, x, bottom + 4, "grid"))
        if x - half > free:
            anchor = "start" if above and x == left else "middle"
            marks.append(Words(x, bottom + 18, axis.text(tick), "axis", anchor))  # type: ignore[arg-type]
            free = x + half + 4
    marks.append(Words((left + end) / 2, bottom + 37, title, "title", "middle"))
    for i, bar in enumerate(bars):
        y = top + step * i
        marks.append(Box(0, y, width, step, "hit", bar.tip))
        baseline, middle = y + (above or _ROW) / 2 + 4.5, y + above + _ROW / 2
        style = "named" if bar.named else "words"
        name = fitting(bar.name, width - 8 if above else names + 4, 13.5 if bar.named else 12.5)
        marks.append(Words(0, baseline, name, style) if above else Words(left - 10, baseline, name, style, "end"))
        long = max(axis.place(bar.number, left, end) - left, 0.0)
        marks.append(Box(left, middle - 6, long, 12, "area-named" if bar.named else "area", "", 0.6))
        if bar.beside is not None:
            x = axis.place(bar.beside, left, end)
            marks.append(Line(x, middle - 9, x, middle + 9, "tick"))
        marks.append(Words(width, middle + 4, bar.text, "axis", "end"))
    return Drawing(width, bottom + 44, tuple(marks))
