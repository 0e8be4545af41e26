"""Hierarchical recalibration: all labels together tell how far off the scores are, and groups what is their own."""

from typing import ClassVar

import numpy as np

from fewlabels.core.belief import Belief
from fewlabels.core.cells import View
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import Grouping, PredictedClass, ScoreLevels
from fewlabels.core.outcomes import Correct, Outcome
from fewlabels.core.pooling import PooledClasses
from fewlabels.core.priors import Prior, PriorName, dirichlet_prior
from fewlabels.core.recalibration import RecalibratedRates, model_of
from fewlabels.estimators.base import CellEstimator, OwnCells
from fewlabels.estimators.bayes import Bayes


class Hierarchical(CellEstimator):
    """See core/recalibration. Cells are split by the score, which tells more of an item than its group does.

    `prior="scores"` starts from the model's scores, trusted as far as the labels bear it out; with "flat" they are left
    out, and groups share one unknown mean. `prior_strength` has no meaning: how much the scores are worth is learnt.
    """

    name: ClassVar[str] = "hierarchical"
    tells_gain: ClassVar[bool] = True

    def axes(self, of_class: str | None) -> tuple[Grouping, ...]:
        return (ScoreLevels(),) if of_class is None else ()

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
        counts = evidence.counts(outcome if outcome.rates else Correct(), n)
        hits, misses = np.ascontiguousarray(counts.T)
        rates = RecalibratedRates(model_of(expected, cells.size, view.units.index), hits, misses, cells.size)
        if outcome.rates:
            return rates
        predicted = cells.coordinates[:, cells.axis(PredictedClass())]
        wrong = dirichlet_prior(view, "flat" if flat else "scores", None, outcome.width) / view.cell_share[:, None]
        return PooledClasses(rates, predicted, wrong, evidence.counts(outcome, n))

    @property
    def to_choose(self) -> OwnCells:
        return Bayes()

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:  # noqa: ARG002 - of rates and classes alike
        if prior == "scores":
            return "hierarchical recalibration of the scores, by all labels together"
        return "hierarchical model of the groups, without the scores"
