"""The parts of the page, each a piece of Markdown made from the records."""

from collections.abc import Sequence

import numpy as np
from benchmarks.leaderboard import coverage as cover
from benchmarks.leaderboard import errors as err
from benchmarks.leaderboard.bars import BAR_COLUMNS, STATED_AT, Row, bar_cells, number
from benchmarks.leaderboard.judging import MISSED, NOT_SHOWN, Figure
from benchmarks.leaderboard.limits import limit, measured, measured_ece
from benchmarks.leaderboard.pools import Entry
from benchmarks.leaderboard.records import Board
from benchmarks.leaderboard.stated import KINDS as STATED
from benchmarks.leaderboard.stated import stated
from benchmarks.leaderboard.studies import LOOKS, METHODS, STUDIES

_SIGNS = {MISSED: " ✗", NOT_SHOWN: " ?"}
EQUAL_AT = (100, 200, 500)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)]) + "\n"


def named(entry: Entry) -> str:
    """A pool's name, with what it may be used for."""
    return f"{entry.title} ({'made up, ' if not entry.real else ''}{entry.role})"


def matrix(figures: Sequence[Figure], *, percent: bool = False) -> str:
    """Pools down, looks across; what misses its bar is marked ✗, what cannot be told ?."""
    looks = sorted({f.look for f in figures}, key=_order)
    by: dict[Entry, dict[str, Figure]] = {}
    for figure in figures:
        by.setdefault(figure.entry, {})[figure.look] = figure
    rows = [[named(e), *(_cell(found.get(look), percent) for look in looks)] for e, found in by.items()]
    return table(["pool", *looks], rows)


def _order(look: str) -> tuple[int, str]:
    digits = "".join(c for c in look if c.isdigit())
    return int(digits or 10**9), look


def _cell(figure: Figure | None, percent: bool) -> str:
    if figure is None:
        return ""
    sign = _SIGNS.get(figure.verdict, "")
    if percent:
        return f"{figure.value:.1%} ({figure.se * 100:.1f}){sign}"
    return number(figure.value, figure.se) + sign


def short_answer(board: Board, rows: Sequence[Row], subject: str) -> str:
    """What a visitor reads: errors against the rivals and coverage, over the pools that only judge."""
    lines = []
    judge = {True: "test pools", False: "all real pools"}
    for row in rows:
        if row.group != "errors":
            continue
        for test in (True, False):
            chosen = [f for f in row.figures if f.entry.role == "test" or not test]
            if chosen:
                values = np.array([f.value for f in chosen])
                middle = f"{np.nanmedian(values):.2f}"
                ends = f"{np.nanmin(values):.2f} to {np.nanmax(values):.2f}"
                lines.append([row.title, judge[test], middle, ends, f"{row.goal:g}" if row.goal else ""])
    head = ["error, as a share of the rival's", "on", "median", "from – to", "goal"]
    parts = [table(head, lines)]
    held = []
    for row in rows:
        if row.group == "coverage" and row.worst is not None:
            values = np.array([f.value for f in row.figures])
            held.append(
                [row.title, f"{np.nanmedian(values):.1%}", f"{row.worst.value:.1%}", row.bar.words, row.verdict]
            )
    parts.append(table([f"95 % intervals of {subject} that hold", "median", "least", "bar", "verdict"], held))
    needs = [
        _equal_median(board, kind, subject) for kind in (err.CLASSES_PAPERS, err.CLASSES_PLAIN, err.OVERALL, err.ECE)
    ]
    parts.append(
        table(
            ["labels that the rival needs for the same error", *(f"at {n}" for n in EQUAL_AT)], [n for n in needs if n]
        )
    )
    return "\n".join(parts)


def _equal_median(board: Board, kind: err.Kind, subject: str) -> list[str]:
    """Over real pools; a median of bounds is a bound."""
    found: dict[int, list[str]] = {look: [] for look in EQUAL_AT}
    for entry in board.entries:
        if entry.real:
            for look, words in err.equal_error(board, entry, kind, subject, EQUAL_AT):
                found[look].append(words)
    against = " or ".join(shown for shown, *_ in kind.rivals)
    cells = []
    for said in found.values():
        ordered = sorted(said, key=lambda w: float(w.strip("≤≥")))
        cells.append(f"{ordered[len(ordered) // 2]}×" if ordered else "")
    return [f"{kind.name}: {against}", *cells] if any(cells) else []


def bars_table(rows: Sequence[Row]) -> str:
    return table(BAR_COLUMNS, [bar_cells(row) for row in rows])


