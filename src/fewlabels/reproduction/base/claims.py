"""What a paper claims, as data: its words, what they would mean in numbers, and the rule that judges them.

A rule finds numbers among the rows of a table or figure, each with what it may be (two standard errors to either side,
or the interval it came with) and what the claim says it is. It was written before the runs that it judges.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from fewlabels.reproduction.base.compared import Compared, Variant

Verdict = Literal["holds", "holds in part", "does not hold", "cannot be told here"]
HOLDS: Verdict = "holds"
IN_PART: Verdict = "holds in part"
DOES_NOT: Verdict = "does not hold"
UNTOLD: Verdict = "cannot be told here"
VERDICTS = (HOLDS, IN_PART, DOES_NOT, UNTOLD)
_SHORT: dict[Verdict, str] = {HOLDS: "say so", DOES_NOT: "say the opposite", UNTOLD: "cannot be told"}
ERRORS = 2.0  # standard errors to either side
SHOWN = 4  # numbers beside a verdict


@dataclass(frozen=True)
class Part:
    """A number, what it may be, and what it is claimed to be."""

    what: str
    value: float
    low: float
    high: float
    at_least: float = -math.inf
    at_most: float = math.inf

    @property
    def verdict(self) -> Verdict:
        if math.isnan(self.value):
            return UNTOLD
        if self.low >= self.at_least and self.high <= self.at_most:
            return HOLDS
        return DOES_NOT if self.high < self.at_least or self.low > self.at_most else UNTOLD

    def __str__(self) -> str:
        first, _, other = self.what.partition(" / ")
        over = f" / {other.removeprefix(first.rpartition(': ')[0] + ': ')}" if other else ""  # what is the same once
        return f"{first}{over} {_short(self.value)} ({_short(self.low)} to {_short(self.high)})"


def _short(value: float) -> str:
    return "never" if math.isinf(value) else f"{value:.3g}"


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict, and the numbers that led to it."""

    quote: str
    where: str
    means: str
    parts: tuple[Part, ...]

    @property
    def verdict(self) -> Verdict:
        """Of all parts together: what those that can be told say, if they are at least half of all."""
        found = [part.verdict for part in self.parts]
        told = [one for one in found if one != UNTOLD]
        if not told or 2 * len(told) < len(found):
            return UNTOLD
        return HOLDS if DOES_NOT not in told else DOES_NOT if HOLDS not in told else IN_PART

    @property
    def numbers(self) -> str:
        """How many parts say what, and those that matter most, first what speaks against the claim."""
        return self._told(SHOWN)

    @property
    def against(self) -> str:
        """The same in short: the first number only, which speaks against the claim where one does."""
        return self._told(1)

    def _told(self, shown: int) -> str:
        order: tuple[Verdict, ...] = (DOES_NOT, UNTOLD, HOLDS)
        by = {one: [part for part in self.parts if part.verdict == one] for one in order}
        counts = ", ".join(f"{len(parts)} {_SHORT[one]}" for one, parts in by.items() if parts)
        first = [str(part) for one in order for part in by[one]][:shown]
        more = "; …" if len(self.parts) > shown else ""
        return f"{counts}: {'; '.join(first)}{more}" if self.parts else "no such number"


Rule = Callable[[Sequence[Compared]], list[Part]]


@dataclass(frozen=True)
class Claim:
    """The paper's words, where they stand, what they mean in numbers, and the rule."""

    quote: str
    where: str
    means: str
    rule: Rule

    def judge(self, rows: Sequence[Compared]) -> Judged:
        return Judged(self.quote, self.where, self.means, tuple(self.rule(rows)))


@dataclass(frozen=True)
class Each:
    """Every number whose name has this form, {} standing for anything."""

    form: str
    at_least: float = -math.inf
    at_most: float = math.inf
    variant: Variant = "as printed"

    def __call__(self, rows: Sequence[Compared]) -> list[Part]:
        found = [row for row in rows if row.variant == self.variant and _fits(self.form, row.what) is not None]
        return [Part(row.what, row.ours, *_ends(row), self.at_least, self.at_most) for row in found]


@dataclass(frozen=True)
class Largest(Each):
    """The largest number of this form, for claims of "up to"."""

    def __call__(self, rows: Sequence[Compared]) -> list[Part]:
        return sorted(super().__call__(rows), key=lambda part: -part.value)[:1]


@dataclass(frozen=True)
class Ratio:
    """Numbers of one form over those of another, what {names} stand for being the same in both."""

    form: str
    over: str
    at_least: float = -math.inf
    at_most: float = math.inf
    variant: Variant = "as printed"

    def __call__(self, rows: Sequence[Compared]) -> list[Part]:
        named = {row.what: row for row in rows if row.variant == self.variant}
        out = []
        for what, row in named.items():
            names = _fits(self.form, what)
            other = None if names is None else named.get(self.over.format(**names))
            if other is not None and other is not row:
                ratio, low, high = _ratio(row, other)
                out.append(Part(f"{what} / {other.what}", ratio, low, high, self.at_least, self.at_most))
        return out


@dataclass(frozen=True)
class Count:
    """In how many cases a rule's part holds; those that cannot be told may or may not."""

    rule: Rule
    at_least: float

    def __call__(self, rows: Sequence[Compared]) -> list[Part]:
        parts = self.rule(rows)
        found = [part.verdict for part in parts]
        sure, most = found.count(HOLDS), len(found) - found.count(DOES_NOT)
        value = sum(part.at_least <= part.value <= part.at_most for part in parts)
        return [Part(f"of {len(parts)} cases", value, sure, most, self.at_least)] if parts else []


@dataclass(frozen=True)
class All:
    """The parts of several rules."""

    rules: tuple[Rule, ...]

    def __call__(self, rows: Sequence[Compared]) -> list[Part]:
        return [part for rule in self.rules for part in rule(rows)]


def _fits(form: str, what: str) -> dict[str, str] | None:
    """What the {names} of a form stand for in this text; None where it has another form."""
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", re.escape(form))
    found = re.fullmatch(pattern, what)
    return None if found is None else found.groupdict()


def _ends(row: Compared) -> tuple[float, float]:
    """What a number may be; one without an error is taken as it is."""
    if row.low is not None and row.high is not None:
        return row.low, row.high
    error = 0.0 if math.isnan(row.se) else ERRORS * row.se
    return row.ours - error, row.ours + error


def _ratio(a: Compared, b: Compared) -> tuple[float, float, float]:
    """A ratio and what it may be: by the delta method, or from the ends of intervals."""
    if a.low is None and b.low is None and a.ours != 0 and b.ours != 0:
        ratio = a.ours / b.ours
        relative = math.hypot(*(0.0 if math.isnan(row.se) else row.se / row.ours for row in (a, b)))
        return ratio, ratio - ERRORS * abs(ratio) * relative, ratio + ERRORS * abs(ratio) * relative
    (a_low, a_high), (b_low, b_high) = _ends(a), _ends(b)
    return _over(a.ours, b.ours), _over(a_low, b_high), _over(a_high, b_low)


def _over(a: float, b: float) -> float:
    """a / b; nan where both never come or both are nothing."""
    if math.isinf(a) and math.isinf(b):
        return math.nan
    return math.inf if b == 0 and a > 0 else math.nan if b == 0 else a / b
