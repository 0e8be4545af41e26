"""The F-scores of several models from one set of labels: how far each is from the best of them.

All are read off the same totals by differences (core/difference.py), so that they err together: what a label moves in
one score it moves in the others, by the slope of each. Whatever moves all alike leaves open which is best.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.core.difference import Differences
from fewlabels.core.hiding import NOTHING, Below
from fewlabels.core.importance import FSample
from fewlabels.core.pair_difference import PairDifferences
from fewlabels.core.searched import searched_of


@dataclass(frozen=True)
class ScoresOfModels:
    """F-scores of the same labels, cells and draws, one sample a model."""

    samples: tuple[FSample, ...]
    below: Below = NOTHING  # what labels say of the items below those searched
    assumed: float = 0.0  # at most this share of the positives is among them; 0: as many as scores expect

    @classmethod
    def of_all(cls, samples: Sequence[FSample], assumed: float) -> "ScoresOfModels":
        """Of all items, where positives may be among those that were not searched."""
        if samples[0].complete or assumed <= 0 or samples[0].alpha == 1:
            return cls(tuple(samples))
        below = searched_of(samples[0]).below
        return cls(tuple(searched_of(sample).sample for sample in samples), below, assumed)

    @cached_property
    def each(self) -> tuple[Differences, ...]:
        return tuple(Differences(sample) for sample in self.samples)

    @property
    def known(self) -> bool:
        """Whether there is anything to go by."""
        return len(self.samples[0].cell) > 0 and all(of.counted > 0 for of in self.each)

    @cached_property
    def value(self) -> Array:
        """(n_models,)"""
        hidden = self.below.likely(self._positives, self.assumed) if self.assumed > 0 else 0.0
        return np.asarray(np.array([of.value for of in self.each]) * self._factors(np.array([hidden]))[0])

    @property
    def _positives(self) -> float:
        """Estimated among the items searched."""
        return self.each[0].found + self.each[0].missed

    def _factors(self, hidden: Array) -> Array:
        """(n, n_models): what each score is multiplied by, where so many positives are below."""
        counted, alpha = np.array([of.counted for of in self.each]), self.samples[0].alpha
        return np.asarray(counted / np.maximum(counted + (1 - alpha) * hidden[:, None], 1e-300))

    def pair(self, one: int, other: int) -> PairDifferences:
        """Two of them by themselves."""
        return PairDifferences(self.each[one], self.each[other])

    @cached_property
    def covariance(self) -> Array:
        """(n_models, n_models) of the errors: of the draws, by what residuals show and what calibrated scores expect in
        equal parts, and half a positive that nobody has seen of each kind of items, those on which the same models say
        that they are of the class; but for what all models say it of."""
        first, slopes = self.each[0], np.array([of.slope for of in self.each])
        spread, cell = first.spread_of(np.ones(slopes.shape[1])), self.samples[0].cell
        found = (slopes[:, cell] * (spread.seen + spread.expected) / 2) @ slopes[:, cell].T
        said = self.samples[0].said > 0
        for kind in np.unique(said[:, ~said.all(axis=0)], axis=1).T:
            cells = (said == kind[:, None]).all(axis=0)
            slope = slopes[:, cells][:, 0]  # the same for all of them
            found = found + np.outer(slope, slope) * first.unseen(cells)
        return np.asarray(found)

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of the closest race: of the two with the highest scores."""
        first, second = np.argsort(-self.value, kind="stable")[:2].tolist()
        return self.pair(first, second).spread.freedom

    def draws(self, count: int, rng: np.random.Generator, *, counts: float = 1.0) -> Array:
        """Draws of the scores, (count, n_models): of Student's distribution, with positives out of reach: as many as is
        assumed and labelled, or else none or some, about as many as scores expect there. `counts` is what a label
        counts: half, for a sceptic."""
        values, vectors = np.linalg.eigh(self.covariance / counts)
        normal = rng.standard_normal((count, len(values))) @ (vectors * np.sqrt(np.maximum(values, 0.0))).T
        if np.isfinite(self.freedom):
            normal /= np.sqrt(rng.chisquare(self.freedom, count) / self.freedom)[:, None]
        if self.assumed > 0:
            found = np.array([of.value for of in self.each])
            share, weight = self.below.posterior(self._positives, self.assumed)
            hidden = rng.choice(share, count, p=weight)
            return np.asarray(np.clip(found + normal, 0.0, 1.0) * self._factors(hidden))
        beyond = np.abs(rng.standard_normal(count))[:, None] * self._beyond
        return np.asarray(np.clip(self.value + normal + beyond, 0.0, 1.0))

    @property
    def _beyond(self) -> Array:
        """How far the positives out of reach would move each score."""
        first = self.each[0]
        if first.in_reach.all():
            return np.zeros(len(self.each))
        out = int(np.flatnonzero(~first.in_reach)[0])  # no model predicts any of them
        return np.array([of.slope[out] * min(of.expected_beyond, of.counted) for of in self.each])


def in_parts(samples: list[FSample], models: int) -> list[list[FSample]]:
    """Of so many models each: the samples of all items first, then of each part."""
    return [samples[start:end] for start, end in pairwise(range(0, len(samples) + 1, models))]
