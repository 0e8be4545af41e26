"""Negative controls: goals that break a promise are noticed, and it is said which."""

from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from fewlabels.answers import Answer, Progress
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.stopping import STOPPING, Stopping
from fewlabels.testing import check_stopping
from fewlabels.testing.stopping import QUESTIONS

pytestmark = pytest.mark.usefixtures("fewer_draws", "compiled_fits")  # as where goals keep their promises

BY_CLASS = QUESTIONS["accuracy by class"]


@dataclass(frozen=True)
class Width(Stopping):
    """Enough when every group has labels of its own and its interval is at most so wide; nothing is broken here."""

    goal: float = 0.4

    name: ClassVar[str] = "width"

    @property
    def reads(self) -> Any:
        return "groups"

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:  # noqa: ARG002
        narrow = all(finding.high - finding.low <= self.goal for finding in answer.findings)
        done = narrow and all(finding.rests_on_labels for finding in answer.findings)
        return Progress(done, "Enough." if done else "Not yet.", 0 if done else remaining)

    def describe(self) -> str:
        return f"every interval at most {self.goal:g} wide"


class OnThePriorsWord(Width):
    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:  # noqa: ARG002
        narrow = not any(finding.high - finding.low > self.goal for finding in answer.findings)  # nor unknown
        return Progress(narrow, "Enough." if narrow else "Not yet.", 0 if narrow else remaining)


class NeverContent(Width):
    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:  # noqa: ARG002
        return Progress(False, f"{len(answer.findings)} groups want more.", remaining + 1)


class MindsTheOrder(Width):
    """Looks whether the last label is right."""

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:
        if evidence.count == 0 or evidence.label[-1] != evidence.predicted[-1]:
            return Progress(False, "A wrong one came last.")
        return super().progress(answer, remaining, evidence)


class ReadsMore(Width):
    """Says that it reads the overall figure, and reads the groups, of which there are none then."""

    @property
    def reads(self) -> Any:
        return "overall"


class Wordless(Width):
    def describe(self) -> str:
        return ""


class FailsInstead(Width):
    def fits(self, kind: str, *, draws: bool) -> None:  # noqa: ARG002
        if kind == "compare":
            raise KeyError(kind)


class Forgets(Width):
    def __init__(self, goal: object = 0.4, *, colour: str = "red") -> None:  # noqa: ARG002
        object.__setattr__(self, "goal", {goal})


BROKEN = {
    "done on the prior's word": (OnThePriorsWord, "No goal is reached on the prior's word"),
    "never content": (NeverContent, r"(?s)Once every item is labelled.*as many as there are items left"),
    "minds the order": (MindsTheOrder, "The order of the labels does not matter"),
    "reads more than it says": (ReadsMore, "It reads no more of an answer than it says"),
    "no words": (Wordless, "says itself in words"),
    "another error": (FailsInstead, "KeyError: 'compare'"),
}


def test_a_goal_that_keeps_its_promises_passes_and_is_known_only_meanwhile():
    check_stopping(Width(0.5))
    assert "width" not in STOPPING


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_goal_is_noticed(name):
    made, promise = BROKEN[name]
    with pytest.raises(AssertionError, match=promise):
        check_stopping(made(), [BY_CLASS])


def test_a_goal_that_cannot_be_kept_is_noticed():
    with pytest.raises(AssertionError, match="is not JSON serializable"):
        check_stopping(Forgets(), [BY_CLASS])


def test_a_goal_that_fits_no_question_is_noticed():
    class ForNothing(Width):
        def fits(self, kind: str, *, draws: bool) -> None:  # noqa: ARG002
            from fewlabels import QuestionError

            raise QuestionError(f"nothing about {kind} is good enough.")

    with pytest.raises(AssertionError, match="no question has the goal"):
        check_stopping(ForNothing())
