"""Stop when the answer is sure enough."""

from dataclasses import dataclass
from typing import Any, ClassVar

from fewlabels.answers import Answer, Comparison, Identification, Progress, below_goal, level_words, percent_of_draws
from fewlabels.errors import QuestionError


@dataclass(frozen=True)
class Probability:
    """Enough when the groups identified, or the direction of a difference, have at least this probability."""

    goal: float = 0.95

    name: ClassVar[str] = "probability"

    def __post_init__(self) -> None:
        if not 0.5 <= self.goal < 1:
            raise QuestionError(f"Probability needs a goal from 0.5 to below 1, such as 0.95; got {self.goal!r}.")

    def progress(self, answer: Answer, remaining: int) -> Progress:  # noqa: ARG002 - no forecast is made
        if isinstance(answer, Identification):
            reached, what = answer.probability, "these are the groups asked for"
        else:
            assert isinstance(answer, Comparison)  # the settings refuse this goal for other questions
            reached, what = answer.probability, "the likeliest direction is right"
        if reached >= self.goal:
            sure = f"{percent_of_draws(reached)} (goal {level_words(self.goal)})"
            return Progress(True, f"Goal reached: {what} with probability {sure}.", 0)
        short = f"{below_goal(reached, self.goal)} (goal {level_words(self.goal)})"
        return Progress(False, f"Not yet: {what} with probability {short}.")

    def to_json(self) -> dict[str, Any]:
        return {"goal": self.goal}
