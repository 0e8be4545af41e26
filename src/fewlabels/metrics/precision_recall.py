"""Precision and recall as thresholds move, and the average precision over all of them."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import Cells, View
from fewlabels.core.groups import Grouping, PredictedIs, ScoreStrata
from fewlabels.core.ranked import Ranking
from fewlabels.metrics.base import Rows
from fewlabels.metrics.f_score import PRECISION, RECALL, THRESHOLDS, FCurve, FScore, OfOneClass, named
from fewlabels.metrics.f_scores import Several


@dataclass(frozen=True)
class PrecisionRecall(Several):
    """Precision and recall at each of several thresholds on the score of one class: one row each, all precisions first.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate(fl.PrecisionRecall("dog", (0.25, 0.65))))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer()["recall at 0.65"])
    33.3% (all 4 labelled)
    """

    positive: str
    thresholds: tuple[float, ...] = THRESHOLDS

    name: ClassVar[str] = "precision_recall"
    curve: ClassVar[bool] = True
    balanced: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "positive", str(self.positive))
        object.__setattr__(self, "thresholds", self.each[0].thresholds)

    @cached_property
    def each(self) -> tuple[FCurve, FCurve]:
        """The two curves."""
        precision, recall = (FCurve(self.positive, self.thresholds, alpha) for alpha in (PRECISION, RECALL))
        return precision, recall

    @property
    def alpha(self) -> float:  # type: ignore[override]  # nobody sets it
        """That of the figures which mind misses most."""
        return RECALL

    @property
    def title(self) -> str:
        return f"precision and recall of {self.positive!r} by threshold"

    def figures(self, cells: Cells) -> list[tuple[float, Array]]:
        return [figure for curve in self.each for figure in curve.figures(cells)]

    def rows(self, view: View) -> Rows:
        names = tuple(f"{named(curve.alpha)} at {t:g}" for curve in self.each for t in self.thresholds)
        return Rows(names, view.groups, np.zeros(len(names), dtype=np.int64))


@dataclass(frozen=True)
class AveragePrecision(OfOneClass):
    """The mean, over the items of a class, of the precision from each one's score on: 1 where all of them come before
    any other. Items of the same score share a threshold, and so do,
    beyond the first 500, those next to one another that are not one in 500 of those above them.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("average_precision", positive="dog"))
    >>> study.tell({0: "cat", 1: "cat", 2: "dog", 3: "cat"}, drawn="uniform")
    >>> print(study.answer().overall)
    50.0% (all 4 labelled)
    """

    positive: str

    name: ClassVar[str] = "average_precision"
    of_groups: ClassVar[bool] = False
    ratio: ClassVar[bool] = True
    ranked: ClassVar[bool] = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "positive", str(self.positive))

    @property
    def alpha(self) -> float:  # type: ignore[override]  # nobody sets it
        """What is missed counts in full."""
        return RECALL

    @property
    def title(self) -> str:
        return f"average precision of {self.positive!r}"

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return PredictedIs(self.positive), ScoreStrata(self.positive)

    def predicted(self, cells: Cells) -> Array:
        """ŷ of each cell, which tells how scores are off; the average does not depend on it."""
        return FScore(self.alpha, self.positive).predicted(cells)

    def rank(self, cells: Cells) -> Ints:
        return cells.coordinates[:, cells.axis(ScoreStrata(self.positive))]

    def values(self, theta: Array, view: View) -> Array:
        return Ranking(self.rank(view.cells), view.cells.size).average_precision(theta * view.cells.size)[:, None]
