"""Compiled runs of strategies that read Beta beliefs, an arm being one cell: choose, reveal, update.

A run stops where a draw has to be made by SciPy (`lazy.py`), and goes on from there when called again.
"""

import math

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled, inlined
from fewlabels.core.keyed import Use
from fewlabels.simulation.kernels.comparison import ERROR, lambda_after, look_ahead, note
from fewlabels.simulation.kernels.keyed import key_of, mix, one_uniform, uniform_of
from fewlabels.simulation.kernels.lazy import Arms, begin, count_label, reward_at, select, set_bar, set_reward
from fewlabels.strategies.thompson import MOST_RESAMPLES

THOMPSON, TOP_TWO, EPSILON_GREEDY = range(3)
SAMPLED_RATE, VARIANCE, CONFIDENCE = range(3)  # what a label is worth
# Where a run stands: the budget it works towards, labels, rounds, the place in the plan and its end, arms with items
# left, draws of this round, the winner of its first draw, and how many arms wait for SciPy.
BUDGET, LABELS, STEP, NEXT, END, OPEN, ATTEMPT, FIRST, WAITING = range(9)
_ARM_DRAW, _COIN, _ARM_PICK = (np.uint64(use) for use in (Use.ARM_DRAW, Use.COIN, Use.ARM_PICK))


@inlined
def variance(a: float, b: float) -> float:
    """`core.beta.beta_variance`, operation by operation."""
    total = a + b
    return a * b / (total * total * (total + 1))


@compiled
def renew_both(x: Arms) -> None:
    """The rewards of the two arms of a comparison: lambda after a hit, and after a miss."""
    duel = x.duel[0]
    first, second = x.arms[duel.arms[0]], x.arms[duel.arms[1]]
    look_ahead(duel, first.a, first.b, second.a, second.b)
    for place in range(2):
        k = duel.arms[place]
        hit, miss = lambda_after(duel, place, 0), lambda_after(duel, place, 1)
        set_reward(x.arms[k], x.gates[k], 0.0, hit, miss, ERROR)


@inlined
def renew(x: Arms, k: int, worth: int) -> None:
    """What follows from an arm's counts."""
    arm, gate = x.arms[k], x.gates[k]
    if worth == VARIANCE:
        a, b = arm.a, arm.b
        set_reward(arm, gate, variance(a, b), variance(a + 1, b), variance(a, b + 1), 0.0)
    if worth == CONFIDENCE:
        renew_both(x)
    else:
        set_bar(arm, gate, x.race[0].level)


@compiled
def best(rewards: Array, x: Arms, chosen: Ints) -> None:
    """The open arms of highest reward, best first, the first of equals: `strategies.base.best`."""
    for place in range(len(chosen)):
        first = -1
        for k in range(len(rewards)):
            if x.arms[k].left > 0 and (first < 0 or rewards[k] > rewards[first]):
                new = True
                for i in range(place):
                    new = new and chosen[i] != k
                if new:
                    first = k
        chosen[place] = first


@compiled
def greedy_round(x: Arms, seed: np.uint64, step: int, chosen: Ints, epsilon: float) -> None:
    """`strategies.greedy.EpsilonGreedy`."""
    rewards = np.empty(len(x.arms))
    at_random, key = one_uniform(seed, step, _COIN) < epsilon, key_of(seed, step, _ARM_PICK, 0)
    for k in range(len(rewards)):
        if at_random:
            rewards[k] = uniform_of(mix(x.gates[k].hash ^ key))
        else:
            arm = x.arms[k]
            reward = reward_at(arm, arm.a / (arm.a + arm.b))
            rewards[k] = -np.inf if math.isnan(reward) else reward
    best(rewards, x, chosen)


@compiled
def another_draw(at: Ints, plan: Ints, seed: np.uint64, beta: float) -> bool:
    """Whether top-two sampling draws again: `strategies.thompson.TopTwo`."""
    if at[ATTEMPT] == 0:
        at[FIRST] = plan[0]
        return at[OPEN] > 1 and one_uniform(seed, at[STEP], _COIN) < beta
    if plan[0] == at[FIRST] and at[ATTEMPT] == MOST_RESAMPLES:
        plan[0] = plan[1]
    return bool(plan[0] == at[FIRST])


@inlined
def make_plan(how: tuple[int, int, int, float], x: Arms, at: Ints, plan: Ints, seed: np.uint64) -> bool:
    """The arms of the next round, into `plan`; False where SciPy has to be asked."""
    strategy, _, plays, tuned = how
    if strategy == EPSILON_GREEDY:
        greedy_round(x, seed, at[STEP], plan[: min(plays, at[OPEN])], tuned)
    else:
        while True:
            attempt = at[ATTEMPT]
            two = attempt == MOST_RESAMPLES and at[OPEN] > 1  # only then does it matter who comes second
            chosen = plan[: 2 if two else min(plays, at[OPEN])]
            stamp = at[STEP] * (MOST_RESAMPLES + 1) + attempt
            at[WAITING] = select(x, key_of(seed, at[STEP], _ARM_DRAW, attempt), chosen, stamp)
            if at[WAITING] > 0:
                return False
            if strategy != TOP_TWO or not another_draw(at, plan, seed, tuned):
                break
            at[ATTEMPT] += 1
    at[NEXT], at[END], at[ATTEMPT] = 0, min(plays, at[OPEN]), 0
    return True


@compiled
def run_adaptive(
    how: tuple[int, int, int, float],  # strategy, worth, plays, what the strategy is tuned by
    x: Arms,
    at: Ints,
    plan: Ints,
    deck: tuple[Ints, Ints],  # outcomes, and where each cell's begin
    budgets: Ints,
    seed: np.uint64,
    noted: Array,
) -> bool:
    """Go on with a run; False where SciPy has to be asked."""
    worth = how[1]
    outcomes, starts = deck
    while at[BUDGET] < len(budgets):
        while at[LABELS] < budgets[at[BUDGET]] and at[OPEN] > 0:
            if at[NEXT] == at[END]:
                at[STEP] += at[WAITING] == 0 and at[ATTEMPT] == 0
                if not make_plan(how, x, at, plan, seed):
                    return False
            k = plan[at[NEXT]]
            at[NEXT] += 1
            at[LABELS] += 1
            arm = x.arms[k]
            outcome = outcomes[starts[k] + int(arm.hits + arm.misses)]
            if worth == CONFIDENCE:
                note(x.duel[0], k, outcome)
            count_label(arm, outcome)
            renew(x, k, worth)
            at[OPEN] -= arm.left == 0
        for k in range(len(x.arms)):
            noted[at[BUDGET], k, 0], noted[at[BUDGET], k, 1] = x.arms[k].hits, x.arms[k].misses
        at[BUDGET] += 1
    return True


@compiled
def begin_adaptive(x: Arms, worth: int) -> None:
    """The rewards before the first label."""
    begin(x)
    if worth == CONFIDENCE:
        renew_both(x)
        return
    for k in range(len(x.arms)):
        if worth == SAMPLED_RATE:
            set_reward(x.arms[k], x.gates[k], x.arms[k].v, x.arms[k].h, x.arms[k].m, 0.0)
        renew(x, k, worth)
