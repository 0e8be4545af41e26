"""Figures of the runs of a cell, with their standard errors, against what its rule promises."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.stops.kept import Entry
from scipy import stats

ALLOWED = 0.05  # of stops, verdicts, intervals or paths that may be wrong
SELDOM = 0.0228  # the chance to lie two standard errors off, to one side
SHOWN = 0.05  # the error of a one-sided limit: a share is shown to reach what its 95 % limit reaches
NEAR = 1.5  # times too many or too few
DEARER = 1.05  # times the labels of uniform draws: more is not to be taken anywhere


@dataclass(frozen=True)
class Figure:
    """A mean over runs."""

    value: float
    error: float
    runs: int

    @classmethod
    def of(cls, values: Sequence[float]) -> "Figure":
        n = len(values)
        if not n:
            return cls(math.nan, math.nan, 0)
        return cls(float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(n)) if n > 1 else math.nan, n)

    @property
    def there(self) -> bool:
        return self.runs > 0

    def misses(self, *, single: bool) -> bool:
        """Whether this share of what is right is below what is promised by two standard errors. Where a run is right or
        wrong as a whole (`single`), that is so many wrong ones as are seldom seen if the promise is kept."""
        if not self.there:
            return False
        if single:
            wrong = round(self.runs * (1 - self.value))
            return bool(stats.binom.sf(wrong - 1, self.runs, ALLOWED) < SELDOM)
        error = 0.0 if math.isnan(self.error) else self.error
        far = stats.t.isf(SELDOM, self.runs - 1) if self.runs > 1 else math.inf
        return bool(self.value < 1 - ALLOWED - far * error - 1e-9) and self.runs > 1

    def least(self, *, single: bool) -> float:
        """The one-sided 95 % limit of a share from below. It is exact where a run is right or wrong as a whole
        (`single`) and where all runs agree; else it is Student's."""
        if not self.there:
            return math.nan
        right = round(self.runs * self.value)
        exact = float(stats.beta.ppf(SHOWN, right, self.runs - right + 1)) if right else 0.0
        if single or self.runs < 2 or not self.error > 0:
            return exact
        return max(0.0, self.value - float(stats.t.isf(SHOWN, self.runs - 1)) * self.error)

    def keeps(self, *, single: bool) -> bool:
        """Whether this share of what is right is shown to reach what is promised."""
        return bool(self.least(single=single) >= 1 - ALLOWED)

    def dearer(self) -> bool:
        """Whether these labels, over a rival's, are above what is allowed by two standard errors."""
        return self.runs > 1 and bool(self.value - 2 * self.error > DEARER)

    def times(self) -> str:
        return f"{self.value:,.2f}" + ("" if math.isnan(self.error) else f" ({self.error:.2f})")

    def percent(self) -> str:
        if not self.there:
            return "–"
        return f"{100 * self.value:.1f}" + ("" if math.isnan(self.error) else f" ({100 * self.error:.1f})")

    def number(self) -> str:
        if not self.there:
            return "–"
        return f"{self.value:,.0f}" + ("" if math.isnan(self.error) else f" ({self.error:,.0f})")


Right = Callable[[Entry], float | None]


@dataclass(frozen=True)
class Rule:
    """What is promised, and how a run says whether it was kept."""

    goal: str
    column: str  # what is counted
    right: Right  # the share of a run that is; None where nothing was claimed
    single: bool = True

    def figure(self, entries: Sequence[Entry]) -> Figure:
        return Figure.of([float(r) for e in entries if (r := self.right(e)) is not None])

    def missed(self, entries: Sequence[Entry]) -> bool:
        return self.figure(entries).misses(single=self.single)

    def kept(self, entries: Sequence[Entry]) -> bool:
        return self.figure(entries).keeps(single=self.single)


def _of_stop(name: str) -> Right:
    return lambda entry: entry[name] if entry["stopped"] else None


RULES: dict[str, tuple[Rule, ...]] = {
    "identify": (Rule("identify", "right", _of_stop("right")),),
    "compare": (Rule("compare", "right", _of_stop("right")),),
    "below": (Rule("below", "verdicts right", lambda e: 1 - e["wrong"] if e["stopped"] else None, single=False),),
    "groups": (Rule("groups", "groups covered", _of_stop("covered"), single=False),),
    "overall": (Rule("overall", "covered", _of_stop("covered")),),
    "anytime": (
        Rule("anytime", "paths of the whole that never missed", lambda e: 1 - float(e["missed"])),
        Rule("anytime", "paths of groups that never missed", lambda e: 1 - e["groups"], single=False),
    ),
}


def foretold(entries: Sequence[Entry], forecasts: Sequence[Entry]) -> list[tuple[bool, bool]]:
    """Of studies that said after a pilot how many labels they would take: whether it was in the range that they named,
    and whether they named it to within a half. One that did not stop took all it had, or more."""
    runs, found = {entry["run"]: entry for entry in entries}, []
    for forecast in forecasts:
        if (said := forecast["foretold"]) is None or (entry := runs.get(forecast["run"])) is None:
            continue
        (low, likely, high), took = said, entry["labels"]
        if entry["stopped"]:
            found.append((low <= took <= high, max(likely / took, took / likely) <= NEAR))
        else:
            found.append((high >= took, likely * NEAR >= took))
    return found


def labels(entries: Sequence[Entry]) -> Figure:
    return Figure.of([e["labels"] for e in entries])


def stopped(entries: Sequence[Entry]) -> float:
    return float(np.mean([e["stopped"] for e in entries])) if entries else math.nan


def ratio(own: Sequence[Entry], other: Sequence[Entry]) -> Figure | None:
    """Labels of one method over those of another, in the runs that both have; they are of the same pools, so that the
    error is that of paired runs."""
    rival = {e["run"]: e["labels"] for e in other}
    pairs = np.array([(e["labels"], rival[e["run"]]) for e in own if e["run"] in rival], dtype=np.float64)
    if not len(pairs):
        return None
    mine, theirs = pairs.T
    found = float(mine.sum() / theirs.sum())
    return Figure(found, Figure.of((mine - found * theirs).tolist()).error / float(theirs.mean()), len(pairs))
