"""Runs of one method: the step of a live study, its labels from an oracle; what is known is noted at each budget."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.events import Item, Query, Told
from fewlabels.core.evidence import Counted, Evidence
from fewlabels.core.history import History, Standing
from fewlabels.core.round import Draw, Round
from fewlabels.engines import PoolItem
from fewlabels.simulation.oracle import Deck
from fewlabels.step import next_draw, next_event


@dataclass(frozen=True)
class Trace:
    """What was known at each budget: labels with and without the outcome per cell, or labels per cell and class."""

    counts: Array  # (n_budgets, n_cells, 2) hits and misses, or (n_budgets, n_cells, n_true)

    def __len__(self) -> int:
        return len(self.counts)


class Counting(Standing):
    """How far a run has come of which only counts are kept: no events, no item drawn twice, every label at once."""

    def __init__(self, assessment: Assessment, deck: Deck) -> None:
        super().__init__(assessment.cells.count)
        self.counts = np.zeros((assessment.cells.count, assessment.outcome.width))
        self._outcomes, self._starts = outcomes_of(assessment, deck), deck.starts

    def evidence(self) -> Counted:
        return Counted(self.counts)

    def apply(self, found: Round | Draw) -> None:
        """Go on with a round that was planned, or by the label of a draw."""
        if isinstance(found, Round):
            self.plan, self.place, self.rounds = found, 0, self.rounds + 1
            return
        number, self.plan, place, cell = found
        self.place, self.rounds, self.draws = place + 1, number, self.draws + 1
        self.counts[cell, self._outcomes[self._starts[cell] + self.taken[cell]]] += 1
        self.taken[cell] += 1


def run_plain(assessment: Assessment, deck: Deck, budgets: Ints, seed: int) -> Trace:
    """What was known after so many labels, for strategies that draw no item twice and estimators that read counts."""
    at = Counting(assessment, deck)
    noted = np.zeros((len(budgets), *at.counts.shape))
    for place, budget in enumerate(budgets.tolist()):
        while at.draws < budget and (found := next_draw(assessment, at, seed)) is not None:
            at.apply(found)
        noted[place] = at.counts
    return Trace(noted)


def outcomes_of(assessment: Assessment, deck: Deck) -> Ints:
    """The column of the counts each item of the deck adds to."""
    return assessment.outcome.codes(deck.label, deck.predicted)


def run_draws(
    assessment: Assessment, deck: Deck, budgets: Ints, seed: int, batches: Sequence[int] = (1,)
) -> list[Evidence]:
    """What was known once so many labels were paid for. An item drawn again costs nothing.

    Labels come back in batches of these sizes, over and over; a batch ends early where a budget does.
    """
    names = assessment.true_classes
    history = History({name: i for i, name in enumerate(names)}, assessment.cells.count)

    def item_at(cell: int, position: int) -> PoolItem:
        place = int(deck.starts[cell]) + position
        return PoolItem(place, cell, names[deck.predicted[place]], np.nan, {})

    def ask(n: int) -> list[Item]:
        asked: list[Item] = []
        while len(asked) < n:
            event = next_event(assessment, history, item_at, seed=seed, budget=last, wanted=n - len(asked))
            if event is None:
                break
            waiting = len(history.open)
            history.apply(event)
            if isinstance(event, Query) and len(history.open) > waiting:  # else it was drawn before
                asked.append(event.item)
        return asked

    noted, last, sizes = [], int(budgets[-1]), cycle(batches)
    for budget in budgets.tolist():
        while history.spent < budget and (asked := ask(min(next(sizes), budget - history.spent))):
            for item in asked:
                history.apply(Told(item, names[deck.label[int(item)]]))
        noted.append(history.evidence())
    return noted
