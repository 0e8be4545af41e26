"""Hierarchical recalibration: all labels together tell how far off the scores are, and groups what is their own."""

from typing import ClassVar

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.cells import View
from fewlabels.core.groups import OF_SCORES, Grouping, PredictedClass, ScoreLevels
from fewlabels.core.priors import Prior, PriorName
from fewlabels.core.recalibration import SCEPTICAL, TRUSTING, WARY, RecalibratedRates, Trust, model_of
from fewlabels.estimators.base import CellEstimator, Estimator
from fewlabels.estimators.shared import SharedCells


class Hierarchical(SharedCells):
    """See core/recalibration. Cells are split by the score, which tells more of an item than its group does; what they
    are split by otherwise, for this question or because labels were drawn by it for another, makes the groups that may
    have effects of their own. Where a question has no groups, predicted classes are: some are right more often than
    their scores say.

    `prior="scores"` starts from the model's scores, trusted as far as the labels bear it out; with "flat" they are left
    out, and groups share one unknown mean. `prior_strength` has no meaning: how much the scores are worth is learnt.
    Which group is worst, or worse than another, is read more sceptically than the figures themselves.
    """

    name: ClassVar[str] = "hierarchical"
    learns_prior: ClassVar[bool] = True
    tells_gain: ClassVar[bool] = True
    trust: ClassVar[Trust] = TRUSTING
    mistakes: ClassVar[float | None] = 4.0

    def axes(self, of_class: str | None, by: tuple[Grouping, ...]) -> tuple[Grouping, ...]:
        if of_class is not None:
            return ()
        return (ScoreLevels(),) if by else (PredictedClass(), ScoreLevels())

    def rates(self, view: View, expected: Array, hits: Array, misses: Array) -> RecalibratedRates:
        cells, axes = view.cells, [axis for axis in view.cells.axes if not isinstance(axis, OF_SCORES)]
        group, crossed = cells.partition(tuple(axes)).index, [cells.coordinates[:, cells.axis(axis)] for axis in axes]
        model = model_of(expected, cells.size, group, self.trust, crossed)
        return RecalibratedRates(model, hits, misses, cells.size)

    def for_kind(self, kind: str) -> Estimator:
        return {"compare": Wary(), "identify": Sceptical()}.get(kind, self)

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:  # noqa: ARG002 - of rates and classes alike
        if prior == "scores":
            return "hierarchical recalibration of the scores, by all labels together"
        return "hierarchical model of the groups, without the scores"


class _Judging(Hierarchical):
    """One that judges groups, whose figures are read as always."""

    @property
    def for_figures(self) -> CellEstimator | None:
        return Hierarchical()


class Wary(_Judging):
    """The same with less trust in scores: for two groups set against one another."""

    trust: ClassVar[Trust] = WARY


class Sceptical(_Judging):
    """The same with less trust in scores and in labels: for the groups that stand out among many."""

    trust: ClassVar[Trust] = SCEPTICAL

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:
        return f"{super().method(belief, prior)}, each counting half, for the group that stands out is picked for it"
