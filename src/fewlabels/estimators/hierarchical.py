"""Hierarchical recalibration: all labels together tell how far off the scores are, and groups what is their own."""

from typing import ClassVar

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief
from fewlabels.core.cells import View
from fewlabels.core.groups import OF_SCORES, Grouping, ScoreLevels
from fewlabels.core.priors import Prior, PriorName
from fewlabels.core.recalibration import RecalibratedRates, model_of
from fewlabels.estimators.shared import SharedCells


class Hierarchical(SharedCells):
    """See core/recalibration. Cells are split by the score, which tells more of an item than its group does; what they
    are split by otherwise, for this question or because labels were drawn by it for another, makes the groups that may
    have effects of their own.

    `prior="scores"` starts from the model's scores, trusted as far as the labels bear it out; with "flat" they are left
    out, and groups share one unknown mean. `prior_strength` has no meaning: how much the scores are worth is learnt.
    """

    name: ClassVar[str] = "hierarchical"
    learns_prior: ClassVar[bool] = True
    tells_gain: ClassVar[bool] = True

    def axes(self, of_class: str | None) -> tuple[Grouping, ...]:
        return (ScoreLevels(),) if of_class is None else ()

    def rates(self, view: View, expected: Array, hits: Array, misses: Array) -> RecalibratedRates:
        groups = view.cells.partition(tuple(axis for axis in view.cells.axes if not isinstance(axis, OF_SCORES)))
        return RecalibratedRates(model_of(expected, view.cells.size, groups.index), hits, misses, view.cells.size)

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:  # noqa: ARG002 - of rates and classes alike
        if prior == "scores":
            return "hierarchical recalibration of the scores, by all labels together"
        return "hierarchical model of the groups, without the scores"
