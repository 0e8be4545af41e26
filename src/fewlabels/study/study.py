"""A study: it asks for labels, you tell it, it answers. Joins the parts; computes nothing itself."""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

import numpy as np

from fewlabels.answers import Answer, Holds, Progress
from fewlabels.assessment import Assessment, assess
from fewlabels.core.belief import Columns
from fewlabels.core.cells import Cells
from fewlabels.core.events import (
    Changed,
    Corrected,
    Drawn,
    Event,
    Item,
    Planned,
    Query,
    Relocated,
    Skipped,
    Withdrawn,
)
from fewlabels.core.evidence import Evidence, History
from fewlabels.core.groups import Grouping, OfModel
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.priors import Prior
from fewlabels.core.typed import read_item, read_label
from fewlabels.engines import PoolItem
from fewlabels.errors import FewlabelsError, LabelError, QuestionError, StudyError
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.reading.answer import answer as answer_question
from fewlabels.settings import StudySettings, check_level
from fewlabels.step import ahead, is_taken, next_event
from fewlabels.stopping import Stopping
from fewlabels.storages import Storage, StudyRecord
from fewlabels.study.folding import Folding
from fewlabels.study.pools_of_0_1_0 import fitting
from fewlabels.study.progress import progress_of, stop_of
from fewlabels.study.reopening import check_same, new_place, reopen
from fewlabels.study.snapshot import Snapshot, notes_of
from fewlabels.study.telling import names_of, telling
from fewlabels.study.terms import Agreed, As, Terms, new_settings, notes_of_changes


