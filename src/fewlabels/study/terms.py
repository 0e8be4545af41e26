"""What a study is to find out and what it may cost: as it was made, and as it was changed since."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from fewlabels.answers import count_of
from fewlabels.assessment import Assessment
from fewlabels.core.cells import Cells
from fewlabels.core.events import Changed, Extended
from fewlabels.core.joined import joined
from fewlabels.errors import QuestionError
from fewlabels.model_questions import BestModel
from fewlabels.settings import StudySettings
from fewlabels.stopping import Figures

Changes = Sequence[tuple[Changed | Extended, int]]  # and how many labels there were


class As(Enum):
    """In place of a setting: it stays as it is. None would take a limit away."""

    IT_IS = "as it is"


@dataclass(frozen=True)
class Terms:
    """Settings, and the assessment that follows from them."""

    settings: StudySettings
    assessment: Assessment


class Agreed:
    """The terms of a study as it was made, and those after each change; what was worked out last is kept."""

    def __init__(self, made: StudySettings, cells: Cells, labels: tuple[str, ...]) -> None:
        self._cells, self._labels = cells, labels
        self._made = self._terms(made, cells)
        self._last: tuple[int, Terms] = (0, self._made)

    def after(self, changes: Changes) -> Terms:
        """The terms that hold after these changes."""
        if self._last[0] != len(changes):
            settings = changed(self._made.settings, *(change for change, _ in changes))
            more = [change.cells for change, _ in changes if isinstance(change, Extended)]
            cells = joined([self._cells, *more]).cells if more else self._cells
            self._last = len(changes), self._terms(settings, cells)
        return self._last[1]

    def changing(self, changes: Changes, new: Changed) -> Terms:
        """The terms after one more change, if that makes sense."""
        now = self.after(changes)
        found = self._terms(changed(now.settings, new), now.assessment.cells)
        check_goal(found.assessment)
        return found

    def _terms(self, settings: StudySettings, cells: Cells) -> Terms:
        return Terms(settings, Assessment(settings, settings.question, cells, self._labels))


def changed(settings: StudySettings, *changes: Changed | Extended) -> StudySettings:
    """Settings after changes."""
    data: dict[str, Any] = settings.to_json()
    for change in changes:
        data |= change.settings if isinstance(change, Changed) else {}
    return StudySettings.from_json(data)


def new_settings(settings: StudySettings, **given: object) -> dict[str, Any]:
    """What of it differs from the settings, as plain data; refused where nothing does."""
    wanted = {name: value for name, value in given.items() if value is not As.IT_IS}
    if not wanted:
        raise QuestionError(
            "change takes what is to be different: change(budget=800), change(until=fl.HalfWidth(0.03))."
        )
    now = settings.to_json()
    # another object is made of it first, so that a wrong value is refused in the words of the settings
    changed = StudySettings(**{**_fields(settings), **wanted})
    if isinstance(settings.question, BestModel) and changed.sure != settings.sure:
        raise QuestionError(
            f"models were dropped, and labels drawn without them, at a goal of {settings.sure:g}; another one takes a "
            "new study, which may be told these labels with drawn='unknown'."
        )
    then = changed.to_json()
    differing = {name: then[name] for name in wanted if then[name] != now[name]}
    if not differing:
        raise QuestionError(f"{' and '.join(wanted)} {'is' if len(wanted) == 1 else 'are'} just so already.")
    return differing


def _fields(settings: StudySettings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in StudySettings.__dataclass_fields__}


def check_goal(assessment: Assessment) -> None:
    """Raise where a goal is reached by any interval, or speaks of a figure there is not; older studies keep theirs."""
    until, metric = assessment.settings.until, assessment.metric
    if until is not None:
        low, high = (0.0, 1.0) if assessment.question.of_models else metric.bounds(assessment.view)
        overall, share = metric.overall is not None, metric.shown_as == "share"
        until.check(Figures(assessment.question.kind, overall, high - low, share))


def notes_of_changes(made: StudySettings, items: int, changes: Changes) -> list[str]:
    """What a reader must know of goals that were changed on the way, and of a pool that grew from so many items."""
    notes, before = [], made
    for change, labels in changes:
        after = f"after {count_of(labels, 'label')}"
        if isinstance(change, Extended):
            more = int(change.pool["count"])
            notes.append(
                f"The pool of {count_of(items, 'item')} was extended by {more:,} {after}; the figures are of all "
                f"{items + more:,}, and what is known of either part is kept apart."
            )
            items += more
        elif "until" in change.settings:
            was = "there was none" if before.until is None else f"it was {before.until.describe()}"
            notes.append(f"The goal was changed {after}; before, {was}.")
        if isinstance(change, Changed) and "skips" in change.settings:
            notes.append(f"What is assumed of skipped items was changed {after}.")
        before = changed(before, change)
    return notes
