"""Stop when the answer is sure enough."""

from dataclasses import dataclass
from typing import ClassVar

from fewlabels.answers import (
    Answer,
    Certified,
    Comparison,
    Identification,
    Progress,
    below_goal,
    count_of,
    few_of,
    level_words,
    percent,
    percent_of_draws,
)
from fewlabels.core.certificate import LEAST_OF_EACH, bars, sure_enough
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.errors import QuestionError
from fewlabels.stopping.base import Reads, Stopping, reached


@dataclass(frozen=True)
class Probability(Stopping):
    """Enough when the groups identified, or the direction of a difference, have at least this probability.

    Groups that are certified (estimator "stratified") are right with this probability though one looks after every
    label: the certificate is to be so much surer, and every group to have labels of its own. Otherwise it is the
    posterior's probability, which promises nothing under repeated looks.
    """

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

    @property
    def sure(self) -> float | None:
        return self.goal

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:  # noqa: ARG002
        assert isinstance(answer, Identification | Comparison)  # the settings refuse this goal for other questions
        if isinstance(answer, Identification) and answer.certified is not None:
            return self._settled(answer, answer.certified, remaining)
        what = _claim(answer) if isinstance(answer, Identification) else "the likeliest direction is right"
        goal = f"(goal {level_words(self.goal)})"
        if answer.probability >= self.goal:
            sure = f"{what} with probability {percent_of_draws(answer.probability)} {goal}"
            if isinstance(answer, Identification):
                sure += ", by a posterior that promises nothing where one looks after every label"
            return reached(answer.findings, sure, remaining)
        return Progress(False, f"Not yet: {what} with probability {below_goal(answer.probability, self.goal)} {goal}.")

    def _settled(self, answer: Identification, certified: Certified, remaining: int) -> Progress:
        """By a certificate, which allows for looks after every label: it asks for more than the goal, and for labels of
        every group."""
        what, goal = _claim(answer), f"(goal {level_words(self.goal)}, under a look after every label)"
        many, few = bars(self.goal)
        if sure_enough(self.goal, answer.probability, certified.few):
            if not certified.short:
                reason = f"Goal reached: {what} with probability {percent(answer.probability)} {goal}."
                return Progress(True, reason, 0)
            groups, left = few_of(certified.short), min(certified.missing, remaining)
            return Progress(
                False,
                f"Not yet: {what} with probability {percent(answer.probability)} {goal}, but {groups} "
                f"{'have' if len(certified.short) > 1 else 'has'} fewer than {LEAST_OF_EACH} labels. "
                f"{count_of(left, 'more label').capitalize()}.",
                left,
            )
        if answer.probability < many:
            found, bar = below_goal(answer.probability, many), level_words(many)
        else:
            found, bar = f"{below_goal(certified.few, few)} as far as near-ties go", level_words(few)
        open_ = f" Still open: {few_of(certified.open)}." if certified.open else ""
        return Progress(False, f"Not yet: {what} with probability {found}; a stop takes {bar} {goal}.{open_}")


def _claim(answer: Identification) -> str:
    if not answer.within:
        return "these are exactly the groups asked for"
    return f"each group named is within {answer.margin} of the true ones"
