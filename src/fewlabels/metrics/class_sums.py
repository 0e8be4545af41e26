"""Sums over a confusion matrix: how many items are of each class, are predicted to be, and both.

Many metrics need no more of it than these, which for a thousand classes are three thousand numbers and not a million.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.atoms import Atoms
from fewlabels.core.cells import View
from fewlabels.core.groups import OF_PREDICTIONS, Grouping, PredictedClass
from fewlabels.core.outcomes import Outcome, WhichClass
from fewlabels.metrics.base import Metric, mean_of_defined

_SOME = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class ClassSums:
    """Shares of each group's items by class, (n_draws, n_groups, n_true)."""

    true: Array
    predicted: Array  # (n_draws or 1, n_groups, n_true)
    both: Array


def ratio(part: Array, whole: Array) -> Array:
    """One over the other, nan where there is nothing of either."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(part / whole)


def mean_ratio(part: Array, whole: Array) -> Array:
    """The mean of that over the last axis, of what is a number."""
    return mean_of_defined(ratio(part, whole))


class ClassMetric(Metric):
    """A metric of these sums."""

    def outcome(self, classes: tuple[str, ...]) -> Outcome:
        return WhichClass(len(classes))

    @property
    def axes(self) -> tuple[Grouping, ...]:
        return (PredictedClass(),)

    def no_meaning(self, by: tuple[Grouping, ...]) -> str | None:
        if any(isinstance(one, OF_PREDICTIONS) for one in by):
            return (
                "it is a mean over true classes. Where the model says one class, no item of another class is right. "
                "Ask for accuracy by predicted class, or for it by a column."
            )
        return super().no_meaning(by)

    @abstractmethod
    def of_sums(self, sums: ClassSums) -> Array:
        """(n_draws, n_rows)."""

    def values(self, theta: Array, view: View) -> Array:
        return self.of_sums(sums_of_shares(theta, view))


def sums_of_shares(theta: Array, view: View) -> ClassSums:
    """From class shares of every cell, (n_draws, n_cells, n_true)."""
    joint = _joint_shares(theta, view)
    n = min(joint.shape[2], joint.shape[3])
    both, predicted = (np.zeros((*joint.shape[:2], joint.shape[3])) for _ in range(2))
    both[..., :n] = np.einsum("dgkk->dgk", joint[:, :, :n, :n])
    predicted[..., :n] = joint.sum(axis=3)[..., :n]
    return ClassSums(joint.sum(axis=2), predicted, both)


def _joint_shares(theta: Array, view: View) -> Array:
    """p(predicted k, true j | group) from class shares: (n_draws, n_groups, n_predicted, n_true)."""
    per_unit = view.rows_to_units(theta) * view.unit_share[:, None]
    n_predicted = len(view.cells.names[view.cells.axis(PredictedClass())])
    out = np.zeros((len(theta), view.groups.count, n_predicted, theta.shape[-1]))
    out[:, view.group_of_unit, view.unit_coordinate] = per_unit
    return out


def sums_of_atoms(blocks: Iterable[Atoms], count: int, view: View, *, pool: bool) -> ClassSums:
    """The same from draws of a few classes with weights. Among the items of a pool a class may not occur at all; in a
    population each does, be it ever so rare."""
    cells, groups, n = view.cells, view.groups, len(view.true_classes)
    weight = cells.size / groups.size[groups.index]
    of_class = groups.index * n + cells.coordinates[:, cells.axis(PredictedClass())]  # of each cell, by group and class
    draw = np.arange(count) * groups.count * n
    true, both = np.zeros((2, count * groups.count * n))
    for atoms in blocks:
        part, own = atoms.cells, groups.index[atoms.cells] * n
        place = draw[:, None, None] + own[:, None] + atoms.classes
        np.add.at(true, place, atoms.weight * weight[part, None])
        right = atoms.share_of(of_class[part] - own)
        np.add.at(both, draw[:, None] + of_class[part], right * weight[part])
    predicted = np.bincount(of_class, weights=weight, minlength=groups.count * n).astype(np.float64)
    shape = (-1, groups.count, n)
    return ClassSums(
        (true if pool else np.maximum(true, _SOME)).reshape(shape), predicted.reshape(shape), both.reshape(shape)
    )
