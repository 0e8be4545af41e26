"""F-scores of one class against the rest, precision and recall among them; and the F-score as thresholds move."""

from abc import abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.belief import Belief
from fewlabels.core.cells import Cells, View
from fewlabels.core.groups import OF_PREDICTIONS, Grouping, PredictedIs, ScoreCuts
from fewlabels.core.outcomes import Outcome, Positive
from fewlabels.errors import QuestionError, listed
from fewlabels.metrics.base import Metric, Rows

F1, PRECISION, RECALL = 0.5, 1.0, 0.0
THRESHOLDS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class OfOneClass(Metric):
    """A metric of one class against the rest."""

    positive: str
    alpha: float

    few: ClassVar[bool] = False  # rows are few, and each is said in the sentence
    balanced: ClassVar[bool] = False  # rows are a precision and a recall for each threshold, all precisions first
    curve: ClassVar[bool] = False  # rows are points of curves, to be held by bands all at once

    @property
    def of_class(self) -> str | None:
        return self.positive

    def outcome(self, classes: tuple[str, ...]) -> Outcome:
        if self.positive not in classes:
            raise QuestionError(
                f"positive={self.positive!r} is not a class of the pool; classes are {listed(classes)}."
            )
        return Positive(classes.index(self.positive))

    @abstractmethod
    def predicted(self, cells: Cells) -> Array:
        """ŷ of each cell for each row: (n_rows, n_cells) of 0 and 1."""

    def figures(self, cells: Cells) -> list[tuple[float, Array]]:
        """Alpha of each row, and ŷ of each cell for it."""
        return [(self.alpha, predicted) for predicted in self.predicted(cells)]

    def rank(self, cells: Cells) -> Ints | None:  # noqa: ARG002 - only an average over the whole ranking has any
        """The stratum of scores of each cell, where it is about the whole ranking and not about what is predicted."""
        return None

    def can_count(self, cells: Cells) -> Bools:
        """Cells whose items can count in the score: for precision, those predicted positive."""
        return np.asarray(self.predicted(cells).any(axis=0) | (self.alpha < 1))

    def check_pool(self, classes: tuple[str, ...], *, full: bool) -> None:
        if len(classes) > 2 and not full:
            raise QuestionError(
                f"the {self.title} needs the score of {self.positive!r} for every item, and this pool has only "
                "that of the class predicted; give one column a class, or the scores of this class (positive_score)."
            )


@dataclass(frozen=True)
class FScore(OfOneClass):
    """G = tp / (alpha (tp + fp) + (1 - alpha) (tp + fn)), [ACIS21] Eq. 1: alpha 0.5 is F1, 1 precision, 0 recall.

    An item is predicted positive where the model predicts `positive`, or with `threshold` where the score of that
    class is at least so high.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate(fl.FScore(0.5, "dog")))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer().overall)
    80.0% (all 4 labelled)
    """

    alpha: float
    positive: str
    threshold: float | None = None

    name: ClassVar[str] = "f_score"
    ratio: ClassVar[bool] = True
    weights_change: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_alpha(self.alpha)
        object.__setattr__(self, "positive", str(self.positive))
        if self.threshold is not None:
            _check_thresholds((self.threshold,))

    @property
    def title(self) -> str:
        return f"{named(self.alpha)} of {self.positive!r}{self.at}"

    def no_meaning(self, by: tuple[Grouping, ...]) -> str | None:
        """With a threshold, what the model predicts is not what is judged."""
        if self.threshold is None and any(isinstance(one, OF_PREDICTIONS) for one in by):
            return (
                f"where the model says one class, either all items are predicted as {self.positive!r} or none. The "
                f"{named(self.alpha)} there says nothing. Ask it of all items or by a column, or ask for accuracy by "
                "predicted class."
            )
        return super().no_meaning(by)

    @property
    def does(self) -> str | None:
        return f"finds {self.positive!r}" if self.alpha == RECALL and self.threshold is None else None

    @property
    def counted(self) -> str | None:
        return f"{self.positive!r}" if self.alpha == RECALL else None

    @property
    def at(self) -> str:
        """From which score on, in words."""
        return "" if self.threshold is None else f" at threshold {self.threshold:g}"

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (PredictedIs(self.positive) if self.threshold is None else ScoreCuts(self.positive, (self.threshold,)),)

    def predicted(self, cells: Cells) -> Array:
        return _coordinate(cells, *self.axes)[None]

    def values(self, theta: Array, view: View) -> Array:
        hit = view.unit_coordinate == 1
        positive = view.to_units(theta)
        found = view.to_groups(np.where(hit, positive, 0.0))
        counted = view.to_groups(self.alpha * hit + (1 - self.alpha) * positive)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(found / counted)

    def behind(self, belief: Belief, view: View) -> tuple[Array, Array]:
        """What can count in the score: for precision what is predicted positive, for recall the positives found."""
        hit = _coordinate(view.cells, *self.axes)
        if self.alpha == PRECISION:
            labels, left = (view.groups.sums(hit * per_cell) for per_cell in (belief.labels, belief.unlabelled))
            return labels, left
        labels, left = super().behind(belief, view)
        if self.alpha != RECALL:
            return labels, left
        return view.groups.sums(belief.tally[:, 0]), np.where(left == 0, 0.0, np.nan)

    def influence(self, theta: Array, view: View) -> Array:
        """p(c | g) (ŷ - (1 - alpha) G_g) over what counts in all, for the cells of each group."""
        hit, group = (view.unit_coordinate == 1).astype(np.float64), view.group_of_unit
        positive = view.to_units(theta)
        counted = view.to_groups(self.alpha * hit + (1 - self.alpha) * positive)[group]
        g = view.to_groups(hit * positive)[group] / np.maximum(counted, 1e-12)
        slope = view.unit_share * (hit - (1 - self.alpha) * g) / np.maximum(counted, 1e-12)
        out = np.zeros((view.groups.count, view.cells.count))
        out[view.groups.index, np.arange(view.cells.count)] = slope[view.units.index] * view.cell_share
        return out

    def weight(self, theta: Array, view: View) -> Array:
        """p_g (d G_g / d theta_c)^2 of each cell: what its variance adds to that of the scores, by the delta method.

        The weight p_c, which [Ji21] uses for accuracy, would leave the large cell of items predicted negative to
        chance, where rare misses decide.
        """
        return np.asarray(view.groups.weight @ self.influence(theta, view) ** 2)


