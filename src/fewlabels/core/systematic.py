"""Draws without replacement and with unequal chances: systematic sampling over cells."""

from collections.abc import Mapping

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.odds import Odds


def inclusion(mass: Array, urn: Ints, n: int) -> Array:
    """Expected draws of each cell: proportional to mass, at most its items, n in all.

    >>> inclusion(np.array([8.0, 1.0, 1.0]), np.array([1, 2, 2]), 2).tolist()
    [1.0, 0.5, 0.5]
    """
    full = np.zeros(len(mass), dtype=np.bool_)
    expected = np.zeros(len(mass))
    while True:
        free = ~full & (mass > 0)
        left = n - urn[full].sum()
        expected = np.where(full, urn, 0).astype(np.float64)
        if left <= 0 or not free.any():
            return expected
        expected[free] = left * mass[free] / mass[free].sum()
        over = free & (expected > urn + 1e-12)
        if not over.any():
            return expected
        full |= over


def systematic(expected: Array, order: Ints, n: int, keyed: Keyed) -> Ints:
    """The cells of n draws, one at each whole step along the cells in this order; shuffled, so that any first part
    stands for the whole. Neighbours in the order share their luck: where it goes by score, no stretch of scores is
    left out or drawn too often."""
    upto = np.cumsum(expected[order])
    marks = np.arange(n) + keyed.uniform(Use.COIN)
    cells = order[np.minimum(np.searchsorted(upto * (n / upto[-1]), marks, side="right"), len(order) - 1)]
    return np.asarray(cells[np.argsort(keyed.uniforms(Use.ARM_PICK, n))])


def reach_of(round_: Ints, row: Ints, frames: Mapping[int, int], planned: Mapping[int, int]) -> int | None:
    """The lowest stratum in reach of a round that counts: one of whose draws at least half are labelled, or the first.

    Few labels of a round just begun would stand for all that it takes in: k of n draws weigh n/k times as much there as
    all of them do. The interval would jump to nearly everything and back with the first labels of a batch.
    """
    told, first = dict[int, int](), int(round_.min()) if len(round_) else 0
    for number in np.unique(round_[row >= 0]).tolist():
        told[number] = int((row[round_ == number] >= 0).sum())
    counting = [frames.get(n, 0) for n, labelled in told.items() if n == first or 2 * labelled >= planned.get(n, 0)]
    return min(counting, default=frames.get(first, 0)) if told else None


def chance_by_now(
    cell: Ints, of: Ints, round_: Ints, each: Array, row: Ints, odds: Mapping[int, Odds], planned: Mapping[int, int]
) -> Array:
    """Of each labelled item (its cell), the chance to have been drawn and labelled in one of the rounds so far, had it
    been free in all of them: one less the product of the chances to be passed by. Nan where rounds tell no odds.

    Draws are given by their cell, round, chance of the item in one draw of n, and labelled item (below zero for none).
    Where k of a round's n draws are labelled, any k were as likely, so a chance counts k/n. An item's chance in a round
    is `scale x worth of its cell`, at most one; a draw that is not certain tells the scale.
    """
    passed = np.ones(len(cell))
    for number in np.unique(round_).tolist():
        if number not in odds:
            return np.full(len(cell), np.nan)
        mine = round_ == number
        n, worth = planned[number], odds[number].worth
        scale = float((each[mine] * n / worth[of[mine]]).max())
        passed *= 1 - np.minimum(scale * worth[cell], 1.0) * (row[mine] >= 0).sum() / n
    return np.where(np.isin(np.arange(len(cell)), row), 1 - passed, 1.0)
