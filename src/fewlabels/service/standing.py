"""How far a study is: looked at again as labels come, but never so often that labellers wait for it."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import fewlabels as fl
from fewlabels.answers import Progress

_SHARE = 0.1  # of the time may go into looks that nobody waits for
_SOONEST = 0.2  # seconds between two of them


@dataclass(frozen=True)
class Seen:
    """A study's progress after so many of its events."""

    events: int
    labels: int
    budget: int | None
    progress: Progress


class Standing:
    """The progress of a study: as of now for those who wait, as it was lately for all others.

    Where the goal is looked at less often than labels come, the study goes on for a few labels more than it had to;
    what a stop promises holds for any look.
    """

    def __init__(self, study: fl.Study, events: Callable[[], int], executor: Executor) -> None:
        self._study, self._events, self._executor = study, events, executor
        self._looking, self._scheduled = threading.Lock(), threading.Lock()
        self._last: Seen | None = None
        self._due = 0.0

    def now(self) -> Seen:
        """After all labels that are recorded."""
        with self._looking:
            events, last = self._events(), self._last  # events first: what comes meanwhile is looked at again
            if last is not None and last.events == events:
                return last
            started = time.monotonic()
            progress = self._study.progress
            self._last = Seen(events, len(self._study.labels), self._study.settings.budget, progress)
            took = time.monotonic() - started
            self._due = time.monotonic() + max(_SOONEST, took * (1 / _SHARE - 1))
            return self._last

    def lately(self) -> Seen | None:
        """As last looked at, if ever; where that is a while ago, somebody looks again meanwhile."""
        last = self._last
        if last is None:
            return None
        if time.monotonic() >= self._due and self._scheduled.acquire(blocking=False):
            try:
                self._executor.submit(self._look)
            except RuntimeError:  # the service ends
                self._scheduled.release()
        return last

    def _look(self) -> None:
        try:
            self.now()
        finally:
            self._scheduled.release()
