"""F-scores of models that only say yes or no: what is predicted positive, and what is not."""

from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Bools
from fewlabels.core.belief import Belief, OwnBelief
from fewlabels.core.beta import SPREAD_FLOOR
from fewlabels.core.cells import View
from fewlabels.core.evidence import Evidence
from fewlabels.core.few_missed import MISSED, FewMissed
from fewlabels.core.groups import PredictedIs, ScoreCuts
from fewlabels.core.outcomes import Outcome, Positive
from fewlabels.core.priors import Prior, PriorName
from fewlabels.estimators.cautious import Cautious

HALF = 0.5


class TwoStrata(Cautious):
    """The positives among what is predicted positive, and among the rest, each by its own labels: Jeffreys' posterior
    of both counts in a finite pool. A model that says no more than yes or no has no scores that could tell more, and
    no item is out of reach. Of what is not predicted it is thought possible beforehand that few are positive; a prior
    that somebody reports is taken as it is."""

    name: ClassVar[str] = "two_strata"
    strategy: ClassVar[str | None] = "neyman"
    from_counts: ClassVar[bool] = True

    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> OwnBelief:
        if not isinstance(outcome, Positive) or isinstance(prior, Prior) or strength is not None:
            return super().fit(evidence, view, outcome, prior, strength)
        size, share, half = view.cells.size, view.cell_share, HALF * view.cell_share
        hits, misses = np.ascontiguousarray(evidence.counts(outcome, view.cells.count).T)
        few, said = None, predicted(view)
        if said is not None:
            yes, no = (view.groups.sums(np.where(which, size, 0.0))[view.groups.index] for which in (said, ~said))
            rate = np.minimum(MISSED * yes / np.maximum(no, 1.0), HALF)
            few = np.where(said | (rate <= 0), np.nan, (HALF / np.where(rate > 0, rate, HALF) - HALF) * share)
        return FewMissed(half, half, hits, misses, size, SPREAD_FLOOR * share, few=few)

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:
        if not belief.rates or np.any(belief.least):  # another outcome, or a prior as reported
            return super().method(belief, prior)
        return "Beta posteriors of what is predicted positive and of the rest, half a pseudo-label a side"


def predicted(view: View) -> Bools | None:
    """Which cells are predicted positive; None where that is not one yes or no."""
    for place, axis in enumerate(view.cells.axes):
        if isinstance(axis, PredictedIs) or (isinstance(axis, ScoreCuts) and len(axis.thresholds) == 1):
            return np.asarray(view.cells.coordinates[:, place] > 0)
    return None
