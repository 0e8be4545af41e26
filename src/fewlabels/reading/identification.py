"""Which groups are worst or best: ranks, the probability of the set, and the sentence."""

from dataclasses import asdict, replace
from typing import Any, cast

import numpy as np

from fewlabels.answers import (
    KEPT,
    Certified,
    Finding,
    Identification,
    Joint,
    RankedFinding,
    count_of,
    few_of,
    margin_words,
    sure,
)
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import CertifyingBelief
from fewlabels.core.beta import Marginals
from fewlabels.core.certificate import LEAST_OF_EACH, Figures
from fewlabels.core.keyed import Use
from fewlabels.core.needed import Outlook
from fewlabels.core.ranking import (
    EXACT_GROUPS,
    Ranks,
    beta_rank_distribution,
    probability_of_set,
    ranks_from_distribution,
    ranks_from_draws,
)
from fewlabels.questions import Identify
from fewlabels.reading.base import FEW_OF_ITS_OWN
from fewlabels.reading.cells import CellReading
from fewlabels.reading.extremes import against
from fewlabels.reading.notes import prior_notes
from fewlabels.reading.twin import contradictions
from fewlabels.settling import among, in_order

_OPEN = 0.01  # a group is said to be open where it stands in the way with at least this chance
_ROUNDING = 1e-12


def identification(reading: CellReading, question: Identify, common: dict[str, Any]) -> Identification:
    """Which groups are the ones asked for, and how sure."""
    sign = _sign(question)
    ranks, order = _ranks(reading, question, sign), _in_order(reading, sign)
    reach = [ranks, *(_ranks(one, question, sign) for one in _turned(reading, question, order))]
    lowest, highest = np.min([r.low for r in reach], axis=0), np.max([r.high for r in reach], axis=0)
    probability, certified = how_sure(reading, question, order, ranks)
    extra: tuple[dict[str, Any], ...] = tuple(
        {"rank": r + 1, "rank_low": int(lowest[i]), "rank_high": int(highest[i]), "p_top": float(ranks.p_top[i])}
        for r, i in enumerate(order)
    )
    findings = tuple(
        RankedFinding(**asdict(reading.findings[i]), **place) for i, place in zip(order, extra, strict=True)
    )
    groups = tuple(f.group for f in findings[: question.top])
    first = findings[: question.top]
    what = "one of these figures" if len(first) > 1 else f"the figure of {first[0].group}"
    notes = (*contradictions(findings), *prior_notes(reading, first, what, order[: question.top].tolist()))
    common["notes"] = (*notes, *_tie_notes(question, certified), *common["notes"])
    common["outlook"] = of_order(common.get("outlook"), question)
    return Identification(
        findings=findings,
        top=question.top,
        extra=extra,
        groups=groups,
        probability=probability,
        within=question.within,
        certified=certified,
        joint=_joint(reading, question, order),
        sentence=_sentence(reading, question, findings, probability) + _open_words(certified, findings, question.top),
        **common,
    )


def _joint(reading: CellReading, question: Identify, order: Ints) -> Joint | None:
    """What handing groups over would yield is read off; None where it is not about the least accurate of groups that
    are known without a label."""
    metric, by_sums = reading.metric, reading.of_overall
    if not (metric.of_correctness and metric.scale == 1.0 and question.lowest_first) or question.by_true_class:
        return None
    return Joint(by_sums.row_draws[:KEPT, order], reading.assessment.lens.rows.weight[order])


def of_order(seen: Outlook | None, question: Identify) -> Outlook | None:
    """What groups may turn out to be, those asked for lowest."""
    return seen if seen is None or question.lowest_first else replace(seen, rates=1 - seen.rates)


def how_sure(
    reading: CellReading, question: Identify, order: Ints | None = None, ranks: Ranks | None = None
) -> tuple[float, Certified | None]:
    """The probability that the groups named are the ones asked for, or at most the margin away from them; with what a
    certificate says beside it, where the belief gives one. Where items were skipped, the least that it may be."""
    found = _how_sure(reading, question, order, ranks)
    if reading.skips is None:
        return found
    order = _order(reading, question) if order is None else order
    return _least_sure(
        found, [_how_sure(one, question, order, given=True) for one in _turned(reading, question, order)]
    )


def _order(reading: CellReading, question: Identify) -> Ints:
    """Groups in the order in which they are named."""
    if assessment_figures(reading) is None:
        return _in_order(reading, _sign(question))
    return reading.assessment.first(reading.belief)


def _turned(reading: CellReading, question: Identify, order: Ints) -> tuple[CellReading, ...]:
    """The same where skipped items speak against the groups named as much as they can, and for them."""
    if reading.skips is None:
        return ()
    named = among(order, question.top)
    told = against(reading.assessment, reading.skips, named, lowest_first=question.lowest_first)
    return tuple(reading.having(evidence) for evidence in told)


def _least_sure(
    found: tuple[float, Certified | None], others: list[tuple[float, Certified | None]]
) -> tuple[float, Certified | None]:
    """What is certified whatever skipped items are."""
    (p, own), every = found, [c for _, c in (found, *others) if c is not None]
    least = min(p, *(chance for chance, _ in others))
    if own is None:
        return least, None
    open_ = tuple(dict.fromkeys(name for c in every for name in c.open))
    return least, replace(own, few=min(c.few for c in every), open=open_)


