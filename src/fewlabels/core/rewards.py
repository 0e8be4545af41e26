"""The rewards of [Ji21] Table 1, one function a row, as expected under a draw theta~ of the belief.

Rows 3-5 (least accurate, least calibrated, most costly group) are plus or minus the sampled metric itself and live
with the metrics; calibration bias likewise, s_g - theta~_g ([Ji19], section 6.3).
"""

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.beta import beta_variance
from fewlabels.core.comparison import region_probabilities
from fewlabels.core.dirichlet import dirichlet_total_variance

DIGITS = 9


def accuracy_reward(theta: Array, alpha: Array, beta: Array, weight: Array) -> Array:
    """Row 1: p_g (Var(theta_g | L) - E_z Var(theta_g | L, z)), z ~ Bernoulli(theta~_g).

    The expectation is under the sampled theta~, so a reward may be negative.
    """
    after = theta * beta_variance(alpha + 1, beta) + (1 - theta) * beta_variance(alpha, beta + 1)
    return np.asarray(weight * (beta_variance(alpha, beta) - after))


def accuracy_reward_slope(alpha: Array, beta: Array, weight: Array) -> Array:
    """d reward / d theta~ of `accuracy_reward`, which is linear in theta~."""
    return np.asarray(weight * (beta_variance(alpha, beta + 1) - beta_variance(alpha + 1, beta)))


def confusion_reward(theta: Array, alpha: Array, weight: Array) -> Array:
    """Row 2: the same for a row of the confusion matrix, Var(theta_k) = sum_j Var(theta_jk), z ~ Multinomial(theta~_k).

    The look-ahead adds the outcome to alpha; the published code adds it to the sampled probabilities. As
    sum_i alpha_i^2 grows by 2 alpha_j + 1, the expectation needs only theta~ . alpha, not a loop over outcomes.
    """
    total = alpha.sum(axis=-1) + 1
    squares = (alpha**2).sum(axis=-1) + 1 + 2 * (theta * alpha).sum(axis=-1)
    after = (1 - squares / total**2) / (total + 1)
    return np.asarray(weight * (dirichlet_total_variance(alpha) - after))


def cost_variance(alpha: Array, cost: Array) -> Array:
    """Var(sum_j c_j theta_j) for theta ~ Dirichlet(alpha): (sum_j c_j^2 m_j - (sum_j c_j m_j)^2) / (A + 1)."""
    total = alpha.sum(axis=-1)
    first, second = (alpha * cost).sum(axis=-1) / total, (alpha * cost**2).sum(axis=-1) / total
    return np.asarray((second - first**2) / (total + 1))


def cost_reward(theta: Array, alpha: Array, cost: Array, weight: Array) -> Array:
    """Row 1 for the expected cost of a cell, which the paper does not list: p (Var(C | L) - E_z Var(C | L, z))."""
    total = alpha.sum(axis=-1) + 1
    first, second = (alpha * cost).sum(axis=-1), (alpha * cost**2).sum(axis=-1)
    mean, square = (theta * cost).sum(axis=-1), (theta * cost**2).sum(axis=-1)
    expected_first_squared = first**2 + 2 * first * mean + square
    after = ((second + square) / total - expected_first_squared / total**2) / (total + 1)
    return np.asarray(weight * (cost_variance(alpha, cost) - after))


def comparison_outcomes(alpha: Array, beta: Array, rope: float, shift: float) -> tuple[Array, Array]:
    """lambda = max(mu) after one more hit, and after one more miss, in each of the two groups: two arrays of two."""
    hit, miss = np.empty(2), np.empty(2)
    for group in (0, 1):
        for outcome in (hit, miss):
            a, b = alpha.copy(), beta.copy()
            (a if outcome is hit else b)[group] += 1
            outcome[group] = region_probabilities(a, b, rope, shift).max()
    return hit, miss


def comparison_reward(theta: Array, hit: Array, miss: Array) -> Array:
    """Row 6: E[lambda | L, (g, z)], z ~ Bernoulli(theta~_g); the current lambda is the same for both groups.

    To DIGITS, which is what the integrals behind it are good for: once lambda is next to 1 the choice would otherwise
    be made by rounding errors, and differ between machines.
    """
    return np.asarray(np.round(theta * hit + (1 - theta) * miss, DIGITS))
