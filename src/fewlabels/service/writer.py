"""Writes of many at once: whatever waits is kept together, so that all who wait share one commit to disk."""

import asyncio
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from anyio import to_thread

import fewlabels as fl

_T = TypeVar("_T")
_Job = tuple[Callable[[], Any], "asyncio.Future[Any]"]
_Outcome = tuple[Any, Exception | None]
_MOST = 64  # writes kept together


class Writer:
    """One thread that writes to a study, in the order in which it is asked to."""

    def __init__(self, study: fl.Study) -> None:
        self._study = study
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"fewlabels-write-{study.name}", daemon=True)
        self._thread.start()

    async def do(self, act: Callable[[], _T]) -> _T:
        """What the write gives, once it is on disk; whatever it raises is raised here."""
        done: asyncio.Future[_T] = asyncio.get_running_loop().create_future()
        self._jobs.put((act, done))
        return await done

    async def close(self) -> None:
        """Do what was asked for so far, and end."""
        self._jobs.put(None)
        await to_thread.run_sync(self._thread.join)

    def _run(self) -> None:
        while (first := self._jobs.get()) is not None:
            jobs = [first]
            while len(jobs) < _MOST and not self._jobs.empty():
                job = self._jobs.get()
                if job is None:
                    self._jobs.put(None)
                    break
                jobs.append(job)
            outcomes = self._together([act for act, _ in jobs])
            with suppress(RuntimeError):  # the service ended meanwhile: nobody waits
                first[1].get_loop().call_soon_threadsafe(_say, [done for _, done in jobs], outcomes)

    def _together(self, acts: list[Callable[[], Any]]) -> list[_Outcome]:
        if len(acts) > 1:
            try:
                with self._study.together():
                    outcomes = [_outcome(act) for act in acts]
            except Exception:  # nothing was recorded: each by itself, so that one that fails fails alone
                outcomes = [_outcome(act) for act in acts]
        else:
            outcomes = [_outcome(act) for act in acts]
        return outcomes


def _outcome(act: Callable[[], Any]) -> _Outcome:
    try:
        return act(), None
    except Exception as error:  # it is whoever asked for it who hears it
        return None, error


def _say(waiting: list["asyncio.Future[Any]"], outcomes: list[_Outcome]) -> None:
    """To all at once, so that the thread that answers is woken once."""
    for done, (result, error) in zip(waiting, outcomes, strict=True):
        if done.cancelled():
            continue
        if error is None:
            done.set_result(result)
        else:
            done.set_exception(error)
