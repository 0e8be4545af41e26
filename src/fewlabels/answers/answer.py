"""What a study answers: findings by group and overall, for one question. Plain data before it is text or picture."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from fewlabels.answers.finding import Finding, RankedFinding, level_words
from fewlabels.answers.words import describe_target, margin_words, percent
from fewlabels.errors import MissingExtraError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


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
    shared: bool = field(default=False, repr=False)  # every label stands behind every finding

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

    @property
    def without_a_model(self) -> str | None:
        """The overall figure by the chances of the draws alone, in words; None where these are not known."""
        found = self.overall
        if found is None or found.by_design is None or found.by_design_low is None or found.by_design_high is None:
            return None
        value, low, high = (found.show(end) for end in (found.by_design, found.by_design_low, found.by_design_high))
        return f"Overall without a model, by the chances of the draws: {value} ({low} to {high})."

    def __str__(self) -> str:
        lines = [self.sentence, *(f"Note: {note}" for note in self.notes)]
        if len(self.findings) > 1:
            lines += ["", *text_table(self)]
        elif self.overall is not None:
            lines.append(_how(self.overall))
        lines += [self.without_a_model] if self.without_a_model else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Certified:
    """What a certificate of the groups named says beside their probability, which allows for many exceptions."""

    few: float  # the same probability where few groups may be exceptions: what near-ties are judged by
    open: tuple[str, ...]  # groups of which it is still open whether they should be named, the most open first
    short: tuple[str, ...]  # groups with too few labels for a claim that speaks of them
    missing: int  # labels that these lack


@dataclass(frozen=True)
class Identification(Answer):
    """Which groups are first (worst, best), and how sure. Findings are in order of rank."""

    findings: tuple[RankedFinding, ...]
    groups: tuple[str, ...] = ()
    probability: float = 0.0  # that each of these groups is at most `within` away from the true ones; at 0, one of them
    within: float = 0.0
    certified: Certified | None = None  # None where the probability is a posterior's word, and no certificate

    @property
    def margin(self) -> str:
        """How far off these groups may be, in words."""
        return margin_words(self.within, points=not self.findings or self.findings[0].unit != "number")


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
    heads = ["group", "value", "interval", "labels", answer.findings[0].what_else]
    rows = [heads + (["ranks", "p(top)"] if ranked else [])]
    extra = answer.extra or ({},) * len(answer.findings)
    for finding, more in list(zip(answer.findings, extra, strict=True))[:most]:
        row = [finding.group, finding.show(finding.value), finding.interval]
        row += [str(finding.labels), percent(finding.not_its_own)]
        if ranked:
            row += [f"{more['rank_low']}–{more['rank_high']}", percent(more["p_top"])]
        rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths, strict=True)))
        for r in rows
    ]
    lines += [*borrowed_words(answer), _how(answer.findings[0])]
    if len(answer.findings) > most:
        lines.append(f"… and {len(answer.findings) - most} more groups: to_frame() or to_dicts() has them all.")
    return lines


def borrowed_words(answer: Answer) -> list[str]:
    """What a column of what is borrowed means, where there is one."""
    if not answer.findings or answer.findings[0].borrowed is None:
        return []
    return ["borrowed: how much of a figure the model's scores and other groups' labels tell, not labels of its own."]


def _how(finding: Finding) -> str:
    return f"{finding.method}; {level_words(finding.level)} intervals; target: {describe_target(finding.target)}."
