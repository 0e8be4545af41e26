"""docs/leaderboard.md and its pictures, written from the records; no figure in it is typed."""

import importlib.metadata
import platform
from collections.abc import Sequence
from pathlib import Path

from benchmarks import tuned_constants
from benchmarks.leaderboard import coverage as cover
from benchmarks.leaderboard import errors as err
from benchmarks.leaderboard import kept
from benchmarks.leaderboard.bars import all_bars
from benchmarks.leaderboard.plots import Panel, draw
from benchmarks.leaderboard.pools import Entry
from benchmarks.leaderboard.records import Board
from benchmarks.leaderboard.sections import (
    bars_table,
    cost_section,
    coverage_section,
    ece_limit_section,
    error_section,
    limit_section,
    short_answer,
    stated_section,
)
from benchmarks.leaderboard.studies import STUDIES

_PACKAGES = ("fewlabels", "numpy", "scipy", "numba", "ppi-python")
_COLOURS = {"uniform": "plain", "PPI++": "PPI++", err.PAPERS: "papers", err.PLAIN: "plain"}
INTRODUCTION = """# Leaderboard

Every method on every pool whose labels are known, against what one would do otherwise. Each of {runs} runs is on a
random sub-pool (half of the items, four fifths of the small text pools), the same for every method; labels come back
{batch}. `{subject}` is judged{stands}. The papers' method is `thompson+beta`, plain frequencies of a uniform
sample are `uniform+frequency`; both take labels one by one, which is best for them, and PPI++ reads the same uniform
sample.

`benchmarks/leaderboard_pools.toml` said which pools methods may be designed on, and which only judge ("test"), before
the first comparison. Standard errors are in brackets, with runs as clusters. A bar is *met* where it is shown to be:
the one-sided 95 % limit of the figure lies on its good side. It is *missed* where a figure lies beyond it by two
standard errors (three for the worst of many). Else it is *not shown*; in tables ✗ and ? mark those two.
"""
LIMITS = """## How near the limit

The error of the whole pool's accuracy, as a share of that of a uniform sample. If the curve of correctness over the
score were known, a uniform sample read by it would reach the first figure, and the best choice of labels the second;
both rise to 1 where scores tell nothing.
"""
ECE_LIMITS = """### The calibration error

Its error, as a share of that of the best of three rivals at that very look. *Best* is what the best choice of labels
would reach if the curve were known, and of every bin whether the model is over- or under-confident there. Neither is
known to a study of 50 labels: near nought the sign of a bin's error is what is hard to tell. A rival may be better than
that where it starts from the right answer, as the papers' prior does of a calibrated model.
"""
MADE_BY = """## How this page is made

```
make leaderboard          # all runs, then this page; killed and started again, it goes on
make leaderboard-quick    # some pools and runs in about ten minutes, then a table of bars
python -m benchmarks.leaderboard run --pools 20news --methods auto --runs 50   # a part of it
python -m benchmarks.leaderboard bars --subject gain+hierarchical              # another method, judged by the same bars
```

{versions}; code {codes}.
"""


def write_page(folder: Path, entries: tuple[Entry, ...], subject: str, docs: Path) -> Path:
    """The page and its pictures, in this folder of documents."""
    board = Board(folder, entries)
    pictures = docs / "leaderboard"
    pictures.mkdir(parents=True, exist_ok=True)
    shown = [_error_plot(board, kind, subject, pictures) for kind in (err.CLASSES_PAPERS, err.OVERALL, err.ECE)]
    shown += [_coverage_plot(board, kind, subject, pictures) for kind in ("groups", "overall", "ECE")]
    page = docs / "leaderboard.md"
    page.write_text(_text(board, subject, [name for name in shown if name]), encoding="utf-8")
    return page


