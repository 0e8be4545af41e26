"""How an F-score was found: the scores as labels calibrate them, the chances of the draws, the estimate by round
([ACIS21] Fig. 2)."""

import math
from typing import cast

import numpy as np

from fewlabels.answers import Finding, level_words
from fewlabels.core.calibration_map import isotonic_map
from fewlabels.core.importance import FSample, Rounds, round_estimates
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Area, counts, framed, scale
from fewlabels.figures.figure import NARROW, Figure, Number, table
from fewlabels.figures.marks import Box, Dot, Drawing, Line, Mark, Path, beside, stacked
from fewlabels.reading.draws import DrawReading
from fewlabels.study.look import Look

_Z = 1.96  # of the paper's intervals of each round, which are for looking at
_MOST_DOTS = 400


def f_rounds(look: Look) -> Figure:
    """Calibration, draws and estimates of the rounds of an F-score."""
    if not look.assessment.estimator.reads_draws:
        raise QuestionError("this study is not about an F-score read off weighted draws; fl.Estimate('f1', …) is.")
    reading = cast(DrawReading, look.reading())
    middle = (
        len(reading.samples) // 2
    )  # of several thresholds draws went by that one; of several scores one that is open
    row = next((i for i in (middle, *range(len(reading.findings))) if not reading.findings[i].certain), middle)
    sample, found = reading.samples[row], reading.findings[row]
    if not len(sample.cell) or np.isnan(sample.probability).any():
        raise QuestionError("there are no draws with known chances yet; ask for labels first.")
    rounds = round_estimates(sample)
    level = level_words(found.level)
    return Figure(
        "f_rounds",
        "How the F-score was found",
        "One after the other: how often items of a score are truly positive, as the labels calibrate it (dashed: the "
        "score itself); the chance with which each labelled item was drawn, from which its weight follows; the "
        f"estimate of each round of draws with the spread of its own, and shaded the {level} interval of all rounds "
        "together.",
        lambda width: _drawn(sample, rounds, found, width),
        table(
            ("round", "estimate", "standard error", "draws"),
            [
                (str(i + 1), Number(g, found.show(g)), Number(math.sqrt(v), f"{math.sqrt(v):.3f}") if v == v else "–",
                 Number(int(n), f"{int(n):,}"))
                for i, (g, v, n) in enumerate(np.stack([rounds.value, rounds.variance, rounds.draws], axis=1).tolist())
            ],
        ),
    )  # fmt: skip


def _drawn(sample: FSample, rounds: Rounds, found: Finding, width: float) -> Drawing:
    narrow = width <= NARROW
    side = width if narrow else (width - 48) / 3
    panels = [_calibrated(sample, side), _chances(sample, side), _by_round(rounds, found, side)]
    return stacked(panels) if narrow else beside(panels)


def _calibrated(sample: FSample, side: float) -> Drawing:
    scores = sample.score[sample.cell]
    learnt = isotonic_map(scores, sample.positive)
    axis = scale([float(sample.score.min()), float(sample.score.max())], about=3, bounds=(0.0, 1.0))
    low, high = axis.ends
    points = np.linspace(low, high, 60)

    def inside(area: Area) -> list[Mark]:
        line = tuple((area.x(s), area.y(p)) for s, p in zip(points.tolist(), learnt(points).tolist(), strict=True))
        return [Line(area.x(low), area.y(low), area.x(high), area.y(high), "whole"), Path(line, "line")]

    return framed(side, 240, axis, scale([0.0, 1.0], about=4), ("score", "share truly positive"), inside)


def _chances(sample: FSample, side: float) -> Drawing:
    """Logarithms of the chances: they differ by orders of magnitude."""
    score, chance = sample.score[sample.cell[sample.row]], sample.probability
    x = scale([float(sample.score.min()), float(sample.score.max())], about=3, bounds=(0.0, 1.0))
    up = scale(np.log10(chance).tolist(), "number", about=4)
    shown = np.unique(np.stack([score, np.log10(chance)], axis=1).round(4), axis=0)[:_MOST_DOTS].tolist()

    def inside(area: Area) -> list[Mark]:
        return [Dot(area.x(s), area.y(q), "ring", f"score {s:.3g}: chance {10**q:.2g}", 2.5) for s, q in shown]

    return framed(side, 240, x, up, ("score", "log10 of the chance of a draw"), inside)


def _by_round(rounds: Rounds, found: Finding, side: float) -> Drawing:
    half = _Z * np.sqrt(np.nan_to_num(rounds.variance))
    low, high = np.clip(rounds.value - half, 0.0, 1.0), np.clip(rounds.value + half, 0.0, 1.0)
    ends = [*low.tolist(), *high.tolist(), found.low, found.high]
    y, x = scale(ends, about=4, bounds=(0.0, 1.0)), counts(len(rounds.value) + 1, 3)

    def inside(area: Area) -> list[Mark]:
        marks: list[Mark] = [
            Box(area.left, area.y(found.high), area.right - area.left, area.y(found.low) - area.y(found.high), "band")
        ]
        for i, (g, a, b) in enumerate(zip(rounds.value.tolist(), low.tolist(), high.tolist(), strict=True)):
            if g == g:
                at = area.x(i + 1)
                tip = f"round {i + 1}: {found.show(g)} from {int(rounds.draws[i]):,} draws"
                marks += [Line(at, area.y(a), at, area.y(b), "bar"), Dot(at, area.y(g), "dot", tip)]
        return marks

    return framed(side, 240, x, y, ("round", "F-score"), inside)
