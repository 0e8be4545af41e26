"""Where each mark of the interval chart goes. Numbers only; the template draws them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from fewlabels.answers import Finding
from fewlabels.reporting.data import ReportRow
from fewlabels.reporting.words import ARROW

MOST_ROWS = 40  # more are hard to read as a picture; the table has them all
LONGEST_NAME = 40
MOSTLY_PRIOR = 0.5
AXIS_TWICE = 12  # a taller chart has its axis above and below


@dataclass(frozen=True)
class Layout:
    """Widths and heights in pixels: names stand left of the plot, or above each bar where there is no room."""

    names: int  # left of the plot
    plot: int
    numbers: int  # width of the column of label counts
    row: int  # height
    above: int = 0  # of that, for the name above its bar


WIDE = Layout(names=318, plot=480, numbers=62, row=22)
NARROW = Layout(names=14, plot=282, numbers=58, row=40, above=18)  # of a phone, drawn as large as it is shown


@dataclass(frozen=True)
class Mark:
    """One group in the chart; x positions in pixels."""

    name: str
    full_name: str
    y: float
    name_y: float
    low: float
    high: float
    value: float | None  # None where there is no label yet
    labels: int
    named: bool
    mostly_prior: bool


@dataclass(frozen=True)
class Chart:
    """Marks, the axis's ticks (x, text) and the line of the overall figure."""

    marks: tuple[Mark, ...]
    ticks: tuple[tuple[float, str], ...]
    overall: float | None
    left: int
    right: int
    width: int
    height: int
    left_out: int
    names_above: bool

    @property
    def tall(self) -> bool:
        return len(self.marks) > AXIS_TWICE


def interval_chart(rows: Sequence[ReportRow], overall: Finding | None, layout: Layout = WIDE) -> Chart:
    """The chart of these rows, the first ones at the top; at most forty."""
    shown = rows[:MOST_ROWS]
    findings = [row.finding for row in shown]
    ticks = _ticks(findings)
    low, high = ticks[0], ticks[-1]

    def x(number: float) -> float:
        return round(layout.names + layout.plot * (min(max(number, low), high) - low) / (high - low), 1)

    marks = tuple(
        Mark(
            name=_short(f.group),
            full_name=f.group,
            y=layout.row * i + layout.above + (layout.row - layout.above) / 2,
            name_y=layout.row * i + (layout.above or layout.row) / 2,
            low=x(f.low),
            high=x(f.high),
            value=None if math.isnan(f.value) else x(f.value),
            labels=f.labels,
            named=row.named,
            mostly_prior=f.not_its_own > MOSTLY_PRIOR,
        )
        for i, (row, f) in enumerate((row, row.finding) for row in shown)
    )
    return Chart(
        marks=marks,
        ticks=tuple((x(t), _tick_text(t, findings[0], ticks[1] - ticks[0])) for t in ticks),
        overall=None if overall is None or math.isnan(overall.value) or len(rows) == 1 else x(overall.value),
        left=layout.names,
        right=layout.names + layout.plot,
        width=layout.names + layout.plot + layout.numbers,
        height=layout.row * len(marks),
        left_out=len(rows) - len(shown),
        names_above=layout.above > 0,
    )


def _short(name: str, most: int = LONGEST_NAME) -> str:
    """A name that fits; of a predicted and a true class, both halves are seen."""
    if len(name) <= most:
        return name
    predicted, arrow, true = name.rpartition(ARROW)
    if not arrow:
        return name[: most - 1] + "…"
    room = most - len(ARROW)
    true = _short(true, room - min(len(predicted), room // 2))  # what one half does not need, the other has
    return f"{_short(predicted, room - len(true))}{arrow}{true}"


def _ticks(findings: Sequence[Finding]) -> list[float]:
    """Round numbers that span all intervals, and zero."""
    low, high = min(0.0, *(f.low for f in findings)), max(0.0, *(f.high for f in findings))
    if findings[0].unit == "share" and low == 0 and high > 0.5:
        return [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    rough = ((high - low) or 1.0) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * m for m in (1, 2, 2.5, 5, 10) if power * m >= rough)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [i * step for i in range(first, max(last, first + 1) + 1)]


def _tick_text(tick: float, sample: Finding, step: float) -> str:
    return f"{tick:g}" if sample.unit == "number" else f"{tick:.0%}" if step >= 0.01 else f"{tick:.1%}"
