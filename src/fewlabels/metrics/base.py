"""What a metric is: a pure functional of the rates (or class shares) in the cells.

One definition serves draws of a belief, its mean, and the exact value on a fully labelled pool: `values` is given
draws in the first case, and a single row of exact shares in the last.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.belief import Belief
from fewlabels.core.beta import BetaBelief, Marginals
from fewlabels.core.cells import Partition, View
from fewlabels.core.groups import Grouping, PredictedClass, PredictedIs, TrueClass, frozen
from fewlabels.core.outcomes import Correct, Outcome
from fewlabels.parts import arguments

_STEP = 1e-6  # of differences that stand in for a derivative


@dataclass(frozen=True)
class Rows:
    """What a metric reports on: one row a group, unless it says otherwise."""

    names: tuple[str, ...]
    partition: Partition  # groups or units
    part: Ints  # the part each row belongs to, whose labels and prior stand behind it
    defined: tuple[int, ...] = ()  # rows whose value follows from their definition, labels or not

    @cached_property
    def weight(self) -> Array:
        """p_g of each row."""
        return np.asarray(self.partition.weight[self.part])

    @property
    def by_definition(self) -> Bools:
        return np.isin(np.arange(len(self.names)), self.defined)


class Metric(ABC):
    """A metric: frozen, and able to name itself in settings. Subclasses give `values` and what differs from here."""

    name: ClassVar[str]
    worst: ClassVar[Literal["lowest", "highest"]] = "lowest"  # which end is bad
    shown_as: ClassVar[Literal["share", "number"]] = "share"
    linear: ClassVar[bool] = False  # the value at the mean is the mean of the values
    scale: ClassVar[float | None] = None  # a row of one cell is scale * rate + shift; None where it is not
    one_a_group: ClassVar[bool] = True  # one number a group, and no order of the rows that means something
    pairs: ClassVar[bool] = False  # rows are pairs of predicted and true class
    of_groups: ClassVar[bool] = True  # may be asked by group; else of the whole pool only
    smoothed: ClassVar[bool] = False  # each row is told by the labels near it, and needs none of its own
    ratio: ClassVar[bool] = False  # a ratio of sums over items, which weighted draws of them estimate
    weighed_first: ClassVar[bool] = True  # a ratio, for which 0.1 drew items with weights
    ranked: ClassVar[bool] = False  # an average over the order that scores put items in, not a ratio at one threshold
    weights_change: ClassVar[bool] = False  # the weights of its cells change with what is believed
    mean_of_items: ClassVar[bool] = False  # the mean of what `of_items` says of each: models can be set against another
    noisy: ClassVar[bool] = False  # of a perfect model it would not be nothing, for want of labels; see `noise`
    measures: ClassVar[tuple[str, ...]] = ("rmse", "coverage", "width")  # what a simulation measures by default

    @property
    def title(self) -> str:
        """The metric's name in a sentence."""
        return self.name.replace("_", " ")

    def no_meaning(self, by: tuple[Grouping, ...]) -> str | None:
        """Why it means nothing in groups of this kind, in a sentence; None where it means something."""
        if TrueClass() in by and any(isinstance(one, PredictedClass | PredictedIs) for one in by):
            return (
                "the model is always right or always wrong about items of one true class that it takes for one class. "
                "Ask for one of the two groupings, or for the confusion matrix."
            )
        return None

    @property
    def does(self) -> str | None:
        """What the model does more often, the higher the value is; None where that is no share of items."""
        return None

    @property
    def counted(self) -> str | None:
        """The labels that count in it, in words; None for all."""
        return None

    @property
    def stands_for(self) -> "Metric":
        """The metric whose other name this is: its figures are the same. Most go by one name."""
        return self

    @property
    def of_frequencies(self) -> bool:
        """Whether it is defined for plain frequencies alone."""
        return False

    @property
    def axes(self) -> tuple[Grouping, ...]:
        """The further axes its beliefs are held along: score bins, predicted classes."""
        return ()

    @property
    def of_class(self) -> str | None:
        """The class it is about, if it is about one."""
        return None

    def outcome(self, classes: tuple[str, ...]) -> Outcome:  # noqa: ARG002 - most do not ask for the classes
        """What a label says about its cell."""
        return Correct()

    @property
    def of_correctness(self) -> bool:
        """Whether it is made of how often predictions are right, and of nothing else."""
        return type(self).outcome is Metric.outcome

    @property
    def by_true_class(self) -> "Metric | None":
        """The same for each true class, where that can be asked."""
        return None

    @property
    def mean_gap(self) -> bool:
        """Whether it is the mean distance of cells' rates from their mean scores: what a compiled run is made for."""
        return False

    def check_pool(self, classes: tuple[str, ...], *, full: bool) -> None:  # noqa: B027 - most can be asked of any
        """Raise where a pool of these classes, with or without the scores of all of them, cannot tell."""

    def scored(self, classes: tuple[str, ...], *, full: bool) -> bool:  # noqa: ARG002 - `check_pool` refuses the others
        """Whether a pool of these classes has the scores by which items are drawn for a ratio."""
        return True

    def check(self, belief: Belief, view: View) -> None:  # noqa: B027 - most can be read off any
        """Raise where it cannot be read off such a belief about these cells."""

    def rows(self, view: View) -> Rows:
        """What is reported: one row a group."""
        groups = view.groups
        return Rows(groups.labels, groups, np.arange(groups.count))

    def behind(self, belief: Belief, view: View) -> tuple[Array, Array]:
        """The labels that stand behind each row, and the items that could still be labelled for it (nan: unknown)."""
        rows = self.rows(view)
        labels, left = rows.partition.sums(np.stack([belief.labels, belief.unlabelled]))[:, rows.part]
        return labels, left

    def told(self, tally: Array, view: View) -> Array:
        """From labels of each kind in each cell, (…, n_cells), those that speak of each row, (…, n_rows)."""
        rows = self.rows(view)
        return rows.partition.sums(tally)[..., rows.part]

    @abstractmethod
    def values(self, theta: Array, view: View) -> Array:
        """(n_draws, n_cells) rates, or (n_draws, n_cells, n_true) class shares -> (n_draws, n_rows)."""

    def influence(self, theta: Array, view: View) -> Array:
        """How each row's value changes with what is believed of each cell, d value / d theta: (n_rows, *theta.shape).

        By differences, where a metric knows no formula. What a cell's variance adds to that of a row, and how often its
        items should be drawn for it, follow from this.
        """
        moves = _STEP * np.eye(theta.size).reshape(theta.size, *theta.shape)
        more, less = self.values(theta + moves, view), self.values(theta - moves, view)
        return np.asarray(((more - less) / (2 * _STEP)).T.reshape(-1, *theta.shape))

    def at_least(self, theta: Array, view: View) -> Array:
        """What the values are at least, noise in theta or not; less than the values where those are absolute gaps."""
        return self.values(theta, view)

    def marginals(self, belief: Belief, view: View) -> Marginals | None:
        """Closed forms, where there are any."""
        return None if self.scale is None else beta_marginals(belief, view.groups, self.scale, self.shift(view))

    def mean_values(self, belief: Belief, view: View) -> Array | None:
        """The mean of each row's value in closed form, or None where only draws give it."""
        return self.values(belief.mean[None], view)[0] if self.linear else None

    def bounds(self, view: View) -> tuple[float, float]:  # noqa: ARG002 - only a cost's depend on the pool
        """Between what values lie."""
        return 0.0, 1.0

    @property
    def overall(self) -> "Metric | None":
        """The metric of the whole pool shown beside the rows: itself, another, or none."""
        return self

    def shift(self, view: View) -> Array:
        """See `scale`."""
        return np.zeros(view.groups.count)

    def weight(self, theta: Array, view: View) -> Array:  # noqa: ARG002 - most weights are the pool's own
        """What the variance of each cell's rate weighs in what is asked: p_g of [Ji21] Table 1."""
        return np.asarray(view.cells.weight)

    def costs(self, view: View) -> Array | None:  # noqa: ARG002 - only a cost has any
        """What each true class costs in each cell, (n_cells, n_true), where the metric is a sum of such."""
        return None

    def of_items(self, label: Ints, predicted: Ints, classes: tuple[str, ...]) -> Array:
        """What each item adds to the mean that the metric is, from its true class and the predicted one, as indices of
        the true classes; see `mean_of_items`."""
        raise NotImplementedError

    def mean_scores(self, view: View) -> Array | None:  # noqa: ARG002 - only a curve over scores has them
        """The mean score to be shown beside each row."""
        return None

    def noise(self, belief: Belief, view: View, rng: np.random.Generator) -> float | None:  # noqa: ARG002
        """What a perfect model would be expected to show from as many labels, where that is not nothing."""
        return None

    def guess(self, view: View) -> float:  # noqa: ARG002 - even odds, of two outcomes
        """What is said of a row of which nothing is known."""
        return 0.5

    def to_json(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return arguments(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Metric":
        """The metric of these arguments."""
        return cls(**{name: frozen(value) for name, value in data.items()})


def beta_marginals(
    belief: Belief, partition: Partition, scale: float = 1.0, shift: Array | None = None
) -> Marginals | None:
    """Closed forms for rows that are one cell each."""
    if not belief.rates or belief.shared or not partition.single:
        return None
    order = np.argsort(partition.index)
    return cast(BetaBelief, belief).marginals(order, scale, np.zeros(len(order)) if shift is None else shift)


def median_of_defined(draws: Array) -> Array:
    """The median of each column over the draws in which it is a number; nan where it is in none."""
    if not np.isnan(draws).any():
        return np.asarray(np.median(draws, axis=0))
    return np.array([np.median(c[~np.isnan(c)]) if (~np.isnan(c)).any() else np.nan for c in draws.T])


def being_right(theta: Array, view: View) -> Array:
    """Rates as they are; of class shares, (n_draws, n_cells, n_true), the share of the predicted class itself."""
    if theta.ndim < 3:
        return theta
    predicted = view.cells.coordinates[:, view.cells.axis(PredictedClass())]
    return np.asarray(theta[:, np.arange(view.cells.count), predicted])


def mean_of_defined(values: Array) -> Array:
    """The mean over the last axis of what is a number; nan where nothing is."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(defined, values, 0.0).sum(axis=-1) / defined.sum(axis=-1))
