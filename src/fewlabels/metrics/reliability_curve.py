"""The reliability curve, smooth: how often predictions are right at each score."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief
from fewlabels.core.beta import Marginals
from fewlabels.core.cells import View
from fewlabels.core.groups import Grouping, ScoreBins
from fewlabels.errors import QuestionError
from fewlabels.metrics.accuracy import Accuracy
from fewlabels.metrics.base import Metric, Rows

_REACH = 2.5  # points on either side that a value is smoothed over


@dataclass(frozen=True)
class ReliabilityCurve(Metric):
    """The share of right predictions at `points` scores, smoothed over their neighbours: the smooth function that
    [Ji21] (supplement, Bayesian Estimates of Reliability Diagrams) leaves to future work.

    Each point stands for an equal number of items; its value is a weighted mean over the points near it. The score it
    is held against is smoothed alike, so that a calibrated model lies on the diagonal to its ends.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate(fl.ReliabilityCurve(points=4)))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> [f"{finding.value:.2f}" for finding in study.answer().findings]
    ['0.74', '0.43', '0.80', '0.97']
    """

    points: int = 20

    name: ClassVar[str] = "reliability_curve"
    linear: ClassVar[bool] = True
    one_a_group: ClassVar[bool] = False
    of_groups: ClassVar[bool] = False
    smoothed: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not isinstance(self.points, int) or self.points < 2:
            raise QuestionError(f"a curve takes a whole number of points, at least 2; got {self.points!r}.")

    @property
    def title(self) -> str:
        return "accuracy along the score"

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (ScoreBins(self.points, by="mass"),)

    def rows(self, view: View) -> Rows:
        return Rows(view.units.labels, view.units, np.arange(view.units.count))

    def values(self, theta: Array, view: View) -> Array:
        return np.asarray(view.to_units(theta) @ smoother(view.units.size).T)

    def told(self, tally: Array, view: View) -> Array:
        """The labels of neighbours count as far as they are near."""
        return np.asarray(view.units.sums(tally) @ nearness(view.units.size).T)

    def mean_scores(self, view: View) -> Array | None:
        return np.asarray(smoother(view.units.size) @ view.units.mean_score)

    def marginals(self, belief: Belief, view: View) -> Marginals | None:  # noqa: ARG002 - a value is of several units
        return None

    @property
    def overall(self) -> Metric | None:
        return Accuracy()


def smoother(size: Ints) -> Array:
    """Weights (n, n): row j gives the value at j from those of all, each as heavy as its items and as it is near."""
    near = nearness(size) * size
    return np.asarray(near / near.sum(axis=1, keepdims=True))


def nearness(size: Ints) -> Array:
    """How near points of so many items are to one another, (n, n): 1 at the point itself, 0 out of reach."""
    place = np.cumsum(size) - size / 2
    away = np.abs(place - place[:, None]) / (_REACH * np.mean(size))
    return np.asarray(np.maximum(1 - away, 0.0) ** 2)
