"""What is certified of groups that were found: how sure it is that they are the ones asked for, or next to them."""

import math
from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Ints

# Labels of every group, or all of its items, before anything is claimed: at most, all groups together, and at least.
MOST_OF_EACH, OF_ALL, LEAST_OF_EACH = 30, 600, 3

# Of the errors a goal allows: at a goal of .95 the two probabilities are to be .985 and .995. A posterior that is
# looked at after every label crosses a bar early by chance, and the more so the nearer groups are to one another; and
# what it knows nothing of, such as a group that fails only where it is surest, takes its share of the errors too.
MANY_SHARE, FEW_SHARE = 0.3, 0.1
_MODELS_SHARE = 0.2  # the same where models are compared by a posterior
ROUNDING = 1e-12


def bars(goal: float) -> tuple[float, float]:
    """How sure it must be at this goal where many groups may be exceptions, and where few may.

    >>> [round(bar, 4) for goal in (0.95, 0.9) for bar in bars(goal)]
    [0.985, 0.995, 0.97, 0.99]
    """
    return 1 - MANY_SHARE * (1 - goal), 1 - FEW_SHARE * (1 - goal)


def bar_of_models(goal: float) -> float:
    """How sure a posterior must be of a claim about models at this goal, as somebody looks after every label.

    >>> round(bar_of_models(0.95), 4)
    0.99
    """
    return 1 - _MODELS_SHARE * (1 - goal)


def sure_enough(goal: float, many: float, few: float) -> bool:
    """Whether groups may be named at this goal, every group having labels of its own.

    >>> sure_enough(0.95, 0.985, 0.995), sure_enough(0.95, 0.98, 0.999), sure_enough(0.95, 0.99, 0.99)
    (True, False, False)
    """
    of_many, of_few = bars(goal)
    return many >= of_many - ROUNDING and few >= of_few - ROUNDING


def floor_of_each(groups: int) -> int:
    """The labels that every group needs before anything is claimed, where there are so many groups.

    >>> floor_of_each(8), floor_of_each(20), floor_of_each(100), floor_of_each(1000)
    (30, 30, 6, 3)
    """
    return max(LEAST_OF_EACH, min(MOST_OF_EACH, math.ceil(OF_ALL / groups)))


def quotas(size: Ints, group: Ints) -> Array:
    """The labels that each cell needs, (n_cells,). A group's floor is shared out by the items of its cells, with the
    largest remainders; the first of equals."""
    count = int(group.max()) + 1
    items = np.bincount(group, weights=size, minlength=count).astype(np.int64)
    floor = np.minimum(floor_of_each(count), items)
    whole, rest = np.divmod(floor[group] * size, np.maximum(items[group], 1))
    missing = floor - np.bincount(group, weights=whole, minlength=count).astype(np.int64)
    order = np.lexsort((np.arange(len(size)), -rest / np.maximum(items[group], 1), group))
    place = np.empty(len(size), dtype=np.int64)
    begins = np.searchsorted(group[order], np.arange(count))
    place[order] = np.arange(len(size)) - begins[group[order]]
    return np.asarray(whole + (place < missing[group]), dtype=np.float64)


@dataclass(frozen=True)
class Figures:
    """What is asked of each group: a line in its share of right items, the first of those asked for lowest."""

    scale: float
    shift: Array  # (n_groups,)

    def of(self, group: int, share: Array) -> Array:
        """The figures of a group, for these shares."""
        return np.asarray(self.scale * share + self.shift[group])


@dataclass(frozen=True)
class Certificate:
    """Of the groups named: that the figure of each is at most a margin above that of any other."""

    many: float  # where many groups may be exceptions,
    few: float  # and where few may: what near-ties are judged by
    open: Array  # (n_groups,) the chance that a group is named and should not be, or should be and is not
    missing: Array  # (n_cells,) labels that each cell lacks before anything may be claimed
