"""One round: a strategy picks arms, and inside an arm every remaining item has the same chance.

This is the one step that both a live study and a simulation drive.
"""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Ints
from fewlabels.core.events import Design
from fewlabels.core.keyed import Keyed, Use


@dataclass(frozen=True, slots=True)
class Choice:
    """An arm to query. `probability` is that of the arm, given all that went before; None where not known. In a round
    of draws with known probabilities it is that of one draw."""

    arm: int
    design: Design
    probability: float | None = None
    floor: int = 0  # the lowest score stratum that could have been drawn


def cell_within(arm_of_cell: Ints, arm: int, remaining: Ints, keyed: Keyed) -> int:
    """The cell of the arm that holds the next item: cells in proportion to their remaining items."""
    cells = np.flatnonzero((arm_of_cell == arm) & (remaining > 0))
    if len(cells) == 1:
        return int(cells[0])
    upto = np.cumsum(remaining[cells])
    return int(cells[np.searchsorted(upto, keyed.uniform(Use.CELL) * upto[-1], side="right")])