def _text(board: Board, subject: str, pictures: Sequence[str]) -> str:
    rows = all_bars(board, subject)
    stands = {study: board.stands_for(study, subject) for study in STUDIES}
    others = sorted({f"`{name}`" for name in stands.values() if name != subject})
    drawn = [f"![{name.replace('-', ' ')}](leaderboard/{name}.svg)\n" for name in pictures]
    parts = [
        INTRODUCTION.format(
            runs=_runs(board, subject),
            batch=_batches(board, subject),
            subject=subject,
            stands=f", which stands for {', '.join(others)}" if others else "",
        ),
        "## The short answer\n",
        short_answer(board, rows, subject),
        "## Every bar\n",
        bars_table(rows),
        "## Pictures\n",
        *drawn,
        "## Errors\n",
        error_section(board, rows, subject),
        LIMITS,
        limit_section(board, subject),
        ECE_LIMITS,
        ece_limit_section(board, subject),
        "## Coverage and width\n",
        coverage_section(board, rows, subject),
        "## Stated probabilities\n",
        stated_section(board, subject),
        "## What it costs: CPU seconds a run\n",
        cost_section(board),
        tuned_constants.section(),
        MADE_BY.format(versions=versions(), codes=", ".join(sorted(board.codes()))),
    ]
    return "\n".join(parts)


def _batches(board: Board, subject: str) -> str:
    """How many labels come back at once: mostly, and where it is otherwise."""
    at_once: dict[int, list[str]] = {}
    for entry in board.entries:
        for path in kept.files(board.folder, entry, "classes", subject):
            at_once.setdefault((kept.about(path) or {})["batch"], []).append(entry.title)
            break
    most, *others = sorted(at_once, key=lambda batch: -len(at_once[batch])) or [0]
    files = {batch: dict.fromkeys(title.partition("-")[0] for title in at_once[batch]) for batch in others}
    return f"{most} at a time" + "".join(f" ({batch} in {', '.join(names)})" for batch, names in files.items())


def _runs(board: Board, subject: str) -> str:
    counts = {len(r.run) for e in board.entries for study in STUDIES if (r := board.get(e, study, subject)) is not None}
    return f"{min(counts)} to {max(counts)}" if len(counts) > 1 else str(next(iter(counts), 0))


def versions() -> str:
    """Of Python and the packages that figures rest on."""
    found = [f"Python {platform.python_version()}"]
    for name in _PACKAGES:
        try:
            found.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            found.append(f"without {name}")
    return ", ".join(found)


def _error_plot(board: Board, kind: err.Kind, subject: str, folder: Path) -> str:
    """Errors against labels, in points."""
    panels, names = [], {"subject": subject}
    more = err.CLASSES_PLAIN if kind is err.CLASSES_PAPERS else None
    for entry in board.entries:
        found = err.curves(board, entry, kind, subject)
        found += [] if more is None else err.curves(board, entry, more, subject)[1:]
        lines = {}
        for shown, records, errors in found:
            colour = "subject" if shown == "subject" else _COLOURS.get(shown)
            if colour is not None:
                names.setdefault(colour, shown)
                lines[colour] = list(zip(records.looks, kind.mean(errors).tolist(), strict=True))
        if lines:
            panels.append(Panel(f"{entry.title}", lines))
    return _save(folder, f"error-{kind.name.lower()}", f"Error of {kind.name} in points, against labels", panels, names)


def _coverage_plot(board: Board, kind: str, subject: str, folder: Path) -> str:
    """Coverage against labels."""
    panels, names = [], {"subject": subject, "papers": err.PAPERS, "plain": err.PLAIN}
    methods = {"subject": subject, "papers": err.PAPERS, "plain": err.PLAIN}
    for entry in board.entries:
        lines = {}
        for colour, method in methods.items():
            figures = cover.coverage(board, entry, kind, method)
            if figures:
                lines[colour] = [(float(f.look.replace(",", "")), f.value) for f in figures]
        if lines:
            panels.append(Panel(entry.title, lines))
    title = f"Coverage of 95 % intervals of {kind}, against labels"
    return _save(folder, f"coverage-{kind.lower()}", title, panels, names, share=True)


def _save(
    folder: Path, name: str, title: str, panels: Sequence[Panel], names: dict[str, str], *, share: bool = False
) -> str:
    if not panels:
        return ""
    (folder / f"{name}.svg").write_text(draw(title, panels, names, share=share), encoding="utf-8")
    return name
