"""Which cells make a group and which a stratum; and the constants of the belief, chosen on the leaderboard's design
pools."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import gathered
from fewlabels.core.certificate import quotas

# The spread of groups about what their strata have in common, on the logit scale, and how likely each is beforehand.
SPREADS = np.array([0.1, 0.25, 0.5, 1.0, 2.0])
SPREAD_WEIGHTS = np.array([0.5, 1.0, 1.0, 0.8, 0.4])
SPREAD_PARTS = 32  # chances of spreads are rounded to so many parts: they seldom change, and groups keep what they have
FIRM = 50.0  # pseudo-labels of a cell about its stratum's level, given its group's shift

MANY_EXCEPTIONS = 0.3  # the share of groups that may be anything: guards against what the strata hide
FEW_EXCEPTIONS = 0.03  # the same where near-ties are judged: fewer, so that a higher bar can be asked for

# Levels of strata are the likeliest of a grid: kappa says how far groups differ in a stratum, mu is its level.
KAPPAS = np.array([3.0, 8.0, 20.0, 50.0, 120.0])
LEVELS = 1 / (1 + np.exp(-np.linspace(-4, 6.5, 43)))
LOWEST, HIGHEST = 0.002, 0.9995  # of a cell's expected rate: never certain

_places, _weights = np.polynomial.hermite_e.hermegauss(7)
NODES = np.asarray(_places)  # of the quadrature over a group's shift, in spreads
NODE_WEIGHTS = np.asarray(_weights / _weights.sum())


@dataclass(frozen=True)
class Layout:
    """The group and the stratum of each cell, with its size."""

    group: Ints  # (n_cells,)
    stratum: Ints  # (n_cells,)
    size: Ints  # (n_cells,)

    @cached_property
    def groups(self) -> int:
        return int(self.group.max()) + 1

    @cached_property
    def of_group(self) -> list[Ints]:
        """The cells of each group."""
        return gathered(self.group, self.groups)

    @cached_property
    def by_group(self) -> Ints:
        """The same, one after the other."""
        return np.concatenate(self.of_group)

    @cached_property
    def of_stratum(self) -> list[Ints]:
        """The cells of each stratum."""
        return gathered(self.stratum, int(self.stratum.max()) + 1)

    @cached_property
    def items(self) -> Array:
        """Of each group."""
        return self.in_groups(self.size.astype(np.float64))

    @cached_property
    def quotas(self) -> Array:
        """The labels that each cell needs before anything is claimed."""
        return quotas(self.size, self.group)

    def in_groups(self, per_cell: Array) -> Array:
        """Sums over the cells of each group."""
        return np.bincount(self.group, weights=per_cell).astype(np.float64)

    def in_strata(self, per_cell: Array) -> Array:
        """Sums over the cells of each stratum."""
        return np.bincount(self.stratum, weights=per_cell).astype(np.float64)

    @cached_property
    def latest(self) -> dict[str, Any]:
        """What was worked out last, newest first: groups whose labels did not change since take it from there."""
        return {}
