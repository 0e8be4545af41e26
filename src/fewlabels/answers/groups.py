"""What is certified, or proven, of groups that were found."""

from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.certificate import LEAST_OF_EACH

_NOTHING = 1e-12  # of a logarithm: rounding


@dataclass(frozen=True, slots=True)
class Certified:
    """What a certificate of the groups named says beside their probability, which allows for many exceptions."""

    few: float  # the same probability where few groups may be exceptions: what near-ties are judged by
    open: tuple[str, ...]  # groups of which it is still open whether they should be named, the most open first
    short: tuple[str, ...]  # groups with too few labels for a claim that speaks of them
    missing: int  # labels that these lack
    floor: int = LEAST_OF_EACH  # the labels that every group needs, spread over its scores, or all there are
    many: float | None = None  # how sure, of the groups that would be confirmed; None where these are the ones named


@dataclass(frozen=True, slots=True)
class GroupProof:
    """The evidence that each group named is at most the margin above each other group. At any look it is wrong with at
    most the chance that the level leaves."""

    named: tuple[str, ...]
    others: tuple[str, ...]
    log_won: Array  # (n_named, n_others) the logarithm of the most at any draw

    def enough(self, level: float) -> float:
        """The logarithm of what a proof takes."""
        return float(np.log(len(self.named) / (1 - level)))

    def shown(self, level: float) -> bool:
        """Whether the groups named are proven to be the right ones, within the margin."""
        return bool((self.log_won >= self.enough(level) - _NOTHING).all())

    def open(self, level: float) -> tuple[str, ...]:
        """Groups that are not ruled out, the least settled first."""
        least = self.log_won.min(axis=0)
        return tuple(
            self.others[g] for g in np.argsort(least, kind="stable") if least[g] < self.enough(level) - _NOTHING
        )
