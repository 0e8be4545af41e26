"""What could be wrong with an answer, said before anybody has to ask."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from fewlabels.answers import LEAST_LABELS, Comparison, Finding, Identification, count_of, few_of, level_words
from fewlabels.figures.intervals import MOSTLY
from fewlabels.study.look import Look


@dataclass(frozen=True)
class Doubt:
    """One thing that could be wrong, and how much."""

    head: str
    words: str
    serious: bool = False  # whether the figures shown are known to be off


def doubts(seen: Look) -> tuple[Doubt, ...]:
    """What a careful reader would ask about, the gravest first."""
    found = [*_notes(seen), *_few_labels(seen), *_borrowed(seen), *_twin(seen), *_unknown(seen), *_open(seen)]
    found.append(_intervals(seen))
    return tuple(sorted(found, key=lambda doubt: not doubt.serious))


def _notes(seen: Look) -> Iterator[Doubt]:
    """What the answer itself says, word for word."""
    for note in seen.answer.notes:
        yield Doubt("Note", note, note.startswith("The model is wrong") or "of items were" in note)


def _about(seen: Look) -> tuple[Finding, ...]:
    """The figures that the answer speaks of by name: the groups found, the two compared, or all."""
    answer = seen.answer
    return answer.findings[: len(answer.groups)] if isinstance(answer, Identification) else answer.findings


def _few_labels(seen: Look) -> Iterator[Doubt]:
    if len(seen.answer.findings) < 2 or seen.answer.shared:
        return
    short = [f for f in seen.answer.findings if f.labels < LEAST_LABELS and f.left != 0]
    if not short:
        return
    named = [f for f in _about(seen) if f in short] if isinstance(seen.answer, Identification | Comparison) else []
    among = f" Among them, of those the answer names: {few_of([f.group for f in named])}." if named else ""
    yield Doubt(
        "Few labels",
        f"{len(short):,} of {len(seen.answer.findings):,} groups have fewer than {LEAST_LABELS} labels of their own "
        f"({few_of([f.group for f in sorted(short, key=lambda f: f.labels)])}): what is said of one of these by "
        f"itself is hardly more than a guess.{among}",
    )


def _borrowed(seen: Look) -> Iterator[Doubt]:
    findings = seen.answer.findings
    heavy = [f for f in findings if f.not_its_own > MOSTLY and not f.certain]
    if not heavy or len(findings) < 2:
        return
    what = "the model's scores and other groups' labels" if findings[0].borrowed is not None else "the prior"
    most = max(heavy, key=lambda f: f.not_its_own)
    yield Doubt(
        "Borrowed strength" if findings[0].borrowed is not None else "The prior",
        f"{len(heavy):,} of {len(findings):,} figures rest more on {what} than on labels of their own, most of all "
        f"{most.group} ({most.not_its_own:.0%}). Where a group is unlike what its scores say, such a figure is off, "
        "and its interval may not show it.",
    )


def _twin(seen: Look) -> Iterator[Doubt]:
    """The figure without a model, beside that of the model."""
    overall = None if isinstance(seen.answer, Identification | Comparison) else seen.answer.overall
    if overall is None or seen.answer.without_a_model is None or overall.by_design is None:
        return
    apart = "disagree more than chance allows" if overall.contradicted else "agree as far as chance allows"
    yield Doubt(
        "Without the model",
        f"{seen.answer.without_a_model} The model says {overall.show(overall.value)}: the two {apart}.",
        overall.contradicted,
    )


def _unknown(seen: Look) -> Iterator[Doubt]:
    unknown = [f for f in seen.answer.findings if math.isnan(f.value)]
    if unknown:
        never = [f for f in unknown if f.left == 0]
        why = f" {count_of(len(never), 'group')} of them can have none: there is no such item." if never else ""
        yield Doubt(
            "Figures that are missing",
            f"{len(unknown):,} of {len(seen.answer.findings):,} groups have no figure "
            f"({few_of([f.group for f in unknown])}): no label tells of them yet.{why}",
        )


def _open(seen: Look) -> Iterator[Doubt]:
    if seen.known.open:
        words = f"{count_of(seen.known.open, 'item')} asked and not answered yet."
        yield Doubt("Open queries", f"{words} {seen.known.forgotten}".rstrip(), bool(seen.known.forgotten))


def _intervals(seen: Look) -> Doubt:
    """What kind of promise an interval is."""
    sample = seen.answer.findings[0]
    level = level_words(sample.level)
    kinds = {
        "one look": f"About {level} of such intervals hold the true value, on average over groups and studies; they "
        "are made for one look, and one group that is unlike all others may be missed more often."
        if len(seen.answer.findings) > 1 and not seen.answer.shared and not seen.question.of_models
        else f"About {level} of such intervals hold the true value, on average over studies; they are made for one "
        "look.",
        "a stop": f"These {level} intervals are made to hold when a study ends at their width; how often they did is "
        "measured, not proved.",
        "every look": f"These {level} intervals hold whoever looks after each label.",
    }
    return Doubt("What the intervals promise", kinds[sample.holds])
