"""Draws of cells in proportion to what a label there is worth to a belief that cells share."""

import math
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
_ALL_UNIFORM = 10  # the uniform share is so many labels' worth of all of them at least
_MOST_UNIFORM = 0.5  # of all draws, while groups are short of labels


@dataclass(frozen=True)
class Gain(Strategy):
    """An item is drawn with a chance proportional to its gain, to the `power`, and with the share `uniform` like any
    other item; without replacement, with known chances. Never the best item for certain: what the belief is sure of is
    looked at too, and the labels can tell where it is wrong. Where errors are rare more of it is looked at: uniform
    draws are worth as many labels as hold `errors` of them.

    Where groups are to be found, gains decide inside of groups, and groups take turns by how open it is whether they
    are among those: the more often they are in one draw of the belief and not in another, as by top-two sampling.

    While groups of a user's column are short of labels, some of the draws by gain are for these, each group as often as
    another, and each item in it: half of them, of more than 20 groups less
    (docs/decisions/0027-groups-unlike-the-rest.md).
    """

    power: float = 1.75
    uniform: float = 0.2
    errors: float = 0.5

    name: ClassVar[str] = "gain"
    reason: ClassVar[str] = (
        "items are drawn the more often the more their labels are worth to the model of the scores, one in five or "
        "more at random"
    )
    of_cells: ClassVar[bool] = True
    by_gain: ClassVar[bool] = True
    estimator: ClassVar[str | None] = "hierarchical"

    def __post_init__(self) -> None:
        if not (0 <= self.power <= 4 and 0 < self.uniform <= 1 and 0 <= self.errors < math.inf):
            raise QuestionError(
                "power is from 0 to 4, uniform a share above 0 and at most 1, errors a number from 0 on; got "
                f"{self.power!r}, {self.uniform!r} and {self.errors!r}."
            )

    def choose(self, state: State, keyed: Keyed) -> Round:
        left = state.remaining.astype(np.float64)
        gain = np.where(left > 0, state.gain, 0.0) ** self.power
        even = self._even(state, left)
        share = max(self.uniform, even / (even + state.labels))
        worth = _shared_out(gain, left, state.contest)
        if state.short is not None:
            worth, share = _for_short(worth, state.short, left), min(share, _MOST_UNIFORM)
        odds = Odds.of(worth, share)
        return drawn_by(odds, left, round_size(state), keyed)

    def _even(self, state: State, left: Array) -> int:
        """How many labels the uniform draws are to be worth, whole ones."""
        if not self.errors:
            return _ALL_UNIFORM
        rate = float(state.likeliest @ left / left.sum())
        rarer = max(min(rate, 1 - rate), 1 / float(left.sum()))  # of two outcomes; of one item at least
        return max(_ALL_UNIFORM, round(self.errors / rarer))


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


def _for_short(worth: Array, short: Array, left: Array) -> Array:
    """The worth of an item of each arm, some of it for groups that are short of labels."""
    of_worth = float(worth @ left)
    return short if not of_worth else (1 - float(short @ left)) * worth / of_worth + short


def _shared_out(worth: Array, left: Array, contest: Contest | None) -> Array:
    """The worth of an item of each arm, scaled so that groups have the shares of the contest."""
    if contest is None:
        return worth
    of_group = np.bincount(contest.group, weights=worth * left, minlength=len(contest.share))
    scale = np.divide(contest.share, of_group, out=np.zeros(len(of_group)), where=of_group > 0)
    return np.asarray(worth * scale[contest.group])
