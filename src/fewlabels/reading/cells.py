"""Reading a belief about cells: findings with intervals for every row of a metric, and overall."""

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, cast

import numpy as np

from fewlabels.answers import BinFinding, Finding, Holds
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief, CertifyingBelief, Columns
from fewlabels.core.beta import Marginals
from fewlabels.core.by_design import Weighed
from fewlabels.core.cells import Partition, View
from fewlabels.core.certificate import Figures
from fewlabels.core.dirichlet import DirichletBelief
from fewlabels.core.intervals import defined_interval, pool_share_intervals, rate_intervals
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.labeller_error import LabellerError
from fewlabels.core.needed import Outlook
from fewlabels.core.outcomes import Correct
from fewlabels.core.pooling import PooledClasses, PooledRates
from fewlabels.estimators import CellEstimator
from fewlabels.lens import Lens
from fewlabels.metrics import Metric, Rows
from fewlabels.metrics.base import mean_of_defined, median_of_defined
from fewlabels.metrics.many_classes import ManyClasses
from fewlabels.reading.base import Reading, united
from fewlabels.reading.every_look import EveryLook
from fewlabels.reading.few_labels import Ends, beside_figures, listed, shown
from fewlabels.reading.left_open import left_open, possible
from fewlabels.reading.notes import noise_notes, prior_notes
from fewlabels.reading.twin import Twin, contradictions, how_far_off, no_twin, partly_drawn, twin_of, weighed
from fewlabels.reading.whole_pool import WholePool

DRAWS = 10_000
_LEAST_DRAWS = 500
_OUTLOOK, _FEWER = 400, 100  # draws by which it is told how many labels are needed
_ROUNDING = 1e-13  # sums of floats over the cells of a pool are off by less


