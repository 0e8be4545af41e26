"""What an estimator of one F-score is: it reads labelled items with the draws that found them."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from scipy.special import stdtrit

from fewlabels.core.bands import one_by_one
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import Grouping, ScoreStrata
from fewlabels.core.importance import FSample
from fewlabels.errors import QuestionError
from fewlabels.estimators.base import Estimator

if TYPE_CHECKING:
    from fewlabels.estimators.f_of_all import OfAll


@dataclass(frozen=True)
class FEstimate:
    """An F-score and what is known of its error. Undefined (nan) where nothing labelled counts."""

    value: float
    variance: float  # of the estimate, as its method predicts it
    cautious: float  # a variance to make intervals of, never below what so few labels can tell
    counted: float  # sum of v over the pool: items that count in the score
    finite: float = 0.0  # the further variance of the pool's own score, as that of the population
    complete: bool = False  # every item that can count is labelled
    score_interval: bool = True  # Wilson's; else the normal one
    freedom: float = math.inf  # degrees of freedom of Student's quantile; infinite for the normal one
    below: float = 0.0  # further variance of the lower end alone: of misses that may lie out of reach
    faultless: bool = False  # nothing labelled speaks against a score of one, which the interval then holds
    least: float = 1.0  # items that the interval holds at least on either side, while any is unlabelled

    def interval(self, level: float, *, pool: bool) -> tuple[float, float]:
        """Ends of the interval, for the pool or the population; never narrower than an item while any is unlabelled."""
        if math.isnan(self.value):
            return 0.0, 1.0
        if self.complete and pool:
            return self.value, self.value
        variance = (0.0 if self.complete else self.cautious) + (0.0 if pool else self.finite)
        z = -float(stdtrit(self.freedom, (1 - level) / 2))
        high = self._ends(variance, z)[1]
        low = self._ends(variance + (0.0 if self.complete else self.below), z)[0]
        item = self.least / max(self.counted, 1.0)
        return max(0.0, min(low, self.value - item)), 1.0 if self.faultless else min(1.0, max(high, self.value + item))

    def _ends(self, variance: float, z: float) -> tuple[float, float]:
        if not self.score_interval:
            return self.value - z * math.sqrt(variance), self.value + z * math.sqrt(variance)
        # Wilson's interval for the sample size a plain proportion of this variance would have had.
        g = self.value
        unit = max(g * (1 - g), UNIT_FLOOR)
        share = z * z * variance / unit  # z²/n
        middle = (g + share / 2) / (1 + share)
        half = math.sqrt(share * (g * (1 - g) + share / 4)) / (1 + share)
        return middle - half, middle + half


UNIT_FLOOR = 0.02 * 0.98  # g (1 - g) is not taken to be smaller when a variance becomes a sample size


class FEstimator(Estimator):
    """Reads an F-score off the draws that found its labels."""

    reads_draws: ClassVar[bool] = True
    strategy: ClassVar[str | None] = "acis"
    allows_for_misses: ClassVar[bool] = False  # its variance holds misses that nobody has seen yet
    ranks: ClassVar[bool] = False  # it reads average precisions too

    def check(self, evidence: Evidence) -> None:
        check_weighable(self.name, evidence)

    def axes(self, of_class: str | None, by: tuple[Grouping, ...]) -> tuple[Grouping, ...]:  # noqa: ARG002
        return () if of_class is None else (ScoreStrata(of_class),)

    @abstractmethod
    def read(self, sample: FSample) -> FEstimate:
        """The estimate from the labels so far."""

    def of_all_items(self, sample: FSample) -> "OfAll | None":  # noqa: ARG002 - most read what was searched alone
        """The estimate of all items beside that of the items searched; None where its method tells no such two."""
        return None

    def level_of_each(self, samples: Sequence[FSample], level: float) -> float:
        """At which level the intervals of several figures hold all together at this one."""
        return one_by_one(level, len(samples))

    @abstractmethod
    def in_words(self) -> str:
        """The method, for every number it gives."""


def check_weighable(name: str, evidence: Evidence) -> None:
    """Raise where labels were drawn without chances that undo how they were."""
    if blind := sorted(design.word for design in evidence.designs if not design.weighable):
        raise QuestionError(
            f"estimator {name!r} weighs labels by their chances of being drawn, and some of these were drawn "
            f"without known chances ({', '.join(blind)}); leave the estimator out."
        )


def known_already(sample: FSample) -> FEstimate | None:
    """The estimate where no sampling is left in it: every item labelled, or none predicted positive; else None."""
    if sample.complete:
        return exact(sample)
    if sample.predicted.any():
        return None
    found = sample.positive.any() and sample.alpha < 1  # nothing is predicted, so nothing can be right
    return FEstimate(0.0, 0.0, 0.0, float(sample.items)) if found else FEstimate(math.nan, math.nan, 0.25, 0.0)


def exact(sample: FSample) -> FEstimate:
    """The F-score of a pool whose items are all labelled; Eq. 6 of [ACIS21] says what it tells of the population
    (Sec. 4.3.2)."""
    v, right = sample.counts, sample.right
    total = float(v.sum())
    if total == 0:
        return FEstimate(math.nan, math.nan, 0.25, 0.0, complete=True)
    g = min(float(v @ right) / total, 1.0)
    share = v / total
    spread = float((share**2 * (right - g) ** 2).sum())
    correction = 1 - float((share**2).sum())
    finite = max(spread / correction if correction > 0 else 0.25, g * (1 - g) * float((share**2).sum()))
    return FEstimate(g, 0.0, 0.0, total, finite, complete=True)
