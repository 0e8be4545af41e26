"""Stop when the answer is sure enough."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fewlabels.answers import Answer, Comparison, Identification, Progress, percent_of_draws
from fewlabels.errors import QuestionError
from fewlabels.stopping.base import reached


@dataclass(frozen=True)
class Probability:
    """Enough when the groups identified, or the direction of a difference, have at least this probability."""

    goal: float = 0.95

    name: ClassVar[str] = "probability"

    def __post_init__(self) -> None:
        if not 0.5 <= self.goal < 1:
            raise QuestionError(f"Probability needs a goal from 0.5 to below 1, such as 0.95; got {self.goal!r}.")

    def progress(self, answer: Answer, remaining: int) -> Progress:
        assert isinstance(answer, Identification | Comparison)  # the settings refuse this goal for other questions
        right = "these are the groups asked for" if isinstance(answer, Identification) else "this direction is right"
        what = f"{right} with probability {percent_of_draws(answer.probability)} (goal {self.goal:.0%})"
        if answer.probability >= self.goal:
            return reached(answer.findings, what, remaining)
        return Progress(False, f"Not yet: {what}.")

    def to_json(self) -> dict[str, Any]:
        return {"goal": self.goal}
