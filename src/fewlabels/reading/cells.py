"""Reading a belief: findings with intervals for every row of a metric, and overall."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np

from fewlabels.answers import Finding
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief, Columns
from fewlabels.core.beta import LEAST_PSEUDO_COUNT
from fewlabels.core.cells import View
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import IntervalKind, draws_interval, pool_share_intervals, rate_intervals
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.pooling import PooledClasses, PooledRates
from fewlabels.estimators import CellEstimator
from fewlabels.metrics import Marginals, Metric, Rows
from fewlabels.metrics.base import mean_of_defined
from fewlabels.metrics.many_classes import ManyClasses

DRAWS = 10_000
_LEAST_DRAWS = 500


@dataclass(frozen=True)
class Reading:
    """One reading of a belief: everything an answer needs, computed once."""

    assessment: Assessment
    evidence: Evidence
    level: float
    interval: IntervalKind
    borrowed: bool = False  # the labels were drawn adaptively, for another question
    kept: Columns | None = None  # draws of an earlier reading of the same cells, taken where they still hold
    believed: Belief | None = None  # a belief at hand, where nothing is to be fitted
    by: CellEstimator | None = None  # what made that belief; None for the question's own

    @cached_property
    def belief(self) -> Belief:
        """Each cell's own; shared where rows are sums over cells that another question's strategy sampled unevenly."""
        if self.believed is not None:
            return self.believed
        return self.assessment.belief(self.evidence, self.estimator)

    @cached_property
    def estimator(self) -> CellEstimator:
        """What makes the belief."""
        if self.believed is not None:
            return self.by or self.assessment.by_cells
        own, sums = self.assessment.by_cells, not self.assessment.metric.rows(self.view).partition.single
        return own.for_sums or own if self.borrowed and sums else own

    @property
    def pool(self) -> bool:
        return self.assessment.settings.target == "pool"

    @property
    def view(self) -> View:
        return self.assessment.view

    @cached_property
    def keyed(self) -> Keyed:
        return Keyed(self.assessment.settings.seed, 0)

    def draws(self, metric: Metric, view: View) -> Array:
        """Joint draws of the metric's rows; the same draws of the belief whatever the metric."""
        belief = self.belief
        if belief.rates:
            return metric.values(self._rates, view)
        made = self._many(belief, view)
        if (found := made.draws(metric)) is not None:
            return found
        chunks = belief.joint(made.count, self.keyed, pool=self.pool)
        return np.concatenate([metric.values(theta, view) for theta in chunks])

    def _many(self, belief: Belief, view: View) -> ManyClasses:
        about_classes = cast(DirichletBelief | PooledClasses, belief)
        return ManyClasses(about_classes, view, self._count, self.keyed.generator(Use.ANSWER), self.pool)

    @cached_property
    def _rates(self) -> Array:
        """Joint draws of a belief about rates, (n_draws, n_cells), once for the rows and the overall figure."""
        (draws,) = self.belief.joint(self._count, self.keyed, pool=self.pool, kept=self.kept)
        return draws

    @property
    def _count(self) -> int:
        """How many draws."""
        return int(np.clip(self.belief.most_draws, _LEAST_DRAWS, DRAWS))

    @cached_property
    def row_draws(self) -> Array:
        return self.draws(self.assessment.metric, self.view)

    @cached_property
    def marginals(self) -> Marginals | None:
        return self.assessment.metric.marginals(self.belief, self.view)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return self._findings(self.assessment.metric, self.view, self.marginals)

    @cached_property
    def overall(self) -> Finding | None:
        metric, reading = self._overall_metric, self.of_overall
        if metric is None or self._is_overall:
            return None if metric is None else self.findings[0]
        whole = View(self.view.cells, (), metric.axes, self.view.true_classes)
        return reading._findings(metric, whole, metric.marginals(reading.belief, whole), overall=True)[0]

    @property
    def _overall_metric(self) -> Metric | None:
        measured = self.assessment.metric
        return self.assessment.question.metric if measured.overall is measured else measured.overall

    @property
    def _is_overall(self) -> bool:
        """Whether the one row there is is the overall figure."""
        return not self.view.by and self._overall_metric is self.assessment.metric and len(self.findings) == 1

    @property
    def of_overall(self) -> "Reading":
        """What the overall figure is read off."""
        metric = self._overall_metric
        linear = metric is not None and metric.scale is not None
        return self.sharing if (self.borrowed or linear) and not self._is_overall else self

    @cached_property
    def sharing(self) -> "Reading":
        """This reading with a shared belief, for sums over groups: a bias they share does not average out."""
        by = self.assessment.by_cells.for_sums
        if by is None or self.belief.shared:
            return self
        return replace(self, believed=self.assessment.belief(self.evidence, by), by=by)

    def _findings(
        self, metric: Metric, view: View, marginals: Marginals | None, *, overall: bool = False
    ) -> tuple[Finding, ...]:
        value, low, high = self._wide(metric, view, marginals) if marginals is not None else self._drawn(metric, view)
        rows = metric.rows(view)
        labels, left = metric.behind(self.belief, view)
        share = self._prior_share(rows.partition.index, rows.partition.size)
        method = self.estimator.method(self.belief, self.assessment.settings.prior)
        names = ("overall",) if overall else rows.names
        low, high = self._never_certain(value, low, high, rows, metric.bounds(view))
        missing = np.isnan(value)
        low, high = np.where(missing & np.isnan(low), 0.0, low), np.where(missing & np.isnan(high), 1.0, high)
        low = np.where(missing, low, np.minimum(low, value))  # a mean may leave a skewed interval
        high = np.where(missing, high, np.maximum(high, value))
        rest = [None if n != n else round(n) for n in left.tolist()]
        columns = (value, low, high, np.rint(labels).astype(np.int64), share[rows.part], rows.weight)
        level, target, unit = self.level, self.assessment.settings.target, metric.shown_as
        return tuple(
            Finding(v, lowest, highest, level, method, target, behind, prior, name, weight, unit, items)
            for name, v, lowest, highest, behind, prior, weight, items in zip(
                names, *(column.tolist() for column in columns), rest, strict=True
            )
        )

    def _never_certain(
        self, value: Array, low: Array, high: Array, rows: Rows, bounds: tuple[float, float]
    ) -> tuple[Array, Array]:
        """Intervals at least one item wide, as long as one is unlabelled or the population is meant.

        Where every draw agrees, one more item may still turn out otherwise. A class no model predicts is the exception:
        its accuracy is 0 by definition.
        """
        left = rows.partition.sums(self.belief.unlabelled)[rows.part]
        certain = (high - low <= 1e-12) & ((left > 0) | (not self.pool)) & ~np.isnan(value) & ~rows.by_definition
        item = np.where(certain, (bounds[1] - bounds[0]) / rows.partition.size[rows.part], 0.0)
        return np.maximum(low - item, bounds[0]), np.minimum(high + item, bounds[1])

    @cached_property
    def _held(self) -> "Reading | None":
        """This reading with what is believed, and nothing added for show; None where nothing is."""
        held = self.belief.held
        return None if held is None else replace(self, believed=held, by=self.estimator)

    def _wide(self, metric: Metric, view: View, marginals: Marginals) -> tuple[Array, Array, Array]:
        """The value and interval of each row in closed form. Intervals also hold what is believed without anything
        added for show: where nearly all is right, half a pseudo-failure would rule out that all is."""
        value, low, high = self._closed(marginals)
        plain = None if self._held is None else metric.marginals(self._held.belief, view)
        if plain is not None:
            _, below, above = self._closed(plain)
            low, high = np.minimum(low, below), np.maximum(high, above)
        return value, low, high

    def _closed(self, m: Marginals) -> tuple[Array, Array, Array]:
        if self.pool:
            ends = pool_share_intervals(
                m.known, m.rest, m.size.astype(np.float64), m.alpha, m.beta, self.level, self.interval
            )
        else:
            ends = rate_intervals(m.alpha, m.beta, self.level, self.interval)
        low, high = (m.scale * end + m.shift for end in (ends if m.scale > 0 else ends[::-1]))
        return m.scale * (m.pool_mean if self.pool else m.mean) + m.shift, low, high

    def _drawn(self, metric: Metric, view: View) -> tuple[Array, Array, Array]:
        """The value and interval of each row by draws; intervals also hold what is believed without anything added for
        show, with which an absolute gap grows."""
        belief = self.belief
        if not belief.rates:
            ends = self._many(belief, view).intervals(metric, self.level, self.interval)
            if ends is not None:
                return self._point(metric, view, np.zeros((0, 0))), *ends
        if metric.linear and not view.by and belief.rates and belief.shared:
            return self._of_all(cast(PooledRates, belief), metric, view)
        draws = self.row_draws if metric is self.assessment.metric and view is self.view else self.draws(metric, view)
        low, high = defined_interval(draws, self.level, self.interval)
        if (held := self._held) is not None:
            draws, open_ = held.draws(metric, view), metric.behind(belief, view)[1] != 0
            least = metric.at_least(held._rates, view) if belief.rates else draws
            low = np.where(open_, np.fmin(low, defined_interval(least, self.level, self.interval)[0]), low)
            high = np.fmax(high, defined_interval(draws, self.level, self.interval)[1])
        return self._point(metric, view, draws), low, high

    def _of_all(self, belief: PooledRates, metric: Metric, view: View) -> tuple[Array, Array, Array]:
        """The value and interval of the whole pool by a shared belief; as for single cells, the interval also holds
        what half a pseudo-label on either side would leave possible: without a mistake seen, the prior alone decides
        how many there may be."""
        lows, highs = [], []
        for added in (0.0, LEAST_PSEUDO_COUNT, -LEAST_PSEUDO_COUNT):
            known = belief.mean_interval(self.level, pool=self.pool, added=added)
            if known is not None and self.interval == "equal-tailed":
                # a metric of rates that are all the same is the metric of their mean
                low, high = np.sort(metric.values(np.full((len(belief.size), 2), known).T, view), axis=0)
            else:
                draws = metric.values(self._shared(belief, added), view)
                low, high = defined_interval(draws, self.level, self.interval)
            lows.append(low)
            highs.append(high)
        point = self._point(metric, view, np.zeros((0, 0)) if self.pool else self.draws(metric, view))
        return point, np.minimum.reduce(lows), np.maximum.reduce(highs)

    def _shared(self, belief: PooledRates, added: float) -> Array:
        if not added:
            return self._rates
        rng = self.keyed.generator(Use.ANSWER)
        return belief.draws(self._count, rng, pool=self.pool, added=added)

    def _point(self, metric: Metric, view: View, draws: Array) -> Array:
        belief = self.belief
        if self.pool and metric.linear and belief.plain is None:
            return np.asarray(metric.values(belief.pool_mean[None], view)[0])
        if belief.plain is not None:
            return self._plain_point(metric, view)
        known = None if self.pool else metric.mean_values(belief, view)
        return mean_of_defined(draws.T) if known is None else known

    def _plain_point(self, metric: Metric, view: View) -> Array:
        """The metric of plain frequencies; cells without labels take those of the labelled cells of their row."""
        known = metric.mean_values(self.belief, view) if not metric.linear else None
        if known is not None:
            return known
        rows, belief = metric.rows(view), self.belief
        seen = belief.labels > 0
        weight = np.where(seen, belief.size, 0).astype(np.float64)
        filled = rows.partition.filled(belief.pool_mean if self.pool else belief.mean, weight)
        unseen = rows.partition.sums(seen.astype(np.float64)) == 0
        return np.where(unseen[rows.part] & ~rows.by_definition, np.nan, metric.values(filled[None], view)[0])

    def _prior_share(self, index: Ints, size: Ints) -> Array:
        """How much of each part's value rests on the prior: the prior's weight in each cell's mean, averaged. Of a
        shared belief, the weight of the prior in what the cells share."""
        belief = self.belief
        if belief.plain is not None:
            return np.zeros(len(size))
        return self._averaged(belief.prior_share, index, size)

    def _averaged(self, share: Array, index: Ints, size: Ints) -> Array:
        """A share of each cell, over the items of each part; with the pool as target, those not labelled."""
        items = self.belief.unlabelled if self.pool else self.belief.size
        return np.asarray(np.bincount(index, weights=share * items, minlength=len(size)) / size)

    def in_common(self, *, whole: bool) -> float:
        """How much of the figure of the whole pool, or at most of any row, is what all cells have in common."""
        part = View(self.view.cells, ()).groups if whole else self.assessment.metric.rows(self.view).partition
        reading = self.of_overall if whole else self
        return float(reading._averaged(reading.belief.own_share, part.index, part.size).max())


def defined_interval(draws: Array, level: float, kind: IntervalKind) -> tuple[Array, Array]:
    """The interval of each column over the draws in which it is defined, nan where it is in none.

    A true-positive rate is not defined in draws without positives; its interval is for the case that there are some.
    """
    defined = ~np.isnan(draws)
    if defined.all():
        return draws_interval(draws, level, kind)
    ends = np.full((2, draws.shape[1]), np.nan)
    for column in np.flatnonzero(defined.any(axis=0)):
        low, high = draws_interval(draws[defined[:, column], column][:, None], level, kind)
        ends[:, column] = low[0], high[0]
    return ends[0], ends[1]
