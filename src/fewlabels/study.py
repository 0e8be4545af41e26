"""A study: it asks for labels, you tell it, it answers. Joins the parts; computes nothing itself."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from fewlabels.answering import answer as answer_question
from fewlabels.answers import Answer, Progress, Target
from fewlabels.assessment import Assessment, needs_probabilities
from fewlabels.core.cells import Cells
from fewlabels.core.events import Corrected, Drawn, Event, Item, Planned, Query, Skipped, Told
from fewlabels.core.evidence import Evidence, History
from fewlabels.core.groups import Grouping, OfModel, ScoreBins
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.keyed import Keyed
from fewlabels.core.priors import Prior, PriorName
from fewlabels.core.step import cell_within
from fewlabels.engines import Engine, Row
from fewlabels.errors import LabelError, QuestionError, StudyError
from fewlabels.labelling import read_label
from fewlabels.opening import open_pool
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.settings import StudySettings
from fewlabels.stopping import Stopping
from fewlabels.storages import Storage, StudyRecord, open_storage


class Study:
    """Made by create_study and load_study. Safe to use from several processes on one storage: each call takes the
    study's lock, reads what others wrote, and writes all or nothing."""

    def __init__(self, record: StudyRecord, storage: Storage, pool: Pool | None = None) -> None:
        self.name = record.name
        self.settings = StudySettings.from_json(record.settings)
        self._about = record.pool
        self._storage = storage
        self._pool = pool
        self._labels = tuple(self._about["classes"]) + tuple(self._about["other_labels"])
        self._assessment = Assessment(
            self.settings, self.settings.question, Cells.from_bytes(record.cells), self._labels
        )
        self._history = self._fresh()
        if pool is not None:
            self._check_same(pool)

    # -- asking and telling ------------------------------------------------------------------------------------------

    def ask(self, n: int = 1) -> list[Query]:
        """The next n items to label, fewer when the budget or the pool ends. Open queries are not asked again."""
        with self._writing() as append:
            left = n if self.settings.budget is None else min(n, self.settings.budget - self._spent)
            new: list[Query] = []
            while len(new) < left:
                query = self._next_query(append)
                if query is None:
                    break
                if query.item in self._history.open:  # else its label was known already, and counts now
                    new.append(query)
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
        pairs = what.items() if isinstance(what, Mapping) else [(what, label)]
        told = {self._item(item): read_label(value, self._labels, self._about["positive"]) for item, value in pairs}
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
        self._catch_up(self._storage.events(self.name, self._history.events))
        assessment, evidence = self._assessment, self._history.evidence()
        if question is not None or model not in (None, self._about["model"]):
            assessment, evidence = self._other(
                question or self.settings.question, model or self._about["model"], evidence
            )
        return answer_question(assessment, evidence, level or self.settings.level, interval, self._notes(assessment))

    @property
    def progress(self) -> Progress:
        """Whether the study has what it was for, in a sentence."""
        found = self.answer()
        labels = self._history.evidence().count
        remaining = int(self._assessment.remaining(self._history.taken).sum())
        if self.settings.until is not None:
            reached = self.settings.until.progress(found, labels, remaining)
            if reached.done:
                return reached
        if remaining == 0 and not self._history.open:
            return Progress(True, "Every item the question asks about is labelled or skipped.", 0)
        if self.settings.budget is not None and self._spent >= self.settings.budget and not self._history.open:
            goal = f" {reached.reason}" if self.settings.until is not None else ""
            return Progress(True, f"The budget of {self.settings.budget:,} labels is spent.{goal}", 0)
        if self.settings.until is not None:
            return reached
        left = None if self.settings.budget is None else self.settings.budget - labels
        return Progress(False, f"{labels:,} labels so far; no goal is set (until=).", left)

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
            source = self._about["source"]
            if source is None:
                raise StudyError("this needs the pool, and it did not come from a file; pass pool= to load_study.")
            options = {k: v for k, v in source.items() if k != "source"}
            pool = open_pool(source["source"], **options)
            self._check_same(pool)
            self._pool = pool
        return self._pool

    # -- inside ------------------------------------------------------------------------------------------------------

    def _fresh(self) -> History:
        return History({name: i for i, name in enumerate(self._labels)}, self._assessment.cells.count)

    def _catch_up(self, events: Iterable[Event]) -> None:
        for event in events:
            self._history.apply(event)

    def _writing(self) -> "_Writing":
        return _Writing(self)

    @property
    def _engine(self) -> Engine:
        return self.pool.engine

    @property
    def _spent(self) -> int:
        return self._history.evidence().count + len(self._history.open)

    def _next_query(self, append: Any) -> Query | None:
        history, assessment = self._history, self._assessment
        remaining = assessment.remaining(history.taken)
        arms = [arm for arm in history.plan if remaining[arm] > 0]
        round_, design, probability = history.rounds, history.plan_design, None
        if not arms:
            round_ = history.rounds + 1
            keyed = Keyed(self.settings.seed, round_)
            choices = assessment.choose(history.evidence(), history.pending, history.taken, keyed)
            if not choices:
                return None
            arms, design = [c.arm for c in choices], choices[0].design
            if choices[0].probability is not None:
                probability = choices[0].probability / int(remaining[arms[0]])
            if len(arms) > 1:
                append(Planned(round_, tuple(arms), design, _now()))
        number = len(history.queries) + 1
        left = assessment.cells.size - history.taken
        cell = cell_within(assessment.arms.index, arms[0], left, Keyed(self.settings.seed, number))
        row = self._draw(cell)
        query = Query(
            item=row.item,
            group=assessment.view.groups.labels[assessment.view.groups.index[cell]],
            arm=arms[0],
            cell=cell,
            predicted=row.predicted,
            score=row.score,
            number=number,
            round=round_,
            design=design,
            probability=probability,
            payload=row.payload,
            at=_now(),
        )
        append(query)
        return query

    def _draw(self, cell: int) -> Row:
        """The next item of the cell in keyed order that is neither asked nor labelled by a uniform draw outside."""
        history, position = self._history, int(self._history.asked[cell])
        while True:
            row = self._engine.at(self._about["model"], self._assessment.cells.axes, self.settings.seed, cell, position)
            assert row is not None  # the cell has items left
            known = row.item in history.labels and row.item not in history.apart
            if row.item not in history.queries and not known:
                return row
            position += 1

    def _telling(self, item: Item, label: str, by: str | None, drawn: Drawn | None) -> Told | None:
        history = self._history
        if item in history.open:
            return Told(item, label, by, at=_now())
        if item in history.labels:
            if history.labels[item] != label:
                raise LabelError(
                    f"item {item!r} was told {history.labels[item]!r} before and is now told {label!r}; "
                    "if the first was wrong, use correct()."
                )
            return None
        if item in history.skipped:
            raise LabelError(f"item {item!r} was skipped; if it can be labelled after all, use correct().")
        if drawn not in ("uniform", "unknown"):
            raise LabelError(
                f"item {item!r} was never asked; open are {self._open_words()}. For labels you have already, say how their "
                "items were chosen: drawn='uniform' (a uniform sample of the pool) or drawn='unknown'."
            )
        row = self._engine.find(self._about["model"], self._assessment.cells.axes, [item])[0]
        if row is None:
            raise LabelError(f"item {item!r} is not in the pool of {self._about['count']:,} items; check its id.")
        return Told(item, label, by, drawn, row.cell, row.predicted, row.score, _now())

    def _other(self, question: Question, model: str, evidence: Evidence) -> tuple[Assessment, Evidence]:
        """The same labels, read for another question or model.

        Where they were not drawn uniformly, what decided the draws becomes a further axis: inside a cell the labelled
        items are then a simple random sample again.
        """
        pool = self.pool
        if model not in pool.models:
            raise QuestionError(f"the pool has no model {model!r}; models are {', '.join(pool.models)}.")
        strata: tuple[Grouping, ...] = ()
        if not evidence.designs <= {"uniform", "outside"}:
            own = self._about["model"]
            strata = tuple(g if own == model else OfModel(own, g) for g in self._assessment.strata_needed)
        axes = (*question.axes, *(g for g in strata if g not in question.axes))
        cells = pool.engine.summarise(model, axes, probabilities=needs_probabilities(question, self.settings))
        assessment = Assessment(self.settings, question, cells, self._labels)
        assessment.check()
        rows = pool.engine.find(model, axes, evidence.items)
        return assessment, evidence.moved(
            [(r.cell, pool.classes.index(r.predicted), r.score) for r in rows if r is not None]
        )

    def _notes(self, assessment: Assessment) -> tuple[str, ...]:
        notes = []
        if self._history.skipped:
            notes.append(
                f"{len(self._history.skipped):,} items were skipped; the figures treat them as unlabelled items like others."
            )
        if self._history.apart:
            notes.append(f"{len(self._history.apart):,} labels of unknown origin are kept apart and not counted.")
        bins = next((a for a in assessment.cells.axes if isinstance(a, ScoreBins) and a.by == "mass"), None)
        if bins is not None and (found := len(assessment.cells.names[assessment.cells.axis(bins)])) < bins.count:
            notes.append(
                f"{bins.count} bins of equal mass were asked for, {found} are possible: many items share one score."
            )
        return tuple(notes)

    def _item(self, what: Query | Item | Any) -> Item:
        item = what.item if isinstance(what, Query) else what
        if self._about["whole_ids"]:
            try:
                return int(item)
            except (TypeError, ValueError):
                raise LabelError(
                    f"item {item!r} is not in the pool, whose ids are whole numbers; check its id."
                ) from None
        return str(item)

    def _open_words(self) -> str:
        names = [repr(item) for item in self._history.open]
        return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") if names else "none"

    def _check_same(self, pool: Pool) -> None:
        if self._about["model"] not in pool.models:
            raise StudyError(
                f"this study is about model {self._about['model']!r}; the pool has {', '.join(pool.models)}."
            )
        found = pool.engine.fingerprint(self._about["model"])
        if found != self._about["fingerprint"] or pool.true_classes != self._labels:
            raise StudyError(
                "this is not the pool the study was created with: ids, predictions, scores or classes differ "
                f"({self._about['fingerprint']} then, {found} now). Use the same file, or create a new study."
            )


