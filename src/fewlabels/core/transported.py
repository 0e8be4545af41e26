"""What is believed of one pool's cells, carried over to another pool of which no item is labelled.

The rates of cells are taken to be what they were, and only how many items each has to be another: a sum over the strata
of one population, with the sizes of another (post-stratification, or direct standardisation). The items of the other
pool are then right or wrong by these rates, each by itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief, Columns
from fewlabels.core.keyed import Keyed, Use

_NOISE = 11  # the attempt of a key that nothing else uses


@dataclass(frozen=True)
class TransportedRates(Belief):
    """Of each cell of another pool what is believed of the same cell here."""

    rates: ClassVar[bool] = True
    own: Belief
    cell: Ints  # (n_cells,) which of the cells here it is
    size: Ints  # (n_cells,) items of the other pool
    items: bool  # of these very items; else of where they came from

    @property
    def shared(self) -> bool:  # type: ignore[override]  # as it is here
        return self.own.shared

    @property
    def medians(self) -> bool:  # type: ignore[override]
        return self.own.medians

    @property
    def plain(self) -> Array | None:  # type: ignore[override]
        return None if self.own.plain is None else self.own.plain[self.cell]

    @property
    def prior_strength(self) -> Array:
        return self.own.prior_strength[self.cell]

    @property
    def mean(self) -> Array:
        return self.own.mean[self.cell]

    @property
    def likeliest(self) -> Array:
        return self.own.likeliest[self.cell]

    @property
    def pool_mean(self) -> Array:
        return self.mean

    @cached_property
    def tally(self) -> Array:
        return self.own.tally[self.cell]

    @property
    def most_draws(self) -> int:
        return self.own.most_draws

    @cached_property
    def unlabelled(self) -> Array:
        """All of them."""
        return self.size.astype(np.float64)

    @cached_property
    def own_share(self) -> Array:
        return self.own.own_share[self.cell]

    @property
    def prior_share(self) -> Array:
        return self.own.prior_share[self.cell]

    @cached_property
    def widened(self) -> bool:
        return self.own.widened

    @cached_property
    def held(self) -> "TransportedRates | None":
        held = self.own.held
        return None if held is None else TransportedRates(held, self.cell, self.size, self.items)

    @cached_property
    def worth(self) -> float:
        """Labels count by what their cells weigh there: where few labels speak for many items, all are worth less
        [Kish 1965]."""
        seen = self.labels > 0
        weight = self.size[seen] / self.size.sum()
        return 0.0 if not seen.any() else float(weight.sum() ** 2 / (weight**2 / self.labels[seen]).sum())

    def joint(self, count: int, keyed: Keyed, *, pool: bool, kept: Columns | None = None) -> Iterator[Array]:  # noqa: ARG002
        for number, draws in enumerate(self.own.joint(count, keyed, pool=False)):
            theta = np.clip(draws[:, self.cell], 0.0, 1.0)
            if self.items:
                theta = keyed.generator(Use.ANSWER, _NOISE + number).binomial(self.size, theta) / self.size
            yield theta
