"""From a belief to an answer: findings with intervals, ranks, comparisons, and the sentence a person reads first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fewlabels.answers import Answer, Comparison, Finding, Identification, count_of, percent
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import BetaBelief
from fewlabels.core.cells import View
from fewlabels.core.comparison import (
    draws_region_probabilities,
    pool_region_probabilities,
    region_probabilities,
)
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import IntervalKind, beta_interval, draws_interval, pool_share_intervals
from fewlabels.core.keyed import Keyed, Use
from fewlabels.core.ranking import (
    EXACT_GROUPS,
    Ranks,
    beta_rank_distribution,
    probability_of_set,
    ranks_from_distribution,
    ranks_from_draws,
)
from fewlabels.metrics import Belief, Marginals, Metric, Reliability, Rows
from fewlabels.questions import Compare, Identify

DRAWS = 10_000
_BETA_VARIATES, _GAMMA_VARIATES = 5_000_000, 40_000_000  # draws are fewer where a single one takes many variates
_LEAST_DRAWS = 500
_EXACT_COMPARISON = 100_000  # unlabelled items up to which two finite groups are compared exactly
PRIOR_WARNING = 0.1
_ANY = np.array([1.0])  # half the range of a difference of shares


@dataclass(frozen=True)
class Reading:
    """One reading of a belief: everything an answer needs, computed once."""

    assessment: Assessment
    evidence: Evidence
    level: float
    interval: IntervalKind

    @cached_property
    def belief(self) -> Belief:
        return self.assessment.belief(self.evidence)

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
        rng = self.keyed.generator(Use.ANSWER)
        belief = self.belief
        if isinstance(belief, BetaBelief):
            count = int(np.clip(_BETA_VARIATES // len(belief.size), _LEAST_DRAWS, DRAWS))
            return metric.values(belief.draws(count, rng, pool=self.pool), view)
        count = int(np.clip(_GAMMA_VARIATES // belief.prior.size, _LEAST_DRAWS, DRAWS))
        return np.concatenate([metric.values(theta, view) for theta in belief.draw_chunks(count, rng, pool=self.pool)])

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
        metric = self.assessment.metric.overall or self.assessment.question.metric
        if not self.view.by and metric is self.assessment.metric and len(self.findings) == 1:
            return self.findings[0]
        whole = View(self.view.cells, (), metric.unit, self.view.true_classes)
        return self._findings(metric, whole, metric.marginals(self.belief, whole), overall=True)[0]

    def _findings(
        self, metric: Metric, view: View, marginals: Marginals | None, *, overall: bool = False
    ) -> tuple[Finding, ...]:
        value, low, high = self._closed(marginals) if marginals is not None else self._drawn(metric, view)
        rows = metric.rows(view)
        labels = rows.partition.sums(self.belief.labels)
        share = self._prior_share(rows.partition.index, rows.partition.size)
        method = self.assessment.estimator.method(self.belief, self.assessment.settings.prior)
        names = ("overall",) if overall else rows.names
        low, high = self._never_certain(value, low, high, rows, metric.bounds(view))
        missing = np.isnan(value)
        low, high = np.where(missing & np.isnan(low), 0.0, low), np.where(missing & np.isnan(high), 1.0, high)
        return tuple(
            Finding(
                value=float(value[i]),
                low=float(low[i] if missing[i] else min(low[i], value[i])),  # a mean may leave a skewed interval
                high=float(high[i] if missing[i] else max(high[i], value[i])),
                level=self.level,
                method=method,
                target=self.assessment.settings.target,
                labels=round(float(labels[rows.part[i]])),
                prior_share=float(share[rows.part[i]]),
                group=name,
                weight=float(rows.weight[i]),
                unit=metric.shown_as,
            )
            for i, name in enumerate(names)
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

    def _closed(self, m: Marginals) -> tuple[Array, Array, Array]:
        if self.pool:
            ends = pool_share_intervals(
                m.known, m.rest, m.size.astype(np.float64), m.alpha, m.beta, self.level, self.interval
            )
        else:
            ends = beta_interval(m.alpha, m.beta, self.level, self.interval)
        low, high = (m.scale * end + m.shift for end in (ends if m.scale > 0 else ends[::-1]))
        return m.scale * (m.pool_mean if self.pool else m.mean) + m.shift, low, high

    def _drawn(self, metric: Metric, view: View) -> tuple[Array, Array, Array]:
        draws = self.row_draws if metric is self.assessment.metric and view is self.view else self.draws(metric, view)
        undefined = np.isnan(draws).all(axis=0)
        if np.isnan(draws).any():
            draws = np.where(np.isnan(draws) & ~undefined, np.nanmedian(np.where(undefined, 0.0, draws), axis=0), draws)
        low, high = draws_interval(np.where(undefined, 0.0, draws), self.level, self.interval)
        low, high = np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)
        return self._point(metric, view, draws), low, high

    def _point(self, metric: Metric, view: View, draws: Array) -> Array:
        belief = self.belief
        if self.pool and metric.linear and belief.plain is None:
            return np.asarray(metric.values(belief.pool_mean[None], view)[0])
        if belief.plain is not None:
            return self._plain_point(metric, view)
        known = None if self.pool else metric.mean_values(belief, view)
        return np.asarray(draws.mean(axis=0)) if known is None else known

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
        """How much of each part's value rests on the prior: the prior's weight in each cell's mean, averaged."""
        belief = self.belief
        if belief.plain is not None:
            return np.zeros(len(size))
        share = belief.prior_strength / (belief.prior_strength + belief.labels)
        if self.pool:
            share = share * belief.unlabelled / belief.size
        return np.asarray(np.bincount(index, weights=share * belief.size, minlength=len(size)) / size)


