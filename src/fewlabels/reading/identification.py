"""Which groups are worst or best: ranks, the probability of the set, and the sentence."""

from dataclasses import asdict
from typing import Any

import numpy as np

from fewlabels.answers import Finding, Identification, RankedFinding, count_of, sure
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.beta import Marginals
from fewlabels.core.keyed import Use
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
from fewlabels.reading.notes import prior_notes
from fewlabels.reading.twin import contradictions


def identification(reading: CellReading, question: Identify, common: dict[str, Any]) -> Identification:
    """Which groups are the ones asked for, and how sure."""
    sign = _sign(question)
    ranks = _ranks(reading, question, sign)
    order = _in_order(reading, sign)
    exact = question.top == 1 and read_exactly(reading) is not None
    probability = float(ranks.p_top[order[0]]) if exact else probability_of_first(reading, question)
    extra: tuple[dict[str, Any], ...] = tuple(
        {"rank": r + 1, "rank_low": int(ranks.low[i]), "rank_high": int(ranks.high[i]), "p_top": float(ranks.p_top[i])}
        for r, i in enumerate(order)
    )
    findings = tuple(
        RankedFinding(**asdict(reading.findings[i]), **place) for i, place in zip(order, extra, strict=True)
    )
    groups = tuple(f.group for f in findings[: question.top])
    first = findings[: question.top]
    what = "one of these figures" if len(first) > 1 else f"the figure of {first[0].group}"
    notes = (*contradictions(findings), *prior_notes(reading, first, what, order[: question.top].tolist()))
    common["notes"] = (*notes, *common["notes"])
    return Identification(
        findings=findings,
        extra=extra,
        groups=groups,
        probability=probability,
        sentence=_sentence(reading, question, findings, probability),
        **common,
    )


def _in_order(reading: CellReading, sign: float) -> Ints:
    """Groups in the order asked for; those without labels last, for only scores speak of them."""
    values = np.array([f.value for f in reading.findings]) * sign
    unlabelled = np.array([f.labels == 0 for f in reading.findings])
    return np.lexsort((np.where(np.isnan(values), np.inf, values), unlabelled))


def _sign(question: Identify) -> float:
    return 1.0 if question.lowest_first else -1.0


def probability_of_first(reading: CellReading, question: Identify) -> float:
    """That exactly the first groups are the ones asked for."""
    sign = _sign(question)
    rng, members = reading.keyed.generator(Use.ANSWER, attempt=2), _in_order(reading, sign)[: question.top]
    return probability_of_set(_first_is_low(reading, sign), members, rng)


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
    if question.top == 1:
        return (
            f"{end} {question.metric.title}{question.by_words}: {findings[0].group}, {reading.named(findings[0])}; "
            f"it is the one with probability {sure(probability, findings)} {after}."
        )
    named = findings[: question.top]
    names = ", ".join(f.group for f in named)
    few = sum(reading.named(f) != str(f) for f in named)
    own = f" ({few} with fewer than {FEW_OF_ITS_OWN} labels of their own)" if few else ""
    return (
        f"{end} {question.metric.title}{question.by_words}, {question.top} groups: {names}{own}; "
        f"exactly these with probability {sure(probability, findings)} {after}."
    )
