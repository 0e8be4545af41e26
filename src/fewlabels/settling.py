"""Groups to be found, as a belief that certifies them leaves them open: what strategies/settle.py looks at."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.belief import CertifyingBelief
from fewlabels.core.certificate import Figures, sure_enough
from fewlabels.core.keyed import Keyed, Use

USUAL_GOAL = 0.95  # where a study has none
AT_ONCE, MOST = 32, 320  # draws of the belief, until two of them name different groups


def in_order(values: Array, unlabelled: Bools | Ints) -> Ints:
    """Groups by their values, lowest first; those without labels last, for only others speak of them, by how far they
    lack some."""
    return np.lexsort((np.where(np.isnan(values), np.inf, values), unlabelled))


def among(order: Ints, top: int) -> Bools:
    """Whether each group is one of the first."""
    out = np.zeros(len(order), dtype=np.bool_)
    out[order[:top]] = True
    return out


@dataclass(frozen=True)
class Contested:
    """The groups of a question, arms being cells in their own order."""

    belief: CertifyingBelief
    figures: Figures
    group: Ints  # of each cell
    order: Ints  # of the groups, those asked for first
    top: int
    within: float
    goal: float | None
    new: Ints  # groups of which nothing was asked so far

    @cached_property
    def missing(self) -> Array:
        """Labels each group lacks before anything may be claimed, where nothing else is missing; else none."""
        if not self.belief.missing.any():
            return self.belief.missing
        found = self.belief.certificate(among(self.order, self.top), self.within, self.figures, pool=True)
        sure = sure_enough(self.goal or USUAL_GOAL, found.many, found.few)
        return found.missing if sure else np.zeros(len(self.order))

    def differing(self, keyed: Keyed) -> Ints:
        """Groups that are among those asked for in one draw of the belief and not in another."""
        groups, first = len(self.order), None
        index = np.arange(AT_ONCE * groups)
        for attempt in range(MOST // AT_ONCE):
            uniforms = keyed.uniforms(Use.ARM_DRAW, index, attempt).reshape(AT_ONCE, groups)
            drawn = self.belief.figures_drawn(uniforms, self.figures)
            lowest = np.argsort(drawn, axis=1, kind="stable")[:, : self.top]
            named = np.zeros(drawn.shape, dtype=np.bool_)
            np.put_along_axis(named, lowest, True, axis=1)
            first = named[0] if first is None else first
            apart = np.flatnonzero((named != first).any(axis=1))
            if len(apart):
                return np.flatnonzero(named[apart[0]] != first)
        return np.zeros(0, dtype=np.int64)

    def lowering(self, group: int) -> tuple[Ints, Array]:
        """The cells of a group, and what a label in each is expected to take off the variance of its figure."""
        return self.belief.lowering(group)
