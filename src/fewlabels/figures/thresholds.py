"""What other thresholds would do: the F-score against the threshold, and precision against recall, with bands."""

import math
from collections.abc import Sequence

from fewlabels.answers import Finding, level_words
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Area, framed, scale
from fewlabels.figures.figure import NARROW, Figure, Table, table
from fewlabels.figures.intervals import shown
from fewlabels.figures.marks import Dot, Drawing, Line, Mark, Path
from fewlabels.metrics import FCurve
from fewlabels.questions import Estimate
from fewlabels.study.look import Look

_PRECISION, _RECALL, _F1 = 1.0, 0.0, 0.5
_AT = "threshold "


def f_threshold(look: Look) -> Figure:
    """The F-score at each threshold, with its interval."""
    found = _curve(look, _F1)
    level = level_words(found[0].level)
    return Figure(
        "f_threshold",
        f"F1 of {_positive(look)} by threshold",
        f"What F1 would be if the class were predicted from each score on, from {found[0].labels:,} labels; shaded the "
        f"{level} interval of each threshold by itself, not of all at once.",
        lambda width: _drawn(found, width),
        _table(found, "F1"),
    )


def precision_recall(look: Look) -> Figure:
    """Precision against recall as the threshold moves, with both intervals."""
    precision, recall = _curve(look, _PRECISION), _curve(look, _RECALL)
    pairs = [(p, r) for p, r in zip(precision, recall, strict=True) if not any(math.isnan(f.value) for f in (p, r))]
    if not pairs:
        raise QuestionError("no labelled item is of the class or predicted so yet; label some items first.")
    return Figure(
        "precision_recall",
        f"Precision and recall of {_positive(look)}",
        "Each dot is a threshold: what share of the class would be found, and what share of what is found is right, "
        f"with {level_words(precision[0].level)} intervals both ways, from {precision[0].labels:,} labels and more for "
        "recall.",
        lambda width: _drawn_pairs(pairs, width),
        table(
            ("threshold", "precision", "its low", "its high", "recall", "low", "high"),
            [(p.group.removeprefix(_AT), *shown(p), *shown(r)) for p, r in pairs],
        ),
    )


def _positive(look: Look) -> str:
    name = look.question.metric.of_class or look.study.positive
    if name is None:
        raise QuestionError("this study is about no one class; fl.Estimate('f1', positive=…) is.")
    return name


def _curve(look: Look, alpha: float) -> Sequence[Finding]:
    positive = _positive(look)
    if look.evidence.count == 0:
        raise QuestionError(f"no labels yet: nobody knows which items are {positive!r}.")
    return look.other(Estimate(FCurve(positive, alpha=alpha))).findings


def _table(found: Sequence[Finding], what: str) -> Table:
    rows = [(f.group.removeprefix(_AT), *shown(f)) for f in found]
    return table(("threshold", what, "low", "high"), rows)


def _drawn(found: Sequence[Finding], width: float) -> Drawing:
    side = width if width <= NARROW else min(width, 640.0)
    known = [(float(f.group.removeprefix(_AT)), f) for f in found if not math.isnan(f.value)]
    x = scale([float(f.group.removeprefix(_AT)) for f in found], "number", bounds=(0.0, 1.0))
    y = scale([n for _, f in known for n in (f.low, f.high)], bounds=(0.0, 1.0))

    def inside(area: Area) -> list[Mark]:
        lows, highs = ([(area.x(t), area.y(end)) for t, end in ends] for ends in _ends(known))
        middle = [(area.x(t), area.y(f.value)) for t, f in known]
        dots = [Dot(x, y, "dot", f"{f.group}: {f}") for (x, y), (_, f) in zip(middle, known, strict=True)]
        return [Path((*lows, *reversed(highs)), "band"), Path(tuple(middle), "line"), *dots]

    return framed(side, 280, x, y, ("threshold on the score", "F1"), inside)


def _ends(known: Sequence[tuple[float, Finding]]) -> tuple[list[tuple[float, float]], list[tuple[float, float]]]:
    """The lower and the upper edge of a band."""
    return [(t, f.low) for t, f in known], [(t, f.high) for t, f in known]


def _drawn_pairs(pairs: Sequence[tuple[Finding, Finding]], width: float) -> Drawing:
    side = width if width <= NARROW else min(width, 560.0)
    x = scale([n for _, r in pairs for n in (r.low, r.high)], bounds=(0.0, 1.0))
    y = scale([n for p, _ in pairs for n in (p.low, p.high)], bounds=(0.0, 1.0))

    def inside(area: Area) -> list[Mark]:
        crosses: list[Mark] = []
        for p, r in pairs:
            crosses.append(Line(area.x(r.low), area.y(p.value), area.x(r.high), area.y(p.value), "thin"))
            crosses.append(Line(area.x(r.value), area.y(p.low), area.x(r.value), area.y(p.high), "thin"))
        line = Path(tuple((area.x(r.value), area.y(p.value)) for p, r in pairs), "line")
        tips = [f"{p.group}: precision {p}; recall {r}" for p, r in pairs]
        dots = [Dot(area.x(r.value), area.y(p.value), "dot", tip) for (p, r), tip in zip(pairs, tips, strict=True)]
        return [*crosses, line, *dots]

    return framed(side, 0.8 * side, x, y, ("recall", "precision"), inside)
