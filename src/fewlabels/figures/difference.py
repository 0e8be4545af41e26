"""The difference of two groups against the region of practical equivalence ([Ji21] Fig. 8)."""

from typing import cast

import numpy as np

from fewlabels.answers import Comparison, count_of, level_words, percent
from fewlabels.core.arrays import Array
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Area, Scale, framed, scale
from fewlabels.figures.figure import NARROW, Figure, Number, table
from fewlabels.figures.intervals import chart_scale, interval_chart, row_of, shown
from fewlabels.figures.marks import Box, Drawing, Line, Mark, stacked
from fewlabels.reading.cells import CellReading
from fewlabels.study.look import Look

_BARS = 32


def difference(look: Look) -> Figure:
    """How far two groups are apart, and how likely that is more than the rope."""
    answer = look.answer
    if not isinstance(answer, Comparison) or answer.difference is None:
        raise QuestionError("this study compares no groups; fl.Compare(…) asks for a difference.")
    reading = cast(CellReading, look.reading())
    a, b = reading.assessment.compared()
    draws = reading.row_draws[:, a] - reading.row_draws[:, b]
    draws, found = draws[~np.isnan(draws)], answer.difference
    if not len(draws) or not answer.known:
        raise QuestionError("nothing is known of one of the two groups yet; label some items first.")
    chances = {
        f"lower by more than {answer.margin}": answer.p_less,
        f"the same within {answer.margin}": answer.p_equal,
        f"higher by more than {answer.margin}": answer.p_more,
    }
    one, two = answer.findings
    return Figure(
        "difference",
        f"{one.group} against {two.group}",
        f"Above, the two groups with their {level_words(found.level)} intervals. Below, how likely each difference "
        f"{one.group} − {two.group} is after {count_of(look.evidence.count, 'label')}; shaded, differences of no "
        f"importance (within {answer.margin}); the bar is the interval of the difference. Probabilities: "
        + "; ".join(f"{words}: {percent(p)}" for words, p in chances.items())
        + ".",
        lambda width: _drawn(answer, draws, width),
        table(
            ("what", "value", "low", "high"),
            [
                *((f.group, *shown(f)) for f in (one, two, found)),
                *((words, Number(p, percent(p)), "", "") for words, p in chances.items()),
            ],
        ),
    )


def _drawn(answer: Comparison, draws: Array, width: float) -> Drawing:
    rows, found = [row_of(f) for f in answer.findings], answer.difference
    assert found is not None  # looked at before
    pair = interval_chart(rows, width, chart_scale(rows, answer.findings[0]), "each group")
    low, high = np.quantile(draws, (0.001, 0.999)).tolist()
    ends = [low, high, found.low, found.high, -1.3 * answer.rope, 1.3 * answer.rope]
    axis: Scale = scale(ends, found.unit, bounds=(-1.0, 1.0) if found.unit == "points" else None)
    counts, edges = np.histogram(draws, bins=_BARS, range=axis.ends)
    share = counts / max(counts.sum(), 1)
    up = scale([0.0, float(share.max())], about=3)
    side = width if width <= NARROW else min(width, 700.0)

    def inside(area: Area) -> list[Mark]:
        left, right = area.x(-answer.rope), area.x(answer.rope)
        marks: list[Mark] = [Box(left, area.top, max(right - left, 1.0), area.bottom - area.top, "cell")]
        for x1, x2, s in zip(edges[:-1].tolist(), edges[1:].tolist(), share.tolist(), strict=True):
            tip = f"{axis.text(x1)} to {axis.text(x2)}: {s:.1%}"
            sides = (area.x(x1), area.y(s), area.x(x2) - area.x(x1), area.bottom - area.y(s))
            marks.append(Box(*sides, "area", tip, 0.75))
        y = area.bottom - 6
        marks.append(Line(area.x(0.0), area.bottom, area.x(0.0), area.top, "whole"))
        return [*marks, Line(area.x(found.low), y, area.x(found.high), y, "line-named")]

    unit = "difference in points" if found.unit == "points" else "difference"
    return stacked([pair, framed(side, 250, axis, up, (unit, "posterior probability"), inside)])
