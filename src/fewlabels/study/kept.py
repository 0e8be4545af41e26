"""What a study has in common with its record: state folded from events, settings, and the pool found again."""

import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, cast

from fewlabels.assessment import Assessment
from fewlabels.core.agreement import Agreement
from fewlabels.core.cells import Cells
from fewlabels.core.events import Event, Item, Query
from fewlabels.core.history import History
from fewlabels.core.typed import read_item
from fewlabels.engines import PoolItem
from fewlabels.errors import FewlabelsError, StudyError
from fewlabels.pool import Pool
from fewlabels.settings import StudySettings
from fewlabels.storages import Storage, StudyRecord
from fewlabels.study import clock, labellers
from fewlabels.study.folding import Folding
from fewlabels.study.labellers import Disagreement, Labelling, labelling_of
from fewlabels.study.pools_of_0_1_0 import fitting
from fewlabels.study.reopening import check_same, reopen
from fewlabels.study.snapshot import Snapshot
from fewlabels.study.terms import Agreed, notes_of_changes


class Kept:
    """A study as its storage keeps it: what was asked and told, its settings and its pool."""

    def __init__(self, record: StudyRecord, storage: Storage, pool: Pool | None = None) -> None:
        self.name = record.name
        self._storage = storage
        self._pool: Pool | None = None
        self._about = record.pool
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
        if pool is not None:
            self._pool = fitting(pool, self._about, partial(self._check_same, handed_in=True))

    # -- what is known ------------------------------------------------------------------------------------------------

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

    def leased_to(self, by: str) -> list[Query]:
        """Open queries that are this labeller's now."""
        with self._folding.current() as history:
            return labellers.leased_to(history, by, clock.now())

    @property
    def agreement(self) -> Agreement:
        """How far labellers agree on items that several of them labelled."""
        return self._labelling().agreement

    @property
    def disagreements(self) -> list[Disagreement]:
        """Items on which labellers differ and nobody has decided; `correct` does."""
        return self._labelling().disagreements

    def _labelling(self) -> Labelling:
        with self._folding.current() as history:
            return labelling_of(history, self._agreed.after(history.changes).settings, self._labels)

    @property
    def labels(self) -> dict[Item, str]:
        """Every label recorded, corrections applied."""
        with self._folding.current() as history:
            return dict(history.labels)

    @property
    def unleased(self) -> list[Query]:
        """Open queries that are nobody's now, oldest first."""
        with self._folding.current() as history:
            at = clock.now()
            return [query for item, query in history.open.items() if not labellers.is_leased(history, item, at)]

    @property
    def asked(self) -> set[Item]:
        """Every item that was asked."""
        with self._folding.current() as history:
            return set(history.queries)

    @property
    def opinions(self) -> dict[Item, dict[str, str]]:
        """Of items that want several labels, what each labeller said."""
        with self._folding.current() as history:
            return {item: dict(given) for item, given in history.opinions.items() if given}

    @property
    def skipped(self) -> dict[Item, str | None]:
        """Items nobody could tell, and why."""
        with self._folding.current() as history:
            return {item: event.reason for item, event in history.skipped.items()}

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
    def made(self) -> StudyRecord:
        """What was written when the study was made."""
        return self._storage.load(self.name)

    @property
    def events(self) -> list[Event]:
        """Everything that happened, in order."""
        return self.events_after(0)

    def events_after(self, number: int) -> list[Event]:
        """What happened past the first so many events."""
        return list(self._storage.events(self.name, number))

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

    def together(self) -> AbstractContextManager[None]:
        """A block whose writes are kept together, which is faster than one by one: all are on disk when it ends, or
        none. A write that is refused may be caught inside; other threads wait until the block ends."""
        return self._folding.together()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _fresh(self) -> History:
        return History({name: i for i, name in enumerate(self._labels)}, self._cells.count)

    @property
    def _history(self) -> History:
        return self._folding.history

    @property
    def _assessment(self) -> Assessment:
        return self._agreed.after(self._history.changes).assessment

    def _known(self, *, skips: bool = False) -> Snapshot:
        """What is known now; with `skips` also what it would be, had the model been right or wrong about those."""
        with self._folding.current() as history:
            counts = len(history.open), history.spent, len(history.skipped), len(history.apart)
            terms = self._agreed.after(history.changes)
            changes = notes_of_changes(self._agreed.after(()).settings, history.changes)
            labelling = labelling_of(history, terms.settings, self._labels)
            evidence = labellers.with_consensus(history.evidence(), labelling, self._labels)
            error = labelling.error(terms.settings, len(self._labels))
            about = terms.assessment.metric.of_class
            supposed = labellers.if_skipped(history, about, self._labels) if skips else (None, None)
            return Snapshot(terms, evidence, history.taken.copy(), *counts, changes, error, *supposed)

    def _find(self, items: Sequence[Item]) -> list[PoolItem | None]:
        return self.pool.engine.find(self._about["model"], self._cells.axes, items)

    def _item(self, what: Query | Item | Any) -> Item:
        """The item meant; the one place where ids are read, as they are written in the pool and in no other way."""
        item = what.item if isinstance(what, Query) else what
        return read_item(item, whole=self.whole_ids)

    def _check_same(self, pool: Pool, *, handed_in: bool = False) -> None:
        axes = self._cells.axes
        check_same(self._about, axes, pool, lambda: self._storage.events(self.name), handed_in=handed_in)
