"""A pool that was extended: an engine for each part, and cells that are never of two of them."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import Cells
from fewlabels.core.events import Item
from fewlabels.core.groups import Grouping
from fewlabels.core.joined import joined, without_part
from fewlabels.engines.base import Chunk, Engine, PoolItem


@dataclass(frozen=True, eq=False)
class GrownEngine:
    """Parts that share no item, and have the same classes. What an engine promises holds for each part by itself: what
    comes later changes neither the cells of earlier parts nor the order of their items. Cells always have the axis
    `PoolPart`, first of all, whether it is asked for or not."""

    parts: tuple[Engine, ...]

    @property
    def count(self) -> int:
        return sum(part.count for part in self.parts)

    @property
    def classes(self) -> tuple[str, ...]:
        return self.parts[0].classes

    @property
    def other_labels(self) -> tuple[str, ...]:
        return self.parts[0].other_labels

    @property
    def models(self) -> Collection[str]:
        return [model for model in self.parts[0].models if all(model in part.models for part in self.parts)]

    @property
    def columns(self) -> Collection[str]:
        return [column for column in self.parts[0].columns if all(column in part.columns for part in self.parts)]

    @property
    def whole_ids(self) -> bool:
        return self.parts[0].whole_ids

    @property
    def full_probabilities(self) -> bool:
        return all(part.full_probabilities for part in self.parts)

    @property
    def payload_fingerprint(self) -> str:
        return "+".join(part.payload_fingerprint for part in self.parts)

    def fingerprint(self, model: str, axes: tuple[Grouping, ...]) -> str:
        return "+".join(part.fingerprint(model, without_part(axes)) for part in self.parts)

    def summarise(self, model: str, axes: tuple[Grouping, ...], *, probabilities: bool) -> Cells:
        own = without_part(axes)
        return joined([part.summarise(model, own, probabilities=probabilities) for part in self.parts]).cells

    @cached_property
    def _places(self) -> dict[tuple[str, tuple[Grouping, ...]], tuple[Ints, ...]]:
        """Where the cells of each part lie, as far as somebody asked."""
        return {}

    def _of_part(self, model: str, own: tuple[Grouping, ...]) -> tuple[Ints, ...]:
        if (known := self._places.get((model, own))) is None:
            known = joined([part.summarise(model, own, probabilities=False) for part in self.parts]).of_part
            self._places[model, own] = known
        return known

    def draw(self, model: str, axes: tuple[Grouping, ...], seed: int, cell: int, after: int, n: int) -> list[PoolItem]:
        own = without_part(axes)
        for part, places in zip(self.parts, self._of_part(model, own), strict=True):
            for local in np.flatnonzero(places == cell).tolist():
                return [replace(row, cell=cell) for row in part.draw(model, own, seed, local, after, n)]
        return []

    def find(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> list[PoolItem | None]:
        own, found = without_part(axes), [None] * len(items)
        out: list[PoolItem | None] = list(found)
        for part, places in zip(self.parts, self._of_part(model, own), strict=True):
            left = [i for i, row in enumerate(out) if row is None]
            for i, row in zip(left, part.find(model, own, [items[i] for i in left]), strict=True):
                out[i] = None if row is None else replace(row, cell=int(places[row.cell]))
        return out

    def outputs_of(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> tuple[Ints, Ints, Array]:
        rows = [row for row in self.find(model, axes, items) if row is not None]
        cell, predicted = ([row.cell for row in rows], [self.classes.index(row.predicted) for row in rows])
        return np.array(cell, dtype=np.int64), np.array(predicted, dtype=np.int64), np.array([r.score for r in rows])

    def scan(self, model: str, axes: tuple[Grouping, ...] = (), *, whole: bool = False) -> Iterator[Chunk]:
        own = without_part(axes)
        for part, places in zip(self.parts, self._of_part(model, own), strict=True):
            for chunk in part.scan(model, own, whole=whole):
                yield replace(chunk, cell=places[chunk.cell])
