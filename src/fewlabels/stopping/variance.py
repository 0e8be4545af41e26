"""Stop when the predicted variance of an F-score is small enough."""

import math
from dataclasses import dataclass
from typing import ClassVar

from fewlabels.answers import Answer, LabelsLeft, Progress, beside_goal, count_of
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.errors import QuestionError
from fewlabels.stopping.base import WIDEST, Figures, Reads, Stopping, reached


@dataclass(frozen=True)
class Variance(Stopping):
    """Enough when the variance of every figure is at most `goal`; [ACIS21] Figure 7 stops so.

    It is the variance that intervals are made of, not that of Eq. 6, which is zero as long as all labels agree.
    """

    goal: float

    name: ClassVar[str] = "variance"

    def __post_init__(self) -> None:
        if not self.goal > 0:
            raise QuestionError(f"Variance needs a positive goal such as 0.005; got {self.goal!r}.")

    def describe(self) -> str:
        return f"a variance of at most {self.goal:g}"

    def fits(self, kind: str, *, draws: bool) -> None:  # noqa: ARG002 - only one kind is read draw by draw
        if not draws:
            raise QuestionError(
                "until=fl.Variance is for F-scores estimated from draws; other questions stop at fl.HalfWidth."
            )

    def check(self, figures: Figures) -> None:  # noqa: ARG002 - the same for every share
        if self.goal >= WIDEST**2:
            raise QuestionError(
                f"any F-score has a variance below {WIDEST**2:g}, so the goal {self.goal:g} is reached by anything; "
                "set a smaller one, such as 0.005."
            )

    @property
    def reads(self) -> Reads:
        return "groups"

    @property
    def narrow(self) -> bool:
        return True

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:  # noqa: ARG002
        rows = list(zip(answer.findings, answer.extra, strict=True))
        finding, variance = max(
            ((f, float(more["cautious_variance"])) for f, more in rows),
            key=lambda row: math.inf if math.isnan(row[1]) else row[1],
        )
        if variance <= self.goal:
            return reached(answer.findings, f"the variance is {variance:.2g} (goal {self.goal:g})", remaining)
        if math.isnan(variance):
            return Progress(False, "Not yet: nothing that counts in the score is labelled, so it has no variance.")
        left = min(math.ceil(max(finding.labels, 4) * (variance / self.goal - 1)), remaining)
        span = LabelsLeft(min(left, math.ceil(left / 1.5)), left, min(math.ceil(1.5 * left), remaining))
        return Progress(
            False,
            f"Not yet: the variance is {beside_goal(variance, self.goal)} (goal {self.goal:g})."
            + (f" About {count_of(left, 'more label')}." if left else ""),
            span,
        )
