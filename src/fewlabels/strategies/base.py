"""What a strategy is: from what is known, the arms of one round."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.importance import FSample
from fewlabels.core.keyed import Keyed
from fewlabels.core.objectives import Objective
from fewlabels.core.round import Round

ForModels: TypeAlias = Literal["never", "also", "only"]  # whether a strategy is for several models set against another


class Contest(NamedTuple):
    """Which groups may yet turn out to be the ones asked for, and how much of the labels each is worth."""

    group: Ints  # (n_arms,)
    share: Array  # (n_groups,) up to a factor


class ToldOfArms(NamedTuple):
    """What labels say of each arm by itself; of open queries, what is likeliest."""

    hits: Array
    labels: Array
    size: Ints


class Shown(NamedTuple):
    """How near each arm is to a verdict."""

    log_won: Array  # (n_arms,) against the verdict that it speaks against most
    enough: float


class Settling(Protocol):
    """What is believed of groups that are to be found, arms being cells."""

    @property
    def group(self) -> Ints:
        """The group of each arm."""

    @property
    def new(self) -> Ints:
        """Groups of which nothing was asked so far."""

    @property
    def missing(self) -> Array:
        """Labels each arm lacks before anything may be claimed, where nothing else is missing; else none."""

    def differing(self, keyed: Keyed) -> Ints:
        """Groups that are among those asked for in one draw of the belief and not in another."""

    def proving(self, count: int) -> Array:
        """The weight of an item of each arm in the next draws, chosen so that few labels make a proof."""

    def lowering(self, group: int) -> tuple[Ints, Array]:
        """The arms of a group, and what a label in each is expected to take off the variance of its figure."""


@dataclass(frozen=True)
class State:
    """What a strategy may look at; what it does not look at is not computed."""

    remaining: Ints  # (n_arms,) items left in each arm
    plays: int  # arms to be queried at once
    most: int  # what the budget still allows
    wanted: int  # how many items somebody waits for
    make_objective: Callable[[], Objective]
    make_sample: Callable[[], FSample]
    make_gain: Callable[[], Array]
    labels: int = 0  # told and asked for so far
    make_contest: Callable[[], Contest | None] = lambda: None
    make_told: Callable[[], ToldOfArms] | None = None
    make_shown: Callable[[ToldOfArms], Shown | None] = lambda _: None
    make_settling: Callable[[], Settling | None] = lambda: None
    make_samples: Callable[[], list[FSample]] | None = None
    make_likeliest: Callable[[], Array] | None = None
    hiding: bool = False  # whether a figure of all items is asked, where positives may be among those not searched
    narrow: bool = False  # whether a goal rests on how short the interval of such a figure is
    make_short: Callable[[], Array | None] = lambda: None

    @cached_property
    def objective(self) -> Objective:
        """What a label in each arm is worth."""
        return self.make_objective()

    @cached_property
    def gain(self) -> Array:
        """What a label of one item of each arm is worth, arms being cells."""
        return self.make_gain()

    @cached_property
    def likeliest(self) -> Array:
        """How often items of each arm come out as hits, as is likeliest, arms being cells."""
        assert self.make_likeliest is not None  # a study's state has it
        return self.make_likeliest()

    @cached_property
    def short(self) -> Array | None:
        """Of each arm, the share of draws that an item of it gets because its group has hardly any labels yet, arms
        being cells; None where no group is short of them."""
        return self.make_short()

    @cached_property
    def told(self) -> ToldOfArms:
        """What labels say of each arm by itself."""
        assert self.make_told is not None  # a study's state has it
        return self.make_told()

    @cached_property
    def shown(self) -> Shown | None:
        """How near each arm is to a verdict, where there is to be one; else None."""
        return self.make_shown(self.told)

    @cached_property
    def contest(self) -> Contest | None:
        """How labels are shared out among groups, where one is to be found, arms being cells; else None."""
        return self.make_contest()

    @cached_property
    def settling(self) -> Settling | None:
        """What is believed of the groups to be found, by a belief that certifies them; else None."""
        return self.make_settling()

    @cached_property
    def sample(self) -> FSample:
        """What is known of an F-score, arms being cells; of several, of the one in the middle."""
        return self.make_sample()

    @cached_property
    def samples(self) -> list[FSample]:
        """The same of each of several F-scores."""
        return [self.sample] if self.make_samples is None else self.make_samples()


class Strategy(ABC):
    """Chooses arms. Promises: never an arm without remaining items, but for draws with replacement; the same key gives
    the same choice; a round is one arm, or up to `plays` distinct ones, or draws with known probabilities. The choice
    depends on the arms' labels only, so that inside an arm the labelled items are a simple random sample."""

    name: ClassVar[str]
    reason: ClassVar[str]  # one clause for the answer: how it chooses
    of_cells: ClassVar[bool] = False  # arms are cells, whatever the question; else groups, or the units of a metric
    by_cells: ClassVar[bool] = True  # its labels may be read cell by cell
    by_draws: ClassVar[bool] = False  # its labels may be read draw by draw, each with its weight
    by_gain: ClassVar[bool] = False  # it goes by what a label in each cell is worth to a belief that cells share
    settles: ClassVar[bool] = False  # it is for finding groups by a belief that certifies them
    proves: ClassVar[bool] = (
        False  # chances are known of its draws that a proof of which groups stand out can be read from
    )
    one_winner: ClassVar[bool] = False  # it is for finding one group
    of_threshold: ClassVar[bool] = False  # it is for verdicts on which side of a threshold groups lie
    for_models: ClassVar[ForModels] = "never"
    kernel: ClassVar[str | None] = None  # its faster twin in simulations; else the live step is taken
    estimator: ClassVar[str | None] = None  # what its labels are read by where nobody says; None for the usual one

    @property
    def tuned(self) -> float:
        """The number that its faster twin has to know, where it has one."""
        return 0.0

    def __init_subclass__(cls, **more: Any) -> None:
        """One that chooses otherwise than its base has no twin, unless it says so."""
        super().__init_subclass__(**more)
        if "choose" in vars(cls) and "kernel" not in vars(cls):
            cls.kernel = None

    @abstractmethod
    def choose(self, state: State, keyed: Keyed) -> Round:
        """The next round, `keyed.step` being its number."""


def best(rewards: Array, remaining: Ints, plays: int) -> tuple[int, ...]:
    """The `plays` arms of highest reward among those with items left, best first; the first of equals wins."""
    open_arms = np.flatnonzero(remaining > 0)
    order = np.argsort(-rewards[open_arms], kind="stable")
    return tuple(open_arms[order[:plays]].tolist())
