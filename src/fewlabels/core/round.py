"""One round: a strategy picks arms, and inside an arm every remaining item has the same chance."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Ints
from fewlabels.core.design import Design
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.odds import Odds
from fewlabels.errors import QuestionError

UNWEIGHED = Design()  # without replacement, by chances nobody weighs a label by


@dataclass(frozen=True, slots=True)
class Round:
    """The arms to be queried, in order, and how they are drawn; no arms where nothing is left to ask.

    `probabilities` are those of the arms, given all that went before, each of one draw; none where they are not known.

    >>> Round((3,), (0.25,)).planned
    False
    """

    arms: tuple[int, ...] = ()
    probabilities: tuple[float, ...] = ()
    design: Design = UNWEIGHED
    frame: int = 0  # the lowest score stratum that could have been drawn; 0 for all
    odds: Odds | None = None  # the chances of every arm in each draw, where they are known

    def __post_init__(self) -> None:
        if len(self.probabilities) != len(self.arms) and (self.probabilities or self.design.weighs):
            raise QuestionError(
                f"a round of {len(self.arms)} arms has {len(self.probabilities)} probabilities; give one an arm"
                + (", as draws are weighed by them." if self.design.weighs else ", or none.")
            )

    @property
    def planned(self) -> bool:
        """Whether the round is noted before its first query: what comes later was decided with it."""
        return len(self.arms) > 1 or self.design.weighs or (self.odds is not None and len(self.arms) > 0)

    def probability(self, place: int) -> float | None:
        """That of one of the arms; None where it is not known."""
        return self.probabilities[place] if self.probabilities else None


class Draw(NamedTuple):
    """One draw of a round."""

    number: int  # of the round
    round: Round
    place: int  # in the round
    cell: int  # of its arm; where an item can be drawn again, the arm itself

    @property
    def arm(self) -> int:
        return self.round.arms[self.place]


def cell_within(cells: Ints, left: Ints, keyed: Keyed) -> int:
    """Which of an arm's cells holds the next item: cells in proportion to the items they have left."""
    cells, left = cells[left > 0], left[left > 0]
    if len(cells) == 1:
        return int(cells[0])
    upto = np.cumsum(left)
    return int(cells[np.searchsorted(upto, keyed.uniform(Use.CELL) * upto[-1], side="right")])
