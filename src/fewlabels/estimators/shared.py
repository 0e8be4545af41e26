"""A belief that cells share: they learn from one another how far off the scores are."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief, SharedRates
from fewlabels.core.cells import View
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import PredictedClass
from fewlabels.core.outcomes import Correct, Outcome
from fewlabels.core.pooling import PooledClasses, PooledRates
from fewlabels.core.priors import Prior, PriorName, dirichlet_prior
from fewlabels.estimators.base import CellEstimator, OwnCells
from fewlabels.estimators.bayes import Bayes


class SharedCells(CellEstimator):
    """An estimator whose cells learn from one another: of rates it says how, and classes follow from those."""

    mistakes: ClassVar[float | None] = None  # labels that scores are worth of which class it is when a prediction is
    # wrong; None: as many as the papers' prior leaves for it, fewer the surer the model is

    @abstractmethod
    def rates(self, view: View, expected: Array, hits: Array, misses: Array) -> SharedRates:
        """The belief after so many hits and misses in each cell, where so many were expected."""

    def fit(
        self,
        evidence: Evidence,
        view: View,
        outcome: Outcome,
        prior: PriorName | Prior,
        strength: float | None,  # noqa: ARG002 - how much the scores are worth is learnt
    ) -> Belief:
        cells, n, flat = view.cells, view.cells.count, prior != "scores"
        expected = np.full(n, 0.5) if flat else outcome.expected(view)
        hits, misses = np.ascontiguousarray(evidence.counts(outcome if outcome.rates else Correct(), n).T)
        rates = self.rates(view, expected, hits, misses)
        if outcome.rates:
            return rates
        predicted = cells.coordinates[:, cells.axis(PredictedClass())]
        wrong = dirichlet_prior(view, "flat" if flat else "scores", None, outcome.width) / view.cell_share[:, None]
        if self.mistakes is not None:
            wrong = _worth(wrong, predicted, self.mistakes)
        return PooledClasses(rates, predicted, wrong, evidence.counts(outcome, n))

    @property
    def to_choose(self) -> OwnCells:
        return Bayes()


def _worth(wrong: Array, predicted: Ints, labels: float) -> Array:
    """Pseudo-counts (n_cells, n_true) of the classes that were not predicted, worth so many labels in each cell; where
    the scores leave nothing for them, all are alike."""
    others = np.ones_like(wrong)
    others[np.arange(len(wrong)), predicted] = 0.0
    wrong = wrong * others
    wrong = np.where(wrong.sum(axis=1, keepdims=True) > 0, wrong, others)
    return np.asarray(labels * wrong / np.maximum(wrong.sum(axis=1, keepdims=True), 1.0e-300))


class Pooled(SharedCells):
    """What the default reads figures summed over many cells by; see core/pooling.py. It has no name one can type."""

    name: ClassVar[str] = "pooled"

    def rates(self, view: View, expected: Array, hits: Array, misses: Array) -> SharedRates:
        return PooledRates(expected, hits, misses, view.cells.size)

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:  # noqa: ARG002 - of rates and classes alike
        if prior == "scores":
            return "Beta posterior, scores recalibrated by all labels together"
        return "Beta posterior, groups sharing one unknown mean"
