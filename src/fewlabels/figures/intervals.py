"""Rows of estimates with their intervals: what most figures of groups are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fewlabels.answers import Finding, count_of, percent
from fewlabels.figures.axes import Scale, fitting, scale, width_of
from fewlabels.figures.figure import NARROW, Number, Table, table
from fewlabels.figures.marks import Box, Dot, Drawing, Line, Mark, Words
from fewlabels.figures.words import ARROW

MOST_ROWS, _FIRST = 40, 28  # more are hard to read as a picture; then so many of the first, and the last
MOSTLY = 0.5  # of a figure may be told by something else than labels of its own before its dot is hollow
_NAMES, _ROW, _NUMBERS = 290.0, 22.0, 64.0


@dataclass(frozen=True)
class Row:
    """One estimate: where its dot and its bar lie, and what is said of it."""

    name: str
    value: float
    low: float
    high: float
    right: str  # the column on the right
    tip: str
    named: bool = False
    hollow: bool = False


@dataclass(frozen=True)
class Gap:
    """Rows that are not drawn."""

    count: int


def row_of(finding: Finding, *, named: bool = False, more: str = "") -> Row:
    """A finding as a row."""
    return Row(
        finding.group,
        finding.value,
        finding.low,
        finding.high,
        f"{finding.labels:,}",
        tip_of(finding) + more,
        named,
        finding.not_its_own > MOSTLY,
    )


def tip_of(finding: Finding) -> str:
    """All that is known of a finding in one line."""
    behind = f"{count_of(finding.labels, 'label')}; {100 * finding.weight:.1f}% of the pool"
    return f"{finding.group}: {finding}; {behind}"


def some(rows: Sequence[Row]) -> list[Row | Gap]:
    """The rows that are drawn: all, or of many the first and the last."""
    if len(rows) <= MOST_ROWS:
        return list(rows)
    last = MOST_ROWS - _FIRST
    return [*rows[:_FIRST], Gap(len(rows) - MOST_ROWS), *rows[-last:]]


def interval_chart(
    rows: Sequence[Row],
    width: float,
    axis: Scale,
    title: str,
    *,
    right: str = "labels",
    line: float | None = None,
    goal: float | None = None,
    zone: tuple[float, float] | None = None,
) -> Drawing:
    """A bar and a dot a row, names to the left, or above each bar where there is no room; `line` is a figure all are
    held against, `goal` a threshold, `zone` a range that is shaded."""
    drawn, narrow = some(rows), width <= NARROW
    above, names = (18.0, 0.0) if narrow else (0.0, _names_room([r for r in drawn if isinstance(r, Row)]))
    first = max(width_of(axis.text(axis.ticks[0]), 11.5) / 2 + 2, 12.0)  # room for half of the first number
    left, end = first if narrow else names + 16, width - _NUMBERS
    height = sum(_ROW + above if isinstance(r, Row) else _ROW for r in drawn)
    top, bottom = 26.0, 26.0 + height
    marks: list[Mark] = [Words(width, 12, right, "title", "end")]
    marks += _axis(axis, left, end, top, bottom, title)
    if zone is not None:
        x1, x2 = (axis.place(z, left, end) for z in zone)
        marks.insert(0, Box(x1, top, x2 - x1, height, "band"))
    y = top
    for row in drawn:
        if isinstance(row, Gap):
            marks.append(Words(left, y + 15, f"… {row.count:,} more between; the table has them", "axis"))
            y += _ROW
            continue
        marks.append(Box(0, y, width, _ROW + above, "hit", row.tip))
        marks += _drawn(row, axis, left, end, y, above, width)
        y += _ROW + above
    for number, style in ((line, "whole"), (goal, "goal")):
        if number is not None and not math.isnan(number):
            x = axis.place(number, left, end)
            marks.append(Line(x, top - 4, x, bottom + 4, style))
    return Drawing(width, bottom + 44, tuple(marks))


def _names_room(rows: Sequence[Row]) -> float:
    """As wide as the longest name needs, and no wider than leaves room for the plot."""
    return min(max((width_of(row.name, 12.5) * (1.08 if row.named else 1) for row in rows), default=0.0), _NAMES)


def _axis(axis: Scale, left: float, end: float, top: float, bottom: float, title: str) -> list[Mark]:
    """Grid lines with their numbers above and below, and what they measure."""
    marks: list[Mark] = []
    free = -math.inf
    for tick in axis.ticks:
        x, text = axis.place(tick, left, end), axis.text(tick)
        marks.append(Line(x, top - 6, x, bottom + 4, "grid"))
        half = width_of(text, 11.5) / 2
        if x - half > free:
            marks += [Words(x, 12, text, "axis", "middle"), Words(x, bottom + 18, text, "axis", "middle")]
            free = x + half + 4
    marks.append(Words((left + end) / 2, bottom + 37, title, "title", "middle"))
    return marks


def _drawn(row: Row, axis: Scale, left: float, end: float, y: float, above: float, width: float) -> list[Mark]:
    middle, kind = y + above + _ROW / 2, "-named" if row.named else ""
    style, baseline = "named" if row.named else "words", y + (above or _ROW) / 2 + 4.5
    room = width - 8 if above else left - 16
    size = 12.5 * (1.08 if row.named else 1)
    name = fitting(row.name, room, size, ARROW)
    where = Words(0, baseline, name, style) if above else Words(left - 14, baseline, name, style, "end")
    known, found = not math.isnan(row.value), list[Mark]()
    if not math.isnan(row.low):
        low, high = axis.place(row.low, left, end), axis.place(row.high, left, end)
        found.append(Line(low, middle, max(high, low + 0.5), middle, f"bar{kind}" if known else "bar-none"))
    if known:
        found.append(Dot(axis.place(row.value, left, end), middle, f"{'ring' if row.hollow else 'dot'}{kind}"))
    return [where, *found, Words(width, middle + 4, row.right, "axis", "end")]


def chart_scale(rows: Sequence[Row], sample: Finding, *, also: Sequence[float] = ()) -> Scale:
    """An axis for the rows that are drawn."""
    drawn = [row for row in some(rows) if isinstance(row, Row)]
    ends = [n for row in drawn for n in (row.low, row.high, row.value)] + list(also)
    return scale(ends, sample.unit, bounds=(0.0, 1.0) if _within(sample, drawn) else None)


def _within(sample: Finding, rows: Sequence[Row]) -> bool:
    """Whether these are shares, and none below nothing, as biases are."""
    return sample.unit == "share" and not any(row.low < 0 or row.high > 1 for row in rows)


def shown(finding: Finding) -> tuple[Number, Number, Number]:
    """Value and ends of a finding, as a table has them."""
    value, low, high = (Number(n, finding.show(n)) for n in (finding.value, finding.low, finding.high))
    return value, low, high


def findings_table(findings: Sequence[Finding], first: str = "group", most: int = 1000) -> Table:
    """Findings as rows."""
    other = "borrowed" if findings and findings[0].borrowed is not None else "prior"
    return table(
        (first, "estimate", "low", "high", "labels", other),
        [
            (f.group, *shown(f), Number(f.labels, f"{f.labels:,}"),
             Number(f.not_its_own, percent(f.not_its_own)))
            for f in findings
        ],
        most,
    )  # fmt: skip
