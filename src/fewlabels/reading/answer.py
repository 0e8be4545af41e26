"""From a belief to an answer: findings with intervals, ranks, comparisons, and the sentence a person reads first."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from fewlabels.answers import (
    MOST_PRIOR,
    Answer,
    BinFinding,
    Comparison,
    Finding,
    Identification,
    RankedFinding,
    count_of,
    percent,
    percent_of_draws,
)
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Columns
from fewlabels.core.cells import View
from fewlabels.core.comparison import (
    draws_region_probabilities,
    pool_region_probabilities,
    region_probabilities,
)
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import IntervalKind, draws_interval
from fewlabels.core.keyed import Use
from fewlabels.core.ranking import (
    EXACT_GROUPS,
    Ranks,
    beta_rank_distribution,
    probability_of_set,
    ranks_from_distribution,
    ranks_from_draws,
)
from fewlabels.errors import QuestionError
from fewlabels.metrics import Marginals
from fewlabels.questions import Compare, Identify
from fewlabels.reading.cells import Reading, defined_interval
from fewlabels.reading.draws import answer_from_draws, curve_sentence
from fewlabels.stopping import Stopping

_EXACT_COMPARISON = 100_000  # unlabelled items up to which two finite groups are compared exactly
DECIDED = 0.75  # below this probability a comparison is called undecided
_WIDEST = 1.0  # half the range of a difference of shares


def answer(
    assessment: Assessment,
    evidence: Evidence,
    level: float,
    interval: IntervalKind,
    notes: tuple[str, ...] = (),
    *,
    borrowed: bool = False,
) -> Answer:
    """The answer to the assessment's question after the evidence; `borrowed` if drawn adaptively for another one."""
    assessment.estimator.check(evidence)
    if assessment.estimator.reads_draws:
        if interval != "equal-tailed":
            raise QuestionError(f"an F-score from draws has equal-tailed intervals only; got interval={interval!r}.")
        return answer_from_draws(assessment, evidence, level, notes)
    reading = Reading(assessment, evidence, level, interval, borrowed)
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
    findings: tuple[Finding, ...] = reading.findings
    if (scores := assessment.metric.mean_scores(reading.view)) is not None:
        extra = tuple({"mean_score": float(s)} for s in scores)
        findings = tuple(BinFinding(**asdict(f), **more) for f, more in zip(findings, extra, strict=True))
    whole, what = (
        (reading.findings, "a figure") if reading.overall is None else ([reading.overall], "the overall figure")
    )
    common["notes"] = (*_prior_notes(reading, whole, what), *_noise_notes(reading), *notes)
    sentence = (
        curve_sentence(assessment, evidence, reading.findings)
        if reading.overall is None
        else _estimate_sentence(reading)
    )
    return Answer(findings=findings, sentence=sentence, extra=extra, **common)


def answer_to_goal(assessment: Assessment, evidence: Evidence, level: float, goal: Stopping, kept: Columns) -> Answer:
    """As much of the answer as the goal reads, with the same numbers; draws that still hold are taken from `kept`."""
    if assessment.estimator.reads_draws:
        return answer_from_draws(assessment, evidence, level)
    reading, question = Reading(assessment, evidence, level, "equal-tailed", kept=kept), assessment.question
    common: dict[str, Any] = {"question": question.describe(), "overall": None, "notes": ()}
    if isinstance(question, Compare):
        return _comparison(reading, question, common)
    if goal.reads == "overall":
        return Answer(findings=(), sentence="", **{**common, "overall": reading.overall})
    if isinstance(question, Identify) and goal.reads == "probability":
        if question.top == 1 and _exactly(reading) is not None:
            return _identification(reading, question, common)
        probability = _probability(reading, question, 1.0 if question.lowest_first else -1.0)
        found: Any = reading.findings  # without their ranks, which no goal reads
        return Identification(findings=found, sentence="", probability=probability, **common)
    return Answer(findings=reading.findings, sentence="", **common)


def _prior_notes(reading: Reading, findings: Sequence[Finding], what: str) -> tuple[str, ...]:
    """A warning where what is reported rests on the prior, or on what groups have in common."""
    share = max(finding.prior_share for finding in findings)
    whole, notes = findings[0] is reading.overall, []
    from_scores = reading.assessment.settings.prior == "scores"
    if (reading.of_overall if whole else reading).belief.shared:
        common = reading.in_common(whole=whole)
        if common > MOST_PRIOR:
            notes.append(
                f"{percent(common)} of {what} is read off the model's scores, as all labels together recalibrate them."
                if from_scores
                else f"{percent(common)} of {what} is what all groups have in common, for want of labels in each."
            )
        if share > MOST_PRIOR:
            notes.append(
                f"How far off the scores are rests by {percent(share)} on a prior: there are few labels as yet."
            )
        return tuple(notes)
    if share <= MOST_PRIOR:
        return ()
    source = "the model's own scores" if from_scores else "the prior"
    return (f"{percent(share)} of {what} still rests on {source}, not on labels; if those are biased, so is it.",)