class _Writing:
    """The study's lock: reads what others wrote, then appends; on any error the study's state is folded anew."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._new: list[Event] = []

    def __enter__(self) -> Any:
        study = self._study
        self._context = study._storage.locked(study.name)
        self._log = self._context.__enter__()
        try:
            study._catch_up(self._log.read(study._history.events))
        except BaseException as error:
            self._context.__exit__(type(error), error, error.__traceback__)
            raise
        return self._append

    def _append(self, event: Event) -> None:
        self._study._history.apply(event)
        self._new.append(event)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        done = False
        try:
            if error is None:
                self._log.append(self._new)
            self._context.__exit__(kind, error, trace)
            done = error is None
        finally:
            if not done and self._new:
                self._study._history = self._study._fresh()


def create_study(
    pool: Pool,
    question: Question,
    *,
    strategy: str = "auto",
    estimator: str = "auto",
    prior: PriorName | Prior = "scores",
    prior_strength: float | None = None,
    target: Target = "pool",
    until: Stopping | None = None,
    budget: int | None = None,
    seed: int = 0,
    level: float = 0.95,
    model: str | None = None,
    storage: str | Storage | None = None,
    name: str = "study",
    load_if_exists: bool = False,
) -> Study:
    """A new study of the pool, kept in `storage` (memory by default, or "sqlite:///study.db")."""
    if model is None and len(pool.models) > 1:
        raise QuestionError(f"the pool has several models; say which with model=: {', '.join(pool.models)}.")
    chosen = model or pool.models[0]
    if chosen not in pool.models:
        raise QuestionError(f"the pool has no model {chosen!r}; models are {', '.join(pool.models)}.")
    settings = StudySettings(
        question, strategy, estimator, prior, prior_strength, target, until, budget, seed, level, chosen
    )
    place = open_storage(storage)
    if load_if_exists and name in place.names():
        return _same_settings(Study(place.load(name), place, pool), settings)
    probabilities = needs_probabilities(question, settings)
    cells = pool.engine.summarise(chosen, question.axes, probabilities=probabilities)
    Assessment(settings, question, cells, pool.true_classes).check()
    about = {
        "classes": list(pool.classes),
        "other_labels": list(pool.other_labels),
        "positive": pool.positive,
        "model": chosen,
        "whole_ids": pool.whole_ids,
        "count": len(pool),
        "fingerprint": pool.engine.fingerprint(chosen),
        "source": pool.source,
    }
    place.create(StudyRecord(name, settings.to_json(), about, cells.to_bytes(), _now()))
    return Study(place.load(name), place, pool)


def _same_settings(study: Study, settings: StudySettings) -> Study:
    then, now = study.settings.to_json(), settings.to_json()
    differing = [key for key in now if now[key] != then[key]]
    if differing:
        raise StudyError(
            f"study {study.name!r} exists with other settings ({', '.join(differing)}: {then[differing[0]]!r} then, "
            f"{now[differing[0]]!r} now); load it with load_study, or choose another name."
        )
    return study


def load_study(name: str = "study", *, storage: str | Storage, pool: Pool | None = None) -> Study:
    """The study of this name. The pool is needed only to ask for more labels or other questions; when it came from a
    file it is opened again by itself."""
    place = open_storage(storage)
    return Study(place.load(name), place, pool)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def study_names(storage: str | Storage) -> Sequence[str]:
    """The studies kept in a storage, oldest first."""
    return open_storage(storage).names()
