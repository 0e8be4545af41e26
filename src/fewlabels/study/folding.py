"""A study's state in this process: the events of its storage, folded; read and written by any number of threads."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager

from fewlabels.core.events import Event
from fewlabels.core.history import History
from fewlabels.core.undisturbed import undisturbed
from fewlabels.errors import StudyError
from fewlabels.storages import Storage


class Folding:
    """Where anything goes wrong half-way, the state is thrown away, and the next call folds all events anew."""

    def __init__(self, storage: Storage, name: str, fresh: Callable[[], History]) -> None:
        self._storage, self._name, self._fresh = storage, name, fresh
        self._lock = threading.RLock()
        self._here = threading.local()  # what this thread writes together, if it does
        self.history = fresh()

    @contextmanager
    def held(self) -> Iterator[History]:
        """The state as it was when last looked at; no other thread touches it during the block."""
        with self._lock:
            yield self.history

    @contextmanager
    def current(self) -> Iterator[History]:
        """The same with all that others wrote since."""
        with self._lock:
            self._apply(self._storage.events(self._name, self.history.events))
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