class Study:
    """Made by create_study and load_study. Safe to use from several threads, and from several processes on one storage:
    each call that writes takes the study's lock, reads what others wrote, and writes all or nothing."""

    def __init__(self, record: StudyRecord, storage: Storage, pool: Pool | None = None) -> None:
        self.name = record.name
        self._storage = storage
        self._pool: Pool | None = None
        self._about = record.pool
        self._draws: Columns = {}
        try:
            made = StudySettings.from_json(record.settings).as_kept()
            self._labels = tuple(self._about["classes"]) + tuple(self._about["other_labels"])
            self._cells = Cells.from_bytes(record.cells)
        except FewlabelsError:
            raise
        except Exception as error:  # there is no end to what damaged bytes can raise
            raise StudyError(f"study {self.name!r} is damaged ({error!r}); restore its file from a copy.") from error
        self._agreed = Agreed(made, self._cells, self._labels)
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
            terms = self._agreed.after(self._history.changes)
            budget = terms.settings.budget
            left = n if budget is None else min(n, budget - self._history.spent)
            new: list[Query] = []
            while len(new) < left and (event := self._next(terms, left - len(new))):
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
            events = [telling(self._history, item, name, by, drawn, rows, _now()) for item, name in told.items()]
            for event in events:
                if event is not None:
                    append(event)

    def skip(self, what: Query | Item, reason: str | None = None, *, by: str | None = None) -> None:
        """Close an open query without a label; its item is not asked again."""
        item = self._item(what)
        with self._folding.writing() as append:
            if item not in self._history.open:
                raise LabelError(
                    f"item {item!r} is not open, so it cannot be skipped; open are {names_of(self._history.open)}."
                )
            append(Skipped(item, reason, by, _now()))

    def correct(self, what: Query | Item, label: object, *, by: str | None = None) -> None:
        """Replace the label of an item, or give one to an item that was skipped."""
        item, name = self._item(what), read_label(label, self._labels, self._about["positive"])
        with self._folding.writing() as append:
            if item not in self._history.labels and item not in self._history.skipped:
                raise LabelError(f"item {item!r} has no label to correct; tell() records a first one.")
            append(Corrected(item, name, by, _now()))

    def withdraw(self, what: Query | Item, *, by: str | None = None) -> None:
        """Take back the label of an item, or its skip: one that was asked is open again."""
        item = self._item(what)
        with self._folding.writing() as append:
            if item not in self._history.labels and item not in self._history.skipped:
                raise LabelError(f"item {item!r} has no label and no skip to take back; check its id.")
            append(Withdrawn(item, by, _now()))

    def change(
        self, *, budget: int | As | None = As.IT_IS, until: Stopping | As | None = As.IT_IS, by: str | None = None
    ) -> StudySettings:
        """Set another budget or goal from here on, or none with None; what was asked and told stays as it is."""
        with self._folding.writing() as append:
            changes = self._history.changes
            settings = self._agreed.after(changes).settings
            new = Changed(new_settings(settings, budget=budget, until=until), by, _now())
            terms = self._agreed.changing(changes, new)
            append(new)
        return terms.settings

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
        return replace(answer, stop=stop_of(known, answer)) if asked else answer

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
        own, evidence, settings = known.terms.assessment, known.evidence, known.terms.settings
        assessment = own
        if question is not None or model not in (None, self._about["model"]):
            about = question or settings.question, model or self._about["model"]
            assessment, evidence = self._other(*about, known)
        borrowed = assessment is not own and not evidence.equal_chances
        notes = notes_of(known, assessment)
        level, until = level or settings.level, settings.until
        holds: Holds = (
            "every look" if anytime else until.holds if until is not None and assessment is own else "one look"
        )
        return answer_question(assessment, evidence, level, interval, notes, borrowed=borrowed, holds=holds)

    @property
    def progress(self) -> Progress:
        """Whether the study has what it was for, in a sentence."""
        return progress_of(self._known(), self._draws)

    @property
    def done(self) -> bool:
        return self.progress.done

    @property
    def settings(self) -> StudySettings:
        """What defines the study, changes included."""
        with self._folding.current() as history:
            return self._agreed.after(history.changes).settings

    @property
    def open_queries(self) -> list[Query]:
        """Queries waiting for a label, oldest first."""
        with self._folding.current() as history:
            return list(history.open.values())

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
        return History({name: i for i, name in enumerate(self._labels)}, self._cells.count)

    @property
    def _history(self) -> History:
        return self._folding.history

    @property
    def _assessment(self) -> Assessment:
        return self._agreed.after(self._history.changes).assessment

    def _known(self) -> Snapshot:
        with self._folding.current() as history:
            counts = len(history.open), history.spent, len(history.skipped), len(history.apart)
            terms = self._agreed.after(history.changes)
            notes = notes_of_changes(self._agreed.after(()).settings, history.changes)
            return Snapshot(terms, history.evidence(), history.taken.copy(), *counts, notes)

    def _sort(self) -> None:
        """Open, check and sort the pool before the lock is taken, so that nobody waits for that; not where nothing can
        be asked, and the pool is not needed."""
        known = self._known()
        budget = known.terms.settings.budget
        if known.remaining > 0 and (budget is None or known.spent < budget):
            self._sorted = self._item_at(0, 0) is not None

    def _next(self, terms: Terms, wanted: int) -> Planned | Query | None:
        seed, budget, now = terms.settings.seed, terms.settings.budget, _now()
        return next_event(
            terms.assessment, self._history, self._item_at, seed=seed, budget=budget, now=now, wanted=wanted
        )

    def _draw(self, cell: int, after: int, n: int) -> list[PoolItem]:
        seed = self._agreed.after(()).settings.seed  # it never changes
        rows = self.pool.engine.draw(self._about["model"], self._cells.axes, seed, cell, after, n)
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
        rows = self.pool.engine.find(self._about["model"], self._cells.axes, wanted) if wanted else []
        for item, row in zip(wanted, rows, strict=True):
            if row is None:
                raise LabelError(f"item {item!r} is not in the pool of {self._about['count']:,} items; check its id.")
        return {item: row for item, row in zip(wanted, rows, strict=True) if row is not None}

    def _other(self, question: Question, model: str, known: Snapshot) -> tuple[Assessment, Evidence]:
        """The same labels, read for another question or model.

        Where they were not drawn uniformly, what decided the draws becomes a further axis: inside a cell the labelled
        items are then a simple random sample again.
        """
        pool, settings, evidence = self.pool, known.terms.settings, known.evidence
        model = pool.model_named(model)
        strata: tuple[Grouping, ...] = ()
        weighted = settings.estimator_for(question).reads_draws  # their weights undo how they were drawn
        if not weighted and not evidence.equal_chances:
            own = self._about["model"]
            strata = tuple(g if own == model else OfModel(own, g) for g in known.terms.assessment.strata_needed)
        if isinstance(settings.prior, Prior):  # its figures are about the groups of the study's own question
            settings = replace(settings, prior="flat", prior_strength=None)
        assessment = assess(settings, question, pool, model, strata)
        return assessment, evidence.moved(*pool.engine.outputs_of(model, assessment.cells.axes, evidence.items))

    def _item(self, what: Query | Item | Any) -> Item:
        """The item meant; the one place where ids are read, as they are written in the pool and in no other way."""
        item = what.item if isinstance(what, Query) else what
        return read_item(item, whole=self.whole_ids)

    def _check_same(self, pool: Pool, *, handed_in: bool = False) -> None:
        axes = self._cells.axes
        check_same(self._about, axes, pool, lambda: self._storage.events(self.name), handed_in=handed_in)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
