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

FEW = 0.1  # the chance before any label that few positives are missed
EVEN = 0.5  # the same chance in what the interval is made of, which is to hold where few are missed
MISSED = 0.25  # where few are missed, their number over that of the items predicted positive


@dataclass(frozen=True)
class FewMissed(BetaBelief):
    """Jeffreys' posterior of each cell, Beta(x + ½, n - x + ½). Cells that are not predicted positive have a second
    form, Beta(x + ½, n - x + `few`), in which few items are positive. The labels decide what each form weighs, by
    Bayes' rule. The interval holds that of both forms with even odds beforehand, and that of the value. The
    value lies midway between the mean of the figure and the figure of the mean shares. The first is too high where few
    of many positives are found, the second too low where none is missed so far.

    Jeffreys' form alone expects half a positive for every n + 1 items of such a cell while none was found. A model of a
    rare class misses fewer. The second form alone would be too sure.
    """

    midway: ClassVar[bool] = True

    few: Array | None = None  # pseudo-counts of misses, (n_cells,); nan where there is one form only
    believed_only: bool = False  # as the value has it, and nothing added for show

    @cached_property
    def widened(self) -> bool:
        return not self.believed_only and self.few is not None

    @cached_property
    def held(self) -> "FewMissed | None":
        return replace(self, believed_only=True) if self.widened else None

    def chance_of_few(self, before: float) -> Array:
        """How likely the second form is after the labels, by Bayes' rule; 0 where there is none."""
        one = betaln(self.alpha, self.beta) - betaln(self.prior_alpha, self.prior_beta)
        prior = np.nan_to_num(self._few, nan=1.0)
        two = betaln(self.alpha, prior + self.misses) - betaln(self.prior_alpha, prior)
        odds = before / (1 - before) * np.exp(two - one)
        return np.where(np.isnan(self._few), 0.0, odds / (1 + odds))

    @cached_property
    def pool_mean(self) -> Array:
        """Of both forms together."""
        prior, chance = np.nan_to_num(self._few, nan=1.0), self.chance_of_few(FEW)
        one, two = self.alpha / (self.alpha + self.beta), self.alpha / (self.alpha + prior + self.misses)
        return np.asarray((self.hits + self.unlabelled * ((1 - chance) * one + chance * two)) / self.size)

    def draws(
        self,
        count: int,
        generator: Callable[[int], np.random.Generator],
        *,
        pool: bool,
        kept: Columns | None = None,  # noqa: ARG002 - none are: of each cell there are two forms
    ) -> Array:
        prior = np.where(np.isnan(self._few), self.prior_beta, self._few)
        forms = (
            BetaBelief(self.prior_alpha, beta, self.hits, self.misses, self.size, self.floor)
            for beta in (self.prior_beta, prior)
        )
        one, two = (form.draws(count, generator, pool=pool) for form in forms)
        chance = self.chance_of_few(FEW if self.believed_only else EVEN)
        for cell in np.flatnonzero(chance > 0).tolist():
            chosen = generator(len(self.size) + cell).uniform(size=count) < chance[cell]
            one[chosen, cell] = two[chosen, cell]
        return one

    @property
    def _few(self) -> Array:
        return np.full(len(self.size), np.nan) if self.few is None else self.few
