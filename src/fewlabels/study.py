"""A study: it asks for labels, you tell it, it answers. Joins the parts; computes nothing itself."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, get_args

import numpy as np

from fewlabels.answering import answer as answer_question
from fewlabels.answers import Answer, Progress, count_of
from fewlabels.asking import next_event
from fewlabels.assessment import Assessment, assess
from fewlabels.core.cells import Cells
from fewlabels.core.events import Corrected, Drawn, Event, Item, Planned, Query, Skipped, Told
from fewlabels.core.evidence import EQUAL, Evidence, History
from fewlabels.core.groups import Grouping, OfModel, ScoreBins
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.labels import read_label
from fewlabels.core.priors import Prior
from fewlabels.engines import Row
from fewlabels.errors import LabelError, QuestionError, StudyError
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.reopening import fitting, reopened
from fewlabels.settings import StudySettings, check_level
from fewlabels.storages import Storage, StudyRecord


class Study:
    """Made by create_study and load_study. Safe to use from several processes on one storage: each call takes the
    study's lock, reads what others wrote, and writes all or nothing."""

    def __init__(self, record: StudyRecord, storage: Storage, pool: Pool | None = None) -> None:
        self.name = record.name
        self.settings = StudySettings.from_json(record.settings)
        self._about = record.pool
        self._storage = storage
        self._pool: Pool | None = None
        self._labels = tuple(self._about["classes"]) + tuple(self._about["other_labels"])
        self._assessment = Assessment(
            self.settings, self.settings.question, Cells.from_bytes(record.cells), self._labels
        )
        self._history = self._fresh()
        if pool is not None:
            self._pool = fitting(pool, self._about, self._check_same)

    # -- asking and telling ------------------------------------------------------------------------------------------

    def ask(self, n: int = 1) -> list[Query]:
        """The next n items to label, fewer when the budget or the pool ends. Open queries are not asked again."""
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 0:
            raise QuestionError(f"ask takes a whole number of items, such as ask(10); got {n!r}.")
        with self._writing() as append:
            left = n if self.settings.budget is None else min(n, self.settings.budget - self._history.spent)
            new: list[Query] = []
            while len(new) < left and (event := self._next()):
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
        with self._writing() as append:
            events = [
                event for item, name in told.items() if (event := self._telling(item, name, by, drawn)) is not None
            ]
            for event in events:
                append(event)

    def skip(self, what: Query | Item, reason: str | None = None, *, by: str | None = None) -> None:
        """Close an open query without a label; its item is not asked again."""
        item = self._item(what)
        with self._writing() as append:
            if item not in self._history.open:
                raise LabelError(f"item {item!r} is not open, so it cannot be skipped; open are {self._open_words()}.")
            append(Skipped(item, reason, by, _now()))

    def correct(self, what: Query | Item, label: object, *, by: str | None = None) -> None:
        """Replace the label of an item, or give one to an item that was skipped."""
        item, name = self._item(what), read_label(label, self._labels, self._about["positive"])
        with self._writing() as append:
            if item not in self._history.labels and item not in self._history.skipped:
                raise LabelError(f"item {item!r} has no label to correct; tell() records a first one.")
            append(Corrected(item, name, by, _now()))

    # -- answering ---------------------------------------------------------------------------------------------------

    def answer(
        self,
        question: Question | None = None,
        *,
        model: str | None = None,
        level: float | None = None,
        interval: IntervalKind = "equal-tailed",
    ) -> Answer:
        """The answer from the labels so far: to the study's question, or to another, or about another model."""
        if level is not None:
            check_level(level)
        if question is not None and not isinstance(question, Question):
            raise QuestionError(f"a question is fl.Estimate(…), fl.Identify(…) or fl.Compare(…); got {question!r}.")
        if interval not in get_args(IntervalKind):
            raise QuestionError(f"interval is 'equal-tailed' or 'highest-density'; got {interval!r}.")
        self._catch_up(self._storage.events(self.name, self._history.events))
        assessment, evidence = self._assessment, self._history.evidence()
        if question is not None or model not in (None, self._about["model"]):
            assessment, evidence = self._other(
                question or self.settings.question, model or self._about["model"], evidence
            )
        borrowed = assessment is not self._assessment and not evidence.designs <= EQUAL
        notes = self._notes(assessment)
        return answer_question(assessment, evidence, level or self.settings.level, interval, notes, borrowed=borrowed)

    @property
    def progress(self) -> Progress:
        """Whether the study has what it was for, in a sentence."""
        self._catch_up(self._storage.events(self.name, self._history.events))
        history, budget, until = self._history, self.settings.budget, self.settings.until
        remaining = int(self._assessment.remaining(history.taken).sum())
        goal = None if until is None else until.progress(self.answer(), remaining)
        if goal is not None and goal.done:
            return goal
        if remaining == 0 and not history.open:
            return Progress(True, "Every item the question asks about is labelled or skipped.", 0)
        if budget is not None and history.spent >= budget and not history.open:
            return Progress(True, f"The budget of {count_of(budget, 'label')} is spent.{f' {goal}' if goal else ''}", 0)
        left = None if budget is None else budget - history.spent
        so_far = count_of(history.evidence().count, "label").capitalize()
        limit = "no goal is set" if budget is None else f"the budget is {count_of(budget, 'label')}"
        return goal or Progress(False, f"{so_far} so far; {limit}.", left)

    @property
    def done(self) -> bool:
        return self.progress.done

    @property
    def open_queries(self) -> list[Query]:
        """Queries waiting for a label, oldest first."""
        self._catch_up(self._storage.events(self.name, self._history.events))
        return list(self._history.open.values())

    @property
    def labels(self) -> dict[Item, str]:
        """Every label recorded, corrections applied."""
        self._catch_up(self._storage.events(self.name, self._history.events))
        return dict(self._history.labels)

    @property
    def positive(self) -> str | None:
        """The positive class of a binary pool; None where there is none."""
        name: str | None = self._about["positive"]
        return name

    @property
    def spent(self) -> int:
        """How much of the budget is spent: queries that were answered or wait for an answer."""
        self._catch_up(self._storage.events(self.name, self._history.events))
        return self._history.spent

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
            if self._about["source"] is None:
                raise StudyError("this needs the pool, and it did not come from a file; pass pool= to load_study.")
            self._pool = reopened(self._about, self._check_same)
        return self._pool

    # -- inside ------------------------------------------------------------------------------------------------------

    def _fresh(self) -> History:
        return History({name: i for i, name in enumerate(self._labels)}, self._assessment.cells.count)

    def _catch_up(self, events: Iterable[Event]) -> None:
        for event in events:
            self._history.apply(event)

    @contextmanager
    def _writing(self) -> Iterator[Callable[[Event], None]]:
        """The study's lock: read what others wrote, then append. After an error the state is folded anew."""
        new: list[Event] = []

        def append(event: Event) -> None:
            self._history.apply(event)
            new.append(event)

        try:
            with self._storage.locked(self.name) as log:
                self._catch_up(log.read(self._history.events))
                yield append
                log.append(new)
        except BaseException:
            if new:
                self._history = self._fresh()
            raise

    def _next(self) -> Planned | Query | None:
        seed, budget = self.settings.seed, self.settings.budget
        return next_event(self._assessment, self._history, self._item_at, seed=seed, budget=budget, now=_now())

    def _item_at(self, cell: int, position: int) -> Row | None:
        axes = self._assessment.cells.axes
        row = self.pool.engine.at(self._about["model"], axes, self.settings.seed, cell, position)
        return None if row is None else replace(row, item=self._item(row.item))  # as the study has called it so far

    def _telling(self, item: Item, label: str, by: str | None, drawn: Drawn | None) -> Told | None:
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
        row = self._find(item) if drawn is not None or self._pool is not None else None
        if drawn is None:
            raise LabelError(
                f"item {item!r} was never asked; open are {self._open_words()}. For labels you have already, say how "
                "their items were chosen: drawn='uniform' (a uniform sample of the pool) or drawn='unknown'."
            )
        assert row is not None
        return Told(item, label, by, drawn, row.cell, row.predicted, row.score, _now())

    def _find(self, item: Item) -> Row:
        row = self.pool.engine.find(self._about["model"], self._assessment.cells.axes, [item])[0]
        if row is None:
            raise LabelError(f"item {item!r} is not in the pool of {self._about['count']:,} items; check its id.")
        return row

    def _other(self, question: Question, model: str, evidence: Evidence) -> tuple[Assessment, Evidence]:
        """The same labels, read for another question or model.

        Where they were not drawn uniformly, what decided the draws becomes a further axis: inside a cell the labelled
        items are then a simple random sample again.
        """
        pool = self.pool
        if model not in pool.models:
            raise QuestionError(f"the pool has no model {model!r}; models are {', '.join(pool.models)}.")
        strata: tuple[Grouping, ...] = ()
        weighted = self.settings.answers_by_draws(question)  # their weights undo how they were drawn
        if not weighted and not evidence.designs <= EQUAL:
            own = self._about["model"]
            strata = tuple(g if own == model else OfModel(own, g) for g in self._assessment.strata_needed)
        settings = self.settings
        if isinstance(settings.prior, Prior):  # its figures are about the groups of the study's own question
            settings = replace(settings, prior="flat", prior_strength=None)
        assessment = assess(settings, question, pool, model, strata)
        rows = pool.engine.find(model, assessment.cells.axes, evidence.items)
        return assessment, evidence.moved(
            [(r.cell, pool.classes.index(r.predicted), r.score) for r in rows if r is not None]
        )

    def _notes(self, assessment: Assessment) -> tuple[str, ...]:
        notes = []
        if self._history.skipped:
            skipped = count_of(len(self._history.skipped), "item")
            notes.append(f"{skipped} skipped; the figures treat them like other unlabelled ones.")
        if self._history.apart:
            notes.append(f"{count_of(len(self._history.apart), 'label')} of unknown origin kept apart and not counted.")
        if assessment.settings.prior != self.settings.prior:
            notes.append(
                "The prior as reported belongs to the study's own question; this one is answered with a flat prior."
            )
        bins = next((a for a in assessment.cells.axes if isinstance(a, ScoreBins) and a.by == "mass"), None)
        if bins is not None and (found := len(assessment.cells.names[assessment.cells.axis(bins)])) < bins.count:
            notes.append(
                f"{bins.count} bins of equal mass were asked for, {found} are possible: many items share one score."
            )
        return tuple(notes)

    def _item(self, what: Query | Item | Any) -> Item:
        item = what.item if isinstance(what, Query) else what
        if self._about["whole_ids"]:
            whole = isinstance(item, int | np.integer) and not isinstance(item, bool)
            if not whole and not (isinstance(item, str) and item.removeprefix("-").isdecimal()):
                raise LabelError(f"item {item!r} is not in the pool, whose ids are whole numbers; check its id.")
            return int(item)
        return str(item)

    def _open_words(self) -> str:
        names = [repr(item) for item in self._history.open]
        return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "none"

    def _check_same(self, pool: Pool) -> None:
        if self._about["model"] not in pool.models:
            raise StudyError(
                f"this study is about model {self._about['model']!r}; the pool has {', '.join(pool.models)}."
            )
        found = pool.engine.fingerprint(self._about["model"], self._assessment.cells.axes)
        if found != self._about["fingerprint"] or pool.true_classes != self._labels:
            raise StudyError(
                "this is not the pool the study was created with: ids, predictions, scores or classes differ "
                f"({self._about['fingerprint']} then, {found} now). Use the same file, or create a new study."
            )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
