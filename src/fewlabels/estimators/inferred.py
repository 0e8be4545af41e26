"""F-scores whose unlabelled items are inferred from a calibrated score: ISO, PLATT and GMM of [ACIS21]."""

import math
from abc import abstractmethod
from typing import ClassVar

import numpy as np
from scipy.special import expit

from fewlabels.core.arrays import Array
from fewlabels.core.calibration_map import isotonic_map, log_odds, platt_map
from fewlabels.core.importance import FSample
from fewlabels.estimators.f_base import UNIT_FLOOR, FEstimate, FEstimator, known_already

_EM_STEPS = 100


class Inferred(FEstimator):
    """Labelled items count as labelled, the others with the probability a map of their score gives. Nothing in the
    labels tells how wrong that map is: the interval is that of a plain sample as large as the labels that count."""

    name: ClassVar[str]
    words: ClassVar[str]

    @abstractmethod
    def probability(self, sample: FSample) -> Array:
        """Of an item of each cell to be positive."""

    def read(self, sample: FSample) -> FEstimate:
        """The estimate from the labels so far."""
        if (known := known_already(sample)) is not None:
            return known
        if len(sample.cell) == 0:
            return FEstimate(math.nan, math.nan, 0.25, 0.0)
        found = np.bincount(sample.cell, weights=sample.positive, minlength=len(sample.size))
        positive = found + (sample.size - sample.labelled) * self.probability(sample)
        counted = sample.alpha * (sample.size @ sample.predicted) + (1 - sample.alpha) * positive.sum()
        if counted <= 0:
            return FEstimate(math.nan, math.nan, 0.25, 0.0)
        g = min(float(positive @ sample.predicted / counted), 1.0)
        v = sample.counts
        variance = max(g * (1 - g), UNIT_FLOOR) * (float((v**2).sum()) / float(v.sum()) ** 2 if v.any() else 1.0)
        return FEstimate(g, variance, variance, float(counted))

    def in_words(self) -> str:
        return f"unlabelled items inferred from {self.words}, interval as of a plain sample"


class Isotonic(Inferred):
    """ISO: an isotonic map of the score."""

    name: ClassVar[str] = "iso"
    words: ClassVar[str] = "isotonic regression of the labels on the score"

    def probability(self, sample: FSample) -> Array:
        return isotonic_map(sample.score[sample.cell], sample.positive)(sample.score)


class Platt(Inferred):
    """PLATT: a logistic map of the score's log-odds."""

    name: ClassVar[str] = "platt"
    words: ClassVar[str] = "Platt scaling of the score"

    def probability(self, sample: FSample) -> Array:
        return platt_map(sample.score[sample.cell], sample.positive)(sample.score)


class Mixture(Inferred):
    """GMM: two Gaussians over the scores' log-odds, one of positives and one of negatives, fitted to all scores by
    expectation maximisation with the labelled items held to their labels [Miller et al. 2018]."""

    name: ClassVar[str] = "gmm"
    words: ClassVar[str] = "a mixture of two Gaussians over the scores"

    def probability(self, sample: FSample) -> Array:
        x = log_odds(sample.score)
        known = np.bincount(sample.cell, weights=sample.positive, minlength=len(x))
        rest = sample.size - sample.labelled
        guess = sample.predicted.astype(np.float64)
        for _ in range(_EM_STEPS):
            mass = np.stack(
                [sample.labelled - known + rest * (1 - guess), known + rest * guess]
            )  # negatives, positives
            total = mass.sum(axis=1) + 1e-9
            mean = (mass @ x) / total
            spread = np.sqrt((mass * (x - mean[:, None]) ** 2).sum(axis=1) / total + 1e-3)
            log = np.log(total)[:, None] - np.log(spread)[:, None] - 0.5 * ((x - mean[:, None]) / spread[:, None]) ** 2
            new = expit(log[1] - log[0])
            if float(np.abs(new - guess).max()) < 1e-8:
                break
            guess = new
        return guess
