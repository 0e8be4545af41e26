"""Writes of many at once: whatever waits is kept together, so that all who wait share one commit to disk."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import fewlabels as fl

_T = TypeVar("_T")
_Job = tuple[Callable[[], Any], "Future[Any]"]
_MOST = 64  # writes kept together


class Writer:
    """One thread that writes to a study, in the order in which it is asked to."""

    def __init__(self, study: fl.Study) -> None:
        self._study = study
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"fewlabels-write-{study.name}", daemon=True)
        self._thread.start()

    def do(self, act: Callable[[], _T]) -> _T:
        """What the write gives, once it is on disk; whatever it raises is raised here."""
        done: Future[_T] = Future()
        self._jobs.put((act, done))
        return done.result()

    def close(self) -> None:
        """Do what was asked for so far, and end."""
        self._jobs.put(None)
        self._thread.join()

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            jobs = [first]
            while len(jobs) < _MOST and not self._jobs.empty():
                job = self._jobs.get()
                if job is None:
                    self._jobs.put(None)
                    break
                jobs.append(job)
            self._together(jobs)

    def _together(self, jobs: list[_Job]) -> None:
        if len(jobs) > 1:
            try:
                with self._study.together():
                    outcomes = [_outcome(act) for act, _ in jobs]
            except Exception:  # nothing was recorded: each by itself, so that one that fails fails alone
                outcomes = [_outcome(act) for act, _ in jobs]
        else:
            outcomes = [_outcome(act) for act, _ in jobs]
        for (_, done), (result, error) in zip(jobs, outcomes, strict=True):
            if error is None:
                done.set_result(result)
            else:
                done.set_exception(error)


def _outcome(act: Callable[[], Any]) -> tuple[Any, Exception | None]:
    try:
        return act(), None
    except Exception as error:  # it is whoever asked for it who hears it
        return None, error
