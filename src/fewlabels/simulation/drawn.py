"""Compiled runs that tell from which cell each item was drawn, and so all that a live study would know."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.evidence import Evidence, Order
from fewlabels.core.round import Round
from fewlabels.simulation.oracle import Deck
from fewlabels.simulation.run import Trace, outcomes_of


@dataclass(frozen=True)
class DrawnRun(ABC):
    """Runs of one assessment, whose labels come back `batch` at a time."""

    assessment: Assessment
    batch: int = 1

    @abstractmethod
    def drawn(self, deck: Deck, count: int, seed: int) -> Ints:
        """The cell of each of the first draws."""

    def __call__(self, deck: Deck, budgets: Ints, seed: int) -> Trace:
        """What `run_plain` returns, to the last count."""
        outcomes, cells = outcomes_of(self.assessment, deck), self.drawn(deck, int(budgets.max(initial=0)), seed)
        noted = np.zeros((len(budgets), self.assessment.cells.count, 2))
        code = outcomes[deck.dealt(cells)]
        ends = np.minimum(budgets, len(cells)).tolist()
        for place, (start, end) in enumerate(pairwise([0, *ends])):
            np.add.at(noted[place], (cells[start:end], code[start:end]), 1.0)
        return Trace(noted.cumsum(axis=0))

    def evidence(self, deck: Deck, budgets: Ints, seed: int) -> list[Evidence]:
        """What `run_draws` returns."""
        cells = self.drawn(deck, int(budgets.max(initial=0)), seed)
        return [dealt(deck, cells[:budget]) for budget in budgets.tolist()]


def dealt(deck: Deck, cell: Ints) -> Evidence:
    """What is known when one item was dealt from each of these cells in turn."""
    place, number, unknown = deck.dealt(cell), np.arange(1, len(cell) + 1), np.full(len(cell), np.nan)
    rows = (place.tolist(), cell, deck.predicted[place], deck.label[place], unknown)
    order = Order(number, np.zeros(len(cell), dtype=bool), {})
    designs = frozenset({Round().design} if len(cell) else ())
    return Evidence(*rows, designs, number, unknown, None, order)
