"""F-scores of models that give few different scores: each of them is a cell."""

from dataclasses import replace
from typing import ClassVar, cast

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.belief import OwnBelief
from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import Grouping, PredictedIs, ScoreStrata
from fewlabels.core.outcomes import Outcome
from fewlabels.core.priors import Prior, PriorName
from fewlabels.estimators.base import OwnCells
from fewlabels.estimators.cautious import Cautious

EVEN = 0.5


class Levels(Cautious):
    """The papers' posteriors with caution, one for each score that the model gives to the class in question: where a
    model only says yes or no, or gives marks from one to five, scores are names rather than numbers, and labels tell
    what each stands for."""

    name: ClassVar[str] = "levels"
    from_counts: ClassVar[bool] = False  # labels are chosen by another belief than is shown

    def axes(self, of_class: str | None, by: tuple[Grouping, ...]) -> tuple[Grouping, ...]:  # noqa: ARG002
        return () if of_class is None else (ScoreStrata(of_class),)

    def expected(self, view: View, outcome: Outcome) -> Array:
        """Scores, where they can be what the prediction goes by: the likeliest of K classes has a probability of 1/K or
        more, any other of one half at most. Where the two contradict one another, as where probabilities were rounded
        to 0 and 1, the score is not believed: what is predicted is as likely to be right as not, and what is not
        predicted is what the prediction says. Even odds of thousands of items would outweigh all that is found."""
        expected = outcome.expected(view)
        said = next((axis for axis in view.axes if isinstance(axis, PredictedIs)), None)
        if said is None:  # a threshold on the score itself, or no class in question
            return expected
        predicted = view.cells.coordinates[:, view.cells.axis(said)] > 0
        least, most = np.where(predicted, 1 / len(view.true_classes), 0.0), np.where(predicted, 1.0, EVEN)
        return np.where(expected < least, EVEN, np.where(expected > most, 0.0, expected))

    @property
    def to_choose(self) -> OwnCells:
        return _WithCaution()


class _WithCaution(Levels):
    """What is shown: a score of 0 or 1 is no certainty, and labels go where intervals are wide."""

    def fit(
        self, evidence: Evidence, view: View, outcome: Outcome, prior: PriorName | Prior, strength: float | None
    ) -> OwnBelief:
        believed = super().fit(evidence, view, outcome, prior, strength)
        if not outcome.rates:
            return believed
        rates = cast(BetaBelief, believed)
        alpha, beta = (np.maximum(count, rates.least) for count in (rates.prior_alpha, rates.prior_beta))
        return replace(rates, prior_alpha=alpha, prior_beta=beta)
