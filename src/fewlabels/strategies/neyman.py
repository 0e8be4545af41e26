"""Neyman's allocation, one label at a time: for models that only say yes or no."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fewlabels.core.keyed import Keyed
from fewlabels.core.round import Round
from fewlabels.errors import QuestionError
from fewlabels.strategies.base import State, Strategy, best


@dataclass(frozen=True)
class Neyman(Strategy):
    """The arm whose next label is expected to lower the variance of the figure most. Where Beta posteriors start at
    half a label a side, N |d figure / d N p| √(p (1 - p)) / (n + 2) is largest there, p = (x + ½) / (n + 1). Labels
    follow Neyman's allocation [Neyman 1934] as soon as p is known.

    The first labels go to all arms alike, `first` in all. Later, no arm that matters has less than its part of the
    share `least`: an arm in which nothing was found so far is looked at again.
    """

    first: int = 10
    least: float = 0.2

    name: ClassVar[str] = "neyman"
    reason: ClassVar[str] = (
        "labels go to what is predicted and to the rest by how many items are there, how open their labels are, and "
        "how far they move the figure"
    )
    estimator: ClassVar[str | None] = "two_strata"

    def __post_init__(self) -> None:
        if not (isinstance(self.first, int) and self.first >= 0 and 0 <= self.least < 1):
            raise QuestionError(
                f"first is a number of labels from 0 on, least a share below 1; got first={self.first!r}, "
                f"least={self.least!r}."
            )

    def choose(self, state: State, keyed: Keyed) -> Round:  # noqa: ARG002 - items are drawn by chance, arms are not
        worth, labels = state.objective.mean(), state.told.labels
        matters = worth > 0
        part = max(self.first, self.least * math.fsum(labels)) / max(int(matters.sum()), 1)
        behind = np.where(matters, np.maximum(part - labels, 0.0), 0.0)
        above = float(np.max(worth, initial=0.0))
        return Round(best(np.where(behind > 0, above + behind, worth), state.remaining, state.plays))
