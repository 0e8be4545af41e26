"""Axes that fit what they show: round ticks, and the place of a number between them; how wide words are."""

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fewlabels.figures.marks import Anchor, Drawing, Line, Mark, Words

Unit: TypeAlias = Literal["share", "points", "number"]
_NARROW, _BROAD = frozenset("iljtfrI.,:;|!'()[] -–"), frozenset("mwMW@%&+=<>~…→")
ELLIPSIS = "…"


@dataclass(frozen=True)
class Scale:
    """Numbers from `low` to `high`, with round ticks between."""

    ticks: tuple[float, ...]
    unit: Unit = "share"
    low: float = math.nan
    high: float = math.nan

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest number on the axis."""
        return (self.ticks[0], self.ticks[-1]) if math.isnan(self.low) else (self.low, self.high)

    def place(self, number: float, start: float, end: float) -> float:
        """Where a number lies between two pixels; beyond the axis, at its end."""
        low, high = self.ends
        return start + (end - start) * (min(max(number, low), high) - low) / (high - low)

    def text(self, tick: float) -> str:
        """A tick in words."""
        step = self.ticks[1] - self.ticks[0] if len(self.ticks) > 1 else 1.0
        tick = 0.0 if abs(tick) < step / 1e6 else tick
        if self.unit == "number":
            return f"{tick:,.10g}" if abs(tick) >= 1000 else f"{tick:.4g}"
        digits = max(0, math.ceil(-math.log10(100 * step) - 1e-9))
        digits += round(100 * step * 10**digits, 6) % 1 > 0  # steps of 2.5
        points = f"{100 * tick:+.{digits}f}" if tick else "0"
        return points if self.unit == "points" else f"{100 * tick:.{digits}f}%"


def scale(
    numbers: Iterable[float], unit: Unit = "share", *, about: int = 5, bounds: tuple[float, float] | None = None
) -> Scale:
    """An axis that spans these numbers and no more than rounding takes; never beyond the bounds."""
    known = [n for n in numbers if math.isfinite(n)]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if high - low < 1e-9:
        reach = max(abs(high) / 20, 0.01)
        low, high = low - reach, high + reach
    if bounds is not None:
        low, high = max(low, bounds[0]), min(high, bounds[1])
        low, high = (low, high) if high - low > 1e-9 else bounds
    step = _step((high - low) / about)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return Scale(tuple(round(i * step, 12) for i in range(first, max(last, first + 1) + 1)), unit)


def _step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough * (1 - 1e-9))


def counts(most: float, about: int = 4) -> Scale:
    """An axis from none to so many."""
    step = max(1.0, _step(max(most, 1) / about))
    step = math.ceil(step)
    return Scale(tuple(step * i for i in range(math.ceil(max(most, 1) / step - 1e-9) + 1)), "number")


def width_of(text: str, size: float = 12.5) -> float:
    """About how many pixels wide a line of text is: rather more than less, as letters of readers differ."""
    return size * sum(_letter(c) for c in text)


def _letter(c: str) -> float:
    if c in _NARROW:
        return 0.42
    if c in _BROAD or c.isupper():
        return 0.86 if c in _BROAD else 0.74
    return 1.1 if not c.isascii() and unicodedata.east_asian_width(c) in "WF" else 0.64


def fitting(text: str, width: float, size: float = 12.5, arrow: str = "") -> str:
    """A text that is no wider; of two halves joined by an arrow, some of both is seen."""
    if width_of(text, size) <= width:
        return text
    first, joined, last = text.rpartition(arrow) if arrow else ("", "", text)
    if joined and first:
        room = width - width_of(joined, size)
        last = fitting(last, room - min(width_of(first, size), room / 2), size)
        return f"{fitting(first, room - width_of(last, size), size)}{joined}{last}"
    room, kept = width - width_of(ELLIPSIS, size), ""
    for c in text:
        room -= width_of(c, size)
        if room < 0:
            break
        kept += c
    return kept + ELLIPSIS


@dataclass(frozen=True)
class Area:
    """The inside of a plot with an axis below and one to the left."""

    left: float
    right: float
    top: float
    bottom: float
    across: Scale
    up: Scale

    def x(self, number: float) -> float:
        return self.across.place(number, self.left, self.right)

    def y(self, number: float) -> float:
        return self.up.place(number, self.bottom, self.top)


def framed(
    width: float,
    height: float,
    across: Scale,
    up: Scale,
    titles: tuple[str, str],
    paint: Callable[[Area], Sequence[Mark]],
) -> Drawing:
    """A plot of these axes with what `paint` puts inside. The title of the axis to the left stands above it."""
    left = max(width_of(up.text(t), 11.5) for t in up.ticks) + 12
    right = max(width_of(across.text(across.ticks[-1]), 11.5) / 2 + 3, 8.0)
    area = Area(left, width - right, 26, height - 42, across, up)
    marks: list[Mark] = [Words(0, 12, titles[1], "title")]
    for tick in up.ticks:
        marks += [
            Line(area.left, area.y(tick), area.right, area.y(tick), "grid"),
            Words(area.left - 7, area.y(tick) + 4, up.text(tick), "axis", "end"),
        ]
    marks += below(area, across, titles[0])
    return Drawing(width, height, (*marks, *paint(area)))


def below(area: Area, across: Scale, title: str) -> list[Mark]:
    """The axis below a plot: ticks as far as their words have room, and its title."""
    marks: list[Mark] = [Line(area.left, area.bottom, area.right, area.bottom, "edge")]
    free = -math.inf
    for tick in across.ticks:
        x, text = area.x(tick), across.text(tick)
        half = width_of(text, 11.5) / 2
        marks.append(Line(x, area.bottom, x, area.bottom + 4, "edge"))
        anchor: Anchor = "middle"
        if x - half > free:
            marks.append(Words(x, area.bottom + 17, text, "axis", anchor))
            free = x + half + 4
    middle = (area.left + area.right) / 2
    marks.append(Words(middle, area.bottom + 36, title, "title", "middle"))
    return marks
