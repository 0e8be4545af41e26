"""What a study answers: findings, and answers made of them. Plain data before it is text, table or picture."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from fewlabels.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Target: TypeAlias = Literal["pool", "population"]
LEAST_LABELS = 10  # a claim about a group needs so many labels of its own, or those of all its items,
MOST_PRIOR = 0.1  # and less than this of it may rest on the prior; otherwise it is a claim of the prior


@dataclass(frozen=True, slots=True)
class Finding:
    """A number with all that is needed to trust or distrust it. Every number shown to a person is one of these."""

    value: float
    low: float
    high: float
    level: float
    method: str
    target: Target
    labels: int
    prior_share: float  # how much of the value rests on the prior rather than on labels, 0 to 1
    group: str = "overall"
    weight: float = 1.0  # share of the pool's items
    unit: Literal["share", "points", "number"] = "share"  # points: a difference of shares
    left: int | None = None  # items that could still be labelled for it; None where that is not known

    @property
    def rests_on_labels(self) -> bool:
        """Whether a claim may be made of it: with labels of its own, and hardly any weight on the prior."""
        return (self.labels >= LEAST_LABELS or self.left == 0) and self.prior_share < MOST_PRIOR

    @property
    def fully_labelled(self) -> bool:
        """Whether nothing is left to learn: the items of this pool are meant, and each has its label."""
        return self.target == "pool" and self.labels > 0 and self.left == 0 and self.certain

    @property
    def certain(self) -> bool:
        """Whether the value is known exactly: from all labels, or by definition, as of a class no model predicts."""
        return abs(self.high - self.low) <= 1e-12

    @property
    def interval(self) -> str:
        """The interval in words; where there is none, why."""
        if self.certain:
            return f"all {self.labels:,} labelled" if self.fully_labelled else "by definition"
        return f"{self.show(self.low)} – {self.show(self.high)}"

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        if math.isnan(self.value):
            if self.left == 0:
                return "not defined: there is no such item"
            known = "not known yet" if self.labels else "no labels yet"
            return f"{known} (anything from {self.show(self.low)} to {self.show(self.high)})"
        if self.certain:
            return f"{self.show(self.value)} ({self.interval})"
        low, high = self.show(self.low), self.show(self.high)
        return f"{self.show(self.value)} ({level_words(self.level)} interval {low} to {high})"

    def show(self, number: float) -> str:
        """A number in this finding's unit; a dash where it is not known."""
        if math.isnan(number):
            return "–"
        if self.unit == "points":
            return f"{100 * number:+.1f} points"
        return f"{number:.1%}" if self.unit == "share" else f"{number:.3g}"


@dataclass(frozen=True, slots=True)
class RankedFinding(Finding):
    """A group's place among the groups: its rank by value, the interval of its rank, and how likely it is one of those
    asked for."""

    rank: int = 0  # 1 for the first of those asked for
    rank_low: int = 0
    rank_high: int = 0
    p_top: float = 0.0


@dataclass(frozen=True, slots=True)
class BinFinding(Finding):
    """A score bin: its value is to be held against the mean score of its items."""

    mean_score: float = math.nan


@dataclass(frozen=True, slots=True)
class Progress:
    """Whether the study has what it was for, why, and how many labels it is likely still to need."""

    done: bool
    reason: str
    labels_left: int | None = None

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class Answer:
    """Findings by group and overall, for one question. `print(answer)` is a sentence, then a table."""

    question: str
    findings: tuple[Finding, ...]
    overall: Finding | None
    sentence: str
    notes: tuple[str, ...] = ()
    strategy: str = ""  # how labels were chosen, and why so
    extra: tuple[dict[str, Any], ...] = field(default=(), repr=False)  # further columns, one dictionary a finding

    def __getitem__(self, group: str) -> Finding:
        """The finding for one group."""
        for finding in self.findings:
            if finding.group == group:
                return finding
        raise KeyError(f"no group {group!r}; groups are {', '.join(f.group for f in self.findings[:10])}")

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary a group: group, value, low, high, labels, weight, method, target, prior_share and more."""
        extra: Sequence[dict[str, Any]] = self.extra or [{}] * len(self.findings)
        return [
            {"group": f.group, **{k: v for k, v in asdict(f).items() if k != "group"}, **more}
            for f, more in zip(self.findings, extra, strict=True)
        ]

    def to_frame(self) -> "pd.DataFrame":
        """The same as a pandas DataFrame."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError(
                "to_frame() needs pandas; pip install 'fewlabels[frames]', or use to_dicts()."
            ) from error
        return pd.DataFrame(self.to_dicts())

    def to_arrow(self) -> "pa.Table":
        """The same as an Arrow table."""
        try:
            import pyarrow as pa
        except ImportError as error:
            raise MissingExtraError(
                "to_arrow() needs pyarrow; pip install 'fewlabels[frames]', or use to_dicts()."
            ) from error
        return pa.Table.from_pylist(self.to_dicts())

    def __str__(self) -> str:
        lines = [self.sentence, *(f"Note: {note}" for note in self.notes)]
        if len(self.findings) > 1:
            lines += ["", *text_table(self)]
        elif self.overall is not None:
            lines.append(_how(self.overall))
        return "\n".join(lines)


