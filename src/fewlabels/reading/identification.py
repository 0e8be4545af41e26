"""Which groups are worst or best: ranks, the probability of the set, and the sentence."""

from dataclasses import asdict, replace
from typing import Any, cast

import numpy as np

from fewlabels.answers import (
    KEPT,
    LEAST_FOR_A_RANK,
    Certified,
    Finding,
    Identification,
    Joint,
    RankedFinding,
    count_of,
    few_of,
    margin_words,
)
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import CertifyingBelief
from fewlabels.core.beta import Marginals
from fewlabels.core.certificate import LEAST_OF_EACH, Certificate, Figures, sure_enough
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
from fewlabels.reading.figures import figures_of
from fewlabels.reading.notes import prior_notes
from fewlabels.reading.twin import contradictions
from fewlabels.settling import among, in_order

_OPEN = 0.01  # a group is said to be open where it stands in the way with at least this chance
_ROUNDING = 1e-12


def identification(reading: CellReading, question: Identify, common: dict[str, Any]) -> Identification:
    """Which groups are the ones asked for, and how sure."""
    sign, shown = _sign(question), figures_of(reading)
    ranks = _ranks(reading, question, sign)
    order, probability, certified, confirmed = _named(reading, question, ranks)
    extra: tuple[dict[str, Any], ...] = tuple(
        {
            "rank": rank,
            "rank_low": min(int(ranks.low[i]), rank),
            "rank_high": max(int(ranks.high[i]), rank),
            "p_top": float(ranks.p_top[i]),
        }
        for rank, i in enumerate(order.tolist(), start=1)
    )
    findings = tuple(RankedFinding(**asdict(shown.findings[i]), **place) for i, place in zip(order, extra, strict=True))
    groups = tuple(f.group for f in findings[: question.top])
    first = findings[: question.top]
    what = "one of these figures" if len(first) > 1 else f"the figure of {first[0].group}"
    notes = (*contradictions(findings), *prior_notes(shown, first, what, order[: question.top].tolist()))
    common["notes"] = (*notes, *_tie_notes(question, certified), *common["notes"])
    common["outlook"] = of_order(common.get("outlook"), question)
    return Identification(
        findings=findings,
        top=question.top,
        extra=extra,
        groups=groups,
        probability=probability,
        within=question.within,
        confirmed=confirmed,
        certified=certified,
        joint=_joint(reading, question, order),
        sentence=_sentence(reading, question, findings, certified, confirmed=confirmed),
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


def how_sure(reading: CellReading, question: Identify) -> tuple[float, Certified | None]:
    """The probability that the groups named are the ones asked for, or at most the margin away from them; with what a
    certificate says beside it, where the belief gives one. A goal reads no more than this."""
    figures = assessment_figures(reading)
    if figures is None:
        return probability_of_first(reading, question, _by_figures(reading, question)), None
    found, about = _certificate(reading, question, figures, _first_believed(reading))
    return found.many, about


def _named(reading: CellReading, question: Identify, ranks: Ranks) -> tuple[Ints, float, Certified | None, bool]:
    """The groups in the order in which they are shown, those named first; how sure it is that these are the ones.

    Once a certificate is reached, the groups are named that it is about. Before, those of the lowest figures: the table
    shows no group below them. A goal looks at what may be confirmed, whatever is named before.
    """
    by_figures, figures = _by_figures(reading, question), assessment_figures(reading)
    if figures is None:
        if question.top == 1 and _counts_exactly(reading, question):
            return by_figures, float(ranks.p_top[by_figures[0]]), None, False
        return by_figures, probability_of_first(reading, question, by_figures), None, False
    believed = _first_believed(reading)
    found, about = _certificate(reading, question, figures, believed)
    goal = reading.assessment.settings.sure
    if sure_enough(goal, found.many, found.few) and not found.short.any():
        members = among(believed, question.top)[by_figures]
        return np.concatenate([by_figures[members], by_figures[~members]]), found.many, about, True
    of_these, _ = _certificate(reading, question, figures, by_figures)
    return by_figures, of_these.many, about, False


def _by_figures(reading: CellReading, question: Identify) -> Ints:
    """Groups in the order asked for, by the values that are shown of them."""
    return _in_order(figures_of(reading), _sign(question))


def _first_believed(reading: CellReading) -> Ints:
    """Groups in the order asked for, by the belief that certifies them."""
    return reading.assessment.first(reading.belief)


def _certificate(
    reading: CellReading, question: Identify, figures: Figures, order: Ints
) -> tuple[Certificate, Certified]:
    """Of the first groups in this order, and the same for an answer."""
    belief = cast(CertifyingBelief, reading.belief)
    found = belief.certificate(among(order, question.top), question.within, figures, pool=reading.pool)
    names = reading.assessment.lens.rows.names
    most_open = [g for g in np.argsort(-found.open, kind="stable").tolist() if found.open[g] >= _OPEN]
    fewest = [g for g in np.argsort(-found.missing, kind="stable").tolist() if found.missing[g] > 0]
    about = tuple(names[g] for g in most_open), tuple(names[g] for g in fewest)
    return found, Certified(found.few, *about, round(float(found.missing.sum())), found.many)


def assessment_figures(reading: CellReading) -> Figures | None:
    """The figures that a certificate is about; None where the reading's belief gives none."""
    own = reading.estimator is reading.assessment.estimator
    return reading.assessment.certified if own else None


def _counts_exactly(reading: CellReading, question: Identify) -> bool:
    return question.within == 0 and read_exactly(reading) is not None


def _in_order(reading: CellReading, sign: float) -> Ints:
    """Groups in the order asked for; after them those with too few labels for a rank, and last those without any: only
    scores speak of them."""
    values = np.array([f.value for f in reading.findings]) * sign
    few = [(f.labels == 0) + (f.labels < LEAST_FOR_A_RANK and f.left != 0) for f in reading.findings]
    return in_order(values, np.array(few))


def _sign(question: Identify) -> float:
    return 1.0 if question.lowest_first else -1.0


def probability_of_first(reading: CellReading, question: Identify, order: Ints) -> float:
    """That the first groups in this order are exactly the ones asked for, or with a margin that none of them is further
    away."""
    rng, members = reading.keyed.generator(Use.ANSWER, attempt=2), order[: question.top]
    draws = _first_is_low(reading, _sign(question))
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


def _sentence(
    reading: CellReading, question: Identify, findings: tuple[Finding, ...], certified: Certified | None,
    *, confirmed: bool,
) -> str:  # fmt: skip
    """Which groups, and whether that is confirmed; how likely it is no sentence says before that, for such
    probabilities did not come true as often as they said."""
    end = "Lowest" if question.lowest_first else "Highest"
    title, after = f"{question.metric.title}{question.by_words}", f"after {count_of(reading.evidence.count, 'label')}"
    labelled = sum(f.labels > 0 for f in findings)
    if (possible := sum(f.labels > 0 or f.left != 0 for f in findings)) < question.top:
        some = f"{possible:,} of {len(findings):,} groups {'has' if possible == 1 else 'have'} items that count in it"
        return f"{end} {title}: not defined {after}; only {some}."
    if labelled < question.top:
        some = f"only {labelled:,} of {len(findings):,} groups have labels" if labelled else "no group has labels"
        return f"{end} {title}: not decided {after}; {some}."
    named, so_far = findings[: question.top], "" if confirmed else " so far"
    first = named[0]
    if question.top == 1:
        who = f"{first.group}, {reading.named(first)}"
    else:
        few = sum(reading.named(f) != str(f) for f in named)
        who = ", ".join(f.group for f in named)
        who += f" ({few} with fewer than {FEW_OF_ITS_OWN} labels of their own)" if few else ""
    groups = f", {question.top} groups" if question.top > 1 else ""
    sure = _confirmed_words(question, first) if confirmed else _open_words(certified, findings, question.top)
    return f"{end} {title}{groups}{so_far}: {who}, {after}.{sure}"


def _confirmed_words(question: Identify, first: Finding) -> str:
    """What a certificate says."""
    further = "lower" if question.lowest_first else "higher"
    than = first.group if question.top == 1 else "these"
    margin = margin_words(question.within, points=first.unit != "number")
    by = f"more than {margin} {further}" if question.within else further
    return f" Confirmed: no other group is {by} than {than}."


def _open_words(certified: Certified | None, findings: tuple[Finding, ...], top: int) -> str:
    """Which groups besides those named are not ruled out."""
    if certified is None:
        return " Others may be further: nothing confirms these."
    named = {f.group for f in findings[:top]}
    others, fewest = [name for name in certified.open if name not in named], len(certified.short)
    left = f" Not ruled out: {few_of(others)}." if others else " Not confirmed yet."
    if fewest == 0:
        return left
    short = f"{fewest:,} groups have" if fewest > 1 else f"{certified.short[0]} has"
    return f"{left} {short} fewer than {LEAST_OF_EACH} labels."


def _tie_notes(question: Identify, certified: Certified | None) -> tuple[str, ...]:
    if question.within or certified is None or not certified.open:
        return ()
    return (
        "Groups that all but tie may never be settled exactly; a margin (within=0.01) takes either of them for right.",
    )
