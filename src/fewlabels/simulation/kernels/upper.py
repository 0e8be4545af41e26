"""Runs of the Bayesian upper bound, an arm being one cell with a Beta belief: what `run.run_plain` takes, arm by arm.

The upper quantile of an arm's reward changes with its own labels only, so one quantile a label is enough. Plain
Python, by SciPy's inverse; Numba is not needed.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import BetaBelief
from fewlabels.simulation.oracle import Deck
from fewlabels.simulation.run import Trace, outcomes_of

_LAST = -np.finfo(np.float64).max  # what is no number comes last, as in a sort


@dataclass(frozen=True)
class UpperRun:
    """The arms whose reward w (v - (theta h + (1 - theta) m)) has the highest quantile."""

    assessment: Assessment
    belief: BetaBelief  # before the first label
    reward: Array  # (n_arms, 4) w, v, h, m
    variance: bool  # whether v, h and m are variances now, after a hit and after a miss

    def __call__(self, deck: Deck, budgets: Ints, seed: int) -> Trace:  # noqa: ARG002 - nothing is drawn
        """What `run_plain` returns, to the last count."""
        n, plays = len(self.reward), self.assessment.settings.plays
        left = self.assessment.remaining(np.zeros(n, dtype=np.int64)).tolist()
        counts, noted = [[0, 0] for _ in range(n)], np.zeros((len(budgets), n, 2))
        outcomes, starts = outcomes_of(self.assessment, deck).tolist(), deck.starts.tolist()
        arms = np.column_stack([self.belief.prior_alpha, self.belief.prior_beta, self.reward]).tolist()
        upper = np.array([self._upper(arms[k], 0, 0) if left[k] > 0 else -np.inf for k in range(n)])
        labels, open_arms, plan = 0, n - left.count(0), list[int]()
        for place, budget in enumerate(budgets.tolist()):
            while labels < budget and open_arms > 0:
                plan = plan or _take_highest(upper, min(plays, open_arms))
                k = plan.pop(0)
                counts[k][outcomes[starts[k] + sum(counts[k])]] += 1
                labels += 1
                left[k] -= 1
                open_arms -= left[k] == 0
                if left[k] > 0:
                    upper[k] = self._upper(arms[k], *counts[k])
            noted[place] = counts
        return Trace(noted)

    def _upper(self, arm: list[float], hits: int, misses: int) -> float:
        """The quantile of an arm's reward after these labels."""
        alpha, beta, w, v, h, m = arm
        a, b = alpha + hits, beta + misses
        if self.variance:
            v, h, m = _variance(a, b), _variance(a + 1, b), _variance(a, b + 1)
        level = self.assessment.strategy.tuned
        theta = float(betaincinv(a, b, level if w * (m - h) >= 0 else 1 - level))
        reward = w * (v - (theta * h + (1 - theta) * m))
        return _LAST if math.isnan(reward) else reward


def _variance(a: float, b: float) -> float:
    """`core.beta.beta_variance`, operation by operation."""
    total = a + b
    return a * b / (total * total * (total + 1))


def _take_highest(upper: Array, count: int) -> list[int]:
    """The arms of highest quantile, best first, the first of equals; they have none until they get their labels."""
    taken = list[int]()
    for _ in range(count):
        taken.append(int(upper.argmax()))
        upper[taken[-1]] = -np.inf
    return taken
