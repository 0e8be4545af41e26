"""Stop when the answer is sure enough."""

from dataclasses import dataclass
from typing import ClassVar

from fewlabels.answers import Answer, Comparison, Identification, Progress, below_goal, level_words, percent_of_draws
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.errors import QuestionError
from fewlabels.stopping.base import Reads, Stopping, reached


@dataclass(frozen=True)
class Probability(Stopping):
    """Enough when the groups identified, or the direction of a difference, have at least this probability."""

    goal: float = 0.95

    name: ClassVar[str] = "probability"

    def __post_init__(self) -> None:
        if not 0.5 <= self.goal < 1:
            raise QuestionError(f"Probability needs a goal from 0.5 to below 1, such as 0.95; got {self.goal!r}.")

    def describe(self) -> str:
        return f"sure of the answer with probability {level_words(self.goal)}"

    def fits(self, kind: str, *, draws: bool) -> None:  # noqa: ARG002 - however labels are read
        if kind == "estimate":
            raise QuestionError("until=fl.Probability is for Identify and Compare; an Estimate stops at fl.HalfWidth.")

    @property
    def reads(self) -> Reads:
        return "probability"

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:  # noqa: ARG002
        assert isinstance(answer, Identification | Comparison)  # the settings refuse this goal for other questions
        these = isinstance(answer, Identification)
        what = "these are the groups asked for" if these else "the likeliest direction is right"
        goal = f"(goal {level_words(self.goal)})"
        if answer.probability >= self.goal:
            sure = f"{what} with probability {percent_of_draws(answer.probability)} {goal}"
            return reached(answer.findings, sure, remaining)
        return Progress(False, f"Not yet: {what} with probability {below_goal(answer.probability, self.goal)} {goal}.")
