"""Compiled Thompson sampling of class shares (confusion, costs), an arm being one row with a Dirichlet belief.

The reward of a row under a draw theta is a line in theta (`core.rewards`): base + sum_j value_j theta_j. Classes of one
cost in a row have one value; added up to one category their shares are again Dirichlet, with the sum of their alphas.
A draw is made stick by stick, the largest alpha first: theta_(1) ~ Beta(alpha_(1), alpha_(2) + ...), and so on with
what is left of one. After each stick the reward lies between what is left times the smallest and times the largest
value to come. The row of largest upper bound gets its next stick, until one is sure to win; sticks that would not
matter are never drawn. The choice is distributed as that of the plain step, by other random numbers; ties which the
plain step breaks by the rounding errors of its sums go to the first.
"""

import math
from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled, inlined
from fewlabels.simulation.kernels.keyed import Record, Records

CONFUSION, COST, COST_VARIANCE = range(3)  # what a label is worth
SMALL = 0.1  # Gamma variates of smaller shape may underflow, and are made in logarithms
APART = 40.0  # exp of minus this is nothing beside one


# A row: what a label there is worth, and its draw of this round.
ROW = np.dtype(
    [
        ("weight", "f8"),
        ("left", "i8"),  # items without a label
        ("width", "i8"),  # categories
        ("base", "f8"),  # the reward is this and the values' shares
        ("drawn", "i8"),  # sticks drawn so far,
        ("so_far", "f8"),  # the reward by them,
        ("rest", "f8"),  # what is left of one,
        ("low", "f8"),  # and the least the reward can be
    ]
)
# The classes of one cost in a row.
CATEGORY = np.dtype(
    [
        ("alpha", "f8"),
        ("number", "i8"),
        ("cost", "f8"),
        ("value", "f8"),  # what a share of one adds to the reward
        ("after", "f8"),  # sum of the alphas that follow
        ("least", "f8"),  # smallest value from here on,
        ("most", "f8"),  # and largest
    ]
)


class Rows(NamedTuple):
    """All that changes while a run goes on; one row an arm."""

    rows: Records
    sticks: Records  # (n, width) the categories of each row by falling alpha, of which there may be fewer
    of_class: Ints  # (n, n_true) the number of each class's category
    high: Array  # the most the reward can be


@inlined
def value_shares(row: Record, sticks: Records) -> None:
    """`core.rewards.confusion_reward`: w (Var - (1 - (sum alpha^2 + 1 + 2 sum alpha theta) / (A + 1)^2) / (A + 2))."""
    all_alpha, squares = 0.0, 0.0
    for i in range(row.width - 1, -1, -1):
        all_alpha += sticks[i].alpha
        squares += sticks[i].alpha ** 2
    total = all_alpha + 1
    variance = (1 - squares / all_alpha**2) / (all_alpha + 1)
    row.base = row.weight * (variance - (1 - (squares + 1) / total**2) / (total + 1))
    slope = row.weight * 2 / (total**2 * (total + 1))
    for i in range(row.width):
        sticks[i].value = slope * sticks[i].alpha


@inlined
def value_costs(row: Record, sticks: Records) -> None:
    """`core.rewards.cost_reward`, which is a line in sum c theta and sum c^2 theta."""
    all_alpha, first, second = 0.0, 0.0, 0.0
    for i in range(row.width):
        alpha, cost = sticks[i].alpha, sticks[i].cost
        all_alpha += alpha
        first += alpha * cost
        second += alpha * cost**2
    total = all_alpha + 1
    variance = (second / all_alpha - (first / all_alpha) ** 2) / (all_alpha + 1)
    row.base = row.weight * (variance - (second / total - (first / total) ** 2) / (total + 1))
    for i in range(row.width):
        cost = sticks[i].cost
        sticks[i].value = row.weight * ((2 * first * cost + cost**2) / total**2 - cost**2 / total) / (total + 1)


@inlined
def set_row(row: Record, sticks: Records, worth: int) -> None:
    """What follows from a row's counts."""
    if worth == CONFUSION:
        value_shares(row, sticks)
    elif worth == COST_VARIANCE:
        value_costs(row, sticks)
    else:
        for i in range(row.width):
            sticks[i].value = row.weight * sticks[i].cost
    rest, least, most = 0.0, np.inf, -np.inf
    for i in range(row.width - 1, -1, -1):
        stick = sticks[i]
        least, most = min(least, stick.value), max(most, stick.value)
        stick.after, stick.least, stick.most = rest, least, most
        rest += stick.alpha


@compiled
def set_rows(x: Rows, worth: int) -> None:
    """The same for all."""
    for k in range(len(x.rows)):
        set_row(x.rows[k], x.sticks[k], worth)


