"""A study: it asks for labels, you tell it, it answers. Joins the parts; computes nothing itself."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np

from fewlabels.answers import NONE_LEFT, Answer, Holds, LabelsLeft, Progress, count_of
from fewlabels.assessment import Assessment, assess
from fewlabels.between_models import asked_of
from fewlabels.core.belief import Columns
from fewlabels.core.cells import Cells
from fewlabels.core.events import Corrected, Drawn, Event, Item, Planned, Query, Relocated, Skipped, Told
from fewlabels.core.evidence import Evidence, History
from fewlabels.core.groups import Grouping, of_model
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.priors import Prior
from fewlabels.core.typed import read_item, read_label
from fewlabels.engines import PoolItem
from fewlabels.errors import FewlabelsError, LabelError, QuestionError, StudyError
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.reading.answer import answer as answer_question
from fewlabels.reading.answer import answer_to_goal
from fewlabels.settings import StudySettings, check_level
from fewlabels.step import ahead, is_taken, next_event
from fewlabels.storages import Storage, StudyRecord
from fewlabels.study.folding import Folding
from fewlabels.study.pools_of_0_1_0 import fitting
from fewlabels.study.reopening import check_same, new_place, reopen
from fewlabels.study.shown import Shown
from fewlabels.study.snapshot import Snapshot, notes_of


class Study(Shown):
    """Made by create_study and load_study. Safe to use from several threads, and from several processes on one storage:
    each call that writes takes the study's lock, reads what others wrote, and writes all or nothing."""

    def __init__(self, record: StudyRecord, storage: Storage, pool: Pool | None = None) -> None:
        self.name = record.name
        self._storage = storage
        self._pool: Pool | None = None
        self._about = record.pool
        self._draws: Columns = {}
        try:
            self.settings = StudySettings.from_json(record.settings).as_kept()
            self._labels = tuple(self._about["classes"]) + tuple(self._about["other_labels"])
            cells = Cells.from_bytes(record.cells)
        except FewlabelsError:
            raise
        except Exception as error:  # there is no end to what damaged bytes can raise
            raise StudyError(f"study {self.name!r} is damaged ({error!r}); restore its file from a copy.") from error
        self._assessment = Assessment(self.settings, self.settings.question, cells, self._labels)
        self._folding = Folding(storage, self.name, self._fresh)
        self._opening = threading.Lock()
        self._sorted = False
        self._item_at = ahead(self._draw)
        if pool is not None:
            self._pool = fitting(pool, self._about, partial(self._check_same, handed_in=True))

    # -- asking and telling ------------------------------------------------------------------------------------------

    def ask(self, n: int = 1) -> list[Query]:
        """The next n items to label, fewer when the budget or the pool ends. Open queries are not asked again."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise QuestionError(f"ask takes a whole number of items, such as ask(10); got {n!r}.")
        if n > 0 and not self._sorted:
            self._sort()
        with self._folding.writing() as append:
            left = n if self.settings.budget is None else min(n, self.settings.budget - self._history.spent)
            new: list[Query] = []
            while len(new) < left and (event := self._next(left - len(new))):
                waiting = len(self._history.open)
                append(event)
                if isinstance(event, Query) and len(self._history.open) > waiting:  # else its label is known already
                    new.append(event)
            return new

    def tell(
        self,
        what: Query | Item | Mapping[Any, object],
        label: object = None,
        *,
        by: str | None = None,
        drawn: Drawn | None = None,
    ) -> None:
        """Record true classes: of a query or item, or of many as {item: label}. All are recorded, or none.

        `drawn` is for labels of items never asked: "uniform" if they were a uniform sample of the pool, "unknown"
        otherwise; the latter are kept apart, and count only when the study draws their items itself.
        """
        if not isinstance(what, Mapping) and label is None:
            raise LabelError(
                f"tell takes a query (or item) and its label, or {{item: label, …}} for many; got {what!r}."
            )
        pairs = what.items() if isinstance(what, Mapping) else [(what, label)]
        told = {self._item(item): read_label(value, self._labels, self._about["positive"]) for item, value in pairs}
        if len(told) < len(pairs):
            raise LabelError("an item is told twice in one call; give each item one label.")
        rows = self._never_asked(told, drawn)  # before the lock: it may open the pool
        with self._folding.writing() as append:
            events = [self._telling(item, name, by, drawn, rows) for item, name in told.items()]
            for event in events:
                if event is not None:
                    append(event)

    def skip(self, what: Query | Item, reason: str | None = None, *, by: str | None = None) -> None:
        """Close an open query without a label; its item is not asked again."""
        item = self._item(what)
        with self._folding.writing() as append:
            if item not in self._history.open:
                raise LabelError(f"item {item!r} is not open, so it cannot be skipped; open are {self._open_words()}.")
            append(Skipped(item, reason, by, _now()))

    def correct(self, what: Query | Item, label: object, *, by: str | None = None) -> None:
        """Replace the label of an item, or give one to an item that was skipped."""
        item, name = self._item(what), read_label(label, self._labels, self._about["positive"])
        with self._folding.writing() as append:
            if item not in self._history.labels and item not in self._history.skipped:
                raise LabelError(f"item {item!r} has no label to correct; tell() records a first one.")
            append(Corrected(item, name, by, _now()))

    def relocate(self, source: str | Path, items: str | Path | None = None, *, by: str | None = None) -> Relocated:
        """Point the study at the file its pool has moved to; `items` too, where texts are in a second file.

        It must be the same pool: ids, predictions, scores, groups, and texts.
        """
        with self._folding.current() as history:
            before = history.moved
        moved = Relocated(*new_place(self._about, before, source, items), by, _now())
        pool = reopen(self._about, moved, self._check_same)
        with self._folding.writing() as append:
            append(moved)
        self._pool, self._item_at = pool, ahead(self._draw)
        return moved

    # -- answering ---------------------------------------------------------------------------------------------------

    def answer(
        self,
        question: Question | None = None,
        *,
        model: str | None = None,
        level: float | None = None,
        interval: IntervalKind = "equal-tailed",
        anytime: bool = False,
    ) -> Answer:
        """The answer from the labels so far: to the study's question, or to another, or about another model.

        With `anytime` intervals hold at every look: of all paths of a study no more than their level allows ever miss,
        whoever looks after each label and stops when the answer pleases. They are wider for it.
        """
        if level is not None:
            check_level(level)
        if question is not None and not isinstance(question, Question):
            raise QuestionError(f"a question is fl.Estimate(…), fl.Identify(…) or fl.Compare(…); got {question!r}.")
        if interval not in get_args(IntervalKind):
            raise QuestionError(f"interval is 'equal-tailed' or 'highest-density'; got {interval!r}.")
        known = self._known()
        answer = self._answer(known, question, model, level, interval, anytime=anytime)
        asked = question is None and model is None and level is None and interval == "equal-tailed" and not anytime
        return self._stopped(known, answer) if asked else answer

    def _answer(
        self,
        known: Snapshot,
        question: Question | None = None,
        model: str | None = None,
        level: float | None = None,
        interval: IntervalKind = "equal-tailed",
        *,
        anytime: bool = False,
    ) -> Answer:
        assessment, evidence = self._assessment, known.evidence
        if question is not None or model not in (None, self._about["model"]):
            assessment, evidence = self._other(question or self.settings.question, model, evidence)
        borrowed = assessment is not self._assessment and not evidence.equal_chances
        notes = notes_of(known, assessment, self.settings)
        level = level or self.settings.level
        until, own = self.settings.until, assessment is self._assessment
        holds: Holds = "every look" if anytime else until.holds if until is not None and own else "one look"
        return answer_question(assessment, evidence, level, interval, notes, borrowed=borrowed, holds=holds)

    def _goal(self, known: Snapshot) -> Progress | None:
        """What the goal says, where there is one."""
        until, evidence = self.settings.until, known.evidence
        if until is None:
            return None
        answer = answer_to_goal(self._assessment, evidence, self.settings.level, until, self._draws)
        return until.progress(answer, self._remaining(known), evidence)

    def _stopped(self, known: Snapshot, answer: Answer) -> Answer:
        """The answer; at a stop with which rule ended the study, at which label, and what that promises."""
        until, evidence = self.settings.until, known.evidence
        if until is None or not until.progress(answer, self._remaining(known), evidence).done:
            return answer
        at = count_of(evidence.count, "label")
        return replace(answer, stop=f"The goal, {until.describe()}, is reached at {at}. {until.promise(answer)}")

    @property
    def progress(self) -> Progress:
        """Whether the study has what it was for, in a sentence."""
        known = self._known()
        return self._progress(known, self._goal(known))

    def _progress(self, known: Snapshot, goal: Progress | None) -> Progress:
        remaining, budget = self._remaining(known), self.settings.budget
        if goal is not None and goal.done:
            return goal
        if remaining == 0 and not known.open:
            return Progress(True, "Every item the question asks about is labelled or skipped.", NONE_LEFT)
        if budget is not None and known.spent >= budget and not known.open:
            return Progress(
                True, f"The budget of {count_of(budget, 'label')} is spent.{f' {goal}' if goal else ''}", NONE_LEFT
            )
        left = None if budget is None else LabelsLeft(*[budget - known.spent] * 3)
        so_far = count_of(known.evidence.count, "label").capitalize()
        limit = "no goal is set" if budget is None else f"the budget is {count_of(budget, 'label')}"
        return goal or Progress(False, f"{so_far} so far; {limit}.", left)

    @property
    def done(self) -> bool:
        return self.progress.done

    @property
    def open_queries(self) -> list[Query]:
        """Queries waiting for a label, oldest first."""
        with self._folding.current() as history:
            return list(history.open.values())

    @property
    def record(self) -> StudyRecord:
        """What was written when the study was made."""
        return self._storage.load(self.name)

    @property
    def labels(self) -> dict[Item, str]:
        """Every label recorded, corrections applied."""
        with self._folding.current() as history:
            return dict(history.labels)

    @property
    def positive(self) -> str | None:
        """The positive class of a binary pool; None where there is none."""
        return cast(str | None, self._about["positive"])

    @property
    def whole_ids(self) -> bool:
        """Whether the items' ids are whole numbers, not text."""
        return bool(self._about["whole_ids"])

    @property
    def spent(self) -> int:
        """How much of the budget is spent: queries that were answered or wait for an answer."""
        with self._folding.current() as history:
            return history.spent

    @property
    def events(self) -> list[Event]:
        """Everything that happened, in order."""
        return list(self._storage.events(self.name))

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that can be told."""
        return self._labels

    @property
    def pool(self) -> Pool:
        """The pool; opened again from its file when this study was loaded without it."""
        if self._pool is None:
            with self._folding.current() as history:  # before the other lock, which a writer may wait for
                moved = history.moved
            with self._opening:
                if self._pool is None:
                    self._pool = reopen(self._about, moved, self._check_same)
        return self._pool

    # -- inside ------------------------------------------------------------------------------------------------------

    def _fresh(self) -> History:
        return History({name: i for i, name in enumerate(self._labels)}, self._assessment.cells.count)

    @property
    def _history(self) -> History:
        return self._folding.history

    def _remaining(self, known: Snapshot) -> int:
        """Items the question can still ask about."""
        return int(self._assessment.remaining(known.taken).sum())

    def _known(self) -> Snapshot:
        with self._folding.current() as history:
            counts = len(history.open), history.spent, len(history.skipped), len(history.apart)
            return Snapshot(history.evidence(), history.taken.copy(), *counts)

    def _sort(self) -> None:
        """Open, check and sort the pool before the lock is taken, so that nobody waits for that; not where nothing can
        be asked, and the pool is not needed."""
        known, budget = self._known(), self.settings.budget
        if self._remaining(known) > 0 and (budget is None or known.spent < budget):
            self._sorted = self._item_at(0, 0) is not None

    def _next(self, wanted: int) -> Planned | Query | None:
        seed, budget, now = self.settings.seed, self.settings.budget, _now()
        return next_event(
            self._assessment, self._history, self._item_at, seed=seed, budget=budget, now=now, wanted=wanted
        )

    def _draw(self, cell: int, after: int, n: int) -> list[PoolItem]:
        axes = self._assessment.cells.axes
        rows = self.pool.engine.draw(self._about["model"], axes, self.settings.seed, cell, after, n)
        return [replace(row, item=self._item(row.item)) for row in rows]  # as the study has called it so far

    def _never_asked(self, items: Iterable[Item], drawn: Drawn | None) -> dict[Item, PoolItem]:
        """Where items that were never asked or told lie in the pool; where they are not, an error."""
        if (drawn is None and self._pool is None) or drawn not in (None, *get_args(Drawn)):
            return {}
        with self._folding.held() as history:
            wanted = [item for item in items if not is_taken(history, item)]
        if wanted:  # others may have asked or told them meanwhile
            with self._folding.current() as history:
                wanted = [item for item in wanted if not is_taken(history, item)]
        rows = self.pool.engine.find(self._about["model"], self._assessment.cells.axes, wanted) if wanted else []
        for item, row in zip(wanted, rows, strict=True):
            if row is None:
                raise LabelError(f"item {item!r} is not in the pool of {self._about['count']:,} items; check its id.")
        return {item: row for item, row in zip(wanted, rows, strict=True) if row is not None}

    def _telling(
        self, item: Item, label: str, by: str | None, drawn: Drawn | None, rows: Mapping[Item, PoolItem]
    ) -> Told | None:
        history = self._history
        if item in history.open:
            return Told(item, label, by, at=_now())
        if item in history.labels and not (
            item in history.apart and drawn == "uniform" and history.labels[item] == label
        ):
            if history.labels[item] != label:
                raise LabelError(
                    f"item {item!r} was told {history.labels[item]!r} before and is now told {label!r}; "
                    "if the first was wrong, use correct()."
                )
            return None
        if item in history.skipped:
            raise LabelError(f"item {item!r} was skipped; if it can be labelled after all, use correct().")
        if drawn is not None and drawn not in get_args(Drawn):
            raise LabelError(f"drawn is 'uniform' or 'unknown': how the items came about; got {drawn!r}.")
        if drawn is None:
            raise LabelError(
                f"item {item!r} was never asked; open are {self._open_words()}. For labels you have already, say how "
                "their items were chosen: drawn='uniform' (a uniform sample of the pool) or drawn='unknown'."
            )
        row = rows[item]
        return Told(item, label, by, drawn, row.cell, row.predicted, row.score, _now())

    def _other(self, question: Question, model: str | None, evidence: Evidence) -> tuple[Assessment, Evidence]:
        """The same labels, read for another question or model.

        Where they were not drawn uniformly, what decided the draws becomes a further axis: inside a cell the labelled
        items are then a simple random sample again.
        """
        pool, own = self.pool, str(self._about["model"])
        question, model = asked_of(question, pool, model if question.of_models else model or own)
        strata: tuple[Grouping, ...] = ()
        weighted = self.settings.estimator_for(question).reads_draws  # their weights undo how they were drawn
        if not weighted and not evidence.equal_chances:
            strata = tuple(g if own == model else of_model(own, g) for g in self._assessment.strata_needed)
        settings = self.settings
        if isinstance(settings.prior, Prior):  # its figures are about the groups of the study's own question
            settings = replace(settings, prior="flat", prior_strength=None)
        assessment = assess(settings, question, pool, model, strata)
        if (between := self._assessment.between) is not None and not evidence.equal_chances:
            wanted = np.isin(assessment.arms.index, assessment.in_question)
            between.check_reach(assessment.cells, wanted, assessment.title)
        outputs = pool.engine.outputs_of(model, assessment.cells.axes, evidence.items)
        return assessment, evidence.moved(*outputs, evenly=between is not None)

    def _item(self, what: Query | Item | Any) -> Item:
        """The item meant; the one place where ids are read, as they are written in the pool and in no other way."""
        item = what.item if isinstance(what, Query) else what
        return read_item(item, whole=self.whole_ids)

    def _open_words(self) -> str:
        names = [repr(item) for item in self._history.open]
        return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "none"

    def _check_same(self, pool: Pool, *, handed_in: bool = False) -> None:
        axes = self._assessment.cells.axes
        check_same(self._about, axes, pool, lambda: self._storage.events(self.name), handed_in=handed_in)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
