"""The posterior of the calibration error, with what plain frequencies would say ([Ji21] Fig. 5)."""

from typing import cast

import numpy as np

from fewlabels.answers import count_of, level_words
from fewlabels.core.arrays import Array
from fewlabels.core.outcomes import Correct
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Area, framed, scale, width_of
from fewlabels.figures.figure import NARROW, Figure, Number, table
from fewlabels.figures.marks import Box, Drawing, Line, Mark, Words
from fewlabels.questions import Estimate
from fewlabels.reading.cells import CellReading
from fewlabels.study.look import Look

_BARS = 40
_PLAIN = "plain frequencies"


def calibration_error(look: Look) -> Figure:
    """How large the expected calibration error is, as far as is known."""
    if look.evidence.count == 0:
        raise QuestionError("no labels yet: the calibration error is what they are held against the scores by.")
    reading = cast(CellReading, look.reading(Estimate("calibration_error")))
    assert reading.overall is not None
    found, plain, draws = reading.overall, frequencies(reading), reading.row_draws[:, 0]
    level = level_words(found.level)
    return Figure(
        "calibration_error",
        "Calibration error",
        f"How likely each value of the expected calibration error is after {count_of(look.evidence.count, 'label')}; "
        f"the bar below is its {level} interval, the line in colour what plain frequencies of the labels say, which "
        "exaggerate it where labels are few and know nothing of how items were chosen.",
        lambda width: _drawn(draws, plain, (found.value, found.low, found.high), width),
        table(
            ("what", "value"),
            [
                ("estimate", Number(found.value, found.show(found.value))),
                ("low", Number(found.low, found.show(found.low))),
                ("high", Number(found.high, found.show(found.high))),
                ("plain frequencies", Number(plain, found.show(plain))),
            ],
        ),
    )


def frequencies(reading: CellReading) -> float:
    """The calibration error of plain frequencies, over the bins that have labels, by their share of the pool."""
    units, cells = reading.view.units, reading.view.cells
    hits, misses = units.sums(reading.evidence.counts(Correct(), cells.count).T)
    seen = hits + misses > 0
    gap = np.abs(hits[seen] / (hits + misses)[seen] - units.mean_score[seen])
    return float(gap @ units.size[seen] / units.size[seen].sum())


def _drawn(draws: Array, plain: float, found: tuple[float, float, float], width: float) -> Drawing:
    side = width if width <= NARROW else min(width, 620.0)
    value, low, high = found
    axis = scale([*np.quantile(draws, (0.001, 0.999)).tolist(), plain, low, high], bounds=(0.0, 1.0))
    counts, edges = np.histogram(draws, bins=_BARS, range=axis.ends)
    share = counts / counts.sum() if counts.sum() else counts.astype(float)
    up = scale([0.0, float(share.max())], about=3)

    def inside(area: Area) -> list[Mark]:
        marks: list[Mark] = [
            Box(
                area.x(a),
                area.y(s),
                area.x(b) - area.x(a),
                area.bottom - area.y(s),
                "band",
                f"{a:.1%} to {b:.1%}: {s:.1%}",
            )
            for a, b, s in zip(edges[:-1].tolist(), edges[1:].tolist(), share.tolist(), strict=True)
        ]
        y, x = area.top + 4, area.x(plain)
        marks.append(Line(area.x(low), area.bottom - 5, area.x(high), area.bottom - 5, "bar"))
        marks.append(Line(area.x(value), area.bottom, area.x(value), area.top, "line"))
        marks.append(Line(x, area.bottom, x, area.top, "goal"))
        room = 5 + width_of(_PLAIN, 11)
        left = (plain < value and x - room > area.left) or x + room > area.right
        text = Words(x - 5 if left else x + 5, y + 8, _PLAIN, "small", "end" if left else "start")
        return [*marks, text]

    return framed(side, 260, axis, up, ("expected calibration error", "posterior probability"), inside)
