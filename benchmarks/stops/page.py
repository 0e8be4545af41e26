"""docs/stops.md, written from the runs that are there; no figure in it is typed."""

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benchmarks import tuned_constants
from benchmarks.leaderboard.page import versions
from benchmarks.stops.anytime import LOOKS
from benchmarks.stops.figures import DEARER, RULES, Figure, Rule, foretold, labels, ratio, stopped
from benchmarks.stops.goals import GOALS, Goal
from benchmarks.stops.kept import BATCHES, Cell, Entry, folder_of
from benchmarks.stops.pools import Case, cases

AUTO, UNIFORM = "auto", "uniform"
ENOUGH = 20  # runs of a row that is named as the lowest
HEAD = """# When studies stop

How many labels a study takes until it may claim what it was asked, and how often the claim is right then. Each run is
on a random sub-pool of the [leaderboard](leaderboard.md)'s, or on a pool made up against the rules; labels come back
{batch}, and whoever looks when they do stops at the first look that allows it. `auto` is what a study does when nothing
is said. *uniform* draws items uniformly and stops by the same rule. *papers* is what the papers propose: a posterior of
each group by itself, and a stop where that gives the claim 95 %, which was made for one look.

"design" pools are those that rules may be designed on, with those made up against them; "test" pools only judge. There
are {runs} runs of `auto` a row, and fewer of its rivals. Standard errors are in brackets. A share is **bold** where it
is below the 95 % promised by two standard errors, or with few runs by what is as seldom (2.3 %): of 20 stops four are
wrong, of three two. Few runs show gross failures only. Runs that did not stop count as all the labels they took, so
that a ratio to them is smaller in truth, and are neither right nor wrong. Ratios are over the runs that both methods
have, and **bold** where they are above {dearer} by two standard errors.

The rows of *Which group is worst* are of the rule before [decision 28](decisions/0028-the-worst-group-certified.md),
which asks for more labels and is right more often; [hostile data](hostile-data.md) has pools made against either.
"""
SHORT = """These rows are of `auto`. A row is *shown to keep* its promise where the one-sided 95 % limit of its share
lies at 95 % or above. It is *shown to miss* where two standard errors above its share do not reach 95 %. All other rows
show neither. Of forty rows that keep the promise one is likely to be shown as a miss. The lowest row stands with its
one-sided limit. The rival is *uniform*; for intervals at every look the ratio is of widths to Wilson's, not of labels.
"""
ONE_BY_ONE, AT_ONCE = "one by one", "{} at a time"
IN_BATCHES = "The same where labels come back {batch}, and a study is looked at when they do."
FORETOLD = """After fifty labels a study that is not done says how many more it will take, as a range and a middle; here
for `auto`, where that was said. A study that did not stop took as many as it had, or more."""
SECTIONS = {
    "identify": (
        "Which group is worst",
        "`fl.Identify`, until `fl.Probability(.95)`: the group named is at most a point better than the worst. The "
        "rule is measured, not proved. At most 3,000 labels. The papers' stop is for being exactly the worst; it is "
        "called right here if it is within a point of it. Pools of more than 200 groups are left out, here and where "
        "something is said of every group: three labels of each are needed first.",
    ),
    "compare": (
        "Which of two groups is worse",
        "`fl.Compare` of the two largest groups with a rope of .05, until `fl.Probability(.95)`: one is lower, or both "
        "are the same within the rope. Proved for any number of looks. At most 3,000 labels.",
    ),
    "below": (
        "Which groups are below a threshold",
        "`fl.Below` at the accuracy of the whole pool (at most .98), until `fl.Probability(.95)`: of the verdicts at "
        "most 5 % are expected to be wrong, a point either way being right. Proved for any number of looks. The stop "
        "is where every group has its verdict.",
    ),
    "groups": (
        "Every group to ±.05",
        "`fl.Estimate` by group, until `fl.HalfWidth(.05)`: exact intervals of each group's own labels, made to hold "
        "when one stops at their width (decision 15). Where they are short enough and a study still wants labels, it "
        "is asked again after one label more in a hundred. *papers* are uniform draws and the intervals of `beta`.",
    ),
    "overall": (
        "The whole pool to ±.03",
        "`fl.Estimate`, until `fl.HalfWidth(.03, of='overall')`, measured, not proved. Looks are passed over while the "
        "interval is too wide; when it is not, those since the last one are looked at, and the first that allows it is "
        "the stop. One by one a run so stops one or two labels in a hundred later than one that is looked at after "
        "every label (decision 15 says how often both held). *wilson* is a uniform sample with Wilson's interval for a "
        "finite pool, from 30 labels on; it is made for one look.",
    ),
    "anytime": (
        "Intervals for every look",
        "`study.answer(anytime=True)` on whole paths of up to 1,000 labels: at most 5 % of the paths ever miss. "
        "Proved. Widths are of the whole pool, over those of Wilson's interval for one look at as many labels.",
    ),
}
MADE_BY = """## How this page is made

```
make stops          # all runs, which takes hours, then this page; killed and started again, it goes on
python -m benchmarks.stops run --runs 40 --goals identify --pools design    # a part of it
python -m benchmarks.stops run --runs 40 --batch 10     # labels come back ten at a time
python -m benchmarks.stops foretell --runs 40 --batch 10    # forecasts after a pilot of these runs
python -m benchmarks.stops page
```

Finished runs are in `benchmarks/kept`, so that further ones add up.

{versions}; code {codes}.
"""


