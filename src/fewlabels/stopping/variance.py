"""Stop when the predicted variance of an F-score is small enough."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from fewlabels.answers import Answer, Progress
from fewlabels.errors import QuestionError


@dataclass(frozen=True)
class Variance:
    """Enough when the single-trial variance of every figure is at most `goal`; [ACIS21] Figure 7 stops so.

    This is the variance the estimate predicts for itself (Eq. 6), too small at few labels; fl.HalfWidth reads the
    interval, which is not.
    """

    goal: float

    name: ClassVar[str] = "variance"

    def __post_init__(self) -> None:
        if not self.goal > 0:
            raise QuestionError(f"Variance needs a positive goal such as 0.005; got {self.goal!r}.")

    def progress(self, answer: Answer, remaining: int) -> Progress:
        rows = list(zip(answer.findings, answer.extra, strict=True))
        finding, more = max(rows, key=lambda row: math.inf if math.isnan(row[1]["variance"]) else row[1]["variance"])
        variance = float(more["variance"])
        if variance <= self.goal:
            return Progress(True, f"Goal reached: the predicted variance is {variance:.4f} (goal {self.goal:g}).", 0)
        if math.isnan(variance):
            return Progress(False, "Not yet: nothing that counts in the score is labelled, so it has no variance.")
        left = min(math.ceil(max(finding.labels, 4) * (variance / self.goal - 1)), remaining)
        return Progress(
            False,
            f"Not yet: the predicted variance is {variance:.4f} (goal {self.goal:g}). About {left:,} more labels.",
            left,
        )

    def to_json(self) -> dict[str, Any]:
        return {"goal": self.goal}
