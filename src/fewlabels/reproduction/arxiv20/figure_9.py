"""Figure 9 of [Ji20] v1: reliability diagrams under the prior Beta(j/10, 1 - j/10)."""

from fewlabels.core.groups import ScoreBins
from fewlabels.core.priors import Prior
from fewlabels.pool import Pool
from fewlabels.questions import Estimate
from fewlabels.reading.cells import Reading
from fewlabels.reproduction.base import posterior

EDGE_NOTE = (
    "The prior Beta(j/10, 1 - j/10) of the text is centred on the upper edges of the bins, not on the diagonal, and "
    "for j = 10 it is Beta(1, 0), which is improper: its mean is taken as 1 - 1e-6 here."
)
BY_BIN = Estimate("accuracy", by=ScoreBins())


def edge_reliability(pool: Pool, labels: int | None, strength: float | None = None) -> Reading:
    """Accuracy by score bin, from the labels of so many random items."""
    return posterior(pool, BY_BIN, labels, edge_prior(pool), strength)


def edge_prior(pool: Pool) -> Prior:
    """Mean j/10 for bin j, of strength 1; a pool without scores in a bin has no such group."""
    view = posterior(pool, BY_BIN, 0).view
    means = (view.cells.coordinates[:, 0] + 1) / 10
    return Prior(dict(zip(view.groups.labels, means, strict=True)), 1.0)
