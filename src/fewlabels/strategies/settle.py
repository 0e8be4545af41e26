"""Labels that settle which groups are the ones asked for."""

from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.round import Round
from fewlabels.strategies.base import Settling, State, Strategy, best


class Settle(Strategy):
    """One label of each group first, any of its items. Then two draws of the belief that name different groups, as by
    top-two sampling; of the groups in which they differ, that and the cell of it whose label is expected to take most
    off the variance of the group's figure. Once the groups can be named, and some have too few labels for a claim to
    speak of them, those: in the cell that lacks most.

    It looks one step ahead and is not random but for the draws: chances are not known, and inside a cell every item has
    the same one.
    """

    name: ClassVar[str] = "settle"
    reason: ClassVar[str] = (
        "labels go where two draws of what is believed name different groups, to the items that tell most of those"
    )
    of_cells: ClassVar[bool] = True
    settles: ClassVar[bool] = True
    kernel: ClassVar[str | None] = "settle"
    estimator: ClassVar[str | None] = "stratified"

    def choose(self, state: State, keyed: Keyed) -> Round:
        settling, left = state.settling, state.remaining
        if settling is None:
            return Round(best(state.gain, left, 1))
        if len(new := settling.new):
            picked = int(new[int(keyed.uniform(Use.ARM_PICK) * len(new))])
            return Round((_any_item(np.where(settling.group == picked, left, 0), keyed),))
        missing = np.where(left > 0, settling.missing, 0.0)
        if missing.any():
            return Round((_most_lacking(settling, missing),))
        return Round((_most_telling(settling, _groups(settling, left, keyed), left),))


def _most_lacking(settling: Settling, missing: Array) -> int:
    """The cell that lacks most labels, of the group that does; the first of equals."""
    group = np.bincount(settling.group, weights=missing).argmax()
    return int(np.where(settling.group == group, missing, 0.0).argmax())


def _groups(settling: Settling, left: Ints, keyed: Keyed) -> Ints:
    """Those to choose among: those contested, of groups with items left; else all of them."""
    items = np.bincount(settling.group, weights=left)
    contested = settling.differing(keyed)
    contested = contested[items[contested] > 0]
    return contested if len(contested) else np.flatnonzero(items > 0)


def _any_item(left: Ints, keyed: Keyed) -> int:
    """The arm of an item, all that are left having the same chance."""
    upto = np.cumsum(left)
    return int(np.searchsorted(upto, keyed.uniform(Use.CELL) * upto[-1], side="right"))


def _most_telling(settling: Settling, groups: Ints, left: Ints) -> int:
    found: list[tuple[float, int]] = []
    for group in groups.tolist():
        arms, worth = settling.lowering(group)
        worth = np.where(left[arms] > 0, worth, -np.inf)
        place = int(worth.argmax())
        found.append((float(worth[place]), int(arms[place])))
    return max(found, key=lambda one: one[0])[1]  # the first of equals
