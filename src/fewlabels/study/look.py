"""What a reader of a study sees at one moment: the answer, how far that is from the goal, and what lies behind it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from fewlabels.answers import Answer, Holds, Progress
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.events import Event
from fewlabels.core.evidence import Evidence
from fewlabels.questions import Question
from fewlabels.reading.answer import answer as answer_question
from fewlabels.reading.answer import read
from fewlabels.reading.base import Reading
from fewlabels.storages import StudyRecord
from fewlabels.study.other_question import read_otherwise
from fewlabels.study.progress import goal_of, progress_of, stop_of
from fewlabels.study.snapshot import Snapshot
from fewlabels.study.study import Study


@dataclass(frozen=True)
class Look:
    """A study at one moment. Whatever is asked of it speaks of the same labels, though others go on telling."""

    study: Study
    known: Snapshot
    answer: Answer
    progress: Progress
    reached: bool | None  # whether the goal is; None where none is set
    record: StudyRecord
    events: tuple[Event, ...]

    @property
    def assessment(self) -> Assessment:
        """The study's question on its cells."""
        return self.study._assessment

    @property
    def evidence(self) -> Evidence:
        return self.known.evidence

    @property
    def question(self) -> Question:
        return self.study.settings.question

    def other(self, question: Question | None = None, *, model: str | None = None) -> Answer:
        """The answer to another question, or of another model, from these labels; to the study's own, its own."""
        if model is None and question in (None, self.question):
            return self.answer
        return self.study._answer(self.known, question, model)

    def reading(self, question: Question | None = None) -> Reading:
        """What the answer to a question is read off: with the joint draws of its figures, where there are any."""
        own = question is None or question == self.question
        assessment, evidence, skips = self.assessment, self.evidence, self.known.skips
        if question is not None and not own:
            own_model = self.record.pool["model"]
            assessment, evidence, skips = read_otherwise(self.study.pool, own_model, self.known, question, None)
        borrowed = not own and not evidence.equal_chances
        more: dict[str, Any] = {"borrowed": borrowed, "error": self.known.error, "skips": skips}
        return read(assessment, evidence, self.study.settings.level, **more)

    @cached_property
    def labels_by_group(self) -> tuple[tuple[str, ...], Ints]:
        """The groups of the question, and how many labels lie in each."""
        groups = self.assessment.view.groups
        return groups.labels, np.bincount(groups.index[self.evidence.cell], minlength=groups.count)

    def positives_by_group(self, positive: str) -> dict[str, int]:
        """How many labelled items of each group are of one class."""
        groups, place = self.assessment.view.groups, self.study.classes.index(positive)
        hits = groups.index[self.evidence.cell[self.evidence.label == place]]
        return dict(zip(groups.labels, np.bincount(hits, minlength=groups.count).tolist(), strict=True))

    def after(self, counts: Sequence[int]) -> list[Answer]:
        """The answers as they would have been after so many of these labels, in the order in which they came."""
        wanted, found, history = set(counts), [], self.study._fresh()
        settings, seen = self.study.settings, 0
        holds: Holds = "one look" if settings.until is None else settings.until.holds
        for event in self.events:
            history.apply(event)
            if (now := len(history.labels) - len(history.apart)) > seen and now in wanted:
                seen = now
                terms = self.study._agreed.after(history.changes)
                skips = self.study._skips_then(history, settings)
                how: dict[str, Any] = {"holds": holds, "error": self.known.error, "skips": skips}
                told, then = history.evidence(), terms.assessment
                told = told.leaving_out if settings.skips == "ignorable" else told
                found.append(answer_question(then, told, settings.level, "equal-tailed", **how))
        return found


def look(study: Study) -> Look:
    """The study as it is now."""
    known, events = study._known(), tuple(study.events)
    answer = study._answer(known)
    goal = goal_of(known, answer)
    stopped, progress = replace(answer, stop=stop_of(known, answer)), progress_of(known, goal)
    return Look(study, known, stopped, progress, None if goal is None else goal.done, study.made, events)
