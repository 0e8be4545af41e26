"""What an estimator is: it turns evidence and cells into a belief."""

from typing import ClassVar, Protocol

from fewlabels.core.belief import Belief, OwnBelief
from fewlabels.core.cells import View
from fewlabels.core.evidence import Evidence
from fewlabels.core.outcomes import Outcome
from fewlabels.core.priors import Prior, PriorName


class Estimator(Protocol):
    """Turns evidence into a belief about each cell. Promises: exact on a fully labelled pool; the order of the
    evidence does not matter; inside a cell the labelled items must be a simple random sample, which every strategy
    here guarantees and `Study.answer` checks."""

    name: ClassVar[str]

    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> OwnBelief:
        """The belief after the evidence."""

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:
        """The method in words, for every number it gives."""
