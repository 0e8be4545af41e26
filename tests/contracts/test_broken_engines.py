"""Negative controls: engines that break a promise are noticed, and it is said which."""

import hashlib
from collections.abc import Mapping
from dataclasses import fields, replace

import numpy as np
import pytest

from fewlabels.core.keyed import item_hashes, item_order
from fewlabels.engines import Chunk, MemoryEngine
from fewlabels.testing import check_engine


class LosesTheLast(MemoryEngine):
    """Sums over all items but one of a large pool."""

    def summarise(self, model, axes, *, probabilities):
        cells = super().summarise(model, axes, probabilities=probabilities)
        size = cells.size.copy()
        size[-1] -= size[-1] > 1
        return replace(cells, size=size)


class StoredOrder(MemoryEngine):
    """Draws items in the order they are stored in."""

    def draw(self, model, axes, seed, cell, after, n):  # noqa: ARG002
        rows = self.find(model, axes, self.ids.tolist())
        return [row for row in rows if row.cell == cell][after : after + n]


class AnotherOrder(MemoryEngine):
    """A keyed order like any other, but not the one of other engines."""

    def draw(self, model, axes, seed, cell, after, n):
        return super().draw(model, axes, seed + 1000, cell, after, n)


class BlockByBlock(MemoryEngine):
    """Begins each block one item late."""

    def draw(self, model, axes, seed, cell, after, n):
        return super().draw(model, axes, seed, cell, after + (after > 0), n)


class Unsteady(MemoryEngine):
    """A scan in another order than its labels."""

    def scan(self, model, axes=(), *, whole=False):
        for chunk in super().scan(model, axes, whole=whole):
            yield replace(chunk, labels=chunk.labels[::-1])


class Rounds(MemoryEngine):
    def _row(self, model, i, cell):
        row = super()._row(model, i, cell)
        return replace(row, score=round(row.score, 3))


class FindsAnything(MemoryEngine):
    def find(self, model, axes, items):
        found = super().find(model, axes, items)
        return [row or self._row(model, 0, 0) for row in found]


class BlindPrint(MemoryEngine):
    """A fingerprint of the ids alone."""

    def fingerprint(self, model, axes):  # noqa: ARG002
        return f"{self.count}-{int(self.hashes.sum(dtype=np.uint64)):016x}"


BROKEN = {
    "loses an item": (LosesTheLast, "Cells are the sums a slow loop over the items finds"),
    "draws in the stored order": (StoredOrder, r"(?s)The order depends on the seed.*equally often"),
    "draws in another order": (AnotherOrder, r"1 of \d+ promises:\n- On random pools"),
    "blocks with gaps": (BlockByBlock, "in blocks of any size"),
    "labels of other items": (Unsteady, "A scan says of every item what its row says"),
    "rounds scores": (Rounds, "A row says what the model said"),
    "finds anything": (FindsAnything, "Items that are not there are not found"),
    "a fingerprint of ids": (BlindPrint, "The fingerprint changes with any id"),
}


class Slow(MemoryEngine):
    """Another engine, and nothing is broken here: orders by sorting, chunks of a few, a fingerprint of its own."""

    def draw(self, model, axes, seed, cell, after, n):
        inside = [row for row in self.find(model, axes, self.ids.tolist()) if row.cell == cell]
        inside.sort(key=lambda row: int(item_order(seed, item_hashes([row.item]))[0]))
        return inside[after : after + n]

    def scan(self, model, axes=(), *, whole=False):
        for chunk in super().scan(model, axes, whole=whole):
            for start in range(0, len(chunk.items), 37):
                yield Chunk(**{name: part(values, start) for name, values in vars(chunk).items()})

    def fingerprint(self, model, axes):
        rows = self.find(model, axes, self.ids.tolist())
        cells = self.summarise(model, axes, probabilities=False).coordinates.tolist()
        names = [axis.names for axis in (self._axis(model, one) for one in axes)]
        groups = [[names[k][v] for k, v in enumerate(cells[row.cell])] for row in rows]
        said = [(row.item, row.predicted, row.score, group) for row, group in zip(rows, groups, strict=True)]
        return hashlib.md5(repr(sorted(said)).encode()).hexdigest()


def part(values, start):
    if isinstance(values, Mapping):
        return {name: part(entries, start) for name, entries in values.items()}
    return None if values is None else values[start : start + 37]


def copied(made, items):
    return made(**{field.name: getattr(items, field.name) for field in fields(items)})


def test_an_engine_that_keeps_its_promises_passes():
    check_engine(lambda items: copied(Slow, items))


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_engine_is_noticed(name):
    made, promise = BROKEN[name]
    with pytest.raises(AssertionError, match=promise):
        check_engine(lambda items: copied(made, items))
