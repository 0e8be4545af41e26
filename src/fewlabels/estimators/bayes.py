"""Beta and Dirichlet posteriors, [Ji21] Bayesian Assessment."""

from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief, OwnBelief
from fewlabels.core.beta import SPREAD_FLOOR, BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import PredictedClass
from fewlabels.core.outcomes import Outcome
from fewlabels.core.priors import Prior, PriorName, beta_prior, dirichlet_prior
from fewlabels.estimators.base import OwnCells


class Bayes(OwnCells):
    """Conjugate updating: prior pseudo-counts plus labels, as the papers have it."""

    name: ClassVar[str] = "beta"
    from_counts: ClassVar[bool] = True
    least: ClassVar[float] = 0.0

    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> OwnBelief:
        size, n, share = view.cells.size, view.cells.count, view.cell_share
        counts = evidence.counts(outcome, n)
        if not outcome.rates:
            alpha = dirichlet_prior(view, prior, strength, outcome.width)
            floor = SPREAD_FLOOR * share[:, None] / outcome.width
            predicted = view.cells.coordinates[:, view.cells.axis(PredictedClass())] if self.least else None
            return DirichletBelief(alpha, counts, size, floor, None, self.least * share, predicted)
        a, b = beta_prior(view, prior, strength, self.expected(view, outcome) if prior == "scores" else None)
        hits, misses = np.ascontiguousarray(counts.T)
        return BetaBelief(a, b, hits, misses, size, SPREAD_FLOOR * share, None, self.least * share)

    def expected(self, view: View, outcome: Outcome) -> Array:
        """What the scores expect of each cell."""
        return outcome.expected(view)

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:
        family = "Beta" if belief.rates else "Dirichlet"
        named = {"flat": "flat prior", "scores": "prior from the model's scores", "diagonal": "prior on the diagonal"}
        source = named[prior] if isinstance(prior, str) else "prior as reported"
        if not self.least:
            return f"{family} posterior as in the papers, {source}"
        return f"{family} posterior, {source}, at least {self.least:g} pseudo-labels a side"
