"""What a study has in common with its record: state folded from events, settings, and the pool found again."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, cast

from fewlabels.assessment import Assessment
from fewlabels.core.agreement import Agreement
from fewlabels.core.cells import Cells
from fewlabels.core.events import Event, Item, Query
from fewlabels.core.evidence import Evidence
from fewlabels.core.first_items import FirstItem
from fewlabels.core.history import History
from fewlabels.core.remembered import Remembered
from fewlabels.core.skips import Skips
from fewlabels.core.typed import read_item
from fewlabels.engines import PoolItem
from fewlabels.errors import FewlabelsError, StudyError
from fewlabels.pool import Pool
from fewlabels.pool.classes import with_classes
from fewlabels.settings import StudySettings
from fewlabels.step import ahead
from fewlabels.storages import Storage, StudyRecord
from fewlabels.study import clock, first_items, labellers
from fewlabels.study.first_items import KeptItems
from fewlabels.study.folding import Folding
from fewlabels.study.growing import whole_pool
from fewlabels.study.labellers import Disagreement, Labelling, labelling_of
from fewlabels.study.pools_of_0_1_0 import fitting
from fewlabels.study.reopening import check_same, opened_like, reopen
from fewlabels.study.snapshot import Snapshot
from fewlabels.study.terms import Agreed, notes_of_changes


class Kept:
    """A study as its storage keeps it: what was asked and told, its settings and its pool."""

    def __init__(self, record: StudyRecord, storage: Storage, pool: Pool | Sequence[Pool] | None = None) -> None:
        self.name = record.name
        self._storage = storage
        self._parts: tuple[Pool, ...] = ()  # of its pool, as far as they are open
        self._pool: Pool | None = None  # all of them
        self._about = record.pool
        try:
            made = StudySettings.from_json(record.settings).as_kept()
            self._labels = tuple(self._about["classes"]) + tuple(self._about["other_labels"])
            self._cells = Cells.from_bytes(record.cells)
        except FewlabelsError:
            raise
        except Exception as error:  # there is no end to what damaged bytes can raise
            raise StudyError(f"study {self.name!r} is damaged ({error!r}); restore its file from a copy.") from error
        self._made, self._agreed = made, Agreed(made, self._cells, self._labels)
        self._folding = Folding(storage, self.name, self._fresh)
        self._opening = threading.Lock()
        self._item_at = ahead(self._draw)
        self._skips = Remembered[tuple[Evidence, Skips]](1)
        self._consensus = Remembered[tuple[Evidence, Evidence]](1)  # the same object until something changes
        if pool is not None:
            self._hand_in([pool] if isinstance(pool, Pool) else pool)

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
        """The pool; opened again from its file, or files, when this study was loaded without it."""
        with self._folding.held() as history:
            known = 1 + len(history.extensions)
        if self._pool is None or len(self._parts) < known:
            with self._folding.current() as history:  # before the other lock, which a writer may wait for
                moved, abouts = dict(history.moved), self._abouts(history)
            with self._opening:
                for part in range(len(self._parts), len(abouts)):
                    check = partial(self._check_same, abouts[part])
                    self._parts = (*self._parts, reopen(abouts[part], moved.get(part), check))
                self._pool = whole_pool(self._parts)
        return self._pool

    def open_like(self, source: str | Path, items: str | Path | None = None) -> Pool:
        """Another file of predictions, read as that of the study's pool was."""
        return opened_like(self._about, source, items)

    def together(self) -> AbstractContextManager[None]:
        """A block whose writes are kept together, which is faster than one by one: all are on disk when it ends, or
        none. A write that is refused may be caught inside; other threads wait until the block ends."""
        return self._folding.together()

    def keep_folds_by(self, do: Callable[[Callable[[], None]], object]) -> None:
        """Have somebody else do now and then what nobody need wait for: keep what the events come to, so that the study
        opens fast."""
        self._folding.keep_by = do

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
        """What is known now."""
        with self._folding.current() as history:
            counts = len(history.open), history.spent, len(history.skipped), len(history.apart)
            terms = self._agreed.after(history.changes)
            changes = notes_of_changes(self._made, self._about["count"], history.changes)
            labelling = labelling_of(history, terms.settings, self._labels)
            plain = history.evidence()
            found = labellers.with_consensus(plain, labelling, self._labels)
            _, evidence = self._consensus.get((id(plain), found.label.tobytes()), lambda: (plain, found))
            error = labelling.error(terms.settings, len(self._labels))
            skips = self._skips_of(history, evidence, labelling, terms.settings)
            evidence = evidence.leaving_out if terms.settings.skips == "ignorable" else evidence
            waits = labellers.oldest_open(history)
            return Snapshot(terms, evidence, history.taken.copy(), *counts, changes, error, skips, waits)

    def _skips_of(
        self, history: History, evidence: Evidence, labelling: Labelling, settings: StudySettings
    ) -> Skips | None:
        """Items nobody could label, unless the owner takes them to be like the others."""
        if settings.skips == "ignorable" or not labellers.without_label(history):
            return None
        *_, found = self._skips.get(
            id(evidence), lambda: (evidence, labellers.skips_of(history, labelling, self._labels))
        )
        return found

    def _skips_then(self, history: History, settings: StudySettings) -> Skips | None:
        """The same of an earlier moment."""
        if settings.skips == "ignorable" or not labellers.without_label(history):
            return None
        return labellers.skips_of(history, labelling_of(history, settings, self._labels), self._labels)

    def _draw(self, cell: int, after: int, n: int) -> list[PoolItem]:
        kept = self._first_items
        with self._folding.held() as history:
            grown = bool(history.extensions)  # cells are others since then
        if kept is None or grown:
            return self._draw_from_pool(cell, after, n)
        return kept.draw(cell, after, n, self._draw_from_pool)

    def _draw_from_pool(self, cell: int, after: int, n: int) -> list[PoolItem]:
        rows = self.pool.engine.draw(self._about["model"], self._cells.axes, self._made.seed, cell, after, n)
        named = [self._item(row.item) for row in rows]  # as the study has called it so far
        return [row if item is row.item else replace(row, item=item) for item, row in zip(named, rows, strict=True)]

    @cached_property
    def _first_items(self) -> KeptItems | None:
        """The items a large pool's study keeps to ask without it; None where it keeps none."""
        firsts = self._storage.firsts
        if firsts is None or self._about["count"] < first_items.FROM:
            return None
        return KeptItems(firsts, self.name, self._made.seed, self._cells.count)

    @contextmanager
    def _keeping_more(self) -> Iterator[None]:
        """A block that may look into a large pool: what it finds there is kept when the block has ended."""
        yield
        if self._first_items is not None and not self._folding.writes_together:
            self._first_items.keep_more()

    def first_items(self) -> list[FirstItem]:
        """The first items of each cell of a large pool, so that nobody need look into it to ask."""
        return [] if (kept := self._first_items) is None else kept.found(self._draw_from_pool)

    def keep_first_items(self, items: list[FirstItem]) -> None:
        """Keep them beside the study."""
        if (kept := self._first_items) is not None:
            kept.keep(items)

    def _find(self, items: Sequence[Item]) -> list[PoolItem | None]:
        return self.pool.engine.find(self._about["model"], self._cells.axes, items)

    def _item(self, what: Query | Item | Any) -> Item:
        """The item meant; the one place where ids are read, as they are written in the pool and in no other way."""
        item = what.item if isinstance(what, Query) else what
        return read_item(item, whole=self.whole_ids)

    def _check_same(self, about: Mapping[str, Any], pool: Pool, *, handed_in: bool = False) -> None:
        axes = self._cells.axes
        check_same(about, axes, pool, lambda: self._storage.events(self.name), handed_in=handed_in)

    def _abouts(self, history: History) -> list[Mapping[str, Any]]:
        """What is kept of each part of the pool."""
        return [self._about, *({**self._about, **extended.pool} for extended in history.extensions)]

    def _add_part(self, pool: Pool) -> None:
        with self._opening:
            self._parts = (*self._parts, pool)
            self._pool = whole_pool(self._parts)

    def _replace_part(self, part: int, pool: Pool) -> None:
        with self._opening:
            if part <= len(self._parts):
                self._parts = (*self._parts[:part], pool, *self._parts[part + 1 :])
            self._pool, self._item_at = None, ahead(self._draw)

    def _hand_in(self, pools: Sequence[Pool]) -> None:
        abouts = [self._about]
        if len(pools) > 1:
            with self._folding.current() as history:
                abouts = self._abouts(history)
        if len(pools) > len(abouts):
            raise StudyError(f"{len(pools)} pools were handed in, and study {self.name!r} has {len(abouts)}.")
        for about, pool in zip(abouts, pools, strict=False):
            classes = tuple(about["classes"]), tuple(about["other_labels"])
            named = (with_classes(pool, *classes) if self._parts else None) or pool
            found = fitting(named, about, partial(self._check_same, about, handed_in=True))
            self._parts = (*self._parts, found)
        self._pool = whole_pool(self._parts)
