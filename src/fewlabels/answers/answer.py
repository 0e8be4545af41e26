"""What a study answers: findings by group and overall, for one question. Plain data before it is text or picture."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fewlabels.answers.finding import Finding, RankedFinding, interval_words
from fewlabels.answers.handover import Handover, Joint, handover
from fewlabels.answers.notebook import MOST_ROWS, aligned, frame_of, html_of, screen_width, wrapped
from fewlabels.answers.words import count_of, describe_target, margin_words, percent
from fewlabels.core.arrays import Array
from fewlabels.core.needed import Outlook
from fewlabels.core.verdicts import Control, Won
from fewlabels.errors import MissingExtraError, QuestionError

if TYPE_CHECKING:
    import arviz as az
    import pandas as pd
    import pyarrow as pa


_SIDES: tuple[tuple[Literal[-1, 1], Literal[-1, 1]], ...] = ((1, -1), (-1, 1))


class LabelsLeft(NamedTuple):
    """Labels that are likely still to be needed: about as many as `likely`, in four of five studies from `low` to
    `high`."""

    low: int
    likely: int
    high: int

    @classmethod
    def of(cls, labels: Array, most: int, wider: float) -> "LabelsLeft":
        """From draws of how many it may be; wider than four of five of them, for what no draw knows."""
        low, high = np.quantile(labels, (0.1, 0.9))
        ends = (low / wider, float(np.median(labels)), high * wider)
        return cls(*(min(round(end), most) for end in ends))

    def __str__(self) -> str:
        if self.low == self.high:
            return count_of(self.likely, "more label")
        return f"about {count_of(self.likely, 'more label')} ({self.low:,} to {self.high:,})"

    @property
    def sentence(self) -> str:
        """The same as a sentence after others; nothing where none are left."""
        words = str(self)
        return f" {words[:1].upper()}{words[1:]}." if self.likely else ""


NONE_LEFT = LabelsLeft(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Progress:
    """Whether the study has what it was for, why, and how many labels it is likely still to need."""

    done: bool
    reason: str
    labels_left: LabelsLeft | None = None

    def __post_init__(self) -> None:
        """Somebody's goal may say a number."""
        if isinstance(self.labels_left, int):
            object.__setattr__(self, "labels_left", LabelsLeft(*[self.labels_left] * 3))

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
    outlook: Outlook | None = field(default=None, repr=False, compare=False)  # what groups may turn out to be
    holds_together: float | None = None  # how surely all intervals are right at once; None: each is by itself
    stop: str | None = None  # at a stop: which rule ended the study, at which label, and what that promises
    drawn: Callable[[], tuple[tuple[str, ...], Array]] | None = field(default=None, repr=False, compare=False)  # names
    # of figures and joint draws of them, (n_draws, n_names), made when somebody asks; None where there are none

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
        return frame_of(self.to_dicts())

    def to_arrow(self) -> "pa.Table":
        """The same as an Arrow table."""
        try:
            import pyarrow as pa
        except ImportError as error:
            raise MissingExtraError(
                "to_arrow() needs pyarrow; pip install 'fewlabels[frames]', or use to_dicts()."
            ) from error
        return pa.Table.from_pylist(self.to_dicts())

    def to_arviz(self) -> "az.InferenceData":
        """Joint draws of the figures as ArviZ reads them: the variable "value" along "group", one chain."""
        if self.drawn is None:
            raise QuestionError(f"{self.question} is not read off a posterior, so that there are no draws of it.")
        try:
            import arviz as az
        except ImportError as error:
            raise MissingExtraError("to_arviz() needs ArviZ; pip install 'fewlabels[arviz]'.") from error
        names, draws = self.drawn()
        shown = [finding.group for finding in self.findings]
        values = draws[None, :, [names.index(name) for name in shown]]
        return az.from_dict(posterior={"value": values}, coords={"group": shown}, dims={"value": ["group"]})

    def _repr_html_(self) -> str:
        more = [*([self.stop] if self.stop else []), *(f"Note: {note}" for note in self.notes)]
        heads, *rows = table_rows(self) if self.findings else [[]]
        how = [_how(self.findings[0])] if self.findings else []
        return html_of(self.sentence, more, heads, rows) + html_of("How", [*borrowed_words(self), *how])

    @property
    def columns(self) -> dict[str, list[str]]:
        """Further columns of the table, by their heads: a text a finding."""
        if self.extra and "verdict" in self.extra[0]:
            return {"verdict": [more["verdict"] for more in self.extra]}
        if self.extra and "band_low" in self.extra[0]:
            ends = (
                (f.show(more["band_low"]), f.show(more["band_high"]))
                for f, more in zip(self.findings, self.extra, strict=True)
            )
            return {"all at once": [f"{low} – {high}" for low, high in ends]}
        return {}

    @property
    def without_a_model(self) -> str | None:
        """The overall figure by the chances of the draws alone, in words; None where these are not known."""
        found = self.overall
        if found is None or found.by_design is None or found.by_design_low is None or found.by_design_high is None:
            return None
        value, low, high = (found.show(end) for end in (found.by_design, found.by_design_low, found.by_design_high))
        return f"Overall without a model, by the chances of the draws: {value} ({low} to {high})."

    def __str__(self) -> str:
        width = screen_width()
        lines = [self.sentence, *([self.stop] if self.stop else []), *(f"Note: {note}" for note in self.notes)]
        lines = wrapped(lines, width)
        if len(self.findings) > 1:
            lines += ["", *text_table(self, width=width)]
        elif self.overall is not None:
            lines += wrapped([_how(self.overall)], width)
        lines += wrapped([self.without_a_model], width) if self.without_a_model else []
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Certified:
    """What a certificate of the groups named says beside their probability, which allows for many exceptions."""

    few: float  # the same probability where few groups may be exceptions: what near-ties are judged by
    open: tuple[str, ...]  # groups of which it is still open whether they should be named, the most open first
    short: tuple[str, ...]  # groups with too few labels for a claim that speaks of them
    missing: int  # labels that these lack
    many: float | None = None  # how sure, of the groups that would be confirmed; None where these are the ones named


