"""What is taken for what: the confusion matrix with its uncertainty, readable with many classes."""

from collections.abc import Sequence

from fewlabels.answers import Finding, count_of, level_words
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import fitting, width_of
from fewlabels.figures.figure import NARROW, Figure
from fewlabels.figures.intervals import chart_scale, findings_table, interval_chart, row_of, tip_of
from fewlabels.figures.marks import Box, Drawing, Mark, Words, stacked
from fewlabels.figures.words import ARROW, is_mix_up, mix_ups_first
from fewlabels.questions import Estimate
from fewlabels.study.look import Look

_TINT = 0.27  # of the colour a field has at most, so that the number in it can be read, in the light and in the dark
_PAIRS, _ZOOM, _ZOOM_NARROW = 15, 12, 8  # worst pairs listed, and classes of the matrix that is drawn


def confusion(look: Look) -> Figure:
    """The classes that are mixed up most, as a matrix, and the worst pairs with their intervals."""
    if look.evidence.count == 0:
        raise QuestionError("no labels yet: nobody has seen a mix-up.")
    own = look.question.metric.pairs
    answer = look.answer if own else look.other(Estimate("confusion"))
    found = mix_ups_first(answer.findings)
    pairs = [f for f in found if is_mix_up(f.group)]
    by_pair = {tuple(f.group.rpartition(ARROW)[::2]): f for f in found}
    classes = list(dict.fromkeys(name for f in pairs for name in f.group.rpartition(ARROW)[::2]))
    level, told = level_words(found[0].level), count_of(look.evidence.count, "label")
    whole = len(classes) <= _ZOOM
    return Figure(
        "confusion",
        "What is taken for what",
        f"How often items predicted as one class are truly another, from {told}: the darker, the more often "
        "(in per cent where there is room; hover for the interval). "
        + ("" if whole else f"Of {len(classes):,} classes those of the worst mix-ups are drawn. ")
        + f"Below, the {min(_PAIRS, len(pairs))} worst pairs, predicted → true, with their {level} intervals.",
        lambda width: _drawn(classes, by_pair, pairs, width),
        findings_table(found, "predicted → true", 500),
    )


def _drawn(
    classes: Sequence[str], by_pair: dict[tuple[str, ...], Finding], pairs: Sequence[Finding], width: float
) -> Drawing:
    most = _ZOOM_NARROW if width <= NARROW else _ZOOM
    shown = sorted(classes[:most], key=lambda name: list(classes).index(name))
    rows = [row_of(f) for f in pairs[:_PAIRS]]
    worst = interval_chart(rows, width, chart_scale(rows, pairs[0]), "share of what is predicted so")
    return stacked([_matrix(shown, by_pair, width), worst])


def _matrix(classes: Sequence[str], by_pair: dict[tuple[str, ...], Finding], width: float) -> Drawing:
    """Predicted classes down, true ones across, by number; names stand at the left."""
    narrow = width <= NARROW
    room = 110.0 if narrow else min(max((width_of(c) for c in classes), default=0.0) + 30, 290.0)
    side = min((width - room - 14) / max(len(classes), 1), 40.0)
    left, top = room + 14, 44.0
    marks: list[Mark] = [Words(0, 12, "predicted (down), true (across, same order)", "title")]
    marks += [Words(left + side * (j + 0.5), top - 8, str(j + 1), "axis", "middle") for j in range(len(classes))]
    for i, predicted in enumerate(classes):
        y = top + side * i
        marks.append(Words(left - 8, y + side / 2 + 4, fitting(f"{i + 1} {predicted}", room), "words", "end"))
        for j, true in enumerate(classes):
            f = by_pair.get((predicted, true))
            if f is None:
                continue
            x, right = left + side * j, predicted == true
            known = f.value == f.value
            marks.append(Box(x, y, side - 2, side - 2, "cell", tip_of(f)))
            strength = min(max(f.value, 0.0), 1.0) if known else 0.0
            if strength > 0.005:
                style, tint = "area" if right else "area-named", 0.06 + _TINT * strength
                marks.append(Box(x, y, side - 2, side - 2, style, "", tint))
            if side >= 26 and strength >= 0.005:
                marks.append(Words(x + side / 2 - 1, y + side / 2 + 3, f"{100 * f.value:.0f}", "small", "middle"))
    return Drawing(width, top + side * len(classes) + 6, tuple(marks))
