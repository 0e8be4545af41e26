"""Draws of cells in proportion to what a label there is worth to a belief that cells share."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.odds import Odds
from fewlabels.core.round import Round
from fewlabels.errors import QuestionError
from fewlabels.strategies.base import Contest, State, Strategy

_FIRST = 5  # labels between two looks at the belief, to begin with
_GROWTH = 0.12  # later, as a share of the labels there are
_ALL_UNIFORM = 10  # the uniform share is so many labels' worth of all of them at least,
_USUAL = 0.05  # and of so many more as labels of the rarer kind are rarer than this: half a one is expected among them


@dataclass(frozen=True)
class Gain(Strategy):
    """An item is drawn with a chance proportional to its gain, to the `power`, and with the share `uniform` like any
    other item; without replacement, with known chances. Never the best item for certain: what the belief is sure of is
    looked at too, and the labels can tell where it is wrong.

    Where groups are to be found, gains decide inside of groups, and groups take turns by how open it is whether they
    are among those: the more often they are in one draw of the belief and not in another, as by top-two sampling.
    """

    power: float = 1.75
    uniform: float = 0.2

    name: ClassVar[str] = "gain"
    reason: ClassVar[str] = (
        "items are drawn the more often the more their labels are worth to the model of the scores, one in five at "
        "random"
    )
    of_cells: ClassVar[bool] = True
    by_gain: ClassVar[bool] = True
    estimator: ClassVar[str | None] = "hierarchical"

    def __post_init__(self) -> None:
        if not (0 <= self.power <= 4 and 0 < self.uniform <= 1):
            raise QuestionError(
                f"power is from 0 to 4, uniform a share above 0 and at most 1; got {self.power!r} and {self.uniform!r}."
            )

    def choose(self, state: State, keyed: Keyed) -> Round:
        left = state.remaining.astype(np.float64)
        gain = np.where(left > 0, state.gain, 0.0) ** self.power
        odds = Odds.of(_shared_out(gain, left, state.contest), max(self.uniform, _still_uniform(state)))
        return drawn_by(odds, left, round_size(state), keyed)


def _still_uniform(state: State) -> float:
    """The uniform share that falls as labels come in. A model that is hardly ever wrong says the same of nearly all of
    its items, and only a mistake among those tells more: half are uniform until half a mistake is expected of them."""
    return _ALL_UNIFORM / (_ALL_UNIFORM + state.labels * min(state.rarer / _USUAL, 1.0))


def round_size(state: State) -> int:
    """How many items are drawn before the chances are looked at again."""
    scheduled = max(_FIRST, int(_GROWTH * state.labels))
    return int(min(max(scheduled, state.wanted), state.most, state.remaining.sum()))


def drawn_by(odds: Odds, left: Array, n: int, keyed: Keyed) -> Round:
    """A round of n items by these odds, with so many left in each arm, without replacement."""
    left, arms, chances = left.copy(), [], []
    for uniform in keyed.uniforms(Use.ARM_PICK, n).tolist():
        mass = odds.chances(left)
        upto = np.cumsum(mass)
        arm = int(np.searchsorted(upto, uniform * upto[-1], side="right"))
        arms.append(arm)
        chances.append(float(mass[arm]))
        left[arm] -= 1
    return Round(tuple(arms), tuple(chances), odds=odds)


def _shared_out(worth: Array, left: Array, contest: Contest | None) -> Array:
    """The worth of an item of each arm, scaled so that groups have the shares of the contest."""
    if contest is None:
        return worth
    of_group = np.bincount(contest.group, weights=worth * left, minlength=len(contest.share))
    scale = np.divide(contest.share, of_group, out=np.zeros(len(of_group)), where=of_group > 0)
    return np.asarray(worth * scale[contest.group])
