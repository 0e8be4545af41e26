"""Stop when the answer is sure enough."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fewlabels.answers import Answer, Comparison, Identification, Progress, below_goal, level_words, percent_of_draws
from fewlabels.errors import QuestionError
from fewlabels.stopping.base import Reads, reached


@dataclass(frozen=True)
class Probability:
    """Enough when the groups identified, or the direction of a difference, have at least this probability."""

    goal: float = 0.95

    name: ClassVar[str] = "probability"

    def __post_init__(self) -> None:
        if not 0.5 <= self.goal < 1:
            raise QuestionError(f"Probability needs a goal from 0.5 to below 1, such as 0.95; got {self.goal!r}.")

    @property
    def reads(self) -> Reads:
        return "probability"

    def progress(self, answer: Answer, remaining: int) -> Progress:
        assert isinstance(answer, Identification | Comparison)  # the settings refuse this goal for other questions
        these = isinstance(answer, Identification)
        what = "these are the groups asked for" if these else "the likeliest direction is right"
        goal = f"(goal {level_words(self.goal)})"
        if answer.probability >= self.goal:
            sure = f"{what} with probability {percent_of_draws(answer.probability)} {goal}"
            return reached(answer.findings, sure, remaining)
        return Progress(False, f"Not yet: {what} with probability {below_goal(answer.probability, self.goal)} {goal}.")

    def to_json(self) -> dict[str, Any]:
        return {"goal": self.goal}
