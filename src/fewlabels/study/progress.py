"""Whether a study has what it was for, in words."""

from dataclasses import replace
from typing import Any

from fewlabels.answers import NONE_LEFT, Answer, LabelsLeft, Progress, count_of
from fewlabels.core.belief import Columns
from fewlabels.reading.answer import answer_to_goal, read
from fewlabels.reading.notes import FEW_SKIPPED
from fewlabels.study.snapshot import Snapshot


def progress_of(known: Snapshot, goal: Progress | None) -> Progress:
    """How far the study is; while it is not done, with what holds it up."""
    found = _progress_of(known, goal)
    if found.done:
        return found
    more = [found.reason, _left_by_skips(known), known.forgotten]
    return replace(found, reason=" ".join(words for words in more if words))


def _left_by_skips(known: Snapshot) -> str:
    """Where skipped items alone leave more open than the goal allows, so that more labels of others do not help."""
    until, skips = known.terms.settings.until, known.skips
    if until is None or until.half_width is None or skips is None or skips.share <= FEW_SKIPPED:
        return ""
    about: dict[str, Any] = {"holds": until.holds, "error": known.error, "skips": skips}
    reading = read(known.terms.assessment, known.evidence, known.terms.settings.level, **about)
    values = [other.overall.value for other in reading.supposed if other.overall is not None]
    several = until.every_group and len(known.terms.assessment.lens.rows.names) > 1
    if several or not values or not (open_ := (max(values) - min(values)) / 2) > until.half_width:
        return ""
    return (
        f"The {count_of(skips.count, 'skipped item')} alone leave ±{open_:.3f} open. Label them, or take them to be "
        "like the others (skips='ignorable')."
    )


def _progress_of(known: Snapshot, goal: Progress | None) -> Progress:
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
