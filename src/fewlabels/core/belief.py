"""What is believed of the cells after some labels: what strategies choose by, and metrics are read off."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Self, TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.certificate import Certificate, Figures
from fewlabels.core.keyed import Keyed

# A cell's belief and draws of it, by whether the belief is widened for show and by cell.
Columns: TypeAlias = dict[tuple[bool, int], tuple[tuple[float, ...], Array]]


class Belief(ABC):
    """A distribution over the rate of each cell, or over its shares of several outcomes. Frozen."""

    rates: ClassVar[bool]  # about one rate a cell, (n_cells,); else about shares, (n_cells, n_codes)
    shared: ClassVar[bool] = False  # cells learn from one another
    midway: ClassVar[bool] = False  # a pool's figure lies midway between its mean and that of the mean shares
    medians: ClassVar[bool] = False  # figures are medians of joint draws, which say all there is to say
    widens: ClassVar[bool] = False  # it has wider draws and intervals for the whole pool
    scores_vouch: ClassVar[bool] = True  # what groups have in common is read off the model's scores
    size: Ints  # (n_cells,) items of each cell
    plain: Array | None  # plain frequencies to report instead of the means, nan without labels
    least: Array | float = 0.0  # smallest prior pseudo-count in what is shown

    @cached_property
    def labels(self) -> Array:
        """Labels behind each cell."""
        return np.asarray(self.tally.sum(axis=-1))

    @property
    @abstractmethod
    def prior_strength(self) -> Array:
        """What the prior of each cell is worth, in labels."""

    @property
    @abstractmethod
    def mean(self) -> Array:
        """Posterior means, or plain frequencies."""

    @property
    def likeliest(self) -> Array:
        """The rates that are taken for the cells' own where one must be named."""
        return self.mean

    @property
    @abstractmethod
    def pool_mean(self) -> Array:
        """Expected shares over the cells' very items: labelled ones known exactly, the rest predicted."""

    @property
    @abstractmethod
    def tally(self) -> Array:
        """Labels by cell and what they say, (n_cells, n_codes)."""

    @property
    @abstractmethod
    def most_draws(self) -> int:
        """How many draws are worth their time."""

    @abstractmethod
    def joint(self, count: int, keyed: Keyed, *, pool: bool, kept: Columns | None = None) -> Iterator[Array]:
        """Joint draws (count, n_cells, …) for what is shown, or with `pool` of the shares over the pool's own items.

        Some at a time, so that memory stays bounded. What still holds may be taken from `kept`.
        """

    @property
    def of_being_right(self) -> "SharedRates | None":
        """Of a belief about classes, that about how often predictions are right which cells share."""
        return None

    @cached_property
    def worth(self) -> float:
        """How many labels that speak of all cells alike they are worth."""
        return float(self.labels.sum())

    @cached_property
    def unlabelled(self) -> Array:
        return np.maximum(self.size - self.labels, 0.0)

    @cached_property
    def own_share(self) -> Array:
        """How much of each cell's mean is not of its own labels: its prior's, or what all cells have in common."""
        return np.asarray(self.prior_strength / (self.prior_strength + self.labels))

    @property
    def prior_share(self) -> Array:
        """How much of each cell's mean rests on a prior."""
        return self.own_share

    @cached_property
    def widened(self) -> bool:
        """Whether what is shown is wider than what is believed."""
        return bool(np.any(self.least))

    @cached_property
    def held(self) -> Self | None:
        """What is believed, and nothing added for show; None where nothing is."""
        return replace(self, least=0.0) if self.widened else None  # type: ignore[type-var]  # beliefs are dataclasses


class SharedRates(Belief):
    """How often predictions are right, in cells that learn from one another."""

    rates: ClassVar[bool] = True
    shared: ClassVar[bool] = True
    plain: ClassVar[None] = None  # type: ignore[misc]  # no plain frequencies are shared

    @abstractmethod
    def draws(self, count: int, rng: np.random.Generator, *, pool: bool) -> Array:
        """Joint draws (count, n_cells) of the rates, or with `pool` of the shares over the pool's own items."""


@dataclass(frozen=True)
class Aim:
    """Figures that labels are to make more certain: each is a sum over the hits of some cells."""

    per_hit: Array  # (n_cells,) what one hit in the cell adds to the cell's figure
    figure: Ints  # (n_cells,) which figure that is
    weight: Array  # (n_figures,) what the variance of each figure counts

    def of(self, cells: Ints) -> "Aim":
        """The same for these cells in this order."""
        return replace(self, per_hit=self.per_hit[cells], figure=self.figure[cells])


class FollowingRates(SharedRates):
    """A shared belief that labels are chosen by."""

    @abstractmethod
    def after(self, counts: Array) -> Self:
        """This belief after these labels (n_cells, n_codes) and no others."""

    @abstractmethod
    def expecting(self, pending: Array) -> Self:
        """This belief as if `pending` open queries of each cell had come out as is likeliest now."""


class LearningBelief(FollowingRates):
    """A shared belief that tells what one more label is worth."""

    @abstractmethod
    def gain(self, aims: Sequence[Sequence[Aim]]) -> Array:
        """What a label of one item of each cell takes off the variance of each set of aims, as a share, added up."""


class CertifyingBelief(FollowingRates):
    """A shared belief that certifies which groups are the ones asked for, and says what to label for that."""

    twin: ClassVar[str | None] = None  # what it is known by to compiled runs, where these have it too

    @abstractmethod
    def certificate(self, named: Bools, within: float, figures: Figures, *, pool: bool) -> Certificate:
        """How sure it is that each of the groups named is at most `within` away from the true ones: in the pool, or in
        the population it came from."""

    @property
    @abstractmethod
    def stratum(self) -> Ints:
        """The stratum of each cell."""

    @property
    @abstractmethod
    def missing(self) -> Array:
        """The labels that each cell lacks before anything may be claimed."""

    @abstractmethod
    def figures_drawn(self, uniforms: Array, figures: Figures) -> Array:
        """Draws (n, n_groups) of the figure of each group, by the inverse of its distribution."""

    @abstractmethod
    def lowering(self, group: int) -> tuple[Ints, Array]:
        """The cells of a group, and what a label in each is expected to take off the variance of the group's share;
        minus infinity where none is left."""


class OwnBelief(Belief):
    """A belief in which each cell stands alone: the kind that labels are chosen by."""

    @abstractmethod
    def after(self, counts: Array) -> Self:
        """This belief after these labels (n_cells, n_codes) and no others; with an axis in front, of several."""

    @abstractmethod
    def expecting(self, pending: Array) -> Self:
        """This belief as if `pending` open queries of each cell had come out at the posterior mean."""

    @abstractmethod
    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        """One keyed draw of every cell."""

    @abstractmethod
    def believed(self, count: int, rng: np.random.Generator) -> Iterator[Array]:
        """Joint draws (count, n_cells, …), some at a time."""


def frequencies(hits: Array, labels: Array) -> Array:
    """Plain ones; nan without labels."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return hits / labels
