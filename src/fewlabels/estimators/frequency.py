"""Plain frequencies, with Jeffreys intervals: what one would have computed by hand, but never of zero width."""

from typing import ClassVar

import numpy as np

from fewlabels.core.belief import Belief, OwnBelief, frequencies
from fewlabels.core.beta import SPREAD_FLOOR, BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.outcomes import Outcome
from fewlabels.core.priors import Prior, PriorName
from fewlabels.estimators.base import OwnCells


class Frequency(OwnCells):
    """r/n in each cell, nan without labels; intervals from Beta(r + 1/2, n - r + 1/2) (Jeffreys), and where true
    classes matter from Dirichlet(counts + 1/J) (Perks).

    A figure made of several cells is that of the cells that have labels, weighted by their size.
    """

    name: ClassVar[str] = "frequency"
    from_counts: ClassVar[bool] = True

    def fit(
        self,
        evidence: Evidence,
        view: View,
        outcome: Outcome,
        prior: PriorName | Prior,  # noqa: ARG002 - frequencies have no prior
        strength: float | None,  # noqa: ARG002
    ) -> OwnBelief:
        size, n, share = view.cells.size, view.cells.count, view.cell_share
        counts, labels = evidence.counts(outcome, n), evidence.labels_per_cell(n)
        if not outcome.rates:
            perks = np.full(counts.shape, 1 / outcome.width) * share[:, None]
            plain = frequencies(counts, labels[:, None])
            return DirichletBelief(perks, counts, size, plain=plain)
        half, (hits, misses) = 0.5 * share, np.ascontiguousarray(counts.T)
        return BetaBelief(half, half, hits, misses, size, SPREAD_FLOOR * share, frequencies(hits, labels))

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:  # noqa: ARG002
        return f"plain frequency, {'Jeffreys' if belief.rates else 'Perks'} interval"
