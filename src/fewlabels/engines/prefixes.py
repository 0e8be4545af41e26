"""The first items of each cell in keyed order, found without sorting the pool.

Keys are uniform on 64 bits, so that the first n items of a cell of N have keys below about n / N of 2^64; a little more
than that is asked for, of all cells in one query, and what comes back is sorted here.
"""

from collections.abc import Callable, Collection, Mapping
from math import isqrt
from typing import Any, NamedTuple

from fewlabels.core.arrays import Ints
from fewlabels.core.events import Item

ALL = (1 << 64) - 1  # no key is higher
MOST, LEAST = 2048, 64  # items of a cell found at first,
TOGETHER = 400_000  # or as many as make this of all cells
GROWTH = 4  # how many times more are found where these do not suffice
SHOWN_AHEAD = 20_000  # texts fetched at once


class Found(NamedTuple):
    """One item, by its cell and key."""

    cell: int
    key: int
    item: Item
    predicted: int
    score: float


def limit(n: int, size: int) -> int:
    """A key that the first n items of a cell of this size are below, but for one time in very many."""
    enough = n + 8 * isqrt(n) + 32
    return ALL if enough >= size else (ALL // size) * enough


class Heads:
    """The first items of every cell, in order, as far as somebody wanted them; and what labellers are shown of them."""

    def __init__(
        self,
        size: Ints,
        below: Callable[[Mapping[int, int]], list[Found]],
        shown: Callable[[Collection[Item]], dict[Item, Mapping[str, Any]]],
    ) -> None:
        """`below` finds the items of cells with keys up to a limit each, in order; `shown` what is shown of items."""
        self._size, self._below, self._fetch = size.tolist(), below, shown
        self._rows: dict[int, list[Found]] = {}
        self._shown: dict[Item, Mapping[str, Any]] = {}

    def items(self, cell: int, after: int, n: int) -> list[tuple[Found, Mapping[str, Any]]]:
        """The next n items of a cell past the first `after`, with what is shown of them; fewer at its end."""
        last = min(after + n, self._size[cell])
        if not self._rows:
            first = min(MOST, max(LEAST, TOGETHER // len(self._size)))
            self._find(dict.fromkeys(range(len(self._size)), first))
        if last > len(self._rows[cell]):
            self._find({cell: GROWTH * last})
        rows = self._rows[cell][after:last]
        if any(row.item not in self._shown for row in rows):
            self._show([row.item for row in rows], last)
        return [(row, self._shown[row.item]) for row in rows]

    def _find(self, wanted: Mapping[int, int]) -> None:
        """So many items of these cells; once more with higher limits where they were too low."""
        while wanted:
            limits = {cell: limit(n, self._size[cell]) for cell, n in wanted.items()}
            found: dict[int, list[Found]] = {cell: [] for cell in wanted}
            for row in self._below(limits):
                found[row.cell].append(row)
            self._rows |= found
            wanted = {cell: GROWTH * n for cell, n in wanted.items() if len(found[cell]) < min(n, self._size[cell])}

    def _show(self, items: list[Item], place: int) -> None:
        """Fetch what is shown of these items and, as that is a pass over the pool, of others that may soon be wanted:
        the items of every cell up to twice this place."""
        ahead = [row.item for rows in self._rows.values() for row in rows[: 2 * place]]
        wanted = dict.fromkeys([*items, *(item for item in ahead if item not in self._shown)][:SHOWN_AHEAD])
        self._shown |= self._fetch(wanted)
