"""What a metric is: a pure functional of the rates (or class shares) in the cells.

One definition serves draws of a belief, its mean, and the exact value on a fully labelled pool: `values` is given
draws in the first case, and a single row of exact shares in the last.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import Partition, View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.groups import Grouping
from fewlabels.core.pooling import PooledClasses, PooledRates

Belief: TypeAlias = BetaBelief | DirichletBelief  # of a study's own cells: strategies read it
Shared: TypeAlias = PooledRates | PooledClasses  # of cells too small to stand alone: only metrics read it
AnyBelief: TypeAlias = Belief | Shared
Outcome: TypeAlias = Literal["correct", "positive", "class"]


@dataclass(frozen=True)
class Rows:
    """What a metric reports on: one row a group, unless it says otherwise."""

    names: tuple[str, ...]
    partition: Partition  # groups or units
    part: Ints  # the part each row belongs to, whose labels and prior stand behind it
    defined: tuple[int, ...] = ()  # rows whose value follows from their definition, labels or not

    @property
    def weight(self) -> Array:
        return np.asarray(self.partition.weight[self.part])

    @property
    def by_definition(self) -> Bools:
        return np.isin(np.arange(len(self.names)), self.defined)


@dataclass(frozen=True)
class Marginals:
    """Rows whose value is scale * theta + shift for one theta ~ Beta(alpha, beta): closed forms apply."""

    alpha: Array
    beta: Array
    known: Array  # labelled items with the outcome
    rest: Array  # unlabelled items
    size: Ints
    mean: Array
    pool_mean: Array
    scale: float
    shift: Array


class Metric(ABC):
    """A metric: frozen, and able to name itself in settings. Subclasses give `values` and what differs from here."""

    name: ClassVar[str]
    outcome: ClassVar[Outcome] = "correct"  # what a label says about its cell
    worst: ClassVar[Literal["lowest", "highest"]] = "lowest"  # which end is bad
    shown_as: ClassVar[Literal["share", "number"]] = "share"
    linear: ClassVar[bool] = False  # the value at the mean is the mean of the values

    @property
    def title(self) -> str:
        """The metric's name in a sentence."""
        return self.name.replace("_", " ")

    @property
    def unit(self) -> Grouping | None:
        """The further axis its beliefs are held along: score bins, predicted classes."""
        return None

    def rows(self, view: View) -> Rows:
        """What is reported: one row a group."""
        groups = view.groups
        return Rows(groups.labels, groups, np.arange(groups.count))

    def behind(self, belief: AnyBelief, view: View) -> tuple[Array, Array]:
        """The labels that stand behind each row, and the items that could still be labelled for it (nan: unknown)."""
        rows = self.rows(view)
        labels, left = (rows.partition.sums(per_cell)[rows.part] for per_cell in (belief.labels, belief.unlabelled))
        return labels, left

    @abstractmethod
    def values(self, theta: Array, view: View) -> Array:
        """(n_draws, n_cells) rates, or (n_draws, n_cells, n_true) class shares -> (n_draws, n_rows)."""

    def at_least(self, theta: Array, view: View) -> Array:
        """What the values are at least, noise in theta or not; less than the values where those are absolute gaps."""
        return self.values(theta, view)

    def marginals(self, belief: AnyBelief, view: View) -> Marginals | None:  # noqa: ARG002 - most have none
        """Closed forms, where there are any."""
        return None

    def mean_values(self, belief: AnyBelief, view: View) -> Array | None:
        """The mean of each row's value in closed form, or None where only draws give it."""
        return self.values(belief.mean[None], view)[0] if self.linear else None

    def bounds(self, view: View) -> tuple[float, float]:  # noqa: ARG002 - only a cost's depend on the pool
        """Between what values lie."""
        return 0.0, 1.0

    @property
    def overall(self) -> "Metric | None":
        """The metric of the whole pool shown beside the rows; None for itself."""
        return None

    def to_json(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {}


def beta_marginals(
    belief: AnyBelief, partition: Partition, scale: float = 1.0, shift: Array | None = None
) -> Marginals | None:
    """Closed forms for rows that are one cell each."""
    if not isinstance(belief, BetaBelief) or not partition.single:
        return None
    order = np.argsort(partition.index)
    alpha, beta = belief.spread
    return Marginals(
        alpha[order],
        beta[order],
        belief.hits[order],
        belief.unlabelled[order],
        belief.size[order],
        belief.mean[order],
        belief.pool_mean[order],
        scale,
        np.zeros(len(order)) if shift is None else shift,
    )


def mean_of_defined(values: Array) -> Array:
    """The mean over the last axis of what is a number; nan where nothing is."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(defined, values, 0.0).sum(axis=-1) / defined.sum(axis=-1))
