"""Which groups are worst or best: ranks, how sure it is that these are the ones, and what is certified or proven."""

from dataclasses import asdict, replace
from typing import Any, NamedTuple, cast

import numpy as np

from fewlabels.answers import KEPT, Certified, Finding, GroupProof, Identification, Joint, RankedFinding
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import CertifyingBelief
from fewlabels.core.beta import Marginals
from fewlabels.core.certificate import Figures, floor_of_each, sure_enough
from fewlabels.core.evidence import Evidence
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
from fewlabels.reading.cells import CellReading
from fewlabels.reading.extremes import against
from fewlabels.reading.few_labels import labels_for_a_rank
from fewlabels.reading.figures import figures_of
from fewlabels.reading.found_groups import sentence_of, tie_notes
from fewlabels.reading.notes import prior_notes
from fewlabels.reading.proven_groups import proof_of
from fewlabels.reading.twin import contradictions
from fewlabels.settling import among, in_order

_OPEN = 0.01  # a group is said to be open where it stands in the way with at least this chance
_ROUNDING = 1e-12


class Named(NamedTuple):
    """The groups in the order in which they are shown, those named first, and how sure these are."""

    order: Ints
    probability: float
    certified: Certified | None = None
    confirmed: bool = False
    proof: GroupProof | None = None


def identification(reading: CellReading, question: Identify, common: dict[str, Any]) -> Identification:
    """Which groups are the ones asked for, and how sure."""
    sign, shown = _sign(question), figures_of(reading)
    ranks = _ranks(reading, question, sign)
    named = _named(reading, question, ranks)
    order = named.order
    reach = [ranks, *(_ranks(one, question, sign) for one in _turned(reading, question, order))]
    low, high = np.min([r.low for r in reach], axis=0), np.max([r.high for r in reach], axis=0)
    widest = replace(ranks, low=low, high=high) if reading.skips is None else _over_skips(ranks, low, high, shown, sign)
    extra = tuple(_place(shown.findings[i], widest, r, i) for r, i in enumerate(order.tolist(), start=1))
    findings = tuple(RankedFinding(**asdict(shown.findings[i]), **place) for i, place in zip(order, extra, strict=True))
    first = tuple(f for f in findings[: question.top] if f.ranked)
    notes = contradictions(findings)
    if first:
        what = "one of these figures" if len(first) > 1 else f"the figure of {first[0].group}"
        notes += prior_notes(shown, first, what, order[: len(first)].tolist())
    common["notes"] = (*notes, *tie_notes(question, named.certified), *common["notes"])
    common["outlook"] = of_order(common.get("outlook"), question)
    return Identification(
        findings=findings,
        top=question.top,
        extra=extra,
        groups=tuple(f.group for f in first),
        probability=named.probability,
        within=question.within,
        confirmed=named.confirmed,
        certified=named.certified,
        proven=question.proven,
        proof=named.proof,
        joint=_joint(reading, question, order),
        sentence=sentence_of(reading, question, findings, named.certified, named.proof, confirmed=named.confirmed),
        **common,
    )


def _over_skips(ranks: Ranks, low: Ints, high: Ints, shown: CellReading, sign: float) -> Ranks:
    """Ranks as far as the intervals leave them open, which hold whatever skipped items are."""
    ends = np.sort(sign * np.array([(f.low, f.high) for f in shown.findings]), axis=1)
    first, last = (np.nan_to_num(end, nan=fill) for end, fill in zip(ends.T, (-np.inf, np.inf), strict=True))
    above = (last[None] < first[:, None]).sum(axis=1)  # groups that come before this one whatever skipped items are
    below = (first[None] > last[:, None]).sum(axis=1)
    return replace(ranks, low=np.minimum(low, 1 + above), high=np.maximum(high, len(first) - below))


def _place(finding: Finding, ranks: Ranks, rank: int, row: int) -> dict[str, Any]:
    """The rank of a group, 1 for the first of those asked for; none of one with too few labels of its own."""
    own: dict[str, Any] = {"rank": None, "rank_low": None, "rank_high": None, "p_top": float(ranks.p_top[row])}
    if finding.ranked:
        low, high = min(int(ranks.low[row]), rank), max(int(ranks.high[row]), rank)
        own |= {"rank": rank, "rank_low": low, "rank_high": high}
    return own


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


# -- how sure ----------------------------------------------------------------------------------------------------------


def how_sure(reading: CellReading, question: Identify) -> tuple[float, Certified | None]:
    """The probability that the groups that may be confirmed are the ones asked for, or at most the margin away from
    them; with what a certificate says beside it, where the belief gives one. A goal reads no more than this."""
    return _sure_of(reading, question, _first_believed(reading, question))


def proof_read(reading: CellReading, question: Identify) -> GroupProof | None:
    """What is proven of the groups that may be confirmed; None where no proof is asked for, or none can be read."""
    if not question.proven or assessment_figures(reading) is None:
        return None
    return proof_of(reading.assessment, reading.evidence, _first_believed(reading, question), question.top)


