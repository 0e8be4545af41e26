"""What a stopping rule is: it reads an answer and says whether that is enough."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from fewlabels.answers import (
    LEAST_LABELS,
    MOST_PRIOR,
    NONE_LEFT,
    Answer,
    Finding,
    Holds,
    LabelsLeft,
    Progress,
    count_of,
    percent,
)
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.core.needed import Needed

Reads: TypeAlias = Literal["groups", "overall", "probability"]
WIDEST = 0.5  # half the range of a share: no interval of one is wider, and no standard deviation larger
NO_PROMISE = (
    "What it reads is made for one look: to have looked before, and to stop when it pleased, makes it less sure."
)
_USUAL_STRENGTH = 2.0  # pseudo-labels of a prior, where no label tells


@dataclass(frozen=True)
class Figures:
    """What an answer will consist of."""

    kind: str  # of the question
    overall: bool  # whether there is a figure for all groups together
    range: float  # between the least and the largest value a figure can have
    share: bool  # whether figures are shares


class Stopping(ABC):
    """Reads an answer. Promises: no goal is reached on the prior's word, that is before every group the answer speaks
    of has labels of its own; once every item is labelled it is reached, or wants no more; the order of the labels does
    not matter; it reads no more of an answer than it says.

    What that means to somebody who looked after every label is said by `promise`: some of what goals read holds at
    every look, and some is made for one."""

    name: ClassVar[str]

    @property
    @abstractmethod
    def reads(self) -> Reads:
        """What of an answer it reads, beside the labels behind each group."""

    @property
    def every_group(self) -> bool:
        """Whether it is about each group by itself."""
        return False

    @property
    def holds(self) -> Holds:
        """What the intervals that it reads are to hold for."""
        return "one look"

    @property
    def sure(self) -> float | None:
        """The probability it asks for, where it asks for one."""
        return None

    @property
    def half_width(self) -> float | None:
        """The half-width of intervals that it asks for, where it asks for one."""
        return None

    @property
    def narrow(self) -> bool:
        """Whether it asks for short intervals, so that all that makes them long has to be labelled."""
        return self.half_width is not None

    @abstractmethod
    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:
        """Whether the goal is reached, in a sentence; `remaining` items could still be labelled."""

    def needs(self, answer: Answer) -> Needed | None:  # noqa: ARG002 - of most nobody knows
        """How many labels it is likely to take in all, by what the answer leaves open; None where that is not known."""
        return None

    def promise(self, answer: Answer) -> str:  # noqa: ARG002 - most read what is made for one look
        """What a stop at this goal promises of the answer to somebody who looked before, in a sentence."""
        return "This is made for one look: how often one looked before, to stop when it pleased, is not allowed for."

    @abstractmethod
    def describe(self) -> str:
        """The goal in words."""

    def fits(self, kind: str, *, draws: bool) -> None:  # noqa: B027 - most fit any question
        """Raise where a question of this kind, its labels read draw by draw or not, has no such goal."""

    def check(self, figures: Figures) -> None:  # noqa: B027 - most say something of any figures
        """Raise where the goal is reached by anything, or speaks of a figure there is not."""


def reached(findings: Sequence[Finding], what: str, remaining: int) -> Progress:
    """The progress of a goal whose number, said in `what`, is reached: done, unless that rests on the prior."""
    short = [f for f in findings if not f.rests_on_labels]
    if not short:
        return Progress(True, f"Goal reached: {what}.", NONE_LEFT)
    least = min(short, key=lambda f: (f.labels, -f.prior_share))
    needed = min(sum(_needed(f) for f in short), remaining)
    many = f"{len(short):,} of {len(findings):,} groups rest" if len(findings) > 1 else "the figure rests"
    whose = f"{least.group} has" if len(findings) > 1 else "it has"
    return Progress(
        False,
        f"Not yet: {what}, but {many} on the prior rather than on labels ({whose} {count_of(least.labels, 'label')} of "
        f"its own, the prior carries {percent(least.prior_share)}; a claim takes {LEAST_LABELS} labels, or all there "
        f"are, and less than {MOST_PRIOR:.0%}). About {needed:,} more labels.",
        LabelsLeft(needed, needed, needed),
    )


def _needed(finding: Finding) -> int:
    """Labels until a claim may be made of it; the prior's share falls as strength / (strength + labels)."""
    share, n = finding.prior_share, finding.labels
    strength = n * share / (1 - share) if n and share < 1 else _USUAL_STRENGTH
    by_share = math.floor(strength * (1 - MOST_PRIOR) / MOST_PRIOR) + 1 - n if share >= MOST_PRIOR else 0
    needed = max(LEAST_LABELS - n, by_share, 1)
    return needed if finding.left is None else min(needed, finding.left)
