"""Negative controls: engines that break a promise are noticed, and it is said which."""

from dataclasses import fields, replace

import numpy as np
import pytest

from fewlabels.engines import MemoryEngine
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

    def at(self, model, axes, seed, cell, position):  # noqa: ARG002
        inside = np.flatnonzero(self.cell_of_items(model, axes) == cell)
        return self._row(model, inside[position], cell) if position < len(inside) else None


class AnotherOrder(MemoryEngine):
    """A keyed order like any other, but not the one of other engines."""

    def at(self, model, axes, seed, cell, position):
        return super().at(model, axes, seed + 1000, cell, position)


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
    "rounds scores": (Rounds, "A row says what the model said"),
    "finds anything": (FindsAnything, "Items that are not there are not found"),
    "a fingerprint of ids": (BlindPrint, "The fingerprint changes with any id"),
}


def test_an_engine_that_keeps_its_promises_passes():
    check_engine(lambda items: items)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_engine_is_noticed(name):
    made, promise = BROKEN[name]
    with pytest.raises(AssertionError, match=promise):
        check_engine(lambda items: made(**{field.name: getattr(items, field.name) for field in fields(items)}))
