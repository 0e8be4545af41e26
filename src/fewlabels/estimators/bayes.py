"""Beta and Dirichlet posteriors, [Ji21] Bayesian Assessment."""

from typing import ClassVar

from fewlabels.core.beta import SPREAD_FLOOR, BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.priors import Prior, PriorName, beta_prior, dirichlet_prior
from fewlabels.estimators.base import Outcome


class Bayes:
    """Conjugate updating: prior pseudo-counts plus labels."""

    name: ClassVar[str] = "beta"

    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> BetaBelief | DirichletBelief:
        size, n = view.cells.size, view.cells.count
        if outcome.kind == "class":
            alpha = dirichlet_prior(view, prior, strength, outcome.n_true)
            floor = SPREAD_FLOOR * view.cell_share[:, None] / outcome.n_true
            return DirichletBelief(alpha, evidence.per_cell_and_class(n, outcome.n_true), size, floor)
        a, b = beta_prior(view, prior, strength, outcome.expected(view) if prior == "scores" else None)
        hits = outcome.hits(evidence, n)
        labels = evidence.labels_per_cell(n)
        return BetaBelief(a, b, hits, labels - hits, size, SPREAD_FLOOR * view.cell_share)

    def method(self, belief: BetaBelief | DirichletBelief, prior: PriorName | Prior) -> str:
        family = "Beta" if isinstance(belief, BetaBelief) else "Dirichlet"
        named = {"flat": "flat prior", "scores": "prior from the model's scores", "diagonal": "prior on the diagonal"}
        return f"{family} posterior, {named[prior] if isinstance(prior, str) else 'prior as reported'}"
