"""What other thresholds would do: the F-score against the threshold, and precision against recall, with bands."""

import math
from collections.abc import Sequence
from typing import TypeAlias

from fewlabels.answers import Finding, level_words
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Area, framed, scale, width_of
from fewlabels.figures.figure import NARROW, Figure, Table, table
from fewlabels.figures.intervals import shown
from fewlabels.figures.marks import Dot, Drawing, Mark, Path, Words
from fewlabels.metrics import FCurve
from fewlabels.questions import Estimate
from fewlabels.study.look import Look

_PRECISION, _RECALL, _F1 = 1.0, 0.0, 0.5
_AT = "threshold "
Point: TypeAlias = tuple[float, float]


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
        "Each dot is the threshold beside it: what share of the class would be found (recall), and what share of "
        f"what is found is right (precision), from {look.evidence.count:,} labels; shaded where both may lie by their "
        f"{level_words(precision[0].level)} intervals, of each threshold by itself and not of all at once.",
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
        boxes = [[(area.x(a), area.y(b)) for a in (r.low, r.high) for b in (p.low, p.high)] for p, r in pairs]
        band = [Path(_hull([*one, *other]), "band") for one, other in zip(boxes, boxes[1:] or boxes, strict=False)]
        places = [(area.x(r.value), area.y(p.value)) for p, r in pairs]
        tips = [f"{p.group}: precision {p}; recall {r}" for p, r in pairs]
        dots = [Dot(*at, "dot", tip) for at, tip in zip(places, tips, strict=True)]
        names = [p.group.removeprefix(_AT) for p, _ in pairs]
        return [*band, Path(tuple(places), "line"), *dots, *_beside(names, places, area)]

    return framed(side, 0.8 * side, x, y, ("recall", "precision"), inside)


def _hull(points: Sequence[Point]) -> tuple[Point, ...]:
    """The corners of the smallest convex area that holds these points, in turn."""
    found = sorted(set(points))
    if len(found) < 3:
        return tuple(found)
    halves = []
    for row in (found, found[::-1]):
        half: list[Point] = []
        for point in row:
            while len(half) > 1 and _turn(half[-2], half[-1], point) <= 0:
                half.pop()
            half.append(point)
        halves += half[:-1]
    return tuple(halves)


def _turn(a: Point, b: Point, c: Point) -> float:
    """Above nothing where the way from a by b to c bends to one side, below where to the other."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _beside(names: Sequence[str], places: Sequence[Point], area: Area) -> list[Mark]:
    """The names of points, above and to the right where they have room, and away from one another."""
    marks: list[Mark] = []
    taken: list[Point] = []
    for name, (x, y) in zip(names, places, strict=True):
        left = x + 8 + width_of(name, 11) > area.right
        at = (x - 8 if left else x + 8, max(y - 7, area.top + 11))
        if all(abs(at[0] - other[0]) > 34 or abs(at[1] - other[1]) > 14 for other in taken):
            taken.append(at)
            marks.append(Words(*at, name, "small", "end" if left else "start"))
    return marks