def answer(
    assessment: Assessment, evidence: Evidence, level: float, interval: IntervalKind, notes: tuple[str, ...] = ()
) -> Answer:
    """The answer to the assessment's question after the evidence."""
    reading = Reading(assessment, evidence, level, interval)
    common: dict[str, Any] = {
        "question": assessment.question.describe(),
        "overall": reading.overall,
        "notes": notes,
        "strategy": f"{assessment.strategy.name}: {assessment.strategy.reason}",
    }
    if isinstance(assessment.question, Identify):
        return _identification(reading, assessment.question, common)
    if isinstance(assessment.question, Compare):
        return _comparison(reading, assessment.question, common)
    extra: tuple[dict[str, Any], ...] = ()
    if isinstance(assessment.metric, Reliability):
        extra = tuple({"mean_score": float(s)} for s in reading.view.units.mean_score)
    assert reading.overall is not None
    common["notes"] = (*_prior_notes(reading, [reading.overall], "the overall figure"), *notes)
    return Answer(findings=reading.findings, sentence=_estimate_sentence(reading), extra=extra, **common)


def _prior_notes(reading: Reading, findings: Sequence[Finding], what: str) -> tuple[str, ...]:
    """A warning where what is reported rests on the prior."""
    share = max(finding.prior_share for finding in findings)
    if share <= PRIOR_WARNING:
        return ()
    source = "the model's own scores" if reading.assessment.settings.prior == "scores" else "the prior"
    return (
        f"{share:.0%} of {what} still rests on {source}, not on labels; if those are biased, so is it, and its "
        "interval does not know.",
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _estimate_sentence(reading: Reading) -> str:
    question, overall = reading.assessment.question, reading.overall
    assert overall is not None
    text = f"{_capital(question.describe())}, from {count_of(reading.evidence.count, 'label')}"
    named = "overall accuracy" if reading.assessment.metric.overall else "overall" if question.by else ""
    text += f": {named + ' ' if named else ''}{overall}."
    known = [f for f in reading.findings if not math.isnan(f.value)]
    if question.by and len(known) > 1 and reading.assessment.metric.overall is None:
        ends = sorted(known, key=lambda f: f.value)
        text += f" Lowest {ends[0].group}: {ends[0]}. Highest {ends[-1].group}: {ends[-1]}."
    return text


def _identification(reading: Reading, question: Identify, common: dict[str, Any]) -> Identification:
    sign = 1.0 if question.lowest_first else -1.0
    ranks = _ranks(reading, question, sign)
    values = np.array([f.value for f in reading.findings]) * sign
    order = np.lexsort((-ranks.p_top, np.where(np.isnan(values), np.inf, values)))
    members = order[: question.top]
    rng = reading.keyed.generator(Use.ANSWER, attempt=2)
    probability = (
        float(ranks.p_top[members[0]])
        if question.top == 1
        else probability_of_set(sign * np.nan_to_num(reading.row_draws, nan=np.inf * sign), members, rng)
    )
    findings = tuple(reading.findings[i] for i in order)
    extra = tuple(
        {"rank": r + 1, "rank_low": int(ranks.low[i]), "rank_high": int(ranks.high[i]), "p_top": float(ranks.p_top[i])}
        for r, i in enumerate(order)
    )
    groups = tuple(f.group for f in findings[: question.top])
    what = "the figure of a group named here" if question.top > 1 else "the figure of this group"
    common["notes"] = (*_prior_notes(reading, findings[: question.top], what), *common["notes"])
    return Identification(
        findings=findings,
        extra=extra,
        groups=groups,
        probability=probability,
        sentence=_identify_sentence(reading, question, findings, probability),
        **common,
    )


def _ranks(reading: Reading, question: Identify, sign: float) -> Ranks:
    m = reading.marginals
    exact = m is not None and m.scale == 1.0 and not m.shift.any() and not reading.pool and len(m.size) <= EXACT_GROUPS
    if m is not None and exact:
        ends = (m.alpha, m.beta) if sign > 0 else (m.beta, m.alpha)
        return ranks_from_distribution(beta_rank_distribution(*ends), reading.level, question.top)
    rng = reading.keyed.generator(Use.ANSWER, attempt=1)
    values = sign * np.nan_to_num(reading.row_draws, nan=np.inf * sign)
    return ranks_from_draws(values, reading.level, question.top, rng)


def _identify_sentence(reading: Reading, question: Identify, findings: tuple[Finding, ...], probability: float) -> str:
    end = "Lowest" if question.lowest_first else "Highest"
    after = f"after {count_of(reading.evidence.count, 'label')}"
    if question.top == 1:
        return (
            f"{end} {question.metric.title}{question.by_words}: {findings[0].group}, {findings[0]}; "
            f"it is the one with probability {percent(probability)} {after}."
        )
    names = ", ".join(f.group for f in findings[: question.top])
    return (
        f"{end} {question.metric.title}{question.by_words}, {question.top} groups: {names}; "
        f"exactly these with probability {percent(probability)} {after}."
    )


def _comparison(reading: Reading, question: Compare, common: dict[str, Any]) -> Comparison:
    names = tuple(f.group for f in reading.findings)
    a, b = reading.assessment.compared(names)
    draws = reading.row_draws[:, [a]] - reading.row_draws[:, [b]]
    draws = draws[~np.isnan(draws[:, 0])]
    less, equal, more = _regions(reading, question, a, b, draws[:, 0]).tolist()
    low, high = draws_interval(draws, reading.level, reading.interval) if len(draws) else (_ANY * -1, _ANY)
    one, two = reading.findings[a], reading.findings[b]
    value = one.value - two.value
    difference = Finding(
        value=value,
        low=float(low[0]) if math.isnan(value) else min(float(low[0]), value),
        high=float(high[0]) if math.isnan(value) else max(float(high[0]), value),
        level=reading.level,
        method=one.method,
        target=one.target,
        labels=one.labels + two.labels,
        prior_share=(one.prior_share + two.prior_share) / 2,
        group=f"{question.a} − {question.b}",
        weight=one.weight + two.weight,
        unit="points" if one.unit == "share" else one.unit,
    )
    common["notes"] = (*_prior_notes(reading, [difference], "the difference"), *common["notes"])
    return Comparison(
        findings=(one, two),
        p_less=less,
        p_equal=equal,
        p_more=more,
        rope=question.rope,
        difference=difference,
        sentence=_compare_sentence(reading, question, (less, equal, more), difference),
        **common,
    )


def _regions(reading: Reading, question: Compare, a: int, b: int, draws: Array) -> Array:
    m = reading.marginals
    if m is None:
        return draws_region_probabilities(draws, question.rope)
    pair = [a, b]
    shift = float(m.scale * (m.shift[a] - m.shift[b]))
    if not reading.pool:
        mu = region_probabilities(m.alpha[pair], m.beta[pair], question.rope, shift)
    elif m.rest[pair].max() <= _EXACT_COMPARISON:
        mu = pool_region_probabilities(
            m.known[pair],
            m.rest[pair],
            m.size[pair].astype(np.float64),
            m.alpha[pair],
            m.beta[pair],
            question.rope,
            shift,
        )
    else:
        return draws_region_probabilities(draws, question.rope)
    return mu if m.scale > 0 else mu[::-1]


def _compare_sentence(reading: Reading, question: Compare, mu: tuple[float, ...], difference: Finding) -> str:
    if math.isnan(difference.value):
        after = count_of(reading.evidence.count, "label")
        return (
            f"{question.a} and {question.b} cannot be compared after {after}: in one of them nothing is known of the "
            f"{question.metric.title}."
        )
    region = int(np.argmax(mu))
    what = f"{question.metric.title}"
    verdict = (
        f"{question.a} has a lower {what} than {question.b}, by more than {question.rope:g},",
        f"{question.a} and {question.b} have practically the same {what} (within {question.rope:g})",
        f"{question.a} has a higher {what} than {question.b}, by more than {question.rope:g},",
    )[region]
    return (
        f"{verdict} with probability {mu[region]:.1%} after {count_of(reading.evidence.count, 'label')}. "
        f"Difference {question.a} − {question.b}: {difference}."
    )
