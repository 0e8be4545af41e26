"""A pass over a large pool may take minutes: whoever listens is told how far it has come."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Heard = Callable[[float], None]  # the share that is done

_EVERY = 0.5  # seconds
_listeners: list[Heard] = []


@contextmanager
def heard(by: Heard) -> Iterator[None]:
    """Be told of passes, now and then, while this lasts."""
    _listeners.append(by)
    try:
        yield
    finally:
        _listeners.remove(by)


@contextmanager
def passing(share: Callable[[], float]) -> Iterator[None]:
    """A pass, and how to ask for the share of it that is done."""
    if not _listeners:
        yield
        return
    over = threading.Event()

    def tell() -> None:
        while not over.wait(_EVERY):
            for by in tuple(_listeners):
                by(share())

    telling = threading.Thread(target=tell, daemon=True)
    telling.start()
    try:
        yield
    finally:
        over.set()
        telling.join()
