"""Stop when the predicted variance of an F-score is small enough."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from fewlabels.answers import Answer, Progress, beside_goal, count_of
from fewlabels.errors import QuestionError
from fewlabels.stopping.base import Reads, reached


@dataclass(frozen=True)
class Variance:
    """Enough when the variance of every figure is at most `goal`; [ACIS21] Figure 7 stops so.

    It is the variance that intervals are made of, not that of Eq. 6, which is zero as long as all labels agree.
    """

    goal: float

    name: ClassVar[str] = "variance"

    def __post_init__(self) -> None:
        if not self.goal > 0:
            raise QuestionError(f"Variance needs a positive goal such as 0.005; got {self.goal!r}.")

    @property
    def reads(self) -> Reads:
        return "groups"

    def progress(self, answer: Answer, remaining: int) -> Progress:
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
        return Progress(
            False,
            f"Not yet: the variance is {beside_goal(variance, self.goal)} (goal {self.goal:g})."
            + (f" About {count_of(left, 'more label')}." if left else ""),
            left,
        )

    def to_json(self) -> dict[str, Any]:
        return {"goal": self.goal}
