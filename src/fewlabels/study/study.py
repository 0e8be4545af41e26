"""A study: it asks for labels, you tell it, it answers. Joins the parts; computes nothing itself."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, get_args

import numpy as np

from fewlabels.answers import Answer, Holds, Progress
from fewlabels.core.belief import Columns
from fewlabels.core.events import (
    Changed,
    Corrected,
    Drawn,
    Event,
    Extended,
    Item,
    Leased,
    Query,
    Released,
    Relocated,
    Withdrawn,
)
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.typed import read_label
from fewlabels.engines import PoolItem
from fewlabels.errors import LabelError, QuestionError, StudyError
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.reading.answer import answer as answer_question
from fewlabels.reading.elsewhere import answer_elsewhere, check_elsewhere
from fewlabels.settings import Skipping, StudySettings, check_level
from fewlabels.step import next_event
from fewlabels.stopping import Stopping
from fewlabels.storages import Storage, StudyRecord
from fewlabels.study import clock, labellers
from fewlabels.study.elsewhere import look_at
from fewlabels.study.growing import check_may_grow, check_new, extension, of_the_same_model
from fewlabels.study.kept import Kept
from fewlabels.study.labellers import LEASE
from fewlabels.study.other_question import read_otherwise
from fewlabels.study.progress import as_far_as_the_goal_reads, goal_of, progress_of, stop_of
from fewlabels.study.reopening import found_again
from fewlabels.study.shown import Shown
from fewlabels.study.snapshot import Snapshot, notes_of
from fewlabels.study.telling import Given, never_asked, recording
from fewlabels.study.terms import As, Terms, new_settings


class Study(Kept, Shown):
    """Made by create_study and load_study. Safe to use from several threads, and from several processes on one storage:
    each call that writes takes the study's lock, reads what others wrote, and writes all or nothing."""

    def __init__(self, record: StudyRecord, storage: Storage, pool: Pool | Sequence[Pool] | None = None) -> None:
        super().__init__(record, storage, pool)
        self._draws: Columns = {}
        self._sorted = False

    # -- asking and telling ------------------------------------------------------------------------------------------

    def ask(self, n: int = 1, *, by: str | None = None, lease: float = LEASE) -> list[Query]:
        """The next n items to label, fewer when the budget or the pool ends. Open queries are not asked again.

        With `by` they are that labeller's for `lease` seconds: nobody else gets them meanwhile, unless the study wants
        several labels of an item. Items whose lease ended come before new ones.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise QuestionError(f"ask takes a whole number of items, such as ask(10); got {n!r}.")
        if n > 0 and not self._sorted:
            self._sort()
        with self._keeping_more(), self._folding.writing() as append:
            terms = self._agreed.after(self._history.changes)
            labellers.check_asker(terms.settings, by, lease)
            found: list[Query] = (
                [] if by is None else list(islice(labellers.free_for(self._history, by, clock.now()), n))
            )
            budget = terms.settings.budget
            while (
                len(found) < n
                and (left := self._left(budget)) > 0
                and (event := self._next(terms, n - len(found), left))
            ):
                waiting = len(self._history.open)
                append(event)
                if isinstance(event, Query) and len(self._history.open) > waiting:  # else its label is known already
                    found.append(event)
            for query in found if by is not None else ():
                append(Leased(query.item, str(by), clock.later(lease), clock.now()))
            return found

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
        named = ((item, read_label(value, self._labels, self._about["positive"])) for item, value in pairs)
        told = [Given(self._item(item), name, by) for item, name in named]
        if len({given.item for given in told}) < len(pairs):
            raise LabelError("an item is told twice in one call; give each item one label.")
        self.record(told, drawn=drawn)

    def record(self, labels: Sequence[Given], *, drawn: Drawn | None = None) -> int:
        """Record labels of several labellers, and skips, at once: all of them or none. How many were new."""
        read = [given.read(self._labels, self._about["positive"], self._item) for given in labels]
        rows: dict[Item, PoolItem] = {}
        if drawn in get_args(Drawn) or (drawn is None and self._pool is not None):
            told = [given.item for given in read if given.label is not None]
            count = int(self._assessment.cells.size.sum())
            rows = never_asked(self._folding, told, self._find, count)  # it may open the pool
        new = 0
        with self._folding.writing() as append:
            now = clock.now()
            for given in read:
                event = recording(self._history, given, drawn, rows, now)
                if event is not None:
                    append(event)
                    new += 1
        return new

    def skip(self, what: Query | Item, reason: str | None = None, *, by: str | None = None) -> None:
        """Close an open query without a label; its item is not asked again."""
        self.record([Given(self._item(what), None, by, reason)])

    def correct(self, what: Query | Item, label: object, *, by: str | None = None) -> None:
        """Replace the label of an item, or give one to an item that was skipped."""
        item, name = self._item(what), read_label(label, self._labels, self._about["positive"])
        with self._folding.writing() as append:
            if item not in self._history.labels and item not in self._history.skipped:
                raise LabelError(f"item {item!r} has no label to correct; tell() records a first one.")
            append(Corrected(item, name, by, clock.now()))

    def withdraw(self, what: Query | Item, *, by: str | None = None) -> None:
        """Take back the label of an item, or its skip: one that was asked is open again."""
        item = self._item(what)
        with self._folding.writing() as append:
            history = self._history
            if item not in history.labels and item not in history.skipped and not history.opinions.get(item):
                raise LabelError(f"item {item!r} has no label and no skip to take back; check its id.")
            append(Withdrawn(item, by, clock.now()))

    def change(
        self,
        *,
        budget: int | As | None = As.IT_IS,
        until: Stopping | As | None = As.IT_IS,
        skips: Skipping | As = As.IT_IS,
        by: str | None = None,
    ) -> StudySettings:
        """Set another budget or goal from here on, or none with None; what was asked and told stays as it is.

        With skips="ignorable" skipped items are taken to be like the others, with "worst" they may be anything.
        """
        with self._folding.writing() as append:
            changes = self._history.changes
            settings = self._agreed.after(changes).settings
            new = Changed(new_settings(settings, budget=budget, until=until, skips=skips), by, clock.now())
            terms = self._agreed.changing(changes, new)
            append(new)
        return terms.settings

    def extend(self, pool: Pool, *, by: str | None = None) -> Extended:
        """Add new items of the same model to the pool; what was asked and told stays as it is.

        From here on figures are of all items together. Labels were drawn from what the pool was when they were drawn:
        its parts are never mixed.
        """
        if not isinstance(pool, Pool):
            raise QuestionError(f"extend takes a pool of new items, got {pool!r}; open a file with fl.open_pool(…).")
        known, had = self._known(), self.pool.engine
        cells = known.terms.assessment.cells
        check_may_grow(known.terms.assessment)
        new = of_the_same_model(pool, self._about, had)
        check_new(new, had, self._about["model"], cells.axes)
        event = extension(new, self._about, cells, by, clock.now())
        with self._folding.writing() as append:
            if self._agreed.after(self._history.changes).assessment.cells.count != cells.count:
                raise StudyError(f"somebody else extended study {self.name!r} meanwhile; look at it, and try again.")
            append(event)
        self._add_part(new)
        return event

    def relocate(self, source: str | Path, items: str | Path | None = None, *, by: str | None = None) -> Relocated:
        """Point the study at the file its pool has moved to; `items` too, where texts are in a second file.

        It must be the same pool: ids, predictions, scores, groups, and texts. Where the study was extended it is the
        one of its files that this is.
        """
        with self._folding.current() as history:
            before, abouts = dict(history.moved), self._abouts(history)
        part, moved, pool = found_again(abouts, before, source, items, self._check_same)
        event = replace(moved, by=by, at=clock.now(), part=part)
        with self._folding.writing() as append:
            append(event)
        self._replace_part(part, pool)
        return event

    def release(self, what: Query | Item, *, by: str) -> None:
        """Give an open query back, so that others may have it at once."""
        item = self._item(what)
        with self._folding.writing() as append:
            if by not in self._history.leases.get(item, {}):
                raise LabelError(f"item {item!r} is not leased to {by!r}, so that it cannot be given back.")
            append(Released(item, by, clock.now()))

    # -- answering ---------------------------------------------------------------------------------------------------

    def answer(
        self,
        question: Question | None = None,
        *,
        model: str | None = None,
        level: float | None = None,
        interval: IntervalKind = "equal-tailed",
        anytime: bool = False,
        pool: Pool | None = None,
    ) -> Answer:
        """The answer from the labels so far: to the study's question, or to another, or about another model.

        With `pool` it is of that pool, none of whose items is labelled: the labels are re-weighted to its mix of cells.

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
        if pool is not None:
            if anytime or interval != "equal-tailed":
                raise QuestionError(
                    "of another pool intervals are equal-tailed, and hold for one look; leave pool= out."
                )
            return self._elsewhere(known, pool, question, model, level)
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
        own, evidence, settings, skips = known.terms.assessment, known.evidence, known.terms.settings, known.skips
        assessment = own
        if question is not None or model not in (None, self._about["model"]):
            asked = question or settings.question
            assessment, evidence, skips = read_otherwise(self.pool, self._about["model"], known, asked, model)
        borrowed = assessment is not own and not evidence.equal_chances
        notes = notes_of(known, assessment)
        level, until = level or settings.level, settings.until
        holds: Holds = (
            "every look" if anytime else until.holds if until is not None and assessment is own else "one look"
        )
        more: Any = {"borrowed": borrowed, "holds": holds, "error": known.error, "skips": skips}
        return answer_question(assessment, evidence, level, interval, notes, **more)

    def _elsewhere(
        self, known: Snapshot, pool: Pool, question: Question | None, model: str | None, level: float | None
    ) -> Answer:
        assessment, evidence, own = known.terms.assessment, known.evidence, self._about["model"]
        if question is not None or model not in (None, own):
            asked = question or known.terms.settings.question
            assessment, evidence, _ = read_otherwise(self.pool, own, known, asked, model)
        check_elsewhere(assessment)
        there = of_the_same_model(pool, {**self._about, "model": model or own}, self.pool.engine)
        units = (*assessment.view.by, *(axis for axis in assessment.view.axes if axis not in assessment.view.by))
        seen = look_at(there.engine, self.pool.engine, model or own, assessment.cells, units)
        return answer_elsewhere(assessment, evidence, seen, level or known.terms.settings.level, known.error)

    @property
    def progress(self) -> Progress:
        """Whether the study has what it was for, in a sentence."""
        known = self._known()
        return progress_of(known, goal_of(known, as_far_as_the_goal_reads(known, self._draws)))

    @property
    def done(self) -> bool:
        return self.progress.done

    # -- inside ------------------------------------------------------------------------------------------------------

    def _sort(self) -> None:
        """Open, check and sort the pool before the lock is taken, so that nobody waits for that; not where nothing can
        be asked, and the pool is not needed."""
        known = self._known()
        budget = known.terms.settings.budget
        if known.remaining > 0 and (budget is None or known.spent < budget):
            self._sorted = self._item_at(0, 0) is not None

    def _left(self, budget: int | None) -> int:
        return sys.maxsize if budget is None else budget - self._history.spent

    def _next(self, terms: Terms, wanted: int, left: int) -> Event | None:
        settings = terms.settings
        event = next_event(
            terms.assessment, self._history, self._item_at,
            seed=settings.seed, budget=settings.budget, now=clock.now(), wanted=min(wanted, left),
        )  # fmt: skip
        if isinstance(event, Query) and settings.labels_per_item > 1:
            return replace(event, labels=labellers.labels_wanted(settings, event.number, left))
        return event
