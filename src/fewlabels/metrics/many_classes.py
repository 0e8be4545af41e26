"""Draws of metrics where cells times classes are so many that drawing and holding every share takes minutes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.atoms import Atoms, atom_draws, sticks_needed
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.groups import PredictedClass
from fewlabels.core.intervals import IntervalKind, draws_interval
from fewlabels.core.pooling import PooledClasses
from fewlabels.metrics.accuracy import Accuracy
from fewlabels.metrics.base import Metric
from fewlabels.metrics.class_sums import ClassMetric, sums_of_atoms
from fewlabels.metrics.confusion import Confusion
from fewlabels.metrics.cost import Cost

MANY = 50_000  # shares; with fewer, every one is drawn
WORTH = 3  # atoms are worth their while where classes are so many times more
_BLOCK = 20_000_000  # shares of a confusion matrix held at once


@dataclass(frozen=True)
class ManyClasses:
    """Joint draws of a belief about true classes, made for one metric at a time."""

    belief: DirichletBelief | PooledClasses
    view: View
    count: int  # of draws
    rng: np.random.Generator
    pool: bool  # whether the pool's own items are meant

    def draws(self, metric: Metric) -> Array | None:
        """Draws of the metric's rows, (count, n_rows); None where every share may as well be drawn, or has to be."""
        if self.belief.prior.size <= MANY:
            return None
        if isinstance(metric, Accuracy):
            return metric.values(self._right(), self.view)
        if not self._worth:
            return None
        if isinstance(metric, ClassMetric):
            return metric.of_sums(sums_of_atoms(self._atoms(), self.count, self.view, pool=self.pool))
        return self._costs(metric) if isinstance(metric, Cost) else None

    def intervals(self, metric: Metric, level: float, kind: IntervalKind) -> tuple[Array, Array] | None:
        """Intervals of each pair of classes, some units at a time; None as above, and for other metrics."""
        view, n = self.view, len(self.view.true_classes)
        in_order = bool((np.diff(view.units.index) >= 0).all())
        if not isinstance(metric, Confusion) or self.belief.prior.size <= MANY or not self._worth or not in_order:
            return None
        at_once = max(1, _BLOCK // (self.count * n))
        found = [
            _ends(self._matrix(start, min(start + at_once, view.units.count)), level, kind)
            for start in range(0, view.units.count, at_once)
        ]
        return np.concatenate([low for low, _ in found]), np.concatenate([high for _, high in found])

    @cached_property
    def _parameters(self) -> tuple[Array, Array]:
        return self.belief.drawn_from

    @cached_property
    def _worth(self) -> bool:
        return WORTH * sticks_needed(self._parameters[0]) <= len(self.view.true_classes)

    @cached_property
    def _shared(self) -> Array | None:
        """Draws of how often each cell's prediction is right, where cells learn that from one another."""
        return self.belief.right_draws(self.count, self.rng)

    def _atoms(self, within: slice = slice(None)) -> Iterator[Atoms]:
        """Draws of the belief's class shares; for a pool, of the shares over its own items."""
        belief, right = self.belief, self._shared
        for atoms in atom_draws(*self._parameters, self.count, self.rng, within):
            part, made = atoms.cells, atoms
            if right is not None:
                made = atoms.beside(self._predicted[part], right[:, part])
            yield made.of_items(belief.counts[part], belief.size[part], self.rng) if self.pool else made

    def _right(self) -> Array:
        """The share of the predicted class in each cell, (count, n_cells): of a Dirichlet, one class has a Beta."""
        belief, own = self.belief, (np.arange(self.view.cells.count), self._predicted)
        if (shared := belief.right_draws(self.count, self.rng, pool=self.pool)) is not None:
            return shared
        prior, counts = belief.drawn_from
        alpha = prior + counts
        theta = self.rng.beta(alpha[own], alpha.sum(axis=1) - alpha[own], size=(self.count, len(belief.size)))
        if not self.pool:
            return theta
        rest = belief.unlabelled.astype(np.int64)
        return np.asarray((counts[own] + self.rng.binomial(rest, theta)) / belief.size)

    @property
    def _predicted(self) -> Ints:
        return self.view.cells.coordinates[:, self.view.cells.axis(PredictedClass())]

    def _costs(self, metric: Cost) -> Array:
        """Draws of the cost, (n_draws, n_rows)."""
        view = self.view
        cost = metric.per_unit(view)[view.units.index]
        per_cell = [
            (a.weight * cost[np.arange(a.cells.start, a.cells.stop)[:, None], a.classes]).sum(axis=-1)
            for a in self._atoms()
        ]
        return view.to_groups(view.to_units(np.concatenate(per_cell, axis=1)))

    def _matrix(self, first: int, end: int) -> Array:
        """Draws of the class shares of some units, (count, n_pairs)."""
        units, n = self.view.units, len(self.view.true_classes)
        out = np.zeros(self.count * (end - first) * n)
        draw = np.arange(self.count)[:, None, None] * (end - first) * n
        cells = slice(*np.searchsorted(units.index, [first, end]).tolist())
        for atoms in self._atoms(cells):
            unit = (units.index[atoms.cells] - first)[:, None] * n
            np.add.at(out, draw + unit + atoms.classes, atoms.weight * self.view.cell_share[atoms.cells, None])
        return out.reshape(self.count, -1)


def _ends(draws: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """Intervals of each column of draws; most pairs of many classes are 0 in nearly all of them."""
    low, high = np.zeros((2, draws.shape[1]))
    seen = (draws > 0).sum(axis=0) > (1 - level) / 2 * len(draws) - 2
    if seen.any():
        low[seen], high[seen] = draws_interval(draws[:, seen], level, kind)
    return low, high
