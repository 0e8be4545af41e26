"""Plain frequencies, with Jeffreys intervals: what one would have computed by hand, but never of zero width."""

from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.beta import SPREAD_FLOOR, BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.priors import Prior, PriorName
from fewlabels.estimators.base import Outcome


class Frequency:
    """r/n in each cell, nan without labels; intervals from Beta(r + 1/2, n - r + 1/2) (Jeffreys), and where true
    classes matter from Dirichlet(counts + 1/J) (Perks).

    A figure made of several cells is that of the cells that have labels, weighted by their size.
    """

    name: ClassVar[str] = "frequency"

    def fit(
        self,
        evidence: Evidence,
        view: View,
        outcome: Outcome,
        prior: PriorName | Prior,  # noqa: ARG002 - frequencies have no prior
        strength: float | None,  # noqa: ARG002
    ) -> BetaBelief | DirichletBelief:
        size, n, share = view.cells.size, view.cells.count, view.cell_share
        labels = evidence.labels_per_cell(n)
        if outcome.kind == "class":
            counts = evidence.per_cell_and_class(n, outcome.n_true)
            perks = np.full((n, outcome.n_true), 1 / outcome.n_true) * share[:, None]
            plain = _rates(counts, labels[:, None])
            return DirichletBelief(perks, counts, size, plain=plain)
        hits = outcome.hits(evidence, n)
        half = 0.5 * share
        return BetaBelief(half, half, hits, labels - hits, size, SPREAD_FLOOR * share, _rates(hits, labels))

    def method(self, belief: BetaBelief | DirichletBelief, prior: PriorName | Prior) -> str:  # noqa: ARG002
        return f"plain frequency, {'Jeffreys' if isinstance(belief, BetaBelief) else 'Perks'} interval"


def _rates(hits: Array, labels: Array) -> Array:
    """Frequencies; nan without labels."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return hits / labels
