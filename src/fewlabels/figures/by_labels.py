"""The answer as the labels came in: estimate and interval against their number."""

import math

import numpy as np

from fewlabels.answers import Answer, Comparison, Finding, Identification, count_of, level_words
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Area, counts, framed, scale
from fewlabels.figures.figure import NARROW, Figure, table
from fewlabels.figures.intervals import shown
from fewlabels.figures.marks import Dot, Drawing, Mark, Path
from fewlabels.study.look import Look

POINTS = 8


def by_labels(look: Look) -> Figure:
    """The figure that the question is about after 1, 2, … of the labels."""
    n = look.evidence.count
    if n < 2:
        raise QuestionError("fewer than two labels: there is nothing to be followed yet.")
    wanted = sorted({max(1, round(float(x))) for x in np.linspace(n / POINTS, n, min(POINTS, n))})
    if isinstance(look.answer, Identification) and not look.answer.groups:
        raise QuestionError("no group has enough own labels to be named.")
    answers = [*look.after(wanted[:-1]), look.answer]
    findings = [_followed(answer, look.answer) for answer in answers]
    told = wanted if len(wanted) == len(answers) else [*wanted[: len(answers) - 1], n]
    what = _what(look)
    last = findings[-1]
    return Figure(
        "by_labels",
        "As the labels came in",
        f"The {what} and its {level_words(last.level)} interval (shaded) as they would have been read after so many "
        f"labels, in the order in which they came, up to all {n:,}. Each point is a look of its own: the intervals "
        "are not made for choosing the one that pleases.",
        lambda width: _drawn(told, findings, what, width),
        table(
            ("labels", "estimate", "low", "high"),
            [(f"{k:,}", *shown(f)) for k, f in zip(told, findings, strict=True)],
        ),
    )


def _what(look: Look) -> str:
    answer = look.answer
    if isinstance(answer, Comparison) and answer.difference is not None:
        return "difference {} − {}".format(*answer.sides)
    title = look.question.metric.title
    return f"{title} of {answer.groups[0]}" if isinstance(answer, Identification) else f"overall {title}"


def _followed(answer: Answer, last: Answer) -> Finding:
    """The figure that is followed: the overall one, the difference, or that of the group named first in the end."""
    if isinstance(answer, Comparison) and answer.difference is not None:
        return answer.difference
    if isinstance(last, Identification):
        return answer[last.groups[0]]
    if answer.overall is None:
        raise QuestionError("this question has no overall figure to be followed.")
    return answer.overall


def _drawn(told: list[int], findings: list[Finding], what: str, width: float) -> Drawing:
    side, last = (width if width <= NARROW else min(width, 700.0)), findings[-1]
    x = counts(told[-1])
    shares = last.unit == "share" and not any(f.low < 0 for f in findings)
    y = scale([n for f in findings for n in (f.low, f.high)], last.unit, bounds=(0.0, 1.0) if shares else None)

    def inside(area: Area) -> list[Mark]:
        places = [(area.x(k), f) for k, f in zip(told, findings, strict=True)]
        wide = [(at, f) for at, f in places if not math.isnan(f.low)]  # without a label, a group has no interval
        band = [(at, area.y(f.low)) for at, f in wide] + [(at, area.y(f.high)) for at, f in reversed(wide)]
        known = [(at, f) for at, f in places if not math.isnan(f.value)]
        dots = [Dot(at, area.y(f.value), "dot", f"{count_of(f.labels, 'label')}: {f}") for at, f in known]
        line = Path(tuple((at, area.y(f.value)) for at, f in known), "line")
        return [Path(tuple(band), "band"), line, *dots]

    return framed(side, 280, x, y, ("labels", what), inside)
