"""Compiled Thompson sampling of the least (or best) calibrated groups: an arm is a group of score bins.

The reward is plus or minus sum_b p(b | g) |theta_gb - s_gb|, one keyed draw a bin. Brackets of the draws
(`points.py`) add up to bounds of the sum; where groups overlap, the bin that leaves most open is refined. Where
one group is wanted, the others' bins are looked at only until their group cannot win. A round that brackets cannot
settle is left to the plain step.
"""

from typing import NamedTuple

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled, inlined
from fewlabels.core.keyed import Use
from fewlabels.simulation.kernels.keyed import Records, hash_of, key_of, mix, one_uniform, uniform_of
from fewlabels.simulation.kernels.lazy import count_label
from fewlabels.simulation.kernels.points import SLACK, draw_between, keep, refine
from fewlabels.simulation.kernels.uniform import in_proportion

MOST_POINTS = 200  # added for one round
BUDGET, LABELS, STEP, NEXT, END = range(5)  # where a run stands
_ARM_DRAW, _CELL = np.uint64(Use.ARM_DRAW), np.uint64(Use.CELL)


class Groups(NamedTuple):
    """All that changes while a run goes on."""

    bins: Records  # (n_cells,) of ARM: beliefs, counts, points
    left: Ints  # (n_cells,) items without a label
    members: Ints  # (n_cells,) cells by group,
    begins: Ints  # (n_groups + 1,) and where each group's begin
    first: Ints  # (n_cells,) the same cells, of each group those first that may add most,
    most: Array  # (n_cells,) which is so much
    share: Array  # (n_cells,) p(b | g)
    score: Array  # (n_cells,) s_gb
    sign: float
    gaps: Array  # (n_cells, 2) bounds of p(b | g) |theta - s|
    bounds: Array  # (n_groups, 2) of the reward
    open: Ints  # (n_groups,) whether the group can be chosen in this round


@inlined
def bound_bin(x: Groups, c: int, u: float) -> None:
    low, high = draw_between(x.bins[c], u)
    low, high = low - 2 * SLACK - x.score[c], high + 2 * SLACK - x.score[c]
    x.gaps[c, 0] = x.share[c] * max(low, -high, 0.0)
    x.gaps[c, 1] = x.share[c] * max(high, -low)


@inlined
def bound_group(x: Groups, g: int) -> None:
    least, most = -SLACK, SLACK
    for i in range(x.begins[g], x.begins[g + 1]):
        least += x.gaps[x.members[i], 0]
        most += x.gaps[x.members[i], 1]
    x.bounds[g, 0], x.bounds[g, 1] = (least, most) if x.sign > 0 else (-most, -least)


@inlined
def bound_group_by_bins(x: Groups, g: int, key: np.uint64, bar: float) -> None:
    """The bounds of a group in a new round, or no more than an upper one where that is below the bar."""
    most = 2 * SLACK
    for i in range(x.begins[g], x.begins[g + 1]):
        most += x.most[x.first[i]]
    for i in range(x.begins[g], x.begins[g + 1]):
        c = x.first[i]
        bound_bin(x, c, uniform_of(mix(hash_of(c) ^ key)))
        most += x.gaps[c, 1] - x.most[c]
        if most < bar:
            x.bounds[g, 0], x.bounds[g, 1] = -np.inf, most
            return
    bound_group(x, g)


@inlined
def open_groups(x: Groups) -> None:
    """Those with an item left."""
    for g in range(len(x.open)):
        x.open[g] = 0
        for i in range(x.begins[g], x.begins[g + 1]):
            x.open[g] |= x.left[x.members[i]] > 0


@inlined
def narrow(x: Groups, g: int, key: np.uint64) -> bool:
    """Refine the bin that leaves most open."""
    widest = x.members[x.begins[g]]
    for i in range(x.begins[g], x.begins[g + 1]):
        c = x.members[i]
        if x.gaps[c, 1] - x.gaps[c, 0] > x.gaps[widest, 1] - x.gaps[widest, 0]:
            widest = c
    u = uniform_of(mix(hash_of(widest) ^ key))
    if not refine(x.bins[widest], u):
        return False
    bound_bin(x, widest, u)
    bound_group(x, g)
    return True


@inlined
def leaders(x: Groups) -> tuple[int, int]:
    """The open groups of largest and second largest upper bound; the first of equals."""
    first, second = -1, -1
    for g in range(len(x.open)):
        if x.open[g]:
            if first < 0 or x.bounds[g, 1] > x.bounds[first, 1]:
                first, second = g, first
            elif second < 0 or x.bounds[g, 1] > x.bounds[second, 1]:
                second = g
    return first, second


@compiled
def select(x: Groups, key: np.uint64, chosen: Ints) -> int:
    """The groups of highest reward, best first; how many, or -1 where brackets cannot tell."""
    open_groups(x)
    bar, before = -np.inf, chosen[0]  # a group below the bar cannot win, and the last winner is likely to set it
    for i in range(-1, len(x.open)):
        g = before if i < 0 else i
        if x.open[g] and i != before:
            bound_group_by_bins(x, g, key, bar)
            if len(chosen) == 1 and x.sign > 0:
                bar = max(bar, x.bounds[g, 0])
    done, added = 0, 0
    while done < len(chosen):
        first, second = leaders(x)
        if first < 0:
            break
        if second < 0 or x.bounds[first, 0] > x.bounds[second, 1]:
            chosen[done], x.open[first] = first, 0
            done += 1
            continue
        wide = x.bounds[second, 1] - x.bounds[second, 0] > x.bounds[first, 1] - x.bounds[first, 0]
        added += 1
        if added > MOST_POINTS or not narrow(x, second if wide else first, key):
            return -1
    return done


@compiled
def take(x: Groups, g: int, u: float, outcomes: Ints, starts: Ints) -> None:
    """One label in a group: a bin in proportion to the items left, `core.round.cell_within`."""
    inside = x.members[x.begins[g] : x.begins[g + 1]]
    c = inside[in_proportion(x.left[inside], u)]
    arm = x.bins[c]
    count_label(arm, outcomes[starts[c] + int(arm.hits + arm.misses)])
    x.left[c] -= 1


@compiled
def run_bins(
    x: Groups, at: Ints, plan: Ints, deck: tuple[Ints, Ints], budgets: Ints, seed: np.uint64, noted: Array
) -> bool:
    """Go on with a run; False where the plain step has to make the plan of this round. A deck is outcomes, and where
    each cell's begin."""
    outcomes, starts = deck
    while at[BUDGET] < len(budgets):
        while at[LABELS] < min(budgets[at[BUDGET]], len(outcomes)):
            if at[NEXT] == at[END]:
                at[STEP] += 1
                at[NEXT], at[END] = 0, 0
                found = select(x, key_of(seed, at[STEP], _ARM_DRAW, 0), plan)
                if found < 0:
                    return False
                at[END] = found
            at[LABELS] += 1
            take(x, plan[at[NEXT]], one_uniform(seed, at[LABELS], _CELL), outcomes, starts)
            at[NEXT] += 1
        for c in range(len(x.bins)):
            noted[at[BUDGET], c, 0], noted[at[BUDGET], c, 1] = x.bins[c].hits, x.bins[c].misses
        at[BUDGET] += 1
    return True


@compiled
def add_points(x: Groups, found: Array) -> None:
    """A point for each bin that has few, where one was found."""
    for c in range(len(x.bins)):
        if x.bins[c].kept < 2 and found[c, 2] > 0:
            keep(x.bins[c], found[c, 0], found[c, 1], found[c, 2])
