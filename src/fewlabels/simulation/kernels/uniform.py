"""Compiled runs of strategies that read no belief: uniform over items, or over groups. Arms may have several cells."""

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.compiling import compiled
from fewlabels.core.keyed import Use
from fewlabels.simulation.kernels.keyed import one_uniform

_CELL, _ARM_PICK = np.uint64(Use.CELL), np.uint64(Use.ARM_PICK)


@compiled
def in_proportion(remaining: Ints, u: float) -> int:
    """The place u of the way through the items left."""
    goal, upto = u * remaining.sum(), 0
    for k in range(len(remaining)):
        upto += remaining[k]
        if upto > goal:
            return k
    return len(remaining) - 1


@compiled
def one_of(remaining: Ints, u: float) -> int:
    """The place u of the way through those with items left."""
    place, last = int(u * (remaining > 0).sum()), -1
    for k in range(len(remaining)):
        if remaining[k] > 0:
            last = k
            if place == 0:
                return k
            place -= 1
    return last


@compiled
def run_uniform(
    groups: bool,
    remaining: Ints,  # (n_arms,)
    cells: tuple[Ints, Ints, Ints],  # cells by arm, where each arm's begin, items left in each
    outcomes: Ints,
    starts: Ints,
    budgets: Ints,
    seed: np.uint64,
    noted: Array,
) -> None:
    """A whole run, noted at every budget."""
    members, begins, left = cells
    counts, taken = np.zeros(noted.shape[1:]), np.zeros(len(left), np.int64)
    labels, most = 0, remaining.sum()
    for place in range(len(budgets)):
        while labels < min(budgets[place], most):
            labels += 1  # a round is one label, so that labels and rounds share a number
            u = one_uniform(seed, labels, _ARM_PICK)
            arm = one_of(remaining, u) if groups else in_proportion(remaining, u)
            inside = members[begins[arm] : begins[arm + 1]]
            cell = inside[0]
            if len(inside) > 1:
                cell = inside[in_proportion(left[inside], one_uniform(seed, labels, _CELL))]
            counts[cell, outcomes[starts[cell] + taken[cell]]] += 1
            taken[cell] += 1
            left[cell] -= 1
            remaining[arm] -= 1
        noted[place] = counts
