"""Is one model better calibrated than another on the same items: the difference of their errors, and the sentence."""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, cast

import numpy as np
from scipy.special import ndtri

from fewlabels.answers import Finding, count_of
from fewlabels.assessment import Assessment
from fewlabels.auto import CALIBRATIONS, LEARNT
from fewlabels.between_calibrations import BetweenCalibrations
from fewlabels.core.arrays import Array
from fewlabels.core.remembered import Remembered
from fewlabels.errors import QuestionError
from fewlabels.estimators import Apart, EachModel
from fewlabels.estimators.contrast import HALF_AN_ITEM
from fewlabels.metrics.calibration_error import CalibrationError
from fewlabels.model_questions import CompareModels
from fewlabels.questions import Estimate
from fewlabels.reading.apart import ApartReading
from fewlabels.reading.cells import CellReading


@dataclass(frozen=True)
class EachModelAsked:
    """What is asked of each of two models by itself, made once for all looks at a study."""

    models: BetweenCalibrations
    alone: tuple[Assessment, ...]

    @classmethod
    def of(cls, assessment: Assessment) -> "EachModelAsked":
        """As the question about both has it."""
        *_, found = _ASKED.get(id(assessment), lambda: (assessment, cls._made(assessment)))
        return found

    @classmethod
    def _made(cls, both: Assessment) -> "EachModelAsked":
        models, question = BetweenCalibrations.of(both.question, both.cells), Estimate(both.metric)
        draws, reads = CALIBRATIONS.strategy, LEARNT.estimator
        settings = replace(both.settings, question=question, until=None, strategy=draws, estimator=reads)
        return cls(models, tuple(Assessment(settings, question, one.cells, both.true_classes) for one in models.each))


_ASKED: Remembered[tuple[Assessment, EachModelAsked]] = Remembered(4)
_MOST = 0.97  # of correlations, to either side


def _influence(read: CellReading) -> Array:
    """(n_labels,) How much each label moves a model's error, from what was expected of it."""
    told, metric = read.evidence, cast(CalibrationError, read.metric)
    off = (told.label == told.predicted) - read.rates.mean(axis=0)[told.cell]
    return np.asarray(metric.pull(read.rates, read.view)[read.view.units.index[told.cell]] * off)


@dataclass(frozen=True)
class CalibrationsReading(ApartReading):
    """Everything an answer about the calibration errors of two models needs."""

    higher_is_better: ClassVar[bool] = False
    fewest: ClassVar[int] = 100  # of fewer, intervals are at times too short for a claim under looks

    def check(self) -> None:
        """Raise where labels were drawn by what does not matter here, or intervals cannot hold as they are to."""
        if self.holds == "every look":
            raise QuestionError(
                "there are no intervals for every look of calibration errors; leave out anytime=True, or compare the "
                "accuracy of the models."
            )
        if not self.evidence.equal_chances:
            raise QuestionError(
                "the labels were drawn for another question, some items more often than others; calibration errors of "
                "two models are read off a uniform sample. Make a study of it, or one with strategy='uniform'."
            )

    @cached_property
    def asked(self) -> EachModelAsked:
        return EachModelAsked.of(self.assessment)

    @property
    def models(self) -> BetweenCalibrations:
        return self.asked.models

    @cached_property
    def _read(self) -> tuple[CellReading, ...]:
        """Each model by itself."""
        each = zip(self.models.each, self.asked.alone, strict=True)
        return tuple(CellReading(asked, one.of(self.evidence), self.level, self.interval) for one, asked in each)

    @property
    def of_each(self) -> tuple[Finding, ...]:
        """The error of each model."""
        return tuple(cast(Finding, read.overall) for read in self._read)

    @cached_property
    def opposed(self) -> float:
        """How far their errors are off to opposite sides, as a correlation from -1 to 0, a standard error lower than
        labels show. Of two models that are never right together, one is found too good where the other is found too
        bad; so are two that are right together, if one is too sure and the other not sure enough."""
        one, other = (_influence(read) for read in self._read)
        size = math.sqrt(float((one**2).sum() * (other**2).sum()))
        shown = float(one @ other) / size if size > 0 else 0.0
        shown = min(max(shown, -_MOST), _MOST)
        return min(0.0, math.tanh(math.atanh(shown) - 1 / math.sqrt(self.evidence.count)))

    @cached_property
    def apart(self) -> list[Apart]:
        if self.evidence.count == 0:
            return [Apart(math.nan, 1.0, 1.0, math.inf, 1.0)]
        one, other = self.of_each
        z = float(ndtri((1 + self.level) / 2))
        low = self._together(one.value - one.low, other.high - other.value) / z
        high = self._together(one.high - one.value, other.value - other.low) / z
        done = self.left == 0 and self.assessment.settings.target == "pool"
        return [Apart(one.value - other.value, low**2, high**2, math.inf, HALF_AN_ITEM / self.items, complete=done)]

    def _together(self, one: float, other: float) -> float:
        return math.sqrt(one**2 + other**2 - 2 * self.opposed * one * other)

    @property
    def left(self) -> int:
        """Items without a label."""
        return self.items - self.evidence.count

    def _differ(self, row: int) -> int:  # noqa: ARG002 - of all items
        return int(self.assessment.cells.size[self.models.differ].sum())

    def _alike(self, row: int) -> bool:  # noqa: ARG002
        """Whether they say the same of all items, as surely as far as cells tell."""
        one, other = self.models.each
        same = np.array_equal(one.index, other.index) and np.array_equal(one.cells.score_sum, other.cells.score_sum)
        return same and not self.models.differ.any()

    def _finding(self, row: int) -> Finding:
        apart, low, high = self.apart[row], 0.0, 0.0
        value, left = (0.0, 0) if self._alike(row) else (apart.value, self.left)
        if not self._alike(row):
            low, high = apart.interval(self.level)
        prior = max((f.prior_share for f in self.of_each), default=1.0) if self.evidence.count else 1.0
        return Finding(
            value=value,
            low=low,
            high=high,
            level=self.level,
            method=cast(EachModel, self.assessment.estimator).in_words(),
            target=self.assessment.settings.target,
            labels=self.evidence.count,
            prior_share=prior,
            group=self.names[row],
            unit="points",
            left=left,
        )

    @property
    def sentence(self) -> str:
        """Which model is better calibrated, and how surely; and the error of each."""
        question = cast(CompareModels, self.assessment.question)
        a, b, what, items = question.a, question.b, question.metric.title, count_of(self.items, "item")
        if self._alike(-1):
            return (
                f"{a} and {b} say the same of all {items}, as surely: their {what} is the same, and no label is needed."
            )
        if self.evidence.count == 0:
            return self.duel.sentence
        one, other = self.of_each
        return f"{self.duel.sentence} By itself: {a} {one}, {b} {other}. All this is for one look."