@dataclass(frozen=True)
class CellReading(Reading):
    """Cell by cell, off what is believed of each."""

    posterior: ClassVar[bool] = True
    of_these_labels: ClassVar[tuple[str, ...]] = ("kept", "believed")

    borrowed: bool = False  # the labels were drawn adaptively, for another question
    kept: Columns | None = None  # draws of an earlier reading of the same cells, taken where they still hold
    believed: Belief | None = None  # a belief at hand, where nothing is to be fitted
    by: CellEstimator | None = None  # what makes the belief, or made that at hand; None for the question's own
    holds: Holds = "one look"  # what intervals are to hold for
    error: LabellerError | None = None  # how often labels are wrong, where something tells

    @property
    def allows_for_error(self) -> bool:
        """Whether figures can be brought back to what they were without wrong labels: shares of right predictions."""
        return self.metric.linear and self.metric.scale == 1.0 and isinstance(self.assessment.outcome, Correct)

    @cached_property
    def metric(self) -> Metric:
        return self.assessment.metric

    @cached_property
    def view(self) -> View:
        return self.assessment.view

    @cached_property
    def pool(self) -> bool:
        return self.assessment.settings.target == "pool"

    @cached_property
    def keyed(self) -> Keyed:
        return Keyed(self.assessment.settings.seed, 0)

    @cached_property
    def belief(self) -> Belief:
        """Each cell's own; shared where rows are sums over cells that another question's strategy sampled unevenly."""
        if self.believed is not None:
            return self.believed
        return self.assessment.belief(self.evidence, self.estimator)

    @cached_property
    def estimator(self) -> CellEstimator:
        """What makes the belief."""
        own = cast(CellEstimator, self.assessment.estimator)
        if self.believed is not None or self.by is not None:
            return self.by or own
        uneven = self.borrowed or self.assessment.grown
        return own.for_sums or own if uneven and not self.assessment.lens.rows.partition.single else own

    @property
    def pooled(self) -> bool:
        return self.belief.shared

    def draws(self, metric: Metric, view: View) -> Array:
        """Joint draws of the metric's rows; the same draws of the belief whatever the metric."""
        if self.belief.rates:
            return metric.values(self.rates, view)
        made = self._many(view)
        if (found := made.draws(metric)) is not None:
            return found
        chunks = self.belief.joint(made.count, self.keyed, pool=self.pool)
        return np.concatenate([metric.values(theta, view) for theta in chunks])

    def _many(self, view: View) -> ManyClasses:
        about_classes = cast(DirichletBelief | PooledClasses, self.belief)
        return ManyClasses(about_classes, view, self._count, self.keyed.generator(Use.ANSWER), self.pool)

    @cached_property
    def rates(self) -> Array:
        """Joint draws of a belief about rates, (n_draws, n_cells), once for the rows and the overall figure."""
        (draws,) = self.belief.joint(self._count, self.keyed, pool=self.pool, kept=self.kept)
        return draws

    @cached_property
    def _count(self) -> int:
        """How many draws."""
        return int(np.clip(self.belief.most_draws, _LEAST_DRAWS, DRAWS))

    @cached_property
    def row_draws(self) -> Array:
        return self.draws(self.metric, self.view)

    @cached_property
    def marginals(self) -> Marginals | None:
        return self.metric.marginals(self.belief, self.view)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        others = [other.findings for other in self.supposed]
        return united(self._findings(self.assessment.lens, self.marginals), others)

    @cached_property
    def extra(self) -> tuple[dict[str, Any], ...]:
        scores = self.assessment.lens.mean_scores
        return () if scores is None else tuple({"mean_score": score} for score in scores.tolist())

    @property
    def shown(self) -> tuple[Finding, ...]:
        if not self.extra:
            return self.findings
        return tuple(BinFinding(**asdict(f), **more) for f, more in zip(self.findings, self.extra, strict=True))

    @cached_property
    def overall(self) -> Finding | None:
        whole, reading = self.assessment.whole, self.of_overall
        if whole is None or whole is self.assessment.lens:
            return None if whole is None else self.findings[0]
        closed = None if reading.belief.shared else whole.metric.marginals(reading.belief, whole.view)
        return united(reading._findings(whole, closed), [(cast(Finding, o.overall),) for o in self.supposed])[0]

    @cached_property
    def of_overall(self) -> "CellReading":
        """What the overall figure is read off: a shared belief, for sums over groups, in which a bias that these share
        does not average out."""
        own, whole = cast(CellEstimator, self.assessment.estimator), self.assessment.whole
        by, linear = own.for_whole, whole is not None and whole.metric.scale is not None
        if by is None or self.estimator is not own or whole is self.assessment.lens or not (self.borrowed or linear):
            return self
        return replace(self, believed=self.assessment.belief(self.evidence, by), by=by)

    def _findings(self, lens: Lens, marginals: Marginals | None) -> tuple[Finding, ...]:
        metric, view, rows = lens.metric, lens.view, lens.rows
        value, low, high = self._drawn(metric, view) if marginals is None else self._wide(metric, view, marginals)
        labels, left = metric.behind(self.belief, view)
        twin = self._twin(lens, value)
        low, high = twin.wider(low, high)
        if self.holds != "one look":
            low, high = self._holding(lens, low, high)
        method = self.estimator.method(self.belief, self.assessment.settings.prior)
        low, high = self._never_certain(value, low, high, rows, lens.bounds)
        low, high = possible(self.belief, metric, view, low, high) if self.pool else (low, high)
        if self.error is not None and self.allows_for_error:
            size = labels + np.nan_to_num(left)
            value, low, high = self.error.true_shares(value, low, high, size, self.level, self.keyed)
            method, twin = f"{method}, allowing for wrong labels", no_twin(len(value))
        missing = np.isnan(value)
        low, high = np.where(missing & np.isnan(low), 0.0, low), np.where(missing & np.isnan(high), 1.0, high)
        low = np.where(missing, low, np.minimum(low, value))  # a mean may leave a skewed interval
        high = np.where(missing, high, np.maximum(high, value))
        pooled = beside_figures(lens, value)
        alike = self.belief.shared and self.holds == "one look"  # others hold of each group by itself
        value, low, high = shown(lens, (value, low, high), labels, left, alike=alike)
        share = self.averaged(self.belief.prior_share, rows.partition)
        columns = (value, low, high, np.rint(labels).astype(np.int64), share[rows.part], rows.weight, left)
        level, target, unit = self.level, self.assessment.settings.target, metric.shown_as
        beside = [(*by, self.holds, others) for by, others in zip(twin.rows, self._borrowed(rows), strict=True)]
        return tuple(
            Finding(v, a, b, level, method, target, n, prior, name, weight, unit, whole(rest), *more, **told)
            for name, more, told, v, a, b, n, prior, weight, rest in zip(
                rows.names, beside, pooled, *(listed(c) for c in columns), strict=True
            )
        )

    def _holding(self, lens: Lens, low: Array, high: Array) -> tuple[Array, Array]:
        """The ends that hold at every look, or at a stop; at a stop, those of the whole pool are as they were."""
        bets = EveryLook(self.assessment, self.evidence)
        if self.holds == "every look":
            ends = bets.ends(lens, self.level)
        else:
            ends = bets.ends_at_a_stop(lens, self.level, relied_on=self.belief.medians)
        ends = np.sort(cast(float, lens.metric.scale) * ends + lens.metric.shift(lens.view), axis=0)
        return np.where(np.isnan(ends[0]), low, ends[0]), np.where(np.isnan(ends[1]), high, ends[1])

    @cached_property
    def _weighed(self) -> list[tuple[Weighed, Ints]] | None:
        """The labels with the chances of their drawing, where a model's figures are to be held against these."""
        known = self.belief.medians and self.belief.rates
        return weighed(self.evidence, self.assessment.outcome, self.view) if known else None

    def _twin(self, lens: Lens, value: Array) -> Twin:
        if self._weighed is None or not lens.metric.linear or partly_drawn(self.assessment, lens):
            return no_twin(len(value))
        expected = self.assessment.outcome.expected(self.view)
        return twin_of(lens, self._weighed, expected, value, self.level)

    def _never_certain(
        self, value: Array, low: Array, high: Array, rows: Rows, bounds: tuple[float, float]
    ) -> tuple[Array, Array]:
        """Intervals at least one item wide, as long as one is unlabelled or the population is meant, and wider by what
        sums of floats may be off: up to all right is up to 1, not an unseen step below.

        Where every draw agrees, one more item may still turn out otherwise. A class no model predicts is the exception:
        its accuracy is 0 by definition.
        """
        left = rows.partition.sums(self.belief.unlabelled)[rows.part]
        unsure = ((left > 0) | (not self.pool)) & ~rows.by_definition & ~np.isnan(value)
        item = (bounds[1] - bounds[0]) / np.maximum(rows.partition.size[rows.part], 1)
        further = np.where(unsure, np.where(high - low <= 1e-12, item, _ROUNDING), 0.0)
        return np.maximum(low - further, bounds[0]), np.minimum(high + further, bounds[1])

    @cached_property
    def _held(self) -> "CellReading | None":
        """This reading with what is believed, and nothing added for show; None where nothing is."""
        held = self.belief.held
        return None if held is None else replace(self, believed=held, by=self.estimator)

    def _wide(self, metric: Metric, view: View, marginals: Marginals) -> Ends:
        """In closed form. Intervals also hold what is believed without anything added for show: where nearly all is
        right, half a pseudo-failure would rule out that all is."""
        value, low, high = self._closed(marginals)
        plain = None if self._held is None else metric.marginals(self._held.belief, view)
        if plain is not None:
            _, below, above = self._closed(plain)
            low, high = np.minimum(low, below), np.maximum(high, above)
        return value, low, high

    def _closed(self, m: Marginals) -> Ends:
        if self.pool:
            ends = pool_share_intervals(
                m.known, m.rest, m.size.astype(np.float64), m.alpha, m.beta, self.level, self.interval
            )
        else:
            ends = rate_intervals(m.alpha, m.beta, self.level, self.interval)
        low, high = (m.scale * end + m.shift for end in (ends if m.scale > 0 else ends[::-1]))
        return m.scale * (m.pool_mean if self.pool else m.mean) + m.shift, low, high

    def _drawn(self, metric: Metric, view: View) -> Ends:
        """By draws; intervals also hold what is believed without anything added for show, with which an absolute gap
        grows."""
        belief = self.belief
        if not belief.rates:
            ends = self._many(view).intervals(metric, self.level, self.interval)
            if ends is not None:
                return self._of_classes(metric, self._point(metric, view, np.zeros((0, 0))), *ends)
        if metric.linear and not view.by and belief.widens:
            return self._of_all(cast(PooledRates, belief), metric, view)
        draws = self.row_draws if metric is self.metric and view is self.view else self.draws(metric, view)
        low, high = defined_interval(draws, self.level, self.interval)
        if belief.medians:
            return self._by_medians(metric, view, draws, low, high)
        if (held := self._held) is not None:
            draws, open_ = held.draws(metric, view), metric.behind(belief, view)[1] != 0
            least = metric.at_least(held.rates, view) if belief.rates else draws
            low = np.where(open_, np.fmin(low, defined_interval(least, self.level, self.interval)[0]), low)
            high = np.fmax(high, defined_interval(draws, self.level, self.interval)[1])
        return self._of_classes(metric, self._point(metric, view, draws), low, high)

    def _of_classes(self, metric: Metric, value: Array, low: Array, high: Array) -> Ends:
        """One figure that is made of classes is no more certain than how often predictions are right: where cells share
        that, its interval reaches as much further than draws do."""
        right = self.belief.of_being_right
        if right is None or not right.medians or not metric.one_a_group:
            return value, low, high
        down, up = replace(self, believed=right, by=self.estimator)._accuracy.further
        if metric.worst == "highest":
            down, up = up, down
        return value, value - down * np.maximum(value - low, 0.0), value + up * np.maximum(high - value, 0.0)

    def _by_medians(self, metric: Metric, view: View, draws: Array, low: Array, high: Array) -> Ends:
        """The median, and an interval that leaves open what no label speaks against: that all of a row is right, where
        no label says otherwise, or all wrong. That of a group reaches as far as its own labels do; that of the whole
        pool trusts the model only so far; that of a calibration error reaches down to the net gap, and up to that of an
        accuracy as low as it may be."""
        belief, value = self.belief, median_of_defined(draws)
        whole = not view.by and len(value) == 1
        if not metric.linear:
            least, _ = defined_interval(metric.at_least(self.rates, view), self.level, self.interval)
            if whole:
                gap = metric.at_least(np.full((1, len(belief.size)), self._accuracy.ends[0]), view)[0]
                high = np.where(self._accuracy.lowered, np.fmax(high, gap), high)
            open_ = metric.behind(belief, view)[1] != 0
            return value, np.where(open_, np.fmin(low, least), low), high
        if whole:
            low, high = np.sort(
                metric.values(np.repeat([self._accuracy.ends], len(belief.size), axis=0).T, view), axis=0
            )
        return value, *left_open(belief, metric, view, low, high, self.level, pool=self.pool)

    @cached_property
    def _accuracy(self) -> WholePool:
        about = (self.belief, self.rates, self.level, self.interval)
        if self.holds != "a stop":
            return WholePool.of(*about, pool=self.pool)
        return WholePool.at_a_stop(*about, self.keyed, self._goal_of_all, how_far_off(self._weighed, self.belief))

    @property
    def _goal_of_all(self) -> float:
        """The half-width of the whole pool's interval that ends the study; nought where none of it does."""
        until, rows = self.assessment.settings.until, self.assessment.lens.rows.names
        if until is None or until.half_width is None or (until.every_group and len(rows) > 1):
            return 0.0
        return until.half_width

    def _of_all(self, belief: PooledRates, metric: Metric, view: View) -> Ends:
        """The whole pool by a shared belief; as for single cells, the interval also holds what half a pseudo-label on
        either side would leave possible: without a mistake seen, the prior alone decides how many there may be."""
        known = belief.widest_mean(self.level, pool=self.pool) if self.interval == "equal-tailed" else None
        if known is not None:  # a metric of rates that are all the same is the metric of their mean
            ends = metric.values(np.full((len(belief.size), 2), known).T, view)
            draws = np.zeros((0, 0)) if self.pool else self.draws(metric, view)
        else:
            widest = metric.values(belief.widest_draws(self._count, self.keyed, pool=self.pool), view)
            draws, *_ = each = np.split(widest, 3)
            ends = np.concatenate(defined_interval(np.concatenate(each, axis=1), self.level, self.interval))
            ends = ends.reshape(-1, draws.shape[1])
        return self._point(metric, view, draws), ends.min(axis=0), ends.max(axis=0)

    def _point(self, metric: Metric, view: View, draws: Array) -> Array:
        belief = self.belief
        if self.pool and metric.linear and belief.plain is None:
            return np.asarray(metric.values(belief.pool_mean[None], view)[0])
        if belief.plain is not None:
            return self._plain_point(metric, view)
        known = None if self.pool else metric.mean_values(belief, view)
        mean = mean_of_defined(draws.T) if known is None else known
        return (mean + metric.values(belief.pool_mean[None], view)[0]) / 2 if self.pool and belief.midway else mean

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

    @property
    def outlook(self) -> Outlook | None:
        """What groups may turn out to be, where they are shares that learn from one another."""
        if not self.belief.shared or not self.belief.rates or self.metric.scale != 1.0:
            return None
        parts = self.assessment.lens.rows.partition
        labels = parts.sums(self.belief.labels)
        if self.assessment.certified is None or self.estimator is not self.assessment.estimator:
            return Outlook(self.row_draws[:_OUTLOOK], labels, parts.size)
        groups = parts.count  # by the distribution of each, which is at hand: nobody waits for draws
        uniforms = self.keyed.uniforms(Use.ANSWER, np.arange(_FEWER * groups)).reshape(_FEWER, groups)
        share = Figures(1.0, np.zeros(groups))
        return Outlook(cast(CertifyingBelief, self.belief).figures_drawn(uniforms, share), labels, parts.size)

    def averaged(self, share: Array, parts: Partition) -> Array:
        """A share of each cell, over the items of each part; with the pool as target, those not labelled. Plain
        frequencies rest on labels alone."""
        items = 0 if self.belief.plain is not None else self.belief.unlabelled if self.pool else self.belief.size
        return np.asarray(np.bincount(parts.index, weights=share * items, minlength=len(parts.size)) / parts.size)

    def _borrowed(self, rows: Rows) -> list[float | None]:
        """How much of each row the scores and other rows' labels tell; None where rows do not learn from another."""
        if not self.belief.shared or len(rows.names) == 1:
            return [None] * len(rows.names)
        return list(self.averaged(self.belief.own_share, rows.partition)[rows.part].tolist())

    @property
    def notes(self) -> tuple[str, ...]:
        findings = self.findings if self.overall is None else (self.overall,)
        what = "a figure" if self.overall is None else "the overall figure"
        shown = self.findings if self.overall in self.findings else (*self.findings, *findings)
        return (*contradictions(shown), *prior_notes(self, findings, what), *noise_notes(self))


def whole(number: float) -> int | None:
    """A count; None where it is not known."""
    return None if number != number else round(number)
