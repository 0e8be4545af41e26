"""What a belief that cells share says of labels to come: what strategies/gain.py looks at."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import LearningBelief
from fewlabels.core.evidence import Labels
from fewlabels.core.few_labels import FLOOR, share_of_draws
from fewlabels.core.groups import of_a_column
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.outcomes import Correct
from fewlabels.questions import Estimate
from fewlabels.strategies import Contest

if TYPE_CHECKING:
    from fewlabels.assessment import Assessment


@dataclass(frozen=True)
class Learnt:
    """What a belief that cells share says of labels to come; nothing is computed that nobody looks at."""

    assessment: "Assessment"
    labels: Labels
    pending: Array
    keyed: Keyed

    @cached_property
    def _belief(self) -> LearningBelief:
        made = self.assessment
        outcome = made.outcome if made.outcome.rates else Correct()
        return made.learning.after(self.labels.counts(outcome, made.cells.count)).expecting(self.pending)

    @cached_property
    def _contested(self) -> Array | None:
        return self.assessment.contested(self._belief, self.keyed.generator(Use.GAIN))

    @cached_property
    def gain(self) -> Array:
        """What a label of one item of each arm is worth, arms being cells."""
        return self._belief.gain(self.assessment.aims(self._contested))[self._cells]

    @property
    def likeliest(self) -> Array:
        """How often items of each arm are hits."""
        return self._belief.likeliest[self._cells]

    @cached_property
    def contest(self) -> Contest | None:
        """How groups share the labels, where some are to be found."""
        if self._contested is None:
            return None
        return Contest(self.assessment.lens.rows.partition.index[self._cells], self._contested)

    def short(self, taken: Ints) -> Array | None:
        """Of each arm, the share of draws that an item of it gets because its group is short of labels: groups alike,
        and items inside of a group. None where no group is short of labels, or no column is asked about."""
        made = self.assessment
        groups, cells = made.view.groups, made.cells
        if not (isinstance(made.question, Estimate) and of_a_column(made.view.by)):
            return None
        outcome = made.outcome if made.outcome.rates else Correct()
        own = groups.sums(self.labels.counts(outcome, cells.count).sum(axis=1) + self.pending)
        left = groups.sums((cells.size - taken).astype(np.float64))
        lacking = (own < FLOOR) & (left > 0)
        if not lacking.any():
            return None
        each = share_of_draws(groups.count) / int(lacking.sum())
        return np.where(lacking, each / np.maximum(left, 1), 0.0)[groups.index[self._cells]]

    @cached_property
    def _cells(self) -> Ints:
        """The cell that each arm is."""
        return np.argsort(self.assessment.arms.index)
