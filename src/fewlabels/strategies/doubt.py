"""Draws without replacement where labels are in doubt and weigh in an F-score."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.importance import FSample, inside
from fewlabels.core.keyed import Keyed
from fewlabels.core.odds import Odds
from fewlabels.core.ranked import Ranked, differences
from fewlabels.core.round import Round
from fewlabels.core.searched import searched_of
from fewlabels.core.systematic import inclusion, systematic
from fewlabels.errors import QuestionError
from fewlabels.strategies.acis import ONCE, DrawsForF
from fewlabels.strategies.base import State

F_EDGE = 0.05  # an F-score is planned by as if it were no nearer to 0 or 1
GOAL_BELOW = 0.5  # of the draws that fall below the reach, where a goal rests on the figure of all items
DECIDES = 3.0  # positives that so many draws would find there, were they as frequent as among all
_ROUNDS_TO_BALANCE = 40  # of several figures, until the worst of them is served


@dataclass(frozen=True)
class Doubt(DrawsForF):
    """Each round calibrates the model's scores with the labels so far and draws items without replacement, with chances
    in proportion to the spread of the label, √(m (1 - m)), and to how far it moves the score, |ŷ - (1 - α) F|: what
    makes the variance of the difference estimator smallest. Of several figures at once, the worst served is served
    best. Rounds grow with the labels, so any batches do.

    `epsilon` keeps calibrated scores off 0 and 1. Among the items predicted negative a round looks at the highest
    scores, `reach` times as many as are predicted positive, and once more as many each time that the labels double;
    None for all; of more that share a score, at some of all. What is drawn from further down, once nothing else is
    left, stands for itself alone: one positive among thousands of items that share a score would else outweigh all
    others.

    Where a figure of all items is asked, the share `below` of the draws falls on the items further down, each as likely
    as any other, and so do all draws once nothing else is left: what those labels say of positives that hide there is
    counted apart (core/hiding.py). Half of the draws do where a goal rests on it and so many can decide it.
    """

    epsilon: float = 3e-3
    reach: float | None = 4.0
    first: int = 10
    growth: float = 1.5
    below: float = 0.1

    name: ClassVar[str] = "doubt"
    reason: ClassVar[str] = (
        "items whose label is in doubt and moves the score most are drawn more often, once each, with known chances"
    )
    estimator: ClassVar[str | None] = "difference"

    def __post_init__(self) -> None:
        if not 0 < self.epsilon < 0.5:
            raise QuestionError(f"Doubt needs an epsilon above 0 and below 0.5, such as 0.003; got {self.epsilon!r}.")
        if not (isinstance(self.first, int) and self.first >= 1 and 1 <= self.growth <= 100):
            raise QuestionError(
                f"first is at least 1 draw, growth from 1 to 100; got first={self.first!r}, growth={self.growth!r}."
            )
        if self.reach is not None and not self.reach > 0:
            raise QuestionError(f"reach is a positive multiple of the predicted positives; got {self.reach!r}.")
        if not 0 <= self.below < 1:
            raise QuestionError(f"below is the share of draws beyond the reach, from 0 to below 1; got {self.below!r}.")

    def choose(self, state: State, keyed: Keyed) -> Round:
        """The next round: as many as are wanted, or as the labels so far call for; no more than the budget allows."""
        samples, urn = state.samples, state.remaining
        sample, hiding = samples[0], state.hiding and self.below > 0
        asked = state.labels - int((~np.isin(np.arange(len(sample.cell)), sample.row)).sum())  # not from outside
        asked = max(asked, 0)
        n = max(self.first, round((self.growth - 1) * asked), state.wanted)
        n = min(n, state.most, int(urn.sum()))
        if n <= 0:
            return Round()
        predicted = np.asarray(np.max([s.predicted for s in samples], axis=0))
        frame, thinned = self.frame(sample, predicted, asked + n)
        reached = (sample.stratum >= frame) | (predicted > 0)
        wanted = min(n, self.draws_below(state, sample, reached, predicted, asked, n)) if hiding else 0
        if not hiding:
            down = enough(sample.stratum, np.where(predicted > 0, 0, urn), n - int(urn[predicted > 0].sum()))
            reached = (sample.stratum >= min(frame, down)) | (predicted > 0)
        worth = self.worth([searched_of(s).sample for s in samples] if hiding else samples, reached, urn)
        worth = np.where((sample.stratum == frame) & (predicted == 0), thinned * worth, worth)
        odds = Odds.of(shared(worth, urn, ~reached, n, wanted) if hiding else worth, 0.0)
        mass = odds.worth * urn
        n = min(n, int(urn[mass > 0].sum()))
        expected = inclusion(mass, urn, n)
        order = np.lexsort((-sample.score, -predicted))
        cells = systematic(expected, order, n, keyed)
        return Round(tuple(cells.tolist()), tuple((expected[cells] / n).tolist()), ONCE, frame, odds)

    def frame(self, sample: FSample, predicted: Array, labels: int) -> tuple[int, float]:
        """The lowest stratum in reach of so many labels, and how much less often than by its worth an item of it is
        drawn.

        Where the highest of those predicted negative share a score and are more than reach allows, all of them are in
        reach, and drawn as often together as so many as it allows: a score that all have says of none that it is out of
        question.
        """
        npos = float(sample.size @ predicted)
        if self.reach is None or npos == 0:
            return 0, 1.0
        items = npos * (self.reach - 1 + math.log2(1 + labels / self.first))
        held = np.bincount(sample.stratum, weights=sample.size)[::-1].cumsum()[::-1]
        within = np.flatnonzero(held <= items)
        frame = int(within[0]) if len(within) else len(held)
        negative = (predicted == 0) & (sample.size > 0)
        if not negative.any() or (negative & (sample.stratum >= frame)).any():
            return frame, 1.0
        highest = int(sample.stratum[negative].max())
        tied = float(sample.size[negative & (sample.stratum == highest)].sum())
        return highest, min(1.0, max(items - npos, 1.0) / tied)

    def draws_below(
        self, state: State, sample: FSample, reached: Bools, predicted: Array, asked: int, n: int
    ) -> int:  # fmt: skip
        """How many of the next n draws fall on items that are not reached: the running sum of their share, rounded
        down."""
        items, left = float(sample.size[~reached].sum()), int(state.remaining[~reached].sum())
        share = self.below
        if state.narrow and items > 0 and GOAL_BELOW * (asked + n) * float(sample.size @ predicted) / items >= DECIDES:
            share = max(share, GOAL_BELOW)
        return min(math.floor(share * (asked + n)) - math.floor(share * asked), left)

    def worth(self, samples: list[FSample], in_reach: Bools, urn: Ints) -> Array:
        """Of an item of each cell; the chance of one still free is in proportion to it."""
        spreads, slopes = self.figures(samples)
        each = np.where(in_reach, spreads * slopes, 0.0)
        if not (each * urn).any():  # nothing left is in doubt: whatever is in reach
            return np.where(in_reach & (urn > 0), 1.0, 0.0) if (urn[in_reach] > 0).any() else (urn > 0).astype(float)
        return each[0] if len(each) == 1 else balanced(each, urn)

    def figures(self, samples: list[FSample]) -> tuple[Array, Array]:
        """Of each figure that labels are drawn for: how far the label of an item is open, and how far it moves it, for
        each cell."""
        spreads, slopes = [], []
        for sample in samples:
            known = differences(sample)
            m = inside(known.expected, self.epsilon)
            spreads.append(np.sqrt(m * (1 - m)))
            ratio = sample.predicted - (1 - sample.alpha) * planned_by(known.value)
            slopes.append(known.planned if isinstance(known, Ranked) else np.abs(ratio))
        return np.array(spreads), np.array(slopes)


def enough(stratum: Ints, urn: Ints, n: int) -> int:
    """The highest stratum from which on so many items are left."""
    left = np.bincount(stratum, weights=urn)[::-1].cumsum()[::-1]
    found = np.flatnonzero(left >= n)
    return int(found[-1]) if len(found) else 0


def shared(worth: Array, urn: Ints, out: Bools, n: int, below: int) -> Array:
    """The worth of an item of each cell, where so many of n draws fall on the items out of reach, each as likely as any
    other, and all that are left of them once nothing else is."""
    inside = np.where(out, 0.0, worth)
    reached = int(urn[inside > 0].sum())
    left = int(urn[out].sum())
    below = min(max(below, n - reached), left)
    if below <= 0 or reached == 0:
        return inside if below <= 0 else out.astype(np.float64)
    mass: Array = inside * urn
    expected = inclusion(mass, urn, n - below) if n > below else np.zeros(len(urn))
    scale = float((expected[mass > 0] / mass[mass > 0]).max())
    return np.where(out, below / left / scale if scale > 0 else 1.0, inside if scale > 0 else 0.0)


def planned_by(value: float) -> float:
    """The F-score that a round is planned by."""
    return F_EDGE if math.isnan(value) else min(max(value, F_EDGE), 1 - F_EDGE)


def balanced(each: Array, urn: Ints) -> Array:
    """One distribution for several figures, each best served by its own (a row each): that which keeps smallest the
    largest ratio of a figure's variance to the least it could have from as many draws.

    A mixture √(sum_j w_j e_j²) with weights that grow where the ratio is large, until all that have weight are equal.
    """
    each = each[(each * urn).any(axis=1)]
    own = each / (each @ urn)[:, None]  # the least variance of each figure is one
    weight = np.full(len(own), 1 / len(own))
    for _ in range(_ROUNDS_TO_BALANCE):
        q = np.sqrt(weight @ own**2)
        q /= q @ urn
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.nan_to_num(own**2 / q) @ urn
        weight = weight * ratio
        weight /= weight.sum()
    return np.asarray(np.sqrt(weight @ own**2))
