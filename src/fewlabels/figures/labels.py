"""Where the labels went: by group, and as the study went on."""

from itertools import pairwise

import numpy as np

from fewlabels.answers import count_of
from fewlabels.core.arrays import Ints
from fewlabels.errors import QuestionError
from fewlabels.figures.axes import Scale, counts, fitting, width_of
from fewlabels.figures.bars import Bar, bar_chart
from fewlabels.figures.figure import NARROW, Figure, Number, table
from fewlabels.figures.marks import Box, Drawing, Line, Mark, Words
from fewlabels.study.look import Look

_MOST, _STRIPES, _BLOCKS = 30, 15, 20


def labels_by_group(look: Look) -> Figure:
    """How many labels each group has, beside what a uniform sample would have given it."""
    names, told = _told(look)
    weight, n = look.assessment.view.groups.weight, int(told.sum())
    order = np.argsort(-told, kind="stable").tolist()
    evenly = (weight * n).tolist()
    bars = [
        Bar(names[g], int(told[g]), f"{told[g]:,}", _tip(names[g], int(told[g]), evenly[g]), evenly[g]) for g in order
    ]
    axis = counts(max([float(told.max()), *(evenly[g] for g in order[:_MOST])]))
    more = f" The {_MOST} groups with most labels of {len(names):,} are drawn." if len(names) > _MOST else ""
    return Figure(
        "labels_by_group",
        "Where the labels went",
        f"Each bar is how many of the {count_of(n, 'label')} lie in a group; the tick is how many a uniform sample "
        f"of as many would have had there. Counts of what was labelled: no interval belongs to them.{more}",
        lambda width: bar_chart(bars[:_MOST], width, axis, "labels"),
        table(
            ("group", "labels", "a uniform sample's"),
            [(names[g], Number(int(told[g]), f"{told[g]:,}"), Number(evenly[g], f"{evenly[g]:.1f}")) for g in order],
        ),
    )


def labels_over_time(look: Look) -> Figure:
    """Which groups the labels went to, from the first to the last."""
    names, told = _told(look)
    order = np.argsort(-told, kind="stable")[:_STRIPES]
    blocks = _blocks(look, len(names))
    edges = np.linspace(0, look.evidence.count, blocks.shape[1] + 1).round().astype(int).tolist()
    heads = [f"{a + 1:,}–{b:,}" for a, b in pairwise(edges)]
    shown = f" The {_STRIPES} groups with most labels of {len(names):,} are drawn." if len(names) > _STRIPES else ""
    return Figure(
        "labels_over_time",
        "Where the labels went, one after another",
        f"Columns are the {count_of(look.evidence.count, 'label')} in the order in which they came, {blocks.shape[1]} "
        f"blocks of about as many each; the darker a field, the more labels of that block went to the group.{shown}",
        lambda width: _strips([names[g] for g in order.tolist()], blocks[order], heads, width),
        table(
            ("group", *heads),
            [(names[g], *(Number(int(k), str(int(k))) for k in blocks[g])) for g in order.tolist()],
        ),
    )


def _told(look: Look) -> tuple[tuple[str, ...], Ints]:
    names, told = look.labels_by_group
    if not told.any():
        raise QuestionError("no labels yet, so that none went anywhere; ask for some first.")
    return names, told


def _tip(name: str, told: int, evenly: float) -> str:
    return f"{name}: {count_of(told, 'label')}; a uniform sample would have had {evenly:.1f}"


def _blocks(look: Look, groups: int) -> Ints:
    """Labels of each group in each block, (n_groups, n_blocks)."""
    index, n = look.assessment.view.groups.index[look.evidence.cell], look.evidence.count
    count = min(_BLOCKS, n)
    block = np.minimum(np.searchsorted(np.linspace(0, n, count + 1).round(), np.arange(n), side="right") - 1, count - 1)
    return np.bincount(index * count + block, minlength=groups * count).reshape(groups, count)


def _strips(names: list[str], blocks: Ints, heads: list[str], width: float) -> Drawing:
    narrow, row = width <= NARROW, 24.0
    room = 110.0 if narrow else min(max(width_of(name) for name in names), 290.0)
    left, top = room + 14, 8.0
    wide, most = (width - left) / blocks.shape[1], max(int(blocks.max()), 1)
    axis = Scale((0.0, float(blocks.shape[1])), "number")
    marks: list[Mark] = []
    for i, (name, line) in enumerate(zip(names, blocks.tolist(), strict=True)):
        y = top + row * i
        marks.append(Words(left - 10, y + 16, fitting(name, room), "words", "end"))
        for j, count in enumerate(line):
            tip = f"{name}, labels {heads[j]}: {count_of(count, 'label')}"
            x = axis.place(j, left, width)
            marks.append(Box(x, y + 1, max(wide - 1.5, 1), row - 3, "cell", tip))
            if count:
                marks.append(Box(x, y + 1, max(wide - 1.5, 1), row - 3, "area", "", 0.25 + 0.75 * count / most))
    bottom = top + row * len(names)
    marks += [
        Line(left, bottom + 3, width, bottom + 3, "edge"),
        Words(left, bottom + 18, heads[0].split("–")[0], "axis"),
        Words(width, bottom + 18, heads[-1].split("–")[-1], "axis", "end"),
        Words((left + width) / 2, bottom + 37, "labels in the order they came", "title", "middle"),
    ]
    return Drawing(width, bottom + 44, tuple(marks))
