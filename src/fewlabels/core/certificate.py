"""What is certified of groups that were found: how sure it is that they are the ones asked for, or next to them."""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Bools

LEAST_OF_EACH = 3  # labels of every group, or all of its items, before anything is claimed

# Of the errors a goal allows: at a goal of .95 the two probabilities are to be .97 and .99. A posterior that is looked
# at after every label crosses a bar early by chance, and the more so the nearer groups are to one another.
_MANY_SHARE, _FEW_SHARE = 0.6, 0.2
ROUNDING = 1e-12


def bars(goal: float) -> tuple[float, float]:
    """How sure it must be at this goal where many groups may be exceptions, and where few may.

    >>> [round(bar, 4) for goal in (0.95, 0.9) for bar in bars(goal)]
    [0.97, 0.99, 0.94, 0.98]
    """
    return 1 - _MANY_SHARE * (1 - goal), 1 - _FEW_SHARE * (1 - goal)


def sure_enough(goal: float, many: float, few: float) -> bool:
    """Whether groups may be named at this goal, every group having labels of its own.

    >>> sure_enough(0.95, 0.97, 0.99), sure_enough(0.95, 0.96, 0.995), sure_enough(0.95, 0.975, 0.985)
    (True, False, False)
    """
    of_many, of_few = bars(goal)
    return many >= of_many - ROUNDING and few >= of_few - ROUNDING


def lacking(labels: Array, items: Array) -> Array:
    """The labels that groups lack before anything may be claimed of which of them stand out."""
    return np.asarray(np.maximum(np.minimum(LEAST_OF_EACH, items) - labels, 0.0))


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
    missing: Array  # (n_groups,) labels that each group lacks before anything may be claimed

    @property
    def short(self) -> Bools:
        """Groups with too few labels."""
        return self.missing > 0
