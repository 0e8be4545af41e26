"""Parts that nobody here knows: one class each, as somebody outside would write them. Nothing in them is broken."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fewlabels.answers import Answer, Progress
from fewlabels.core.arrays import Array
from fewlabels.core.belief import Belief, OwnBelief
from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.evidence import NO_EVIDENCE, Evidence
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.outcomes import Outcome, Positive
from fewlabels.estimators import OwnCells
from fewlabels.metrics import Metric
from fewlabels.stopping import Stopping
from fewlabels.strategies import Round, State, Strategy


@dataclass(frozen=True)
class Prevalence(Metric):
    """The share of items that are of one class, whatever is predicted."""

    positive: str

    name: ClassVar[str] = "prevalence"
    linear: ClassVar[bool] = True
    scale: ClassVar[float | None] = 1.0

    @property
    def of_class(self) -> str | None:
        return self.positive

    def outcome(self, classes: tuple[str, ...]) -> Outcome:
        return Positive(classes.index(self.positive))

    def values(self, theta: Array, view: View) -> Array:
        return view.to_groups(view.to_units(theta))


@dataclass(frozen=True)
class ErrorRate(Metric):
    """How often predictions are wrong."""

    name: ClassVar[str] = "error_rate"
    linear: ClassVar[bool] = True
    scale: ClassVar[float | None] = -1.0

    def shift(self, view: View) -> Array:
        return np.ones(view.groups.count)

    def values(self, theta: Array, view: View) -> Array:
        return 1 - view.to_groups(view.to_units(theta))


class Laplace(OwnCells):
    """One imagined hit and one imagined miss a unit."""

    name: ClassVar[str] = "laplace"

    def fit(self, evidence: Evidence, view: View, outcome: Outcome, prior: Any, strength: float | None) -> OwnBelief:  # noqa: ARG002
        hits, misses = np.ascontiguousarray(evidence.counts(outcome, view.cells.count).T)
        return BetaBelief(view.cell_share, view.cell_share, hits, misses, view.cells.size)

    def method(self, belief: Belief, prior: Any) -> str:  # noqa: ARG002
        return "rule of succession"


@dataclass(frozen=True)
class RootSize(Strategy):
    """Cells with probabilities in proportion to a power of how many items they have left."""

    power: float = 0.5

    name: ClassVar[str] = "root_size"
    reason: ClassVar[str] = "cells in proportion to the root of their size"
    of_cells: ClassVar[bool] = True

    def choose(self, state: State, keyed: Keyed) -> Round:
        return self.drawn(state.remaining, keyed.uniform(Use.ARM_PICK))

    def drawn(self, remaining: Any, uniform: float) -> Round:
        q = np.where(remaining > 0, remaining**self.power, 0.0)
        upto = np.cumsum(q / q.sum())
        cell = int(np.searchsorted(upto, uniform * upto[-1], side="right"))
        return Round((cell,), (float(q[cell] / q.sum()),))


@dataclass(frozen=True)
class Labels(Stopping):
    """Enough when there are so many labels, and some in each group."""

    goal: int

    name: ClassVar[str] = "labels"

    @property
    def reads(self) -> Any:
        return "groups"

    def progress(self, answer: Answer, remaining: int, evidence: Evidence = NO_EVIDENCE) -> Progress:
        left = max(self.goal - evidence.count, 0)
        done = left == 0 and all(finding.labels for finding in answer.findings)
        return Progress(done, f"{evidence.count} of {self.goal} labels.", min(left, remaining))

    def describe(self) -> str:
        return f"{self.goal} labels"
