"""Plain frequencies, with Jeffreys intervals: what one would have computed by hand, but never of zero width."""

from typing import ClassVar

import numpy as np

from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.priors import Prior, PriorName
from fewlabels.estimators.base import Outcome


class Frequency:
    """r/n in each cell, nan without labels; intervals from Beta(r + 1/2, n - r + 1/2) (Jeffreys)."""

    name: ClassVar[str] = "frequency"

    def fit(
        self,
        evidence: Evidence,
        view: View,
        outcome: Outcome,
        prior: PriorName | Prior,  # noqa: ARG002 - frequencies have no prior
        strength: float | None,  # noqa: ARG002
    ) -> BetaBelief | DirichletBelief:
        size, n = view.cells.size, view.cells.count
        if outcome.kind == "class":
            jeffreys = np.full((n, outcome.n_true), 1 / outcome.n_true)
            return DirichletBelief(jeffreys, evidence.per_cell_and_class(n, outcome.n_true), size, plain=True)
        half = np.full(n, 0.5)
        hits = outcome.hits(evidence, n)
        labels = evidence.per_cell(evidence.correct * 0 + 1, n)
        return BetaBelief(half, half, hits, labels - hits, size, plain=True)

    def method(self, belief: BetaBelief | DirichletBelief, prior: PriorName | Prior) -> str:  # noqa: ARG002
        return "plain frequency, Jeffreys interval"
