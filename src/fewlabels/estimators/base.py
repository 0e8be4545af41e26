"""What an estimator is: it turns evidence and cells into a belief."""

from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.priors import Prior, PriorName


@dataclass(frozen=True)
class Outcome:
    """What a label says about its cell: whether the prediction is right, whether the item is positive, or its class."""

    kind: Literal["correct", "positive", "class"]
    n_true: int
    positive: int | None = None  # index of the positive class

    def hits(self, evidence: Evidence, n_cells: int) -> Array:
        """Labelled items with the outcome, per cell."""
        with_outcome = (
            evidence.correct if self.kind == "correct" else (evidence.label == self.positive).astype(np.float64)
        )
        return evidence.per_cell(with_outcome, n_cells)

    def expected(self, view: View) -> Array:
        """What the scores expect of each cell: its mean score, or its mean probability of the positive class."""
        cells = view.cells
        if self.kind == "correct":
            return np.asarray(cells.score_sum / cells.size)
        assert cells.probability_sum is not None  # the assessment asks its engine for them
        return np.asarray(cells.probability_sum[:, self.positive or 0] / cells.size)


class Estimator(Protocol):
    """Turns evidence into a belief about each cell. Promises: exact on a fully labelled pool; the order of the
    evidence does not matter; inside a cell the labelled items must be a simple random sample, which every strategy
    here guarantees and `Study.answer` checks."""

    name: ClassVar[str]

    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> BetaBelief | DirichletBelief:
        """The belief after the evidence."""

    def method(self, belief: BetaBelief | DirichletBelief, prior: PriorName | Prior) -> str:
        """The method in words, for every number it gives."""
