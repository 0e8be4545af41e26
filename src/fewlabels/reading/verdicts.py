"""On which side of a threshold each group lies: what is shown, and the sentence."""

from typing import Any, cast

import numpy as np

from fewlabels.answers import LEAST_FOR_A_VERDICT, Decided, Finding, Verdicts, count_of, margin_words
from fewlabels.core.verdicts import LEAST_LABELS, Won, of_capital
from fewlabels.questions import Against
from fewlabels.reading.cells import CellReading
from fewlabels.reading.every_look import EveryLook
from fewlabels.reading.twin import contradictions

_NAMED = 8  # groups in a sentence
_WORDS = {-1: "below", 0: "not decided", 1: "above"}


def verdicts(reading: CellReading, question: Against, common: dict[str, Any]) -> Verdicts:
    """The groups below, those above, and those of which it is open."""
    lens, metric = reading.assessment.lens, reading.metric
    scale, shift = cast(float, metric.scale), metric.shift(reading.view)
    capitals = EveryLook(reading.assessment, reading.evidence).of_rows(lens)
    turned = [bets.turned(scale, float(by)) for bets, by in zip(capitals, shift, strict=True)]
    won = np.array([of_capital(bets, question.threshold, question.within) for bets in turned])
    enough = np.array([f.labels >= LEAST_LABELS or f.left == 0 for f in reading.findings])
    order = np.argsort([f.value for f in reading.findings], kind="stable")
    shown = Won(won[order, 0], won[order, 1], enough[order])
    findings = tuple(reading.findings[i] for i in order)
    side = shown.verdicts(1 - reading.level, question.control).tolist()
    common["notes"] = (*contradictions(findings), *common["notes"])
    made = Verdicts(
        findings=findings,
        extra=tuple({"verdict": _WORDS[s]} for s in side),
        sentence="",
        threshold=question.threshold,
        within=question.within,
        control=question.control,
        shown=shown,
        **common,
    )
    sentence = _sentence(question, made.decided, findings, reading)
    return Verdicts(**{**vars(made), "sentence": sentence})


def _sentence(question: Against, decided: Decided, findings: tuple[Finding, ...], reading: CellReading) -> str:
    at, title = findings[0].show(question.threshold), question.metric.title
    after = f"after {count_of(reading.evidence.count, 'label')}"
    start = f"{title[:1].upper()}{title[1:]}{question.by_words}, {after}: "
    parts = [
        f"{_some(names)} {'is' if len(names) == 1 else 'are'} {side} {at}"
        for side, names in (("below", decided.below), ("above", decided.above))
        if names
    ]
    if decided.undecided:
        parts.append(f"not decided yet for {len(decided.undecided):,} of {len(findings):,}")
    every = decided.all_above if question.kind == "above" else decided.all_below
    whole = {
        True: f" All groups are {question.kind} {at}.",
        False: f" Not all groups are {question.kind} {at}.",
        None: "",
    }[every if len(findings) > 1 else None]
    if not (decided.below or decided.above or every is not None):
        return f"{start}{'; '.join(parts)}.{whole}"
    return f"{start}{'; '.join(parts)}.{whole}{_on_few(decided, findings)}{_held(question, reading.level)}"


def _held(question: Against, level: float) -> str:
    """What holds of verdicts."""
    wrong, margin = f"{100 * (1 - level):g}%", margin_words(question.within, points=True)
    held = (
        f" At most a {wrong} chance that any verdict here is wrong, however often you check."
        if question.control == "family"
        else f" At most {wrong} of these verdicts are expected to be wrong, however often you check."
    )
    at = f"{100 * question.threshold:g}%" if question.metric.scale == 1.0 else f"{question.threshold:g}"
    return held + (f" A group within {margin} of {at} may get either verdict." if question.within else "")


def _on_few(decided: Decided, findings: tuple[Finding, ...]) -> str:
    """The labels of groups whose verdict rests on few."""
    named = {*decided.below, *decided.above}
    few = [f for f in findings if f.group in named and f.labels < LEAST_FOR_A_VERDICT and f.left != 0]
    each = [f"{f.group}: {count_of(f.labels, 'label')}" for f in few[:_NAMED]]
    more = f" and {len(few) - _NAMED:,} more" if len(few) > _NAMED else ""
    return f" Few labels: {', '.join(each)}{more}." if few else ""


def _some(names: tuple[str, ...]) -> str:
    if len(names) <= _NAMED:
        return ", ".join(names)
    return f"{len(names):,} groups ({', '.join(names[:_NAMED])}, …)"
