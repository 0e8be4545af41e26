"""Beta and Dirichlet posteriors, [Ji21] Bayesian Assessment."""

from dataclasses import dataclass
from typing import ClassVar

from fewlabels.core.beta import SPREAD_FLOOR, BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import PredictedClass
from fewlabels.core.priors import Prior, PriorName, beta_prior, dirichlet_prior
from fewlabels.estimators.base import Outcome


@dataclass(frozen=True)
class Bayes:
    """Conjugate updating: prior pseudo-counts plus labels, as the papers have it.

    With `least` what is shown (intervals, ranks, probabilities) starts from at least so many pseudo-counts on either
    side; choices and estimates stay the papers'.
    """

    least: float = 0.0

    name: ClassVar[str] = "beta"

    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> BetaBelief | DirichletBelief:
        size, n, share = view.cells.size, view.cells.count, view.cell_share
        if outcome.kind == "class":
            alpha = dirichlet_prior(view, prior, strength, outcome.n_true)
            floor = SPREAD_FLOOR * share[:, None] / outcome.n_true
            predicted = view.cells.coordinates[:, view.cells.axis(PredictedClass())] if self.least else None
            counts = evidence.per_cell_and_class(n, outcome.n_true)
            return DirichletBelief(alpha, counts, size, floor, None, self.least * share, predicted)
        a, b = beta_prior(view, prior, strength, outcome.expected(view) if prior == "scores" else None)
        hits = outcome.hits(evidence, n)
        labels = evidence.labels_per_cell(n)
        return BetaBelief(a, b, hits, labels - hits, size, SPREAD_FLOOR * share, None, self.least * share)

    def method(self, belief: BetaBelief | DirichletBelief, prior: PriorName | Prior) -> str:
        family = "Beta" if isinstance(belief, BetaBelief) else "Dirichlet"
        named = {"flat": "flat prior", "scores": "prior from the model's scores", "diagonal": "prior on the diagonal"}
        source = named[prior] if isinstance(prior, str) else "prior as reported"
        if not self.least:
            return f"{family} posterior as in the papers, {source}"
        return f"{family} posterior, {source}, at least {self.least:g} pseudo-labels a side"
