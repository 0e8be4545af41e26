"""One run of one method: choose, reveal, update, until the last budget; counts are noted at each budget.

The step is the one a live study takes (`Assessment.choose_by`, `cell_within`); only the labels come from an oracle.
"""

from dataclasses import dataclass

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.keyed import Keyed
from fewlabels.core.round import cell_within
from fewlabels.simulation.oracle import Deck


@dataclass(frozen=True)
class Trace:
    """What was known at each budget: labels with and without the outcome per cell, or labels per cell and class."""

    counts: Array  # (n_budgets, n_cells, 2) hits and misses, or (n_budgets, n_cells, n_true)

    def __len__(self) -> int:
        return len(self.counts)


def run_plain(assessment: Assessment, deck: Deck, budgets: Ints, seed: int) -> Trace:
    """Label by label with NumPy: the live step of strategies whose arms are asked without replacement."""
    prior = assessment.prior_belief
    outcomes = outcomes_of(assessment, deck)
    counts = np.zeros((assessment.cells.count, assessment.outcome.width))
    taken = np.zeros(assessment.cells.count, dtype=np.int64)
    noted = np.zeros((len(budgets), *counts.shape))
    step, labels, plan = 0, 0, list[int]()
    for place, budget in enumerate(budgets.tolist()):
        while labels < budget:
            remaining = assessment.remaining(taken)
            plan = [arm for arm in plan if remaining[arm] > 0]
            if not plan:
                step += 1
                belief = prior.after(counts).expecting(np.zeros(len(taken)))
                plan = list(assessment.choose_by(belief, remaining, Keyed(seed, step)).arms)
            if not plan:
                break
            labels += 1
            left = assessment.cells.size - taken
            cell = cell_within(assessment.arms.index, plan.pop(0), left, Keyed(seed, labels))
            counts[cell, outcomes[deck.starts[cell] + taken[cell]]] += 1
            taken[cell] += 1
        noted[place] = counts
    return Trace(noted)


def outcomes_of(assessment: Assessment, deck: Deck) -> Ints:
    """The column of the counts each item of the deck adds to."""
    return assessment.outcome.codes(deck.label, deck.predicted)