@dataclass(frozen=True)
class Identification(Answer):
    """Which groups are first (worst, best), and how sure. Findings are in order of rank."""

    findings: tuple[RankedFinding, ...]
    groups: tuple[str, ...] = ()
    probability: float = 0.0  # that exactly these groups are the ones asked for


@dataclass(frozen=True)
class Comparison(Answer):
    """value(a) - value(b): p_less, p_equal and p_more against the region of practical equivalence."""

    p_less: float = 0.0
    p_equal: float = 0.0
    p_more: float = 0.0
    rope: float = 0.0
    difference: Finding | None = None

    @property
    def probability(self) -> float:
        """lambda: the probability of the likeliest of the three regions."""
        return max(self.p_less, self.p_equal, self.p_more)

    @property
    def region(self) -> Literal["less", "equal", "more"]:
        """eta: the likeliest of the three regions."""
        if self.p_equal >= max(self.p_less, self.p_more):
            return "equal"
        return "less" if self.p_less > self.p_more else "more"


def text_table(answer: Answer, most: int = 20) -> list[str]:
    """The findings as aligned lines of text, at most so many."""
    ranked = isinstance(answer, Identification)
    rows = [["group", "value", "interval", "labels", "prior"] + (["ranks", "p(top)"] if ranked else [])]
    extra = answer.extra or ({},) * len(answer.findings)
    for finding, more in list(zip(answer.findings, extra, strict=True))[:most]:
        row = [finding.group, finding.show(finding.value), finding.interval]
        row += [str(finding.labels), percent(finding.prior_share)]
        if ranked:
            row += [f"{more['rank_low']}–{more['rank_high']}", percent(more["p_top"])]
        rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths, strict=True)))
        for r in rows
    ]
    lines.append(_how(answer.findings[0]))
    if len(answer.findings) > most:
        lines.append(f"… and {len(answer.findings) - most} more groups: to_frame() or to_dicts() has them all.")
    return lines


def _how(finding: Finding) -> str:
    return f"{finding.method}; {level_words(finding.level)} intervals; target: {describe_target(finding.target)}."


def describe_target(target: Target) -> str:
    """A target in words."""
    return "the items of this pool" if target == "pool" else "the population the pool came from"


def count_of(count: int, what: str) -> str:
    """A count in words.

    >>> count_of(0, "label"), count_of(1, "item"), count_of(1200, "label")
    ('no labels', '1 item', '1,200 labels')
    """
    return f"no {what}s" if count == 0 else f"1 {what}" if count == 1 else f"{count:,} {what}s"


def level_words(level: float) -> str:
    """A level such as 0.95 in percent.

    >>> level_words(0.95), level_words(0.995)
    ('95%', '99.5%')
    """
    return f"{100 * level:.6g}%"


def below_goal(probability: float, goal: float) -> str:
    """A probability short of a goal, with as many digits as it takes to see that.

    >>> below_goal(0.93, 0.95), below_goal(0.9496, 0.95), below_goal(0.9964, 0.999)
    ('93%', '94.96%', '99.6%')
    """
    if probability < 0.005:
        return percent_of_draws(probability)
    return next(text for d in range(16) if float((text := f"{probability:.{d}%}")[:-1]) < 100 * goal)


def beside_goal(number: float, goal: float, digits: int = 3) -> str:
    """A number to be brought down to a goal, with as many digits as it takes to see whether it is there.

    >>> beside_goal(0.12, 0.05), beside_goal(0.0502, 0.05), beside_goal(0.00004, 0.0001)
    ('0.120', '0.0502', '0.00004')
    """
    texts = (f"{number:.{d}f}" for d in range(digits, 18))
    return next((t for t in texts if float(t) and (float(t) > goal) == (number > goal)), f"{number:g}")


def percent_of_draws(probability: float) -> str:
    """A probability counted over draws, for people: none of ten thousand is not never.

    >>> percent_of_draws(0.0), percent_of_draws(0.4)
    ('<1%', '40%')
    """
    return percent(max(probability, 1e-4))


def percent(probability: float) -> str:
    """A share or exact probability for people: never 0 % or 100 % unless it is.

    >>> percent(0.003), percent(0.68), percent(0.999), percent(1.0)
    ('<1%', '68%', '>99%', '100%')
    """
    if 0 < probability < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= probability < 1 else f"{probability:.0%}"
