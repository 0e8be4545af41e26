"""Which groups were found, in words."""

from fewlabels.answers import (
    Certified,
    Finding,
    GroupProof,
    RankedFinding,
    count_of,
    few_of,
    margin_words,
    proven_words,
)
from fewlabels.questions import Identify
from fewlabels.reading.base import FEW_OF_ITS_OWN
from fewlabels.reading.cells import CellReading


def sentence_of(
    reading: CellReading,
    question: Identify,
    findings: tuple[RankedFinding, ...],
    certified: Certified | None,
    proof: GroupProof | None,
    *,
    confirmed: bool,
) -> str:
    """Which groups, and whether that is confirmed. No sentence says how likely it is before that, for such
    probabilities did not come true as often as they said."""
    end = "Lowest" if question.lowest_first else "Highest"
    title, after = f"{question.metric.title}{question.by_words}", f"after {count_of(reading.evidence.count, 'label')}"
    labelled, ranked = sum(f.labels > 0 for f in findings), sum(f.ranked for f in findings)
    if (possible := sum(f.labels > 0 or f.left != 0 for f in findings)) < question.top:
        some = f"{possible:,} of {len(findings):,} groups {'has' if possible == 1 else 'have'} items that count in it"
        return f"{end} {title}: not defined {after}; only {some}."
    if ranked < question.top:
        least = f"{findings[0].ranked_from} labels" if ranked < labelled else "labels"
        some = f"only {ranked:,} of {len(findings):,} groups have {least}" if ranked else f"no group has {least}"
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
    sure = _confirmed(question, first) if confirmed else _open(certified, findings, question.top)
    sure = _proven(reading, proof, confirmed=confirmed) if question.proven else sure
    return f"{end} {title}{groups}{so_far}: {who}, {after}.{sure}"


def _confirmed(question: Identify, first: Finding) -> str:
    """What a certificate says."""
    further = "lower" if question.lowest_first else "higher"
    than = first.group if question.top == 1 else "these"
    margin = margin_words(question.within, points=first.unit != "number")
    by = f"more than {margin} {further}" if question.within else further
    return f" Confirmed: no other group is {by} than {than}."


def _open(certified: Certified | None, findings: tuple[RankedFinding, ...], top: int) -> str:
    """Which groups besides those named are not ruled out."""
    if certified is None:
        return " Others may be further: nothing confirms these."
    named = {f.group for f in findings[:top]}
    others = [name for name in certified.open if name not in named]
    left = f" Not ruled out: {few_of(others)}." if others else " Not confirmed yet."
    if not certified.short:
        return left
    who = f"{len(certified.short):,} groups have" if len(certified.short) > 1 else f"{certified.short[0]} has"
    return f"{left} {who} too few labels to decide: each needs {certified.floor}, spread over its scores."


def _proven(reading: CellReading, proof: GroupProof | None, *, confirmed: bool) -> str:
    """Whether it is proven, where that is asked for."""
    how = proven_words(reading.level)
    if proof is None:
        return f" It is not {how}: these labels were not drawn for a proof."
    if confirmed:
        return f" It is {how}."
    open_ = proof.open(reading.level)
    every = f"all {len(open_):,} other groups" if len(open_) == len(proof.others) > 1 else few_of(open_)
    return f" It is not yet {how}. Not ruled out: {every}."


def tie_notes(question: Identify, certified: Certified | None) -> tuple[str, ...]:
    """That groups that tie may never be settled."""
    if question.within or certified is None or not certified.open:
        return ()
    return (
        "Groups that all but tie may never be settled exactly; a margin (within=0.01) takes either of them for right.",
    )
