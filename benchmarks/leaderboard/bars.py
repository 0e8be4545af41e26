"""The bars, as they were written down: what each method must reach on every pool, what in the median, and the goal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.leaderboard import coverage as cover
from benchmarks.leaderboard import errors as err
from benchmarks.leaderboard.judging import (
    MET,
    MISSED,
    NOT_SHOWN,
    Bar,
    Figure,
    judged,
    median_of,
    one_sided,
    overall_verdict,
    worst_of,
)
from benchmarks.leaderboard.pools import Entry
from benchmarks.leaderboard.records import Board
from benchmarks.leaderboard.stated import KINDS as STATED
from benchmarks.leaderboard.stated import stated
from benchmarks.leaderboard.studies import LOOKS
from rich.console import Console
from rich.table import Table

FROM_50 = tuple((f"{look:,}", look) for look in LOOKS if look >= 50)
FROM_100 = tuple((f"{look:,}", look) for look in LOOKS if look >= 100)
STATED_AT = (100, 200, 500, 1000)
BAR_COLUMNS = (
    "bar",
    "limit",
    "verdict",
    "worst (se)",
    "its 95 % limit",
    "where",
    "median (se)",
    "limit",
    "verdict",
    "cells",
)


@dataclass(frozen=True)
class Row:
    """One bar with the figures that it judges."""

    group: str  # errors, adversaries, coverage, width, stated
    title: str
    bar: Bar
    figures: tuple[Figure, ...]
    median_bar: Bar | None = None
    goal: float | None = None

    @property
    def verdict(self) -> str:
        return overall_verdict(self.figures)

    @property
    def worst(self) -> Figure | None:
        return worst_of(self.figures, self.bar)

    @property
    def median(self) -> tuple[float, float]:
        return median_of(self.figures)

    @property
    def median_verdict(self) -> str:
        return "" if self.median_bar is None else self.median_bar.judge(*self.median)

    def count(self, verdict: str) -> int:
        return sum(f.verdict == verdict for f in self.figures)


def all_bars(board: Board, subject: str) -> list[Row]:
    """Every bar, for one method."""
    real = [e for e in board.entries if e.real]
    made = [e for e in board.entries if not e.real]
    rows = [*_errors(board, real, subject), *_adversaries(board, made, subject)]
    rows += [*_coverage(board, real, made, subject), *_widths(board, [*real, *made], subject)]
    rows += _stated(board, subject)
    return [row for row in rows if row.figures]


def _errors(board: Board, real: Sequence[Entry], subject: str) -> Iterator[Row]:
    def row(
        title: str, kind: err.Kind, looks: Sequence[tuple[str, int]] | str, every: float, middle: float, goal: float
    ) -> Row:
        figures: list[Figure] = []
        for entry in real:
            at = _marks(board, entry, subject, looks) if isinstance(looks, str) else looks
            figures += err.ratios(board, entry, kind, subject, at)
        bar = Bar(every)
        return Row("errors", title, bar, tuple(judged(figures, bar)), Bar(middle, worst=False), goal)

    yield row("classes, N/K = 2, 5, 10, against the papers", err.CLASSES_PAPERS, "N/K", 0.9, 0.60, 0.40)
    yield row(
        "classes, a third of the sub-pool or 100 a class, against plain", err.CLASSES_PLAIN, "third", 0.95, 0.75, 0.6
    )
    yield row(
        "overall accuracy, 50 to 1,000 labels, against the better of uniform and PPI++",
        err.OVERALL,
        FROM_50,
        1.1,
        0.85,
        0.65,
    )
    yield row("ECE, 50 to 1,000 labels, against the better of the papers and plain", err.ECE, FROM_50, 1.05, 0.75, 0.5)


def _marks(board: Board, entry: Entry, subject: str, wanted: str) -> list[tuple[str, int]]:
    """The looks of this pool that are named so."""
    records = board.get(entry, "classes", subject)
    return [] if records is None else [(name, look) for name, look in records.marks.items() if name.startswith(wanted)]


def _adversaries(board: Board, made: Sequence[Entry], subject: str) -> Iterator[Row]:
    bar = Bar(1.15)
    for kind in (err.CLASSES_PLAIN, err.OVERALL_PLAIN, err.ECE_PLAIN):
        figures = [f for entry in made for f in err.ratios(board, entry, kind, subject, FROM_100)]
        title = f"{kind.name} on adversaries from 100 labels, against plain"
        yield Row("adversaries", title, bar, tuple(judged(figures, bar)))


def _coverage(board: Board, real: Sequence[Entry], made: Sequence[Entry], subject: str) -> Iterator[Row]:
    def row(title: str, figures: Sequence[Figure], least: float) -> Row:
        bar = Bar(least, at_least=True)
        return Row("coverage", title, bar, tuple(judged(figures, bar)))

    def found(kind: str, entries: Sequence[Entry], low: int = 20, high: int = 1000) -> list[Figure]:
        each = (f for entry in entries for f in cover.coverage(board, entry, kind, subject))
        return [f for f in each if low <= _number(f.look) <= high]

    everywhere, big = [*real, *made], 10**9
    yield row("groups on average, real pools", found("groups", real, high=big), 0.92)
    yield row("groups on average, adversaries from 50 labels", found("groups", made, 50, big), 0.90)
    single = [f for entry in everywhere for f in cover.single_groups(board, entry, subject)]
    yield row("every single group with 20 labels of its own", single, 0.88)
    for kind in ("overall", "overall, beside groups"):
        yield row(f"{kind}, at 20 labels", found(kind, everywhere, 20, 20), 0.90)
        yield row(f"{kind}, from 50 labels", found(kind, everywhere, 50, big), 0.92)
    for kind, least in (("ECE", 0.92), ("bins", 0.90), ("bias", 0.92), ("differences", 0.92), ("ranks", 0.92)):
        yield row(kind, found(kind, everywhere), least)


def _number(look: str) -> int:
    return int(look.replace(",", ""))


def _widths(board: Board, entries: Sequence[Entry], subject: str) -> Iterator[Row]:
    bar = Bar(1.0)
    figures = [f for entry in entries for f in cover.width_against_exact(board, entry, subject)]
    yield Row("width", "overall, against Clopper-Pearson, from 50 labels", bar, tuple(judged(figures, bar)))
    bar = Bar(1.3)
    for kind in ("overall", "groups", "ECE"):
        figures = [f for entry in entries for f in cover.width_needed(board, entry, kind, subject)]
        yield Row("width", f"{kind}, against what holds 95 %", bar, tuple(judged(figures, bar)))


def _stated(board: Board, subject: str) -> Iterator[Row]:
    """By how many standard errors more was said than came true; one figure for the bin that is most too sure."""
    bar = Bar(3.0)
    for kind in STATED:
        figures = []
        for real in (True, False):
            entries = [e for e in board.entries if e.real == real]
            for look in STATED_AT:
                bins = stated(board, entries, kind, subject, look)
                if not bins:
                    continue
                off = max(bins, key=lambda b: b.too_sure)
                judged_bins = {b.verdict for b in bins}
                verdict = next((v for v in (MISSED, NOT_SHOWN) if v in judged_bins), MET)
                said = f"said {off.said:.2f}, true {off.came_true:.2f}, {off.cases:,} cases"
                where = "real" if real else "made-up"
                figures.append(Figure(entries[0], f"{look:,}", off.too_sure, 0.0, f"{where} pools: {said}", verdict))
        yield Row("stated", kind, bar, tuple(figures))


# -- printed -----------------------------------------------------------------------------------------------------------


def print_bars(folder: Path, entries: tuple[Entry, ...], subject: str, console: Console) -> list[Row]:
    """A table of all bars for one method."""
    board = Board(folder, entries)
    rows = all_bars(board, subject)
    table = Table(title=f"Bars for {subject}")
    for column in BAR_COLUMNS:
        table.add_column(column)
    for row in rows:
        table.add_row(*bar_cells(row))
    console.print(table)
    return rows


def bar_cells(row: Row) -> tuple[str, ...]:
    """A row in words."""
    worst = row.worst
    where = (
        "" if worst is None else f"{worst.entry.title} at {worst.look}{f' ({worst.beside})' if worst.beside else ''}"
    )
    if row.group == "stated":
        where = "" if worst is None else f"at {worst.look}, {worst.beside}"
    median = number(*row.median) if row.median_bar is not None else ""
    return (
        f"{row.group}: {row.title}",
        row.bar.words,
        row.verdict,
        "" if worst is None else number(worst.value, worst.se),
        "" if worst is None or row.group == "stated" else f"{one_sided(worst, row.bar):.2f}",
        where,
        median,
        "" if row.median_bar is None else row.median_bar.words,
        row.median_verdict,
        f"{row.count(MET)} met, {row.count(MISSED)} missed of {len(row.figures)}",
    )


def number(value: float, se: float) -> str:
    """A figure with its standard error."""
    return f"{value:.2f} ({se:.2f})" if se == se and se > 0 else f"{value:.2f}"
