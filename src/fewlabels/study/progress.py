"""Whether a study has what it was for, in words."""

from fewlabels.answers import NONE_LEFT, Answer, LabelsLeft, Progress, count_of
from fewlabels.core.belief import Columns
from fewlabels.reading.answer import answer_to_goal
from fewlabels.study.snapshot import Snapshot


def progress_of(known: Snapshot, draws: Columns) -> Progress:
    """The first of these that applies: the goal is reached, nothing is left to ask, the budget is spent."""
    budget, goal = known.terms.settings.budget, _goal(known, draws)
    if goal is not None and goal.done:
        return goal
    if known.remaining == 0 and not known.open:
        return Progress(True, "Every item the question asks about is labelled or skipped.", NONE_LEFT)
    if budget is not None and known.spent >= budget and not known.open:
        return Progress(
            True, f"The budget of {count_of(budget, 'label')} is spent.{f' {goal}' if goal else ''}", NONE_LEFT
        )
    left = None if budget is None else LabelsLeft(*[max(budget - known.spent, 0)] * 3)
    so_far = count_of(known.evidence.count, "label").capitalize()
    limit = "no goal is set" if budget is None else f"the budget is {count_of(budget, 'label')}"
    return goal or Progress(False, f"{so_far} so far; {limit}.", left)


def _goal(known: Snapshot, draws: Columns) -> Progress | None:
    """What the goal says, where there is one."""
    settings, evidence = known.terms.settings, known.evidence
    until = settings.until
    if until is None:
        return None
    answer = answer_to_goal(known.terms.assessment, evidence, settings.level, until, draws, known.error)
    return until.progress(answer, known.remaining, evidence)


def stop_of(known: Snapshot, answer: Answer) -> str | None:
    """At a stop: which rule ended the study, at which label, and what that promises; of the answer that the goal
    reads."""
    until, evidence = known.terms.settings.until, known.evidence
    if until is None or not until.progress(answer, known.remaining, evidence).done:
        return None
    at = count_of(evidence.count, "label")
    return f"The goal, {until.describe()}, is reached at {at}. {until.promise(answer)}"
