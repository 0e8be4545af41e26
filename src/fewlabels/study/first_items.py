"""Asking without the pool: the first items of each cell of a large one are kept when the study is made."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fewlabels.core.first_items import FirstItem
from fewlabels.engines import PoolItem
from fewlabels.storages import Firsts

FROM = 1_000_000  # items of a pool: below, opening it again is fast
MOST, LEAST = 1024, 32  # items of a cell that are kept,
TOGETHER = 100_000  # or as many as make this of all cells
AT_ONCE = 16  # items of a cell read together, or more: one takes as long
MORE = 3  # times those that were kept before, where these run out

Draw = Callable[[int, int, int], list[PoolItem]]


@dataclass(frozen=True)
class KeptItems:
    """The first items of a study's cells, in its storage. What runs out is filled up while the study's lock is held;
    that is kept afterwards."""

    firsts: Firsts
    name: str
    seed: int
    more: list[FirstItem] = field(default_factory=list)  # found since, and to be kept

    def keep_all(self, draw: Draw, cells: int) -> None:
        """Keep the first items of all cells, found by `draw`."""
        n = min(MOST, max(LEAST, TOGETHER // cells))
        self.firsts.keep(self.name, self.seed, self._found(draw, cells, n))

    def _found(self, draw: Draw, cells: int, n: int) -> Iterator[FirstItem]:
        for cell in range(cells):
            yield from _numbered(draw(cell, 0, n), 0)

    def draw(self, cell: int, after: int, n: int, further: Draw) -> list[PoolItem]:
        """The next n items of a cell or a few more, fewer at the end of those that are kept; past it as many as
        `further` finds."""
        kept = self.firsts.items(self.name, self.seed, cell, after, max(n, AT_ONCE))
        if kept:
            return [PoolItem(row.item, cell, row.predicted, row.score, row.payload) for row in kept]
        rows = further(cell, after, max(n, MORE * after, LEAST))
        self.more.extend(_numbered(rows, after))
        return rows

    def keep_more(self) -> None:
        """Keep what was found since."""
        if self.more:
            self.firsts.keep(self.name, self.seed, self.more)
            self.more.clear()


def _numbered(rows: list[PoolItem], after: int) -> list[FirstItem]:
    return [
        FirstItem(row.cell, place, row.item, row.predicted, row.score, row.payload)
        for place, row in enumerate(rows, start=after)
    ]
