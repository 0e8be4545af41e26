"""Many intervals in one table: how many of them are expected to miss, and intervals that hold all at once."""

from collections.abc import Sequence
from dataclasses import replace

from fewlabels.answers import Answer, Finding, level_words
from fewlabels.assessment import Assessment
from fewlabels.errors import QuestionError

MANY = 20  # intervals, from which on a table says how many are expected to miss
_FURTHER = 1.25  # how far ends of many intervals are moved out. A group unlike the others lies further out than their
# common spread expects, and among many groups there is one (decision 30).


def check_together(assessment: Assessment) -> None:
    """Raise where the answer is no table of intervals."""
    if assessment.question.kind not in ("estimate", "identify"):
        raise QuestionError(
            "together=True is for a table of intervals, from fl.Estimate or fl.Identify; this answer is a verdict, and "
            "says itself for what it holds. Leave it out."
        )


def level_of_each(assessment: Assessment, level: float) -> float:
    """The level of each interval at which all of them hold at once: Bonferroni, that of the whole pool among them.

    >>> round(1 - (1 - 0.95) / 78, 6)
    0.999359
    """
    whole = assessment.whole is not None and assessment.whole is not assessment.lens
    return 1 - (1 - level) / (len(assessment.lens.rows.names) + whole)


def of_all(answer: Answer, level: float, bounds: tuple[float, float]) -> Answer:
    """An answer whose intervals were made to hold at once, with a note that says so; values lie between the bounds."""
    every = len(answer.findings) + (answer.overall is not None and answer.overall not in answer.findings)
    if every > MANY:
        answer = replace(answer, findings=tuple(_further(finding, bounds) for finding in answer.findings))
    if every < 2:
        return replace(answer, holds_together=level)
    each = level_words(answer.findings[0].level)
    note = f"All {every:,} intervals are made to be right at once in {level_words(level)} of studies: {each} each."
    return replace(answer, holds_together=level, notes=(note, *answer.notes))


def _further(finding: Finding, bounds: tuple[float, float]) -> Finding:
    """The same with ends that lie further out, where they are made for one look by a model of all groups."""
    if finding.certain or finding.holds != "one look" or finding.borrowed is None:
        return finding
    low = max(finding.value - _FURTHER * (finding.value - finding.low), bounds[0])
    high = min(finding.value + _FURTHER * (finding.high - finding.value), bounds[1])
    return replace(finding, low=low, high=high)


def expected_to_miss(findings: Sequence[Finding]) -> str | None:
    """How many intervals of a long table are expected to miss, in a sentence; None of a short one."""
    open_ = [f for f in findings if not f.certain and f.low == f.low]
    if len(open_) <= MANY:
        return None
    misses = max(round((1 - open_[0].level) * len(open_)), 1)
    return (
        f"About {misses:,} of these {len(open_):,} intervals are expected to miss; together=True (--together) widens "
        "them to be right all at once."
    )


def with_misses(answer: Answer) -> Answer:
    """An answer that says how many of its intervals are expected to miss, where they are many."""
    banded = bool(answer.extra) and "band_low" in answer.extra[0]
    note = None if banded else expected_to_miss(answer.findings)
    return answer if note is None else replace(answer, notes=(*answer.notes, note))