def error_section(board: Board, rows: Sequence[Row], subject: str) -> str:
    """Ratios by pool and look, and labels to equal error."""
    parts = []
    for row in rows:
        if row.group in ("errors", "adversaries"):
            parts += [
                f"### {row.title[:1].upper()}{row.title[1:]}\n",
                f"Bar: {row.bar.words} on every pool.\n",
                matrix(row.figures),
            ]
    for kind in (err.CLASSES_PAPERS, err.OVERALL, err.ECE):
        found = {e: dict(err.equal_error(board, e, kind, subject, LOOKS)) for e in board.entries}
        lines = [[named(e), *(f"{said.get(n, '')}" for n in LOOKS)] for e, said in found.items() if said]
        against = " or ".join(shown for shown, *_ in kind.rivals)
        parts += [f"### {kind.name}: labels that {against} needs for the same error, over the labels spent\n"]
        parts += [table(["pool", *(f"{n:,}" for n in LOOKS)], lines)]
    return "\n".join(parts)


def limit_section(board: Board, subject: str) -> str:
    """The whole pool's accuracy: what is possible at best, and what was reached."""
    at, lines = (200, 1000), []
    for entry in board.entries:
        reached = [measured(board, entry, subject, look) for look in at]
        if any(value == value for value, _ in reached):
            best = limit(entry)
            lines.append(
                [named(entry), f"{best.stratified:.2f}", f"{best.allocated:.2f}", *(number(*r) for r in reached)]
            )
    head = ["pool", "uniform labels, curve known", "best labels, curve known", *(f"reached at {n:,} (se)" for n in at)]
    return table(head, lines)


def ece_limit_section(board: Board, subject: str) -> str:
    """The calibration error: what is possible at best, and what was reached."""
    at, lines = (50, 200, 1000), []
    for entry in board.entries:
        found = [measured_ece(board, entry, subject, look) for look in at]
        if any(value == value for _, value, _ in found):
            lines.append([named(entry), *(part for f in found for part in (f"{f[0]:.2f}", number(*f[1:])))])
    head = ["pool", *(part for n in at for part in (f"best at {n:,}", "reached (se)"))]
    return table(head, lines)


def coverage_section(board: Board, rows: Sequence[Row], subject: str) -> str:
    """Coverage and width by pool and look, then by labels of the group's own, then the papers' for comparison."""
    parts = []
    for row in rows:
        if row.group in ("coverage", "width"):
            share = row.group == "coverage"
            name = f"{'Coverage' if share else 'Width'}: {row.title}"
            parts += [f"### {name}\n", f"Bar: {row.bar.words}.\n", matrix(row.figures, percent=share)]
    for real in (True, False):
        found = cover.by_own_labels(board, [e for e in board.entries if e.real == real], subject)
        lines = [[name, f"{value:.1%} ({se * 100:.1f})", f"{cases:,}"] for name, value, se, cases in found]
        parts += [f"### Coverage of groups by labels of their own, {'real' if real else 'made-up'} pools\n"]
        parts += [table(["labels", "coverage (se)", "cases"], lines)]
    for kind, method in (("groups", err.PAPERS), ("groups", err.PLAIN), ("overall", err.PAPERS), ("ECE", err.PAPERS)):
        figures = [f for e in board.entries for f in cover.coverage(board, e, kind, method)]
        if figures:
            parts += [f"### For comparison, {method}: {kind}\n", matrix(figures, percent=True)]
    return "\n".join(parts)


def stated_section(board: Board, subject: str) -> str:
    """Stated probabilities in bins."""
    parts = []
    for kind in STATED:
        for real in (True, False):
            for look in STATED_AT:
                bins = stated(board, [e for e in board.entries if e.real == real], kind, subject, look)
                if bins:
                    where = "real" if real else "made-up"
                    parts.append(f"### {kind}, {where} pools, {look:,} labels\n")
                    lines = [
                        [f"{b.said:.3f}", f"{b.came_true:.3f} ({b.se:.3f}){_SIGNS.get(b.verdict, '')}", f"{b.cases:,}"]
                        for b in bins
                    ]
                    parts.append(table(["said", "came true (se)", "cases"], lines))
    return "\n".join(parts)


def cost_section(board: Board) -> str:
    """CPU seconds a run: drawing labels and reading them at all looks."""
    parts = []
    for study in STUDIES:
        lines = []
        for entry in board.entries:
            cells = []
            for method in METHODS:
                records = board.get(entry, study, method)
                known = records is not None and board.stands_for(study, method) == method
                cells.append(f"{records.notes['cpu'].sum(axis=1).mean():.2f}" if records is not None and known else "")
            if any(cells):
                lines.append([named(entry), *cells])
        parts += [f"### {study}\n", table(["pool", *METHODS], lines)]
    return "\n".join(parts)