@dataclass(frozen=True)
class FCurve(OfOneClass):
    """The F-score at each of several thresholds on the score of one class: one row a threshold.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate(fl.FCurve("dog", (0.25, 0.65))))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer()["threshold 0.65"])
    50.0% (all 4 labelled)
    """

    positive: str
    thresholds: tuple[float, ...] = THRESHOLDS
    alpha: float = F1

    name: ClassVar[str] = "f_curve"
    one_a_group: ClassVar[bool] = False
    of_groups: ClassVar[bool] = False
    ratio: ClassVar[bool] = True
    curve: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _check_alpha(self.alpha)
        object.__setattr__(self, "positive", str(self.positive))
        object.__setattr__(self, "thresholds", tuple(float(t) for t in self.thresholds))
        _check_thresholds(self.thresholds)

    @property
    def title(self) -> str:
        return f"{named(self.alpha)} of {self.positive!r} by threshold"

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (ScoreCuts(self.positive, self.thresholds),)

    @property
    def overall(self) -> Metric | None:
        return None

    def predicted(self, cells: Cells) -> Array:
        """ŷ of each cell at each threshold: (n_thresholds, n_cells) of 0 and 1."""
        return (_coordinate(cells, *self.axes)[None] > np.arange(len(self.thresholds))[:, None]).astype(np.float64)

    def rows(self, view: View) -> Rows:
        names = tuple(f"threshold {t:g}" for t in self.thresholds)
        return Rows(names, view.groups, np.zeros(len(names), dtype=np.int64))

    def values(self, theta: Array, view: View) -> Array:
        hit: Bools = view.unit_coordinate > np.arange(len(self.thresholds))[:, None]  # (n_thresholds, n_units)
        positive = view.to_units(theta) * view.unit_share
        counted = self.alpha * (hit @ view.unit_share) + (1 - self.alpha) * positive.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((positive @ hit.T) / counted)


def named(alpha: float) -> str:
    """An F-score in words."""
    return {F1: "F1", PRECISION: "precision", RECALL: "recall"}.get(alpha, f"F-score (alpha {alpha:g})")


def _coordinate(cells: Cells, axis: Grouping) -> Array:
    return cells.coordinates[:, cells.axis(axis)].astype(np.float64)


def _check_alpha(alpha: float) -> None:
    if not (isinstance(alpha, int | float) and 0 <= alpha <= 1):
        raise QuestionError(
            f"alpha weighs precision against recall, from 0 (recall) over 0.5 (F1) to 1 (precision); got {alpha!r}."
        )


def _check_thresholds(thresholds: tuple[float, ...]) -> None:
    rising = all(a < b for a, b in pairwise(thresholds))
    if not thresholds or not rising or not all(0 <= t <= 1 for t in thresholds):
        raise QuestionError(f"thresholds are scores from 0 to 1 in rising order; got {thresholds!r}.")
