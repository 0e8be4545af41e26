"""Is one model's F-score higher than another's on the same items: the difference, and the sentence."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

from fewlabels.answers import Finding, Holds, Proof, Verdict, count_of, percent, regions_of, verdict_of
from fewlabels.between_scores import BetweenScores
from fewlabels.core.arrays import Array
from fewlabels.core.importance import FSample
from fewlabels.errors import QuestionError
from fewlabels.estimators import Apart, Contrast
from fewlabels.model_questions import CompareModels
from fewlabels.reading.base import Reading
from fewlabels.reading.comparison import sentence


@dataclass(frozen=True)
class ContrastReading(Reading):
    """Everything an answer about the F-scores of two models needs."""

    holds: Holds = "one look"

    shared: ClassVar[bool] = True
    per_item: ClassVar[Array | None] = None  # nobody forecasts these
    higher_is_better: ClassVar[bool] = True
    proofs: ClassVar[tuple[Proof | None, ...]] = (None,)  # ratios of sums are not bet on

    def check(self) -> None:
        """Raise where chances of the labels are not those of this pair of models, or intervals cannot hold as they are
        to."""
        if self.holds == "every look":
            raise QuestionError(
                "there are no intervals for every look of F-scores of two models; leave out anytime=True, or compare "
                "their accuracy."
            )
        own = self.assessment.settings.question
        if not self.evidence.equal_chances and not (own.of_models and own.weighable):
            raise QuestionError(
                "the labels were drawn for another question, some items more often than others, and not for what these "
                "two models differ in; make a study of it, or one with strategy='uniform'."
            )

    @cached_property
    def models(self) -> BetweenScores:
        return cast(BetweenScores, self.assessment.scores)

    @cached_property
    def samples(self) -> list[FSample]:
        return self.assessment.f_samples(self.evidence)

    @cached_property
    def apart(self) -> Apart:
        pool = self.assessment.settings.target == "pool"
        return cast(Contrast, self.assessment.estimator).read(self.samples, pool=pool)

    @property
    def items(self) -> int:
        """Of the pool."""
        return int(self.assessment.cells.size.sum())

    @property
    def differ(self) -> int:
        """Items of which one model says that they are of the class and the other does not."""
        return int(self.assessment.cells.size[self.models.differ].sum())

    @cached_property
    def overall(self) -> Finding:
        sample = self.samples[0]
        labels = int(sample.can_count[sample.cell].sum())
        value, (low, high) = self.apart.value, self.apart.interval(self.level)
        left = int(sample.size[sample.can_count].sum()) - labels
        if self.differ == 0:  # whatever the labels are
            value = low = high = 0.0
            left = 0
        return Finding(
            value=value,
            low=low,
            high=high,
            level=self.level,
            method=cast(Contrast, self.assessment.estimator).in_words(),
            target=self.assessment.settings.target,
            labels=labels,
            prior_share=0.0,
            group="all items",
            unit="points",
            left=left,
        )

    @property
    def findings(self) -> tuple[Finding, ...]:
        return (self.overall,)

    def regions(self, row: int) -> tuple[float, float, float]:  # noqa: ARG002 - there is one
        """The probabilities that a is lower by more than the rope, about the same, higher."""
        rope = cast(CompareModels, self.assessment.question).rope
        if self.differ == 0:
            return 0.0, 1.0, 0.0
        low, high = self.apart.below(-rope), self.apart.below(math.nextafter(rope, 2.0))
        return low, max(high - low, 0.0), 1 - high

    @property
    def extra(self) -> tuple[dict[str, Any], ...]:
        chances = dict(zip(("p_less", "p_equal", "p_more"), self.regions(0), strict=True))
        return ({**chances, "differ": self.differ, "verdict": self.at_one_look, "positives": self._positives},)

    @property
    def at_one_look(self) -> Verdict:
        """By the interval, for one look."""
        found, rope = self.overall, cast(CompareModels, self.assessment.question).rope
        shown = () if math.isnan(found.value) else regions_of(found.low, found.high, rope)
        return verdict_of(shown, higher_is_better=True)

    @property
    def _positives(self) -> int:
        return int(self.samples[0].positive.sum())

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @property
    def sentence(self) -> str:
        """Which model is better, how surely, and where they differ."""
        question, difference = cast(CompareModels, self.assessment.question), self.overall
        a, b, what, name = question.a, question.b, question.metric.title, self.models.metric.positive
        items = count_of(self.items, "item")
        if self.differ == 0:
            return (
                f"{a} and {b} say the same of {name!r} on all {items}: their {what} is the same, whatever the labels "
                "are, and none is needed."
            )
        where = (
            f"One of them says {name!r} and the other does not on {self.differ:,} of {items} "
            f"({percent(self.differ / self.items)})"
        )
        if self.evidence.count == 0:
            return f"{a} and {b} cannot be compared yet: no labels. {where}."
        found = self._positives
        none = f" No item labelled so far is {name!r}, so this says little." if not found else ""
        if math.isnan(difference.value):
            after = count_of(self.evidence.count, "label")
            return f"{a} and {b} cannot be compared after {after}: no item labelled so far is {name!r}. {where}."
        return f"{sentence(question, self.regions(0), difference, difference.labels)} {where}.{none}"
