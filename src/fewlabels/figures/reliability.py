"""Accuracy against score: how far the scores can be believed ([Ji21] Fig. 4)."""

import math
from collections.abc import Sequence

from fewlabels.answers import Answer, BinFinding, Finding, level_words
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Area, Scale, framed, scale
from fewlabels.figures.figure import NARROW, Figure, Number, table
from fewlabels.figures.intervals import MOSTLY, tip_of
from fewlabels.figures.marks import Box, Dot, Drawing, Line, Mark, stacked
from fewlabels.questions import Estimate
from fewlabels.study.look import Look


def reliability(look: Look) -> Figure:
    """Accuracy in each bin of the score, with the gap to the score and how many items are there."""
    if look.evidence.count == 0:  # said before anything is looked for that only the pool tells
        raise QuestionError("no labels yet: nothing can be held against the scores.")
    bins = _bins(look.answer) or _bins(look.other(Estimate("reliability")))
    x = scale([f.mean_score for f in bins], bounds=(0.0, 1.0))
    y = scale([n for f in bins for n in (f.low, f.high, f.mean_score)], bounds=(0.0, 1.0))
    level, told = level_words(bins[0].level), sum(f.labels for f in bins)
    return Figure(
        "reliability",
        "Accuracy at each score",
        f"Each dot is the accuracy of the items in one bin of the score, against their mean score, with its {level} "
        f"interval, from {told:,} labels. A calibrated model lies on the dashed line; the shaded bars are the gaps "
        "to it. A hollow dot rests more on other labels than on those of its bin. Below: how many items have such "
        "scores.",
        lambda width: _drawn(bins, width, x, y),
        table(
            ("score", "mean score", "accuracy", "low", "high", "labels", "share of the pool"),
            [
                (f.group, *(Number(n, f.show(n)) for n in (f.mean_score, f.value, f.low, f.high)),
                 Number(f.labels, f"{f.labels:,}"), Number(f.weight, f"{f.weight:.1%}"))
                for f in bins
            ],
        ),
    )  # fmt: skip


def _bins(answer: Answer) -> list[BinFinding]:
    findings: Sequence[Finding] = answer.findings
    return [f for f in findings if isinstance(f, BinFinding)]


def _drawn(bins: Sequence[BinFinding], width: float, x: Scale, y: Scale) -> Drawing:
    side = width if width <= NARROW else min(width, 620.0)

    def inside(area: Area) -> list[Mark]:
        low, high = max(x.ends[0], y.ends[0]), min(x.ends[1], y.ends[1])
        marks: list[Mark] = []
        for f in (f for f in bins if not math.isnan(f.value)):
            at, score, value = area.x(f.mean_score), area.y(f.mean_score), area.y(f.value)
            marks.append(Box(at - 7, min(score, value), 14, max(abs(score - value), 0.5), "gap"))
        if low < high:
            marks.append(Line(area.x(low), area.y(low), area.x(high), area.y(high), "whole"))
        for f in bins:
            at, known = area.x(f.mean_score), not math.isnan(f.value)
            if not math.isnan(f.low):
                marks.append(Line(at, area.y(f.low), at, area.y(f.high), "bar" if known else "bar-none"))
            style = "ring" if f.not_its_own > MOSTLY else "dot"
            marks += [Dot(at, area.y(f.value), style, tip_of(f))] if known else []
        return marks

    most = scale([0.0, *(f.weight for f in bins)], about=2)
    below = framed(side, 120, x, most, ("mean score", "share of the items"), lambda area: _histogram(bins, area))
    return stacked([framed(side, 0.72 * side, x, y, ("mean score of the bin", "accuracy"), inside), below])


def _histogram(bins: Sequence[BinFinding], area: Area) -> list[Mark]:
    wide = max(min((area.right - area.left) / max(len(bins), 1) * 0.5, 26.0), 3.0)
    marks: list[Mark] = []
    for f in bins:
        left = min(max(area.x(f.mean_score) - wide / 2, area.left), area.right - wide)
        tip = f"{f.group}: {f.weight:.1%} of the items"
        marks.append(Box(left, area.y(f.weight), wide, area.bottom - area.y(f.weight), "area", tip, 0.7))
    return marks
