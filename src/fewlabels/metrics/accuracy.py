"""Accuracy: the share of predictions that are right, by group or by true class."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief
from fewlabels.core.cells import JOIN, View
from fewlabels.core.groups import PredictedClass
from fewlabels.metrics.base import Metric, Rows, being_right
from fewlabels.metrics.class_sums import ClassMetric, ClassSums, ratio


@dataclass(frozen=True)
class Accuracy(Metric):
    """theta_g, [Ji21] Bayesian Assessment; over several cells sum_c p(c | g) theta_c.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("accuracy"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer().overall)
    75.0% (all 4 labelled)
    """

    name: ClassVar[str] = "accuracy"
    linear: ClassVar[bool] = True
    scale: ClassVar[float | None] = 1.0
    mean_of_items: ClassVar[bool] = True

    def of_items(self, label: Ints, predicted: Ints, classes: tuple[str, ...]) -> Array:  # noqa: ARG002 - right or not
        return np.asarray(label == predicted, dtype=np.float64)

    @property
    def does(self) -> str | None:
        return "is right"

    @property
    def by_true_class(self) -> Metric | None:
        return TrueClassAccuracy()

    def values(self, theta: Array, view: View) -> Array:
        return view.to_rows(being_right(theta, view))


@dataclass(frozen=True)
class TrueClassAccuracy(ClassMetric):
    """Accuracy per true class by Bayes' rule over predicted classes: p(ŷ=j) θ_jj / sum_k p(ŷ=k) θ_jk.

    Never the frequency among the labelled items of that class: which of those are labelled depends on the predictions.

    >>> import fewlabels as fl
    >>> pool = fl.Pool.from_arrays(predicted=["cat", "cat", "dog", "dog"], score=[0.9, 0.7, 0.6, 0.8])
    >>> study = fl.create_study(pool, fl.Estimate("accuracy", by="true_class"))
    >>> study.tell({0: "cat", 1: "dog", 2: "dog", 3: "dog"}, drawn="uniform")
    >>> print(study.answer()["dog"])
    66.7% (all 3 labelled)
    """

    name: ClassVar[str] = "accuracy"

    def rows(self, view: View) -> Rows:
        groups, classes = view.groups, view.true_classes
        names = tuple(JOIN.join((c, *g)) for g in groups.names for c in classes)
        part = np.repeat(np.arange(groups.count), len(classes))
        predictable = len(view.cells.names[view.cells.axis(PredictedClass())])
        never = tuple(i for i in range(len(names)) if i % len(classes) >= predictable)  # always wrong
        return Rows(names, groups, part, never)

    def behind(self, belief: Belief, view: View) -> tuple[Array, Array]:
        """Labelled items of each class; which of the others belong to it is not known before all are labelled."""
        found = view.groups.sums(belief.tally.T).T.reshape(-1)
        rest = view.groups.sums(belief.unlabelled)[self.rows(view).part]
        return found, np.where(rest == 0, 0.0, np.nan)

    def of_sums(self, sums: ClassSums) -> Array:
        return ratio(sums.both, sums.true).reshape(len(sums.both), -1)
