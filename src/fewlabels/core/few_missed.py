"""A belief about the items that a model does not predict: how many of them are positive, when few labels tell."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import betaln

from fewlabels.core.arrays import Array
from fewlabels.core.belief import Columns
from fewlabels.core.beta import BetaBelief

FEW = 0.1  # how likely it is beforehand that few positives are missed
MISSED = 0.25  # and then as many are expected as this share of the items predicted positive


@dataclass(frozen=True)
class FewMissed(BetaBelief):
    """Jeffreys' posterior of each cell, Beta(x + ½, n - x + ½). In cells that are not predicted positive it has a
    second form beside it, Beta(x + ½, n - x + `few`), in which few items are positive; the labels weigh the two by how
    likely they make them. What is shown holds the intervals of Jeffreys' form and of both together; the value lies
    midway between the mean of the figure and the figure of the mean shares, both of both forms. The first is too high
    where few of many positives are found, the second too low where none is missed so far.

    Jeffreys' alone expects half a positive for every n + 1 items of such a cell while none was found, which is more
    than a model of a rare class finds. The second form alone would be too sure.
    """

    midway: ClassVar[bool] = True

    few: Array | None = None  # pseudo-counts of misses, (n_cells,); nan where there is one form only
    together: bool = False  # whether draws are of both forms

    @cached_property
    def widened(self) -> bool:
        return not self.together and self.few is not None

    @cached_property
    def held(self) -> "FewMissed | None":
        return replace(self, together=True) if self.widened else None

    @cached_property
    def chance_of_few(self) -> Array:
        """How likely the second form is after the labels, by Bayes' rule; 0 where there is none."""
        one = betaln(self.alpha, self.beta) - betaln(self.prior_alpha, self.prior_beta)
        prior = np.nan_to_num(self._few, nan=1.0)
        two = betaln(self.alpha, prior + self.misses) - betaln(self.prior_alpha, prior)
        odds = FEW / (1 - FEW) * np.exp(two - one)
        return np.where(np.isnan(self._few), 0.0, odds / (1 + odds))

    @cached_property
    def pool_mean(self) -> Array:  # type: ignore[override]  # a property in the base
        """Of both forms together."""
        prior, chance = np.nan_to_num(self._few, nan=1.0), self.chance_of_few
        one, two = self.alpha / (self.alpha + self.beta), self.alpha / (self.alpha + prior + self.misses)
        return np.asarray((self.hits + self.unlabelled * ((1 - chance) * one + chance * two)) / self.size)

    def draws(
        self, count: int, generator: Callable[[int], np.random.Generator], *, pool: bool, kept: Columns | None = None
    ) -> Array:
        one = super().draws(count, generator, pool=pool, kept=None if self.together else kept)
        if not self.together:
            return one
        prior = np.where(np.isnan(self._few), self.prior_beta, self._few)
        plain = BetaBelief(self.prior_alpha, prior, self.hits, self.misses, self.size, self.floor)
        two = plain.draws(count, generator, pool=pool)
        cells = np.flatnonzero(self.chance_of_few > 0)
        for cell in cells.tolist():
            chosen = generator(len(self.size) + cell).uniform(size=count) < self.chance_of_few[cell]
            one[chosen, cell] = two[chosen, cell]
        return one

    @property
    def _few(self) -> Array:
        return np.full(len(self.size), np.nan) if self.few is None else self.few
