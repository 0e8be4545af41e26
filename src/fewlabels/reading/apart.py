"""How far two models are apart in what is no mean over items: for one look, by an interval and the chances of it."""

import math
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from fewlabels.answers import Proof, Verdict, regions_of, verdict_of
from fewlabels.core.arrays import Array
from fewlabels.estimators import Apart
from fewlabels.model_questions import CompareModels
from fewlabels.reading.two_models import TwoModels


@dataclass(frozen=True)
class ApartReading(TwoModels):
    """Of each group asked for, and last of all items; nothing is proved at every look."""

    per_item: ClassVar[Array | None] = None  # nobody forecasts these
    higher_is_better: ClassVar[bool] = True

    @cached_property
    @abstractmethod
    def apart(self) -> list[Apart]:
        """How far, in each of these."""

    @abstractmethod
    def _differ(self, row: int) -> int:
        """Items on which the models do not say the same."""

    def _alike(self, row: int) -> bool:
        """Whether no label can set them apart."""
        return self._differ(row) == 0

    def _more(self, row: int) -> dict[str, Any]:  # noqa: ARG002 - nothing, unless a reading says so
        """What else is shown of each."""
        return {}

    @property
    def proofs(self) -> tuple[Proof | None, ...]:
        """Ratios of sums, and sums of absolute gaps, are not bet on."""
        return (None,) * len(self.names)

    @property
    def items(self) -> int:
        """Of the pool."""
        return int(self.assessment.cells.size.sum())

    @property
    def differ(self) -> int:
        return self._differ(-1)

    def regions(self, row: int) -> tuple[float, float, float]:
        """The probabilities that a is lower by more than the rope, about the same, higher."""
        rope, apart = cast(CompareModels, self.assessment.question).rope, self.apart[row]
        if self._alike(row):
            return 0.0, 1.0, 0.0
        low, high = apart.below(-rope), apart.below(math.nextafter(rope, 2.0))
        own = (low, max(high - low, 0.0), 1 - high)
        less, equal, more = np.min([own, *(other.regions(row) for other in self.supposed)], axis=0).tolist()
        return less, equal, more

    @property
    def extra(self) -> tuple[dict[str, Any], ...]:
        """Of each finding: the probability of each region, the items that count, and the verdict, all of which hold
        together."""
        found, each = [], 1 - (1 - self.level) / len(self.findings)
        for row in range(len(self.findings)):
            chances = dict(zip(("p_less", "p_equal", "p_more"), self.regions(row), strict=True))
            told = {"differ": self._differ(row), "verdict": self._verdict(row, each)}
            found.append({**chances, **told, **self._more(row)})
        return tuple(found)

    @property
    def at_one_look(self) -> Verdict:
        """By the interval, for one look."""
        return self._verdict(-1, self.level)

    def _verdict(self, row: int, level: float) -> Verdict:
        rope = cast(CompareModels, self.assessment.question).rope
        ends = [one.apart[row].interval(level) for one in (self, *self.supposed)]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        if self._alike(row):
            low = high = 0.0
        elif math.isnan(self.apart[row].value):
            return "open"
        return verdict_of(regions_of(low, high, rope), higher_is_better=self.higher_is_better)
