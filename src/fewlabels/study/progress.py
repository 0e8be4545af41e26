"""Whether a study has what it was for, in words."""

from fewlabels.answers import NONE_LEFT, Answer, LabelsLeft, Progress, count_of
from fewlabels.core.belief import Columns
from fewlabels.reading.answer import answer_to_goal
from fewlabels.study.snapshot import Snapshot


def progress_of(known: Snapshot, goal: Progress | None) -> Progress:
    """The first of these that applies: the goal is reached, nothing is left to ask, the budget is spent."""
    budget = known.terms.settings.budget
    if goal is not None and goal.done:
        return goal
    if known.remaining == 0 and not known.open:
        return Progress(True, "Every item the question asks about is labelled or skipped.", NONE_LEFT)
    if budget is not None and known.spent >= budget and not known.open:
        return Progress(
            True, f"The budget of {count_of(budget, 'label')} is spent.{f' {goal}' if goal else ''}", NONE_LEFT
        )
    left = None if budget is None else LabelsLeft(*[max(budget - known.spent, 0)] * 3)
    several = known.terms.settings.labels_per_item > 1
    so_far = (
        f"{count_of(known.evidence.count, 'item')} labelled" if several else count_of(known.evidence.count, "label")
    )
    limit = "no goal is set" if budget is None else f"the budget is {count_of(budget, 'label')}"
    return goal or Progress(False, f"{so_far.capitalize()} so far; {limit}.", left)


def as_far_as_the_goal_reads(known: Snapshot, draws: Columns) -> Answer | None:
    """As much of the answer as the goal looks at, where there is one; draws that still hold are taken from `draws`."""
    settings = known.terms.settings
    if settings.until is None:
        return None
    assessment, evidence = known.terms.assessment, known.evidence
    return answer_to_goal(assessment, evidence, settings.level, settings.until, draws, known.error, known.skips)


def goal_of(known: Snapshot, answer: Answer | None) -> Progress | None:
    """What the goal says of an answer, where there is one."""
    until = known.terms.settings.until
    return None if until is None or answer is None else until.progress(answer, known.remaining, known.evidence)


def stop_of(known: Snapshot, answer: Answer) -> str | None:
    """At a stop: which rule ended the study, at which label, and what that promises; of the answer that the goal
    reads."""
    until, goal = known.terms.settings.until, goal_of(known, answer)
    if until is None or goal is None or not goal.done:
        return None
    at = count_of(known.evidence.count, "label")
    return f"The goal, {until.describe()}, is reached at {at}. {until.promise(answer)}"
