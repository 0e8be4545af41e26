"""Accuracy against calibration error, each group with both of its intervals ([Ji21] Fig. 1 and 7)."""

import math
from collections.abc import Sequence

from fewlabels.answers import Finding, count_of, level_words
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Area, fitting, framed, scale, width_of
from fewlabels.figures.figure import NARROW, Figure, Number, table
from fewlabels.figures.intervals import shown
from fewlabels.figures.marks import Dot, Drawing, Line, Mark, Words
from fewlabels.questions import Estimate
from fewlabels.study.look import Look

_BOTH = 60  # groups up to which every interval is drawn
_NAMED = 6  # least accurate and worst calibrated groups that are in colour
_NONE = "no labels yet: nothing is known of any group but its scores."

Pair = tuple[Finding, Finding]


def accuracy_calibration(look: Look) -> Figure:
    """How accurate and how well calibrated each group is."""
    if look.evidence.count == 0:
        raise QuestionError(_NONE)
    by = look.question.groups or "predicted_class"
    accuracy = {f.group: f for f in look.other(Estimate("accuracy", by=by)).findings}
    error = {f.group: f for f in look.other(Estimate("calibration_error", by=by)).findings}
    pairs = [(f, error[f.group]) for f in accuracy.values() if f.group in error]
    pairs = [pair for pair in pairs if not any(math.isnan(f.value) for f in pair)]
    if not pairs:
        raise QuestionError(_NONE)
    pairs.sort(key=lambda pair: (not pair[0].ranked, pair[0].value, pair[0].group))
    level = level_words(pairs[0][0].level)
    both = f"Lines are {level} intervals" if len(pairs) <= _BOTH else f"Lines are {level} intervals of those in colour"
    return Figure(
        "accuracy_calibration",
        "Accuracy and calibration error",
        f"Each dot is a group: how accurate it is, and how far its scores are off, from "
        f"{count_of(look.evidence.count, 'label')}. {both}; in colour the least accurate. Lower and further to the "
        "right is better.",
        lambda width: _drawn(pairs, width),
        table(
            ("group", "accuracy", "low", "high", "calibration error", "its low", "its high", "labels"),
            [
                (a.group, *shown(a), *shown(e),
                 Number(a.labels, f"{a.labels:,}"))
                for a, e in pairs
            ],
        ),
    )  # fmt: skip


def _drawn(pairs: Sequence[Pair], width: float) -> Drawing:
    side = width if width <= NARROW else min(width, 700.0)
    shown = pairs if len(pairs) <= _BOTH else pairs[:_NAMED]
    x = scale([n for a, _ in shown for n in (a.low, a.high)] + [a.value for a, _ in pairs], bounds=(0.0, 1.0))
    y = scale([n for _, e in shown for n in (e.low, e.high)] + [e.value for _, e in pairs], bounds=(0.0, 1.0))
    return framed(side, 0.68 * side, x, y, ("accuracy", "calibration error"), lambda area: _inside(pairs, area))


def _inside(pairs: Sequence[Pair], area: Area) -> list[Mark]:
    back: list[Mark] = []
    front: list[Mark] = []
    for i, (a, e) in enumerate(pairs):
        named = i < min(_NAMED, len(pairs) // 3) and a.ranked
        if named or len(pairs) <= _BOTH:
            style = "thin-named" if named else "thin"
            if not math.isnan(a.low):
                back.append(Line(area.x(a.low), area.y(e.value), area.x(a.high), area.y(e.value), style))
            if not math.isnan(e.low):
                back.append(Line(area.x(a.value), area.y(e.low), area.x(a.value), area.y(e.high), style))
        tip = f"{a.group}: accuracy {a}; calibration error {e}; {count_of(a.labels, 'label')}"
        dot = Dot(
            area.x(a.value), area.y(e.value), "dot-named" if named else "dot", tip, 3.5 if len(pairs) > 40 else 4.5
        )
        front.append(dot)
    ranked = [pair for pair in pairs if pair[0].ranked and pair[1].ranked]
    ends = [ranked[0], max(ranked, key=lambda pair: pair[1].value)] if ranked else []
    return [*back, *front, *_names(ends, area)]


def _names(pairs: Sequence[Pair], area: Area) -> list[Mark]:
    """The names of a few dots, where they have room."""
    marks: list[Mark] = []
    taken: list[tuple[float, float]] = []
    for a, e in dict.fromkeys(pairs):
        name = fitting(a.group, 150, 11)
        wide, px, py = width_of(name, 11), area.x(a.value), area.y(e.value)
        left = px + 9 + wide > area.right
        box = (px - 9 - wide if left else px + 9, py - 16)
        if box[0] < area.left or box[1] < area.top or any(abs(box[1] - other) < 16 for _, other in taken):
            continue
        taken.append(box)
        marks.append(Words(px - 8 if left else px + 8, py - 6, name, "small", "end" if left else "start"))
    return marks
