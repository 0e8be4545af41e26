"""A study's state in this process: the events of its storage, folded; read and written by any number of threads."""

import hashlib
import inspect
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from math import log

from fewlabels.core import events, history, kept_fold
from fewlabels.core.events import Event, Query
from fewlabels.core.history import History
from fewlabels.core.undisturbed import undisturbed
from fewlabels.errors import StudyError
from fewlabels.storages import Folds, Storage

FIRST = 8192  # events from which on what they come to is kept: these take a tenth of a second to fold
MORE = 17 / 16  # and again after a sixteenth more


class Folding:
    """Where anything goes wrong half-way, the state is thrown away, and the next call folds all events anew."""

    def __init__(self, storage: Storage, name: str, fresh: Callable[[], History]) -> None:
        self._storage, self._name, self._fresh = storage, name, fresh
        self._folds = storage.folds
        self._folded = 0  # events that had to be folded here, as what they came to was not kept
        self._lock = threading.RLock()
        self._here = threading.local()  # what this thread writes together, if it does
        self.keep_by: Callable[[Callable[[], None]], object] = lambda keep: keep()  # at once, unless somebody has time
        self.history = fresh()

    @property
    def writes_together(self) -> bool:
        """Whether this thread is in a block whose writes are kept together."""
        return getattr(self._here, "append", None) is not None

    @contextmanager
    def held(self) -> Iterator[History]:
        """The state as it was when last looked at; no other thread touches it during the block."""
        with self._lock:
            yield self.history

    @contextmanager
    def current(self) -> Iterator[History]:
        """The same with all that others wrote since."""
        with self._lock:
            self._catch_up()
            yield self.history

    @contextmanager
    def writing(self) -> Iterator[Callable[[Event], None]]:
        """The study's lock: read what others wrote, then append.

        The storage's lock comes first, so that threads read on while this one waits for other processes; the threads'
        is kept until all is on disk, so that none sees what may be taken back.
        """
        if (shared := getattr(self._here, "append", None)) is not None:
            with self._part_of_more():
                yield shared
            return
        new: list[Event] = []

        def append(event: Event) -> None:
            new.append(event)  # first: an interrupt while it is applied must be noticed below
            self.history.apply(event)

        if self.history.events == 0:  # nobody should wait while a whole study is folded
            with self._lock:
                self._catch_up()
        with ExitStack() as until_kept:
            try:
                with self._storage.locked(self._name) as log:
                    until_kept.enter_context(self._lock)
                    self._apply(log.read(self.history.events))
                    yield append
                    log.append(new)
            except BaseException:
                if new:
                    self.history = self._fresh()
                raise
            self._keep(len(new))

    def _catch_up(self) -> None:
        if self.history.events == 0 and self._folds is not None:
            self._restore(self._folds)
            kept = self.history.events
            self._apply(self._storage.events(self._name, kept))
            self._folded = self.history.events - kept
        else:
            self._apply(self._storage.events(self._name, self.history.events))

    @contextmanager
    def together(self) -> Iterator[None]:
        """All that this thread writes in the block under one lock, kept together: on disk when it ends, or not at all.

        A write that is refused before it changed anything may be caught inside, and the others go on.
        """
        if getattr(self._here, "append", None) is not None:  # part of a larger block
            with self._part_of_more():
                yield
            return
        with self.writing() as append:
            self._here.append, self._here.torn = append, False
            try:
                yield
            finally:
                self._here.append = None
            if self._here.torn:
                raise StudyError(f"a write to study {self._name!r} ended half-way; nothing of the block was recorded.")

    @contextmanager
    def _part_of_more(self) -> Iterator[None]:
        before = self.history.events
        try:
            yield
        except BaseException:
            self._here.torn |= self.history.events != before
            raise

    def _apply(self, events: Iterable[Event]) -> None:
        try:
            with undisturbed():
                for event in events:
                    self.history.apply(event)
        except BaseException as error:
            number, self.history = self.history.events, self._fresh()
            if not isinstance(error, KeyError | IndexError | ValueError | TypeError | AssertionError):
                raise
            raise StudyError(
                f"entry {number} of study {self._name!r} makes no sense ({error!r}): its file is damaged. Restore it "
                "from a copy."
            ) from error

    # -- what folding came to ------------------------------------------------------------------------------------------

    def _restore(self, folds: Folds) -> None:
        """Start from what was kept, where that was made of the very events there are, by this very code."""
        found = folds.kept(self._name, folded_by())
        if found is not None:
            with suppress(ValueError, TypeError, KeyError, IndexError), undisturbed():
                self.history = kept_fold.from_bytes(self._fresh(), found, self._query)

    def _query(self, entry: int) -> Query:
        assert self._folds is not None  # it gave what was kept
        found = self._folds.event(self._name, entry)
        if not isinstance(found, Query):
            raise StudyError(f"entry {entry} of study {self._name!r} is no query any more; open the study again.")
        return found

    def _keep(self, new: int) -> None:
        """Keep what folding came to, where it was much; all is recorded already, so that trouble here is none.

        Of many writers it is the one who passes a mark, or who had to fold a whole study.
        """
        count = self.history.events
        if self._folds is None or not new or not (is_due(count - new, count) or is_due(0, self._folded)):
            return
        self._folded = 0
        with suppress(TypeError):
            content = kept_fold.to_bytes(self.history)
            self.keep_by(partial(_keep, self._folds, self._name, count, content))


def _keep(folds: Folds, name: str, count: int, content: bytes) -> None:
    with suppress(StudyError):
        folds.keep(name, folded_by(), count, content)


def is_due(before: int, now: int) -> bool:
    """Whether, between so many events and so many, a mark was passed at which what they come to is kept.

    >>> is_due(0, FIRST - 1), is_due(FIRST - 1, FIRST), is_due(FIRST, FIRST + 100), is_due(FIRST, 9300)
    (False, True, False, True)
    """
    passed = [int(log(max(count, 1) / FIRST * MORE, MORE)) if count >= FIRST else 0 for count in (before, now)]
    return passed[0] < passed[1]


@cache
def folded_by() -> str:
    """What tells this way of folding from another: the text of the code itself, so that nobody has to think of it."""
    text = "".join(inspect.getsource(module) for module in (events, history, kept_fold))
    return hashlib.sha256(text.encode()).hexdigest()