def _named(reading: CellReading, question: Identify, ranks: Ranks) -> Named:
    """Once a certificate is reached, or a proof, the groups are named that it is about. Before, those of the lowest
    figures: the table shows no group below them. A goal looks at what may be confirmed, whatever is named before."""
    by_figures = _in_order(figures_of(reading), _sign(question))
    if assessment_figures(reading) is None:
        if question.top == 1 and _counts_exactly(reading, question):
            every = (ranks, *(_ranks(one, question, _sign(question)) for one in _turned(reading, question, by_figures)))
            return Named(by_figures, min(float(one.p_top[by_figures[0]]) for one in every))
        return Named(by_figures, _sure_of(reading, question, by_figures)[0])
    believed = _first_believed(reading, question)
    members = among(believed, question.top)[by_figures]
    first = np.concatenate([by_figures[members], by_figures[~members]])
    sure, certified = _sure_of(reading, question, believed)
    assert certified is not None  # a belief that certifies gives it
    if question.proven:
        proof = proof_read(reading, question)
        shown = proof is not None and proof.shown(reading.level)
        return Named(first, sure, certified, shown, proof)
    goal = reading.assessment.settings.sure
    if sure_enough(goal, sure, certified.few) and not certified.missing:
        return Named(first, sure, certified, confirmed=True)
    return Named(by_figures, _sure_of(reading, question, by_figures)[0], replace(certified, many=sure))


def _sure_of(reading: CellReading, question: Identify, order: Ints) -> tuple[float, Certified | None]:
    """How sure it is of the first groups in this order; where items were skipped, the least that it may be."""
    found = _sure_of_one(reading, question, order)
    others = [_sure_of_one(one, question, order) for one in _turned(reading, question, order)]
    (p, own), every = found, [c for _, c in (found, *others) if c is not None]
    least = min(p, *(chance for chance, _ in others)) if others else p
    if own is None:
        return least, None
    open_ = tuple(dict.fromkeys(name for c in every for name in c.open))
    return least, replace(own, few=min(c.few for c in every), open=open_)


def _sure_of_one(reading: CellReading, question: Identify, order: Ints) -> tuple[float, Certified | None]:
    """The same of one reading, whatever was skipped."""
    figures = assessment_figures(reading)
    if figures is None:
        return probability_of_first(reading, question, order), None
    belief = cast(CertifyingBelief, reading.belief)
    found = belief.certificate(among(order, question.top), question.within, figures, pool=reading.pool)
    names = reading.assessment.lens.rows.names
    most_open = [g for g in np.argsort(-found.open, kind="stable").tolist() if found.open[g] >= _OPEN]
    missing = _missing(reading, found.missing)
    fewest = [g for g in np.argsort(-missing, kind="stable").tolist() if missing[g] > 0]
    about = tuple(names[g] for g in most_open), tuple(names[g] for g in fewest)
    return found.many, Certified(found.few, *about, round(float(missing.sum())), floor_of_each(len(missing)))


def _turned(reading: CellReading, question: Identify, order: Ints) -> tuple[CellReading, ...]:
    """The same where skipped items speak against the groups named as much as they can, and for them."""
    if reading.skips is None:
        return ()
    named = among(order, question.top)
    told = against(reading.assessment, reading.skips, named, lowest_first=question.lowest_first)
    return tuple(reading.having(evidence) for evidence in told)


def _missing(reading: CellReading, of_cells: Array) -> Array:
    """The labels that each group lacks before anything is claimed; nobody can give those of items that were skipped."""
    evidence, groups = reading.evidence, reading.view.groups
    order = evidence.order if isinstance(evidence, Evidence) else None  # counts alone know of no skips
    if order is None or not order.skipped:
        return groups.sums(of_cells)
    skipped = np.bincount([one.cell for one in order.skipped], minlength=len(of_cells))
    left = reading.assessment.cells.size - evidence.labels_per_cell(len(of_cells)) - skipped
    return groups.sums(np.minimum(of_cells, np.maximum(left, 0.0)))


def assessment_figures(reading: CellReading) -> Figures | None:
    """The figures that a certificate is about; None where the reading's belief gives none."""
    own = reading.estimator is reading.assessment.estimator
    return reading.assessment.certified if own else None


# -- order and ranks ---------------------------------------------------------------------------------------------------


def _in_order(reading: CellReading, sign: float) -> Ints:
    """Groups in the order asked for; those with too few labels for a rank behind, and last those with none, for only
    scores and other groups speak of them."""
    values = np.array([f.value if f.pooled_value is None else f.pooled_value for f in reading.findings]) * sign
    return in_order(values, np.array([(not f.ranked) + (f.labels == 0) for f in reading.findings]))


def _first_believed(reading: CellReading, question: Identify) -> Ints:
    """Groups in the order asked for, by the belief that certifies them; those with too few labels for a rank behind."""
    if assessment_figures(reading) is None:
        return _in_order(figures_of(reading), _sign(question))
    belief, lens = reading.belief, reading.assessment.lens
    order = reading.assessment.first(belief)
    labels, left = lens.metric.behind(belief, lens.view)
    few = (labels < labels_for_a_rank(lens)) & (left != 0)
    return order[np.argsort((few * 1 + (labels == 0))[order], kind="stable")]


def _sign(question: Identify) -> float:
    return 1.0 if question.lowest_first else -1.0


def _counts_exactly(reading: CellReading, question: Identify) -> bool:
    return question.within == 0 and read_exactly(reading) is not None


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
