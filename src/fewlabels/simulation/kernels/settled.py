"""Compiled runs that settle which groups are the ones asked for, from Python."""

from functools import cached_property
from typing import cast

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.certificate import ROUNDING, Figures, bars
from fewlabels.core.stratified import StratifiedRates
from fewlabels.core.stratified.counts import MOST_STEPS
from fewlabels.questions import Identify
from fewlabels.settling import USUAL_GOAL
from fewlabels.simulation.drawn import DrawnRun
from fewlabels.simulation.kernels.settle import run_settle
from fewlabels.simulation.kernels.strata import Groups, nothing_told
from fewlabels.simulation.oracle import Deck
from fewlabels.simulation.run import outcomes_of

_NOBODY = np.zeros(0, dtype=np.int64)
_ALL_BITS = 0xFFFFFFFFFFFFFFFF


def _bars(goal: float) -> tuple[float, float]:
    """What probabilities are to reach at a goal, rounding allowed for."""
    many, few = bars(goal)
    return many - ROUNDING, few - ROUNDING


def can_be_settled(assessment: Assessment) -> bool:
    """Whether there is a compiled twin of what a run believes of its groups: of the pool's own items, arms being
    cells, and groups of one unit each."""
    if assessment.certified is None or assessment.settings.target != "pool":
        return False
    view, arms, known = assessment.view, assessment.arms, assessment.certifying.twin == "strata"
    in_order = np.array_equal(arms.index, np.arange(arms.count))
    return known and in_order and np.array_equal(view.units.index, view.groups.index)


class SettleRun(DrawnRun):
    """Labels that settle which groups are the ones asked for."""

    def drawn(self, deck: Deck, count: int, seed: int) -> Ints:
        return self._run(deck, count, seed, None, _NOBODY)[0]

    def until(self, goal: float, deck: Deck, most: int, seed: int, given: Ints = _NOBODY) -> tuple[int, Ints | None]:
        """After how many labels groups may first be named at this goal, and those; all of them and none where that is
        not reached. It is looked at whenever labels come back. `given` are cells that somebody else chose."""
        cells, named = self._run(deck, most, seed, goal, given)
        return len(cells), named

    def _run(self, deck: Deck, count: int, seed: int, goal: float | None, given: Ints) -> tuple[Ints, Ints | None]:
        """The cell of each draw, and the groups that may be named after the last, where that was looked at."""
        groups, by_group = self._groups, self._by_group
        drawn, first = np.zeros(count, dtype=np.int64), np.zeros(groups.top, dtype=np.int64)
        cards, here = (outcomes_of(self.assessment, deck), deck.starts[by_group]), np.argsort(by_group)[given]
        until, how = self.assessment.settings.until, (self.batch, goal is not None)
        while_choosing = _bars((until and until.sure) or USUAL_GOAL)
        both, key = (while_choosing, while_choosing if goal is None else _bars(goal)), np.uint64(seed & _ALL_BITS)
        end, named = run_settle(groups, nothing_told(groups), cards, here, how, both, key, drawn, first)
        return by_group[drawn[:end]], first if named else None

    @cached_property
    def _by_group(self) -> Ints:
        """Cells, those of each group one after the other."""
        return np.argsort(self.assessment.view.groups.index, kind="stable")

    @cached_property
    def _groups(self) -> Groups:
        made, figures = self.assessment, cast(Figures, self.assessment.certified)
        view, asked, layout = made.view, cast(Identify, made.question), cast(StratifiedRates, made.certifying).layout
        index, items = view.groups.index[self._by_group], view.groups.size.astype(np.float64)
        room = np.minimum(view.groups.size, MOST_STEPS) + 1
        return Groups(
            begins=np.searchsorted(index, np.arange(len(items) + 1)),
            group=index,
            stratum=layout.stratum[self._by_group],
            size=made.cells.size[self._by_group].astype(np.float64),
            share=view.cell_share[self._by_group],
            items=items,
            quota=layout.quotas[self._by_group],
            room=np.concatenate([[0], np.cumsum(room)]),
            scale=float(figures.scale),
            shift=np.asarray(figures.shift, dtype=np.float64),
            top=asked.top,
            within=float(asked.within),
        )