@dataclass(frozen=True)
class Identification(Answer):
    """Which groups are first (worst, best), and how sure. Findings are in order of rank."""

    findings: tuple[RankedFinding, ...]
    groups: tuple[str, ...] = ()
    top: int = 1  # how many were asked for
    probability: float = 0.0  # that each of these groups is at most `within` away from the true ones; at 0, one of them
    within: float = 0.0
    confirmed: bool = False  # whether a certificate is reached, at the study's goal
    certified: Certified | None = None  # None where the probability is a posterior's word, and no certificate
    joint: Joint | None = field(
        default=None, repr=False, compare=False
    )  # None where it is not about the least accurate

    @property
    def columns(self) -> dict[str, list[str]]:
        ranks = [f"{f.rank_low}–{f.rank_high}" for f in self.findings]
        return {"ranks": ranks, "p(top)": [percent(f.p_top) for f in self.findings]}

    @property
    def standing(self) -> str:
        """Whether a certificate confirms these groups, and how many others are not ruled out."""
        if self.confirmed:
            return f"confirmed: each is within {self.margin} of the true ones" if self.within else "confirmed"
        others = 0 if self.certified is None else len(set(self.certified.open).difference(self.groups))
        return "not confirmed yet" + (f"; {count_of(others, 'other group')} not ruled out" if others else "")

    @property
    def margin(self) -> str:
        """How far off these groups may be, in words."""
        return margin_words(self.within, points=not self.findings or self.findings[0].unit != "number")

    def handover(self, share: float, human: float | Finding = 1.0) -> Handover:
        """Which groups to give to people who can take this share of the items, and how often model and people together
        would be right: people always, `human` of the time, or as often as a Finding says."""
        if self.joint is None or self.overall is None:
            raise QuestionError(
                "groups are handed over where they are the least accurate by what is known beforehand: ask "
                "fl.Identify('accuracy', by='predicted_class')."
            )
        return handover(self.findings, self.overall, self.joint, share, human)


@dataclass(frozen=True, slots=True)
class Decided:
    """Groups by the verdict on them."""

    below: tuple[str, ...]
    above: tuple[str, ...]
    undecided: tuple[str, ...]
    waiting: tuple[str, ...]  # of these, the ones that have their verdict as soon as the others have
    all_above: bool | None  # whether every group is; None while that is open
    all_below: bool | None


@dataclass(frozen=True)
class Verdicts(Answer):
    """On which side of a threshold each group lies, as far as that is shown, whoever looks after each label. Findings
    are in rising order of their values."""

    threshold: float = 0.0
    within: float = 0.0
    control: Control = "discoveries"
    shown: Won | None = field(default=None, repr=False, compare=False)

    def at(self, level: float) -> Decided:
        """The verdicts at another level than the answer's own."""
        assert self.shown is not None  # an answer has it
        side, names = self.shown.verdicts(1 - level, self.control), [f.group for f in self.findings]
        of = [tuple(name for name, s in zip(names, side.tolist(), strict=True) if s == which) for which in (-1, 1, 0)]
        waiting = self.shown.waiting(1 - level, self.control).tolist()
        every: list[bool | None] = []
        for which, other in _SIDES:
            some = (side == other).any() or self.shown.some_are(other, 1 - level)
            every.append(False if some else True if self.shown.all_are(which, 1 - level) else None)
        ready = tuple(name for name, waits in zip(names, waiting, strict=True) if waits)
        return Decided(of[0], of[1], of[2], ready, *every)

    @property
    def decided(self) -> Decided:
        return self.at(self.findings[0].level)

    @property
    def below(self) -> tuple[str, ...]:
        """The groups shown to be below."""
        return self.decided.below

    @property
    def above(self) -> tuple[str, ...]:
        return self.decided.above

    @property
    def undecided(self) -> tuple[str, ...]:
        return self.decided.undecided

    @property
    def all_above(self) -> bool | None:
        """Whether all groups are above; None while that is open."""
        return self.decided.all_above

    @property
    def all_below(self) -> bool | None:
        return self.decided.all_below


def text_table(answer: Answer, most: int = MOST_ROWS, width: int | None = None) -> list[str]:
    """The findings as aligned lines of text, at most so many, and no wider than that."""
    lines = aligned(table_rows(answer)[: most + 1], width)
    more = [*borrowed_words(answer), _how(answer.findings[0])]
    if len(answer.findings) > most:
        more.append(f"… and {len(answer.findings) - most:,} more groups: to_frame() or to_dicts() has them all.")
    return [*lines, *wrapped(more, width)]


def table_rows(answer: Answer) -> list[list[str]]:
    """The findings as cells of text, the heads first."""
    columns = answer.columns
    rows = [["group", "value", "interval", "labels", answer.findings[0].what_else, *columns]]
    for place, finding in enumerate(answer.findings):
        row = [finding.group, finding.show(finding.value), finding.interval]
        row += [str(finding.labels), percent(finding.not_its_own), *(cells[place] for cells in columns.values())]
        rows.append(row)
    return rows


def borrowed_words(answer: Answer) -> list[str]:
    """What a column of what is borrowed means, where there is one."""
    if not answer.findings or answer.findings[0].borrowed is None:
        return []
    return ["borrowed: how much of a figure the model's scores and other groups' labels tell, not labels of its own."]


def _how(finding: Finding) -> str:
    return f"{finding.method}; {interval_words(finding)}; target: {describe_target(finding.target)}."