@dataclass(frozen=True)
class Board:
    """All runs that are there."""

    folder: Path

    def runs(self, goal: Goal, case: Case, method: str) -> list[Entry]:
        return Cell(goal.name, case.name, method).read(self.folder)

    def foretold(self, goal: Goal, case: Case) -> list[tuple[bool, bool]]:
        """Of each study that said how many labels it would take, whether that came true."""
        forecasts = Cell(goal.foretold, case.name, AUTO).read(self.folder)
        return foretold(self.runs(goal, case, AUTO), forecasts)

    @property
    def count(self) -> int:
        """Of `auto`."""
        return sum(len(self.runs(goal, case, AUTO)) for goal in GOALS.values() for case in cases())

    def cases(self, goal: Goal) -> list[Case]:
        """Pools with runs."""
        return [c for c in cases() if any(self.runs(goal, c, m) for m in goal.methods)]


def write_page(folder: Path, docs: Path) -> Path:
    """The page, in this folder of documents."""
    page = docs / "stops.md"
    boards = {batch: Board(folder if batch == 1 else folder.with_name(folder_of(batch).name)) for batch in BATCHES}
    page.write_text(_text(boards), encoding="utf-8")
    return page


def _text(boards: dict[int, Board]) -> str:
    """All of the batches in which most runs were made, and the short answers of the others."""
    batch = max(boards, key=lambda one: boards[one].count)
    board = boards.pop(batch)
    goals = [goal for goal in GOALS.values() if board.cases(goal)]
    head = _wrapped(HEAD.format(runs=_how_many(board, goals), dearer=DEARER, batch=_words(batch)))
    parts = [head, "## The short answer\n", SHORT, _short(board, goals), *_in_batches(boards)]
    parts += _foretold(board, goals)
    for goal in goals:
        title, words = SECTIONS[goal.name]
        parts += [f"## {title}\n", _wrapped(words), *_tables(board, goal)]
    return "\n".join(
        [*parts, tuned_constants.section(), MADE_BY.format(versions=versions(), codes=_codes(board, goals))]
    )


def _words(batch: int) -> str:
    return ONE_BY_ONE if batch == 1 else AT_ONCE.format(batch)


