"""Which groups stand out: scores stratify and do not vouch, every group may be an exception."""

from typing import ClassVar

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief, CertifyingBelief
from fewlabels.core.cells import View
from fewlabels.core.groups import OF_SCORES, Grouping, PredictedClass, ScoreLevels
from fewlabels.core.priors import Prior, PriorName
from fewlabels.core.stratified import Layout, StratifiedRates
from fewlabels.estimators.base import CellEstimator, Estimator
from fewlabels.estimators.hierarchical import Hierarchical
from fewlabels.estimators.shared import SharedCells

# Strata of the score: eight are no better than five. They hold equal shares of doubt: with some of the weight on shares
# of items, items that are all but surely right make several strata, and up to a third more labels are needed.
_STRATA = ScoreLevels(5, doubt=1.0)


class Stratified(SharedCells):
    """See core/stratified. It certifies which groups are the ones asked for, within a margin and under a look after
    every label. Prior and strength have no meaning: nothing is taken from the scores but which items are alike.

    Other questions than which groups stand out are read by the hierarchical estimator. It also reads the values of
    groups, so that one group has one figure, and the figure of the whole pool. What strata have in common is taken here
    as known, which is next to nothing beside what a single group may do of its own, and not beside the sum of all.
    """

    name: ClassVar[str] = "stratified"
    learns_prior: ClassVar[bool] = True
    certifies: ClassVar[bool] = True

    def axes(self, of_class: str | None, by: tuple[Grouping, ...]) -> tuple[Grouping, ...]:
        if of_class is not None:
            return ()
        return (_STRATA,) if by else (PredictedClass(), _STRATA)

    def rates(self, view: View, expected: Array, hits: Array, misses: Array) -> CertifyingBelief:  # noqa: ARG002
        """Groups are those of the question; whatever else cells are split by makes the strata."""
        cells = view.cells
        by = view.by or tuple(axis for axis in cells.axes if not isinstance(axis, OF_SCORES))
        rest = tuple(axis for axis in cells.axes if axis not in by)
        layout = Layout(cells.partition(by).index, cells.partition(rest).index, cells.size)
        return StratifiedRates(layout, hits, misses, cells.size)

    @property
    def for_whole(self) -> CellEstimator | None:
        return Hierarchical()

    @property
    def for_figures(self) -> CellEstimator | None:
        return Hierarchical()

    def for_kind(self, kind: str) -> Estimator:
        return self if kind == "identify" else Hierarchical().for_kind(kind)

    def method(self, belief: Belief, prior: PriorName | Prior) -> str:  # noqa: ARG002 - of all alike
        return "strata of the score, learnt from labels alone; groups shift as a whole or are exceptions"
