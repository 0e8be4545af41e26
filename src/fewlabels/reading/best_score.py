"""Which of several models has the best F-score of one class: off labels drawn to tell those in front apart."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from fewlabels.answers import Finding
from fewlabels.between_scores import BetweenScores
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.importance import FSample
from fewlabels.core.scores_of_models import ScoresOfModels
from fewlabels.estimators import Contrast
from fewlabels.reading.best_of import DRAWS, BestOfReading
from fewlabels.reading.contrast import check_drawn_for_scores
from fewlabels.reading.hiding import assumption, beside_apart


@dataclass(frozen=True)
class BestScoreReading(BestOfReading):
    """Everything an answer about the model of the highest F-score needs. No model is dropped: labels are drawn less for
    those far behind, and their chances are known all the same."""

    def check(self) -> None:
        check_drawn_for_scores(self.assessment, self.evidence)
        super().check()

    @cached_property
    def models(self) -> BetweenScores:
        return cast(BetweenScores, self.assessment.scores)

    @cached_property
    def samples(self) -> list[FSample]:
        """Of each model."""
        return self.assessment.f_samples(self.evidence)

    @cached_property
    def scores(self) -> ScoresOfModels:
        return ScoresOfModels.of_all(self.samples, self.assessment.assumed)

    @cached_property
    def dropped(self) -> Ints:
        return np.zeros(len(self.names), dtype=np.int64)

    @cached_property
    def differ(self) -> Bools:
        return self.models.differ

    @property
    def labels(self) -> int:
        sample = self.samples[0]
        return int(sample.can_count[sample.cell].sum())

    @property
    def all_labelled(self) -> bool:
        return self.samples[0].complete

    def _drawn(self, counts: float) -> Array:
        """All alike where nothing is known, and the scores themselves where all is."""
        if self.all_labelled:
            return np.broadcast_to(np.nan_to_num(self.scores.value), (DRAWS, len(self.names)))
        if not self.scores.known:
            return self.generator().random((DRAWS, len(self.names)))
        return self.scores.draws(DRAWS, self.generator(), counts=counts)

    def _behind(self, model: int, other: int) -> float:
        return float(self.scores.value[other] - self.scores.value[model])

    def _finding(self, model: int) -> Finding:
        sample, by = self.samples[0], cast(Contrast, self.assessment.estimator)
        value, low, high, apart = 0.0, 0.0, 0.0, None
        same = (self.models.predicted[model] == self.models.predicted[self.best]).all()
        if not same:
            pair = [self.samples[model], self.samples[self.best]]
            apart = by.read(pair, pool=True, assumed=self.assessment.assumed)
            value, (low, high) = apart.value, apart.interval(self.level)
        found = Finding(
            value=value,
            low=low,
            high=high,
            level=self.level,
            method=by.in_words(),
            target="pool",
            labels=0 if same else self.labels,  # what says the same is no further by any label
            prior_share=0.0,
            group=self.names[model],
            unit="points",
            left=0 if same else int(sample.size[sample.can_count].sum()) - self.labels,
        )
        return found if apart is None else beside_apart(found, apart)

    @property
    def notes(self) -> tuple[str, ...]:
        assumes = assumption(self.models.metric.positive, self.findings[1:], figures=False)
        return () if assumes is None else (assumes,)

    @property
    def certain(self) -> bool:
        """By what is labelled alone: ratios of sums are not bet on."""
        return self.all_labelled or not self.models.differ.any()

    @property
    def every_look(self) -> str:
        if not self.samples[0].positive.any():
            return f"No item labelled so far is {self.models.metric.positive!r}, so this says little."
        return "All this is for one look; no model is dropped."