def _in_batches(boards: dict[int, Board]) -> Iterator[str]:
    """The short answers of runs whose labels come back otherwise."""
    for batch, board in boards.items():
        if goals := [goal for goal in GOALS.values() if board.cases(goal)]:
            yield f"### Labels {_words(batch)}\n"
            yield _wrapped(IN_BATCHES.format(batch=_words(batch)))
            yield _short(board, goals)


def _wrapped(text: str) -> str:
    return "\n\n".join(textwrap.fill(part, 120) for part in text.strip().split("\n\n")) + "\n"


def _how_many(board: Board, goals: Sequence[Goal]) -> str:
    counts = [len(board.runs(g, c, AUTO)) for g in goals for c in board.cases(g) if board.runs(g, c, AUTO)]
    if not counts:
        return "no"
    return str(counts[0]) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"


def _codes(board: Board, goals: Sequence[Goal]) -> str:
    found = {e["code"] for g in goals for c in board.cases(g) for m in g.methods for e in board.runs(g, c, m)}
    return ", ".join(sorted(found))


def _short(board: Board, goals: Sequence[Goal]) -> str:
    heads = (
        "goal", "rows", "runs a row: least, median, most", "right, all rows together %", "rows shown to keep it",
        "rows shown to miss it", "lowest row % (limit)", "over the rival: median", "largest",
    )  # fmt: skip
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for goal in goals:
        own = {case: runs for case in board.cases(goal) if (runs := board.runs(goal, case, AUTO))}
        if not own:
            continue
        counts = [len(runs) for runs in own.values()]
        together = [r.figure([e for runs in own.values() for e in runs]).percent() for r in RULES[goal.name]]
        rules = RULES[goal.name]
        missed = [f"**{c.name}** ({r.column})" for c, runs in own.items() for r in rules if r.missed(runs)]
        kept = [sum(rule.kept(runs) for runs in own.values()) for rule in rules]
        over = list(_over(board, goal, own))
        median = f"{np.median([r for r, _ in over]):.2f}" if over else "–"
        most = f"{max(over)[0]:,.2f} ({max(over)[1]})" if over else "–"
        runs_a_row = f"{min(counts)}, {np.median(counts):.0f}, {max(counts)}"
        cells = (
            SECTIONS[goal.name][0],
            str(len(own)),
            runs_a_row,
            "; ".join(together),
            "; ".join(map(str, kept)),
            ", ".join(missed) or "none",
            "; ".join(_lowest(own, rule) for rule in rules),
            median,
            most,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _lowest(own: dict[Case, list[Entry]], rule: Rule) -> str:
    """The lowest row of those with twenty runs, with its one-sided limit."""
    figures = [(figure, case.name) for case, runs in own.items() if (figure := rule.figure(runs)).runs >= ENOUGH]
    if not figures:
        return "–"
    least, name = min(figures, key=lambda found: found[0].value)
    return f"{100 * least.value:.1f} ({100 * least.least(single=rule.single):.1f}) {name}"


def _foretold(board: Board, goals: Sequence[Goal]) -> Iterator[str]:
    """What studies said after a pilot, and what they took."""
    lines = []
    for goal in goals:
        every = {case: board.foretold(goal, case) for case in board.cases(goal)}
        for role in ("design", "test"):
            own = {case: found for case, found in every.items() if found and case.role == role}
            if not own:
                continue
            shares = {case: (Figure.of([h for h, _ in f]), Figure.of([n for _, n in f])) for case, f in own.items()}
            held, near = (Figure.of([one[place] for found in own.values() for one in found]) for place in range(2))
            least = min((figure.value, case.name) for case, (figure, _) in shares.items())
            far = sum(figure.value < 0.5 for _, figure in shares.values())
            lines.append(
                f"| {SECTIONS[goal.name][0]} | {role} | {held.runs:,} | {held.percent()} | {100 * least[0]:.0f} "
                f"({least[1]}) | {near.percent()} | {far} of {len(own)} |"
            )
    if lines:
        yield "## How many labels it will take\n"
        yield _wrapped(FORETOLD)
        heads = ("goal", "pools", "studies", "in the range %", "least", "within 1.5 times %", "pools below half")
        head = (f"| {' | '.join(heads)} |", "|---" * len(heads) + "|")
        yield "\n".join([*head, *lines, ""])


def _over(board: Board, goal: Goal, own: dict[Case, list[Entry]]) -> Iterator[tuple[float, str]]:
    """Of each pool, labels over those of the rival; of intervals for every look, their mean widths at each look."""
    for case, runs in own.items():
        if goal.name == "anytime":
            widths = {n: Figure.of([e["widths"][str(n)] for e in runs if str(n) in e["widths"]]) for n in LOOKS}
            yield from ((w.value, f"{case.name} at {n:,}") for n, w in widths.items() if w.there)
        elif (found := ratio(runs, board.runs(goal, case, UNIFORM))) is not None:
            yield found.value, case.name


def _tables(board: Board, goal: Goal) -> Iterator[str]:
    """One table: design pools, those made up against the rules, test pools."""
    make = _anytime if goal.name == "anytime" else _stops
    for title, chosen in (("Design", "design"), ("Test", "test")):
        of_role = [c for c in board.cases(goal) if c.role == chosen]
        if of_role:
            yield f"### {title} pools\n"
            yield "\n".join(make(board, goal, of_role)) + "\n"


def _stops(board: Board, goal: Goal, chosen: Sequence[Case]) -> Iterator[str]:
    (rule,) = RULES[goal.name]
    heads = [f"{m}: labels | stopped % | {rule.column} %" for m in goal.methods]
    yield f"| pool | runs | {' | '.join(heads)} | labels, auto over {UNIFORM} |"
    yield "|---|" + "---|" * (3 * len(heads) + 2)
    ratios = []
    for case in chosen:
        shown = []
        for method in goal.methods:
            entries = board.runs(goal, case, method)
            right = rule.figure(entries)
            stops = f"{100 * stopped(entries):.0f}" if entries else "–"
            shown += [labels(entries).number(), stops, _bold(right.percent(), rule.missed(entries))]
        found = ratio(board.runs(goal, case, AUTO), board.runs(goal, case, UNIFORM))
        ratios += [] if found is None else [found.value]
        over = "–" if found is None else _bold(found.times(), found.dearer())
        yield f"| {case.name} | {_counts(board, goal, case)} | {' | '.join(shown)} | {over} |"
    if ratios:
        yield f"| median |{' |' * (3 * len(heads) + 1)} {np.median(ratios):.2f} |"


def _anytime(board: Board, goal: Goal, chosen: Sequence[Case]) -> Iterator[str]:
    heads = [
        f"{m}: never missed, whole % | groups % | widths at {', '.join(f'{n:,}' for n in LOOKS)}" for m in goal.methods
    ]
    yield f"| pool | runs | {' | '.join(heads)} |"
    yield "|---|" + "---|" * (3 * len(heads) + 1)
    for case in chosen:
        shown = []
        for method in goal.methods:
            entries = board.runs(goal, case, method)
            shown += [_bold(r.figure(entries).percent(), r.missed(entries)) for r in RULES[goal.name]]
            shown.append(", ".join(_width(entries, n) for n in LOOKS))
        yield f"| {case.name} | {_counts(board, goal, case)} | {' | '.join(shown)} |"


def _counts(board: Board, goal: Goal, case: Case) -> str:
    """Runs of each method."""
    return ", ".join(str(len(board.runs(goal, case, method))) for method in goal.methods)


def _width(entries: Sequence[Entry], look: int) -> str:
    found = Figure.of([e["widths"][str(look)] for e in entries if str(look) in e["widths"]])
    return f"{found.value:.2f}" if found.there else "–"


def _bold(text: str, missed: bool) -> str:
    return f"**{text}**" if missed else text