def _how_sure(
    reading: CellReading, question: Identify, order: Ints | None = None, ranks: Ranks | None = None, *,
    given: bool = False,
) -> tuple[float, Certified | None]:  # fmt: skip
    """The same of one reading; `given` where the order is that of another one."""
    figures, assessment = assessment_figures(reading), reading.assessment
    if figures is None:
        if ranks is not None and order is not None and question.top == 1 and _counts_exactly(reading, question):
            return float(ranks.p_top[order[0]]), None
        return probability_of_first(reading, question, order if given else None), None
    belief = cast(CertifyingBelief, reading.belief)
    named = among(assessment.first(belief) if order is None else order, question.top)
    found = belief.certificate(named, question.within, figures, pool=reading.pool)
    names = assessment.lens.rows.names
    most_open = [g for g in np.argsort(-found.open, kind="stable").tolist() if found.open[g] >= _OPEN]
    fewest = [g for g in np.argsort(-found.missing, kind="stable").tolist() if found.missing[g] > 0]
    about = tuple(names[g] for g in most_open), tuple(names[g] for g in fewest)
    return found.many, Certified(found.few, *about, round(float(found.missing.sum())))


def assessment_figures(reading: CellReading) -> Figures | None:
    """The figures that a certificate is about; None where the reading's belief gives none."""
    own = reading.estimator is reading.assessment.estimator
    return reading.assessment.certified if own else None


def _counts_exactly(reading: CellReading, question: Identify) -> bool:
    return question.within == 0 and read_exactly(reading) is not None


def _in_order(reading: CellReading, sign: float) -> Ints:
    """Groups in the order asked for; those without labels last, for only scores speak of them."""
    values = np.array([f.value for f in reading.findings]) * sign
    return in_order(values, np.array([f.labels == 0 for f in reading.findings]))


def _sign(question: Identify) -> float:
    return 1.0 if question.lowest_first else -1.0


def probability_of_first(reading: CellReading, question: Identify, order: Ints | None = None) -> float:
    """That the first groups are exactly the ones asked for, or with a margin that none of them is further away."""
    sign = _sign(question)
    order = _in_order(reading, sign) if order is None else order
    rng, members = reading.keyed.generator(Use.ANSWER, attempt=2), order[: question.top]
    draws = _first_is_low(reading, sign)
    if question.within == 0:
        return probability_of_set(draws, members, rng)
    inside = np.isin(np.arange(draws.shape[1]), members)
    last, first = draws[:, inside].max(axis=1), draws[:, ~inside].min(axis=1)
    return float((np.isfinite(last) & (last <= first + question.within + _ROUNDING)).mean())


def _first_is_low(reading: CellReading, sign: float) -> Array:
    """Draws of each group's value, the first in order lowest, unknown ones last."""
    draws = reading.row_draws if sign > 0 else -reading.row_draws
    unknown = np.isnan(draws)
    return np.where(unknown, np.inf, draws) if unknown.any() else draws


def read_exactly(reading: CellReading) -> Marginals | None:
    """What ranks follow from without draws; None where they do not."""
    m = reading.marginals
    exact = m is not None and m.scale == 1.0 and not m.shift.any() and not reading.pool and len(m.size) <= EXACT_GROUPS
    return m if exact else None


def _ranks(reading: CellReading, question: Identify, sign: float) -> Ranks:
    if (m := read_exactly(reading)) is not None:
        ends = (m.alpha, m.beta) if sign > 0 else (m.beta, m.alpha)
        return ranks_from_distribution(beta_rank_distribution(*ends), reading.level, question.top)
    rng = reading.keyed.generator(Use.ANSWER, attempt=1)
    return ranks_from_draws(_first_is_low(reading, sign), reading.level, question.top, rng)


def _sentence(reading: CellReading, question: Identify, findings: tuple[Finding, ...], probability: float) -> str:
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
    margin = margin_words(question.within, points=findings[0].unit != "number")
    if question.top == 1:
        close = f"it is within {margin} of the {end.lower()}" if question.within else "it is exactly the one"
        return (
            f"{end} {question.metric.title}{question.by_words}: {findings[0].group}, {reading.named(findings[0])}; "
            f"{close} with probability {sure(probability, findings)} {after}."
        )
    named = findings[: question.top]
    names = ", ".join(f.group for f in named)
    few = sum(reading.named(f) != str(f) for f in named)
    own = f" ({few} with fewer than {FEW_OF_ITS_OWN} labels of their own)" if few else ""
    close = f"each is within {margin} of the true {question.top} {end.lower()}" if question.within else "exactly these"
    return (
        f"{end} {question.metric.title}{question.by_words}, {question.top} groups: {names}{own}; "
        f"{close} with probability {sure(probability, findings)} {after}."
    )


def _open_words(certified: Certified | None, findings: tuple[Finding, ...], top: int) -> str:
    """What is still undecided; of those named alone their probability says it."""
    if certified is None or not any(f.labels for f in findings):
        return ""
    left, named = "", {f.group for f in findings[:top]}
    if not named.issuperset(certified.open):
        every = len(certified.open) == len(findings)
        left = f" Still open: {f'all {len(findings):,} groups' if every else few_of(certified.open)}."
    fewest = len(certified.short)
    short = f" {fewest:,} groups have fewer than {LEAST_OF_EACH} labels of their own." if fewest > 1 else ""
    return left + (short or (f" {certified.short[0]} has fewer than {LEAST_OF_EACH} labels." if fewest else ""))


def _tie_notes(question: Identify, certified: Certified | None) -> tuple[str, ...]:
    if question.within or certified is None or not certified.open:
        return ()
    return (
        "Groups that all but tie may never be settled exactly; a margin (within=0.01) takes either of them for right.",
    )
