"""Is one model's F-score higher than another's on the same items: the difference, and the sentence."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from fewlabels.answers import Finding, count_of, percent
from fewlabels.assessment import Assessment
from fewlabels.between_scores import BetweenScores
from fewlabels.core.evidence import Evidence
from fewlabels.core.importance import FSample
from fewlabels.core.scores_of_models import in_parts
from fewlabels.errors import QuestionError
from fewlabels.estimators import Apart, Contrast
from fewlabels.model_questions import CompareModels
from fewlabels.reading.apart import ApartReading


def check_drawn_for_scores(assessment: Assessment, evidence: Evidence) -> None:
    """Raise where chances of the labels are not those of these models."""
    own = assessment.settings.question
    if not evidence.equal_chances and not (own.of_models and own.weighable):
        raise QuestionError(
            "the labels were drawn for another question, some items more often than others, and not for what these "
            f"{'two ' if len(assessment.question.models) == 2 else ''}models differ in; make a study of it, or one "
            "with strategy='uniform'."
        )


@dataclass(frozen=True)
class ContrastReading(ApartReading):
    """Everything an answer about the F-scores of two models needs: of each group asked for, and last of all items."""

    def check(self) -> None:
        """Raise where chances of the labels are not those of this pair of models, or intervals cannot hold as they are
        to."""
        if self.holds == "every look":
            raise QuestionError(
                "there are no intervals for every look of F-scores of two models; leave out anytime=True, or compare "
                "their accuracy."
            )
        check_drawn_for_scores(self.assessment, self.evidence)

    @cached_property
    def models(self) -> BetweenScores:
        return cast(BetweenScores, self.assessment.scores)

    @cached_property
    def samples(self) -> list[list[FSample]]:
        """Of both models in each of these."""
        whole, *groups = in_parts(self.assessment.f_samples(self.evidence), 2)
        return [*groups, whole]

    @cached_property
    def apart(self) -> list[Apart]:
        pool, by = self.assessment.settings.target == "pool", cast(Contrast, self.assessment.estimator)
        return [by.read(samples, pool=pool) for samples in self.samples]

    def _differ(self, row: int) -> int:
        return int(self.samples[row][0].size[self.models.differ].sum())

    def _finding(self, row: int) -> Finding:
        sample = self.samples[row][0]
        labels = int(sample.can_count[sample.cell].sum())
        value, (low, high) = self.apart[row].value, self.apart[row].interval(self.level)
        left = int(sample.size[sample.can_count].sum()) - labels
        if self._differ(row) == 0:  # whatever the labels are
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
            group=self.names[row],
            weight=sample.items / self.items,
            unit="points",
            left=left,
        )

    def _more(self, row: int) -> dict[str, Any]:
        return {"positives": self._positives(row)}

    def _positives(self, row: int) -> int:
        return int(self.samples[row][0].positive.sum())

    def counted(self, row: int) -> int:
        """None as long as no item of the class is among them; for recall these alone."""
        found = super().counted(row)
        return min(found, self._positives(row)) if self._of_positives or not self._positives(row) else found

    @property
    def _of_positives(self) -> bool:
        return self.models.metric.counted is not None

    @property
    def sentence(self) -> str:
        """Which model is better, how surely, and where they differ."""
        question = cast(CompareModels, self.assessment.question)
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
        if self.evidence.count and not self._positives(-1):
            return f"Not decided: no {name!r} is labelled yet. {where}."
        return f"{self.duel.sentence} {where}."
