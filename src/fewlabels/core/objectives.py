"""What a label in each arm is worth under the current belief: what strategies maximise.

An arm is a group, or a unit of one; a strategy sees only rewards. `sampled` is the reward under one draw of the belief
(Thompson sampling), `mean` its posterior mean (epsilon-greedy), `upper` its 97.5 % quantile (upper bound).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import OwnBelief
from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import Partition
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.rewards import (
    accuracy_reward,
    accuracy_reward_slope,
    comparison_outcomes,
    comparison_reward,
    confusion_reward,
    cost_reward,
)

UPPER = 0.975
UPPER_DRAWS = 10_000


class Objective(Protocol):
    """Rewards of the arms, each an array (n_arms,)."""

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        """Under one draw of the belief."""

    def mean(self) -> Array:
        """Under the belief's mean."""

    def upper(self, keyed: Keyed) -> Array:
        """The 97.5 % quantile under the belief."""


@dataclass(frozen=True)
class AccuracyVariance:
    """[Ji21] Table 1 row 1, arms being cells with Beta beliefs. Linear in theta, so the quantile is exact."""

    belief: BetaBelief
    weight: Array

    def _at(self, theta: Array) -> Array:
        return accuracy_reward(theta, self.belief.alpha, self.belief.beta, self.weight)

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        return self._at(self.belief.sampled(keyed, attempt))

    def mean(self) -> Array:
        return self._at(self.belief.alpha / (self.belief.alpha + self.belief.beta))

    def upper(self, keyed: Keyed) -> Array:  # noqa: ARG002 - the protocol's signature
        slope = accuracy_reward_slope(self.belief.alpha, self.belief.beta, self.weight)
        return self._at(self.belief.quantile(np.where(slope >= 0, UPPER, 1 - UPPER)))


@dataclass(frozen=True)
class ClassVariance:
    """[Ji21] Table 1 row 2 (confusion), or with `cost` the variance of the expected cost; arms are cells."""

    belief: DirichletBelief
    weight: Array
    cost: Array | None = None  # (n_cells, n_true)

    def _at(self, theta: Array) -> Array:
        if self.cost is None:
            return confusion_reward(theta, self.belief.alpha, self.weight)
        return cost_reward(theta, self.belief.alpha, self.cost, self.weight)

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        return self._at(self.belief.sampled(keyed, attempt))

    def mean(self) -> Array:
        alpha = self.belief.alpha
        return self._at(alpha / alpha.sum(axis=1, keepdims=True))

    def upper(self, keyed: Keyed) -> Array:
        rng = keyed.generator(Use.REWARD_BOUND)
        chunks = self.belief.believed(UPPER_DRAWS, rng)
        return np.asarray(np.quantile(np.concatenate([self._at(theta) for theta in chunks]), UPPER, axis=0))


@dataclass(frozen=True)
class Extreme:
    """[Ji21] Table 1 rows 3-5: the sampled metric of each group, with its sign; arms are groups."""

    belief: OwnBelief
    values: Callable[[Array], Array]  # draws of the cells -> (n_draws, n_arms)
    sign: float
    mean_values: Callable[[], Array | None]
    monotone: Array | None = None  # values are this sign times the rate of the arm's one cell, shifted: exact quantiles

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        return np.asarray(self.sign * self.values(self.belief.sampled(keyed, attempt)[None])[0])

    def mean(self) -> Array:
        known = self.mean_values()
        if known is not None:
            return self.sign * known
        return np.asarray(self.sign * self._many(Keyed(0, 0)).mean(axis=0))

    def upper(self, keyed: Keyed) -> Array:
        if self.monotone is not None and isinstance(self.belief, BetaBelief):
            theta = self.belief.quantile(np.where(self.sign * self.monotone > 0, UPPER, 1 - UPPER))
            return np.asarray(self.sign * self.values(theta[None])[0])
        return np.asarray(np.quantile(self.sign * self._many(keyed), UPPER, axis=0))

    def _many(self, keyed: Keyed) -> Array:
        rng = keyed.generator(Use.REWARD_BOUND)
        return np.concatenate([self.values(theta) for theta in self.belief.believed(UPPER_DRAWS, rng)])


@dataclass(frozen=True)
class Confidence:
    """[Ji21] Table 1 row 6: the expected lambda after a label in either of two groups; arms are the two cells given."""

    belief: BetaBelief
    cells: Ints  # (2,)
    rope: float
    shift: float

    def _outcomes(self) -> tuple[Array, Array]:
        return comparison_outcomes(self.belief.alpha[self.cells], self.belief.beta[self.cells], self.rope, self.shift)

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        return comparison_reward(self.belief.sampled(keyed, attempt)[self.cells], *self._outcomes())

    def mean(self) -> Array:
        alpha, beta = self.belief.alpha[self.cells], self.belief.beta[self.cells]
        return comparison_reward(alpha / (alpha + beta), *self._outcomes())

    def upper(self, keyed: Keyed) -> Array:  # noqa: ARG002 - the protocol's signature
        hit, miss = self._outcomes()
        probability = np.full(len(self.belief.size), UPPER)
        probability[self.cells[hit < miss]] = 1 - UPPER
        return comparison_reward(self.belief.quantile(probability)[self.cells], hit, miss)


@dataclass(frozen=True)
class OfArms:
    """Where an arm is several cells, each item left of which is as likely: what a label of one of them is worth."""

    cells: Objective
    arms: Partition
    left: Ints  # (n_cells,)

    def _mean(self, per_cell: Array) -> Array:
        left = self.arms.sums(self.left.astype(np.float64))
        return np.divide(self.arms.sums(per_cell * self.left), left, out=np.zeros(len(left)), where=left > 0)

    def sampled(self, keyed: Keyed, attempt: int = 0) -> Array:
        return self._mean(self.cells.sampled(keyed, attempt))

    def mean(self) -> Array:
        return self._mean(self.cells.mean())

    def upper(self, keyed: Keyed) -> Array:
        return self._mean(self.cells.upper(keyed))
