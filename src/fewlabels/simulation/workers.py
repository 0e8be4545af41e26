"""Work in numbered parts, shared by several processes."""

import multiprocessing
import signal
import sys
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from fewlabels.core.arrays import Array
from fewlabels.errors import StudyError

_CHUNK = 10  # at most so many runs are handed to a worker at a time,
_CHUNKS = 8  # and fewer where a worker would have less than so many turns


class Runnable(Protocol):
    """Work in numbered parts, each independent of the others."""

    def run(self, number: int) -> Array:
        """One part."""


Runs = list[tuple[int, Array]]  # numbers of runs, and their values
_here: dict[str, Any] = {}  # a worker's job, and the sign to stop


def _start_worker(job: Runnable, stop: Any) -> None:
    """Keep the job, which is sent to each process once; leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems without signal masks
    _here.update(job=job, stop=stop)


def _do(numbers: list[int]) -> Runs:
    """Some runs; fewer where the sign to stop was given meanwhile."""
    done: Runs = []
    for number in numbers:
        if _here["stop"].is_set():
            break
        done.append((number, _here["job"].run(number)))
    return done


def work(job: Runnable, numbers: list[int], workers: int) -> Generator[tuple[int, Array], None, None]:
    """The runs of these numbers as they finish. After an interrupt those under way are still handed over."""
    size = min(max(len(numbers) // (_CHUNKS * workers), 1), _CHUNK)
    chunks = [numbers[i : i + size] for i in range(0, len(numbers), size)]
    if workers == 1 or len(chunks) <= 1:
        yield from ((number, job.run(number)) for number in numbers)
        return
    context = multiprocessing.get_context("spawn")
    stop, handed, futures = context.Event(), set[int](), list[Future[Runs]]()
    executor = ProcessPoolExecutor(min(workers, len(chunks)), context, _start_worker, (job, stop))
    try:
        with _main_unseen(), _interrupts_held():
            futures += [executor.submit(_do, chunk) for chunk in chunks]
        for found in _results(futures):
            handed.add(found[0])
            yield found
    except KeyboardInterrupt:
        stop.set()
        rest = [future for future in futures if not future.cancel()]
        with suppress(StudyError):  # being interrupted is what the caller should hear of
            yield from (found for found in _results(rest) if found[0] not in handed)
        raise
    finally:
        stop.set()
        executor.shutdown(wait=True, cancel_futures=True)


def _results(futures: list[Future[Runs]]) -> Iterator[tuple[int, Array]]:
    try:
        for future in as_completed(futures):
            yield from future.result()
    except BrokenProcessPool as error:
        raise StudyError(
            "a worker process of the simulation died, for want of memory perhaps; pass workers=1, or fewer workers. "
            "Finished runs are kept where resume= names a folder."
        ) from error


@contextmanager
def _main_unseen() -> Iterator[None]:
    """Start processes that do not import the user's script, which would otherwise need an `if __name__` guard."""
    main = sys.modules["__main__"]
    seen: dict[str, Any] = {name: main.__dict__[name] for name in ("__file__", "__spec__") if name in main.__dict__}
    try:
        main.__spec__ = None
        main.__dict__.pop("__file__", None)
        yield
    finally:
        main.__dict__.update(seen)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they inherit the mask, and leave Ctrl-C to this one from the start."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    held: list[int] = []  # a mask alone is not enough: the system may deliver the signal to another thread
    handler = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
    if held:
        raise KeyboardInterrupt
