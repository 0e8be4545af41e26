"""Compiled Thompson sampling of class shares: rows of a confusion matrix, an arm being one row with a Dirichlet belief.

The reward of a row under a draw theta depends on S = sum_j alpha_j theta_j only (`core.rewards.confusion_reward`). A
draw is made stick by stick, the largest alpha first: theta_(1) ~ Beta(alpha_(1), alpha_(2) + ...), and so on with what
is left of one. After each stick S lies between what is left times the smallest and times the largest alpha to come.
The row of largest upper bound gets its next stick, until one is sure to win; sticks that would not matter are never
drawn. The choice is distributed as that of the plain step, by other random numbers.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.simulation.kernels_keyed import compiled, inlined


class Rows(NamedTuple):
    """All that changes while a run goes on; one row an arm."""

    alpha: Array  # (n, n_true) by falling size,
    column: Ints  # (n, n_true) the class each stands for
    after: Array  # (n, n_true) sum of the alphas that follow
    line: Array  # (n, 2) the reward is line[0] + line[1] S
    left: Ints  # items without a label
    drawn: Ints  # sticks drawn so far in this round
    stick: Array  # (n, 2) S so far, and what is left of one
    bounds: Array  # (n, 2) of the reward


@compiled
def set_row(rows: Rows, k: int, weight: float) -> None:
    """What follows from a row's counts: w (Var - (1 - (sum alpha^2 + 1 + 2 S) / (A + 1)^2) / (A + 2))."""
    n, rest, squares = rows.alpha.shape[1], 0.0, 0.0
    for i in range(n - 1, -1, -1):
        rows.after[k, i] = rest
        rest += rows.alpha[k, i]
        squares += rows.alpha[k, i] ** 2
    total = rest + 1
    variance = (1 - squares / rest**2) / (rest + 1)
    rows.line[k, 0] = weight * (variance - (1 - (squares + 1) / total**2) / (total + 1))
    rows.line[k, 1] = weight * 2 / (total**2 * (total + 1))


@inlined
def bound(rows: Rows, k: int) -> None:
    """Between what the reward lies, by the sticks drawn."""
    i, n = rows.drawn[k], rows.alpha.shape[1]
    so_far, rest = rows.stick[k, 0], rows.stick[k, 1]
    least, most = (rows.alpha[k, n - 1], rows.alpha[k, i]) if i < n else (0.0, 0.0)
    rows.bounds[k, 0] = rows.line[k, 0] + rows.line[k, 1] * (so_far + rest * least)
    rows.bounds[k, 1] = rows.line[k, 0] + rows.line[k, 1] * (so_far + rest * most)


@inlined
def draw_stick(rows: Rows, k: int, rng: np.random.Generator) -> None:
    """The next stick of a row; the last is all that is left."""
    i = rows.drawn[k]
    share = 1.0
    if i < rows.alpha.shape[1] - 1:
        share = rng.beta(rows.alpha[k, i], rows.after[k, i])
    rows.stick[k, 0] += rows.stick[k, 1] * share * rows.alpha[k, i]
    rows.stick[k, 1] *= 1 - share
    rows.drawn[k] = i + 1
    bound(rows, k)


@compiled
def choose_row(rows: Rows, rng: np.random.Generator) -> int:
    """The row of highest reward under a draw of the belief."""
    n, n_true = rows.alpha.shape
    for k in range(n):
        rows.drawn[k], rows.stick[k, 0], rows.stick[k, 1] = 0, 0.0, 1.0
        bound(rows, k)
    while True:
        first, rival = -1, -np.inf
        for k in range(n):
            if rows.left[k] > 0:
                if first < 0 or rows.bounds[k, 1] > rows.bounds[first, 1]:
                    rival = rival if first < 0 else max(rival, rows.bounds[first, 1])
                    first = k
                else:
                    rival = max(rival, rows.bounds[k, 1])
        if rows.bounds[first, 0] > rival or rows.drawn[first] == n_true:
            return first
        draw_stick(rows, first, rng)


@compiled
def count_label(rows: Rows, k: int, true: int) -> None:
    """One more label of this class; the alphas stay sorted."""
    i = 0
    while rows.column[k, i] != true:
        i += 1
    rows.alpha[k, i] += 1
    while i > 0 and rows.alpha[k, i - 1] < rows.alpha[k, i]:
        rows.alpha[k, i - 1], rows.alpha[k, i] = rows.alpha[k, i], rows.alpha[k, i - 1]
        rows.column[k, i - 1], rows.column[k, i] = rows.column[k, i], rows.column[k, i - 1]
        i -= 1
    rows.left[k] -= 1


@compiled
def run_confusion(
    rows: Rows,
    weight: Array,
    labels_dealt: Ints,
    starts: Ints,
    budgets: Ints,
    rng: np.random.Generator,
    noted: Array,
) -> None:
    """A whole run, noted at every budget."""
    counts, taken = np.zeros(noted.shape[1:]), np.zeros(len(weight), np.int64)
    for k in range(len(weight)):
        set_row(rows, k, weight[k])
    labels, most = 0, rows.left.sum()
    for place in range(len(budgets)):
        while labels < min(budgets[place], most):
            k = choose_row(rows, rng)
            true = labels_dealt[starts[k] + taken[k]]
            counts[k, true] += 1
            taken[k] += 1
            labels += 1
            count_label(rows, k, true)
            set_row(rows, k, weight[k])
        noted[place] = counts
