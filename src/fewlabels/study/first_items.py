"""Asking without the pool: the first items of each cell of a large one are kept when the study is made."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from fewlabels.core.first_items import FirstItem
from fewlabels.engines import PoolItem
from fewlabels.storages import Firsts

FROM = 1_000_000  # items of a pool: below, opening it again is fast
MOST, LEAST = 1024, 32  # items of a cell that are kept,
TOGETHER = 100_000  # or as many as make this of all cells
NEAR = 2000  # of these, as many as are read at the first look, of all cells; later
AT_ONCE = 64  # of one cell
MORE = 3  # times those that were kept before, where these run out

Draw = Callable[[int, int, int], list[PoolItem]]


@dataclass(frozen=True)
class KeptItems:
    """The first items of a study's cells, in its storage. What runs out is filled up while the study's lock is held;
    that is kept afterwards."""

    firsts: Firsts
    name: str
    seed: int
    cells: int
    more: list[FirstItem] = field(default_factory=list)  # found since, and to be kept

    def found(self, draw: Draw) -> list[FirstItem]:
        """The first items of all cells, found by `draw`: a look into the pool, for which nobody else should wait."""
        n = min(MOST, max(LEAST, TOGETHER // self.cells))
        return [item for cell in range(self.cells) for item in _numbered(draw(cell, 0, n), 0)]

    def keep(self, items: list[FirstItem]) -> None:
        """Keep these."""
        self.firsts.keep(self.name, self.seed, items)

    def draw(self, cell: int, after: int, n: int, further: Draw) -> list[PoolItem]:
        """The next items of a cell, n or more, fewer at the end of those that are kept; past it as many as `further`
        finds."""
        near = self._near.get(cell, [])[after : after + AT_ONCE]
        kept = near or self.firsts.items(self.name, self.seed, cell, after, max(n, AT_ONCE))
        if kept:
            return [PoolItem(row.item, cell, row.predicted, row.score, row.payload) for row in kept]
        rows = further(cell, after, max(n, MORE * after, LEAST))
        self.more.extend(_numbered(rows, after))
        return rows

    @cached_property
    def _near(self) -> dict[int, list[FirstItem]]:
        """The very first items of each cell, read together: of most cells no others are asked for."""
        found: dict[int, list[FirstItem]] = {}
        for row in self.firsts.items(self.name, self.seed, None, 0, max(1, NEAR // self.cells)):
            found.setdefault(row.cell, []).append(row)
        return found

    def keep_more(self) -> None:
        """Keep what was found since."""
        if self.more:
            self.keep(self.more)
            self.more.clear()


def _numbered(rows: list[PoolItem], after: int) -> list[FirstItem]:
    return [
        FirstItem(row.cell, place, row.item, row.predicted, row.score, row.payload)
        for place, row in enumerate(rows, start=after)
    ]
