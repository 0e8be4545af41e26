"""The last few results of pure functions: several callers work them out of the same labels, one after another."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_T = TypeVar("_T")
BELIEFS = 4  # remembered of a study: with open queries and without, at the last labels and at those before


class Remembered(Generic[_T]):
    """A few results by what they were made of; the one not asked for the longest goes first. Safe in threads: two that
    want the same at once may both work it out, and get the same.

    >>> squares = Remembered(2)
    >>> [squares.get(n, lambda n=n: n * n) for n in (3, 4, 3, 5)]
    [9, 16, 9, 25]
    >>> len(squares)
    2
    """

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._found: OrderedDict[Hashable, _T] = OrderedDict()

    def __len__(self) -> int:
        return len(self._found)

    def get(self, key: Hashable, make: Callable[[], _T]) -> _T:
        """What was made by this key before, or else what is made now."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        made = make()
        with self._lock:
            made = self._found.setdefault(key, made)
            if len(self._found) > self._most:
                self._found.popitem(last=False)
        return made
