"""What an engine worked out about its items, kept for as long as the engine is and room allows."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints, Keys
from fewlabels.core.keyed import item_order

Places = npt.NDArray[np.int32]  # of items, cells or groups: half the room of int64, and no pool has 2^31 items

FIRST = 256  # items of a cell put in order at first; most cells are never asked for more
GROWTH = 4  # and how many times that, whenever they do not suffice


class Weighty:
    """Anything that knows how much room it takes: as much as its arrays do."""

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in vars(self).values() if isinstance(part, np.ndarray))


Found = TypeVar("Found", bound=Weighty)


class Kept:
    """Results by key, each made once; those not used for longest go when all together take more than `most` bytes.

    Safe to use from several threads: a result is made by one of them while the others wait.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._found: OrderedDict[Hashable, Weighty] = OrderedDict()
        self._bytes: dict[Hashable, int] = {}  # of each, as last counted
        self._taken = 0  # their sum
        self._used: set[Hashable] = set()  # since they were counted
        self._used_before: set[Hashable] = set()  # between that and the time before
        self._lock = threading.RLock()

    def __reduce__(self) -> tuple[type["Kept"], tuple[int]]:
        return Kept, (self.most,)  # a copy in another process works things out for itself

    def get(self, key: Hashable, make: Callable[[], Found]) -> Found:
        """What is kept under this key, or else made now."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                self._used.add(key)
            else:
                self._found[key] = make()
                self._used.add(key)
                self._make_room()  # which never takes the newest
            return cast(Found, self._found[key])

    def _make_room(self) -> None:
        """Results grow while they are used, so that those used of late are counted again."""
        for key in self._used | self._used_before:
            if key in self._found:
                before, self._bytes[key] = self._bytes.get(key, 0), self._found[key].nbytes
                self._taken += self._bytes[key] - before
        self._used_before, self._used = self._used, set()
        while self._taken > self.most and len(self._found) > 1:
            self._taken -= self._bytes.pop(self._found.popitem(last=False)[0])


@dataclass(frozen=True)
class Axis(Weighty):
    """The group of each item along one axis, and the groups' names."""

    index: Places
    names: tuple[str, ...]


@dataclass(frozen=True)
class Crossing(Weighty):
    """The cell of each item, the cells' coordinates along the axes crossed, and the axes' group names."""

    cell: Places
    coordinates: Ints
    names: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Summary(Weighty):
    """The size of each cell, and its sums of scores and, where they were asked for, of class probabilities."""

    size: Ints
    score_sum: Array
    probability_sum: Array | None


@dataclass(frozen=True)
class ByCell(Weighty):
    """The items of each cell, one cell after the other, and where each cell starts."""

    items: Places
    starts: Ints

    @classmethod
    def of(cls, found: Crossing) -> "ByCell":
        starts = np.concatenate([[0], np.cumsum(np.bincount(found.cell, minlength=len(found.coordinates)))])
        return cls(np.argsort(found.cell, kind="stable").astype(np.int32), starts.astype(np.int64))


@dataclass(frozen=True)
class KeyedOrder(Weighty):
    """The items of each cell in the order of one seed, sorted as far as somebody asked for them.

    A study asks for few items of many: a whole order for each study would sort and hold the pool again and again. What
    is held here is at most GROWTH times what was asked for, or FIRST items of a cell.
    """

    seed: int
    heads: dict[int, Places] = field(default_factory=dict)  # the first items of a cell, in order

    def items(self, by_cell: ByCell, hashes: Keys, cell: int, after: int, n: int) -> Places:
        """The places in the pool of the next n items of the cell past the first `after`; fewer at its end."""
        items = by_cell.items[by_cell.starts[cell] : by_cell.starts[cell + 1]]
        last = min(after + n, len(items))
        head = self.heads.get(cell)
        if head is None or last > len(head):
            count = FIRST
            while count < last:
                count *= GROWTH
            head = _head(items, hashes, self.seed, count)
            self.heads[cell] = head  # two threads may both do so: either head is right
        return head[after:last]

    @property
    def nbytes(self) -> int:
        return sum(head.nbytes for head in list(self.heads.values()))


def _head(items: Places, hashes: Keys, seed: int, count: int) -> Places:
    """At least the first `count` items in keyed order; items of equal keys as they come."""
    keys = item_order(seed, hashes[items])
    if count < len(items) // 2:
        last = np.partition(keys, count - 1)[count - 1]
        first = np.flatnonzero(keys <= last)
        items, keys = items[first], keys[first]
    return items[np.argsort(keys, kind="stable")]