@compiled
def log_gamma_variate(shape: float, rng: np.random.Generator) -> float:
    """As `core.dirichlet.dirichlet_draws` makes them."""
    return math.log(rng.standard_gamma(shape + 1)) - rng.standard_exponential() / shape


@inlined
def split(a: float, b: float, rng: np.random.Generator) -> tuple[float, float]:
    """theta ~ Beta(a, b) and 1 - theta, however small either is."""
    if a >= SMALL and b >= SMALL:
        x, y = rng.standard_gamma(a), rng.standard_gamma(b)
        return x / (x + y), y / (x + y)
    apart = log_gamma_variate(a, rng) - log_gamma_variate(b, rng)
    if apart > APART:
        return 1.0, math.exp(-apart)
    if apart < -APART:
        return math.exp(apart), 1.0
    return 1 / (1 + math.exp(-apart)), 1 / (1 + math.exp(apart))


@inlined
def draw_stick(x: Rows, k: int, rng: np.random.Generator) -> None:
    """The next stick of a row, and the bounds that follow; the last stick is all that is left."""
    row, stick = x.rows[k], x.sticks[k, x.rows[k].drawn]
    row.drawn += 1
    if row.drawn == row.width:
        row.so_far += row.rest * stick.value
        row.low = x.high[k] = row.so_far
        return
    share, rest = split(stick.alpha, stick.after, rng)
    row.so_far += row.rest * share * stick.value
    row.rest *= rest
    coming = x.sticks[k, row.drawn]
    row.low, x.high[k] = row.so_far + row.rest * coming.least, row.so_far + row.rest * coming.most


@inlined
def begin_round(x: Rows, rng: np.random.Generator) -> None:
    """No stick drawn, but for the rows whose upper bound is the highest."""
    top = -np.inf
    for k in range(len(x.rows)):
        row, stick = x.rows[k], x.sticks[k, 0]
        row.drawn, row.so_far, row.rest = 0, row.base, 1.0
        row.low, x.high[k] = row.base + stick.least, row.base + stick.most
        if row.left == 0:
            x.high[k] = -np.inf
        top = max(top, x.high[k])
    for k in range(len(x.rows)):
        if x.high[k] == top:
            draw_stick(x, k, rng)


@inlined
def choose_rows(x: Rows, rng: np.random.Generator, chosen: Ints) -> None:
    """The rows of highest reward under a draw of the belief, best first; the first of equals wins."""
    begin_round(x, rng)
    for place in range(len(chosen)):
        while True:
            first, highest, rival = -1, -np.inf, -np.inf
            for k in range(len(x.high)):
                if x.high[k] > highest:
                    first, highest, rival = k, x.high[k], highest
                elif x.high[k] > rival:
                    rival = x.high[k]
            if x.rows[first].low > rival or x.rows[first].low >= highest:
                break
            draw_stick(x, first, rng)
        chosen[place] = first
        x.high[first] = -np.inf


@inlined
def count_label(sticks: Records, number: int) -> None:
    """One more label of this category; the alphas stay sorted."""
    i = 0
    while sticks[i].number != number:
        i += 1
    alpha, cost = sticks[i].alpha + 1, sticks[i].cost
    while i > 0 and sticks[i - 1].alpha < alpha:
        before, here = sticks[i - 1], sticks[i]
        here.alpha, here.number, here.cost = before.alpha, before.number, before.cost
        i -= 1
    sticks[i].alpha, sticks[i].number, sticks[i].cost = alpha, number, cost


@compiled
def run_shares(
    how: tuple[int, int],  # worth, plays
    x: Rows,
    deck: tuple[Ints, Ints],  # true classes, and where each row's begin
    budgets: Ints,
    rng: np.random.Generator,
    noted: Array,
) -> None:
    """A whole run, noted at every budget."""
    (worth, plays), (classes, starts), n = how, deck, len(x.rows)
    counts, taken, plan = np.zeros(noted.shape[1:]), np.zeros(n, np.int64), np.zeros(plays, np.int64)
    set_rows(x, worth)
    labels, done, end, most = 0, 0, 0, x.rows["left"].sum()
    for place in range(len(budgets)):
        while labels < min(budgets[place], most):
            if done == end:
                done, end = 0, min(plays, (x.rows["left"] > 0).sum())
                choose_rows(x, rng, plan[:end])
            k = plan[done]
            true = classes[starts[k] + taken[k]]
            counts[k, true] += 1
            taken[k] += 1
            x.rows[k].left -= 1
            labels += 1
            done += 1
            count_label(x.sticks[k], x.of_class[k, true])
            set_row(x.rows[k], x.sticks[k], worth)
        noted[place] = counts
