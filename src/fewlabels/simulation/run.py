"""One run of one method: choose, reveal, update, until the last budget; counts are noted at each budget.

The step is the one a live study takes (`Assessment.choose_by`, `cell_within`); only the labels come from an oracle.
"""

from dataclasses import dataclass, replace

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import BetaBelief
from fewlabels.core.keyed import Keyed
from fewlabels.core.step import cell_within
from fewlabels.metrics import Belief
from fewlabels.simulation.oracle import Deck


@dataclass(frozen=True)
class Trace:
    """What was known at each budget: labels with and without the outcome per cell, or labels per cell and class."""

    counts: Array  # (n_budgets, n_cells, 2) hits and misses, or (n_budgets, n_cells, n_true)

    def __len__(self) -> int:
        return len(self.counts)

    def belief(self, prior: Belief, place: int | slice) -> Belief:
        """The belief at one of the budgets, or at several: its counts then have an axis of them in front."""
        counts = self.counts[place]
        if isinstance(prior, BetaBelief):
            hits, misses = counts[..., 0], counts[..., 1]
            plain = None if prior.plain is None else _rate(hits, hits + misses)
            return replace(prior, hits=hits, misses=misses, plain=plain)
        plain = None if prior.plain is None else _rate(counts, counts.sum(axis=-1, keepdims=True))
        return replace(prior, counts=counts, plain=plain)


def _rate(hits: Array, labels: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return hits / labels


def run_plain(assessment: Assessment, deck: Deck, budgets: Ints, seed: int) -> Trace:
    """Label by label with NumPy: every question, strategy and estimator."""
    prior = assessment.prior_belief
    outcomes = outcomes_of(assessment, deck)
    width = 2 if isinstance(prior, BetaBelief) else assessment.outcome.n_true
    counts = np.zeros((assessment.cells.count, width))
    taken = np.zeros(assessment.cells.count, dtype=np.int64)
    noted = np.zeros((len(budgets), *counts.shape))
    step, labels, plan = 0, 0, list[int]()
    for place, budget in enumerate(budgets.tolist()):
        while labels < budget:
            remaining = assessment.remaining(taken)
            plan = [arm for arm in plan if remaining[arm] > 0]
            if not plan:
                step += 1
                belief = Trace(counts[None]).belief(prior, 0).expecting(np.zeros(len(taken)))
                plan = [c.arm for c in assessment.choose_by(belief, remaining, Keyed(seed, step))]
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
    kind = assessment.outcome.kind
    if kind == "class":
        return deck.label
    hit = deck.correct if kind == "correct" else (deck.label == assessment.outcome.positive).astype(np.int64)
    return np.asarray(1 - hit)