def _noise_notes(reading: Reading) -> tuple[str, ...]:
    """A warning where a calibration error is no larger than noise: an absolute gap is never seen to be zero."""
    metric, belief, overall = reading.assessment.metric, reading.belief, reading.overall
    whole = View(reading.view.cells, (), metric.axes)
    floor = metric.noise(belief, whole, reading.keyed.generator(Use.ANSWER, 3))
    if floor is None or overall is None or overall.value > 2 * floor:
        return ()
    knows = "." if belief.widened else ", and its interval does not know."
    return (
        f"A perfectly calibrated model would show about {overall.show(floor)} from these labels; the true error may be "
        f"far smaller than the figure{knows}",
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _estimate_sentence(reading: Reading) -> str:
    question, overall = reading.assessment.question, reading.overall
    assert overall is not None
    text = f"{_capital(question.describe())}, from {count_of(reading.evidence.count, 'label')}"
    measured = reading.assessment.metric
    beside = measured.overall is not measured
    named = "overall accuracy" if beside else "overall" if question.by else ""
    text += f": {named + ' ' if named else ''}{overall}."
    known = [f for f in reading.findings if not math.isnan(f.value) and f.labels > 0]
    if question.by and len(known) > 1 and not beside:
        ends = sorted(known, key=lambda f: f.value)
        text += f" Lowest {ends[0].group}: {ends[0]}. Highest {ends[-1].group}: {ends[-1]}."
    return text


def _identification(reading: Reading, question: Identify, common: dict[str, Any]) -> Identification:
    sign = 1.0 if question.lowest_first else -1.0
    ranks = _ranks(reading, question, sign)
    order = _in_order(reading, sign)
    exact = question.top == 1 and _exactly(reading) is not None
    probability = float(ranks.p_top[order[0]]) if exact else _probability(reading, question, sign)
    extra: tuple[dict[str, Any], ...] = tuple(
        {"rank": r + 1, "rank_low": int(ranks.low[i]), "rank_high": int(ranks.high[i]), "p_top": float(ranks.p_top[i])}
        for r, i in enumerate(order)
    )
    findings = tuple(
        RankedFinding(**asdict(reading.findings[i]), **place) for i, place in zip(order, extra, strict=True)
    )
    groups = tuple(f.group for f in findings[: question.top])
    what = f"the figure of {max(findings[: question.top], key=lambda f: f.prior_share).group}"
    common["notes"] = (*_prior_notes(reading, findings[: question.top], what), *common["notes"])
    return Identification(
        findings=findings,
        extra=extra,
        groups=groups,
        probability=probability,
        sentence=_identify_sentence(reading, question, findings, probability),
        **common,
    )


def _in_order(reading: Reading, sign: float) -> Ints:
    """Groups in the order asked for; those without labels last, for only scores speak of them."""
    values = np.array([f.value for f in reading.findings]) * sign
    unlabelled = np.array([f.labels == 0 for f in reading.findings])
    return np.lexsort((np.where(np.isnan(values), np.inf, values), unlabelled))


def _probability(reading: Reading, question: Identify, sign: float) -> float:
    """That exactly the first groups are the ones asked for."""
    rng, members = reading.keyed.generator(Use.ANSWER, attempt=2), _in_order(reading, sign)[: question.top]
    return probability_of_set(_first_is_low(reading, sign), members, rng)


def _first_is_low(reading: Reading, sign: float) -> Array:
    """Draws of each group's value, the first in order lowest, unknown ones last."""
    draws = reading.row_draws if sign > 0 else -reading.row_draws
    unknown = np.isnan(draws)
    return np.where(unknown, np.inf, draws) if unknown.any() else draws


def _exactly(reading: Reading) -> Marginals | None:
    """What ranks follow from without draws; None where they do not."""
    m = reading.marginals
    exact = m is not None and m.scale == 1.0 and not m.shift.any() and not reading.pool and len(m.size) <= EXACT_GROUPS
    return m if exact else None


def _ranks(reading: Reading, question: Identify, sign: float) -> Ranks:
    if (m := _exactly(reading)) is not None:
        ends = (m.alpha, m.beta) if sign > 0 else (m.beta, m.alpha)
        return ranks_from_distribution(beta_rank_distribution(*ends), reading.level, question.top)
    rng = reading.keyed.generator(Use.ANSWER, attempt=1)
    return ranks_from_draws(_first_is_low(reading, sign), reading.level, question.top, rng)


def _sure(probability: float, findings: Sequence[Finding]) -> str:
    """A probability for people: certain only where nothing is left to learn, whatever rounding says."""
    if all(finding.fully_labelled for finding in findings):
        return percent(probability)
    return percent_of_draws(min(probability, 1 - 1e-4))


def _identify_sentence(reading: Reading, question: Identify, findings: tuple[Finding, ...], probability: float) -> str:
    end = "Lowest" if question.lowest_first else "Highest"
    after = f"after {count_of(reading.evidence.count, 'label')}"
    labelled = sum(f.labels > 0 for f in findings)
    if (possible := sum(f.labels > 0 or f.left != 0 for f in findings)) < question.top:
        some = f"{possible:,} of {len(findings):,} groups {'has' if possible == 1 else 'have'} items that count in it"
        return f"{end} {question.metric.title}{question.by_words}: not defined {after}; only {some}."
    if labelled < question.top:
        some = f"only {labelled:,} of {len(findings):,} groups have labels of their own"
        have = some if labelled else "no group has labels of its own"
        return f"{end} {question.metric.title}{question.by_words}: not known yet {after}; {have}."
    if question.top == 1:
        return (
            f"{end} {question.metric.title}{question.by_words}: {findings[0].group}, {findings[0]}; "
            f"it is the one with probability {_sure(probability, findings)} {after}."
        )
    names = ", ".join(f.group for f in findings[: question.top])
    return (
        f"{end} {question.metric.title}{question.by_words}, {question.top} groups: {names}; "
        f"exactly these with probability {_sure(probability, findings)} {after}."
    )


def _comparison(reading: Reading, question: Compare, common: dict[str, Any]) -> Comparison:
    names = tuple(f.group for f in reading.findings)
    a, b = reading.assessment.compared(names)
    draws = reading.row_draws[:, [a]] - reading.row_draws[:, [b]]
    draws = draws[~np.isnan(draws[:, 0])]
    less, equal, more = _regions(reading, question, a, b, draws[:, 0]).tolist()
    one, two = reading.findings[a], reading.findings[b]
    value = one.value - two.value
    low, high = _difference_interval(reading, draws, a, b)
    difference = Finding(
        value=value,
        low=low if math.isnan(value) else min(low, value),
        high=high if math.isnan(value) else max(high, value),
        level=reading.level,
        method=one.method,
        target=one.target,
        labels=one.labels + two.labels,
        prior_share=(one.prior_share + two.prior_share) / 2,
        group=f"{question.a} − {question.b}",
        weight=one.weight + two.weight,
        unit="points" if one.unit == "share" else one.unit,
        left=None if one.left is None or two.left is None else one.left + two.left,
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


def _difference_interval(reading: Reading, draws: Array, a: int, b: int) -> tuple[float, float]:
    """The interval of a difference from its draws (n, 1), with what the two groups' own were widened by."""
    if not len(draws):
        return -_WIDEST, _WIDEST
    low, high = draws_interval(draws, reading.level, reading.interval)
    plain = defined_interval(reading.row_draws[:, [a, b]], reading.level, reading.interval)
    ends = np.array([[reading.findings[g].low, reading.findings[g].high] for g in (a, b)]).T
    below, above = np.maximum(plain[0] - ends[0], 0.0), np.maximum(ends[1] - plain[1], 0.0)
    return float(low[0] - below[0] - above[1]), float(high[0] + above[0] + below[1])


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
    after = count_of(reading.evidence.count, "label")
    if math.isnan(difference.value):
        return (
            f"{question.a} and {question.b} cannot be compared after {after}: in one of them nothing is known of the "
            f"{question.metric.title}."
        )
    region, what = int(np.argmax(mu)), question.metric.title
    if mu[region] < DECIDED:
        return (
            f"Undecided after {after}: the {what} of {question.a} is lower than that of {question.b} by more than "
            f"{question.rope:g} with probability {percent(mu[0])}, about equal {percent(mu[1])}, higher "
            f"{percent(mu[2])}. "
            f"Difference {question.a} − {question.b}: {difference}."
        )
    verdict = (
        f"{question.a} has a lower {what} than {question.b}, by more than {question.rope:g},",
        f"{question.a} and {question.b} have practically the same {what} (within {question.rope:g})",
        f"{question.a} has a higher {what} than {question.b}, by more than {question.rope:g},",
    )[region]
    return (
        f"{verdict} with probability {_sure(mu[region], [difference])} after {after}. "
        f"Difference {question.a} − {question.b}: {difference}."
    )
