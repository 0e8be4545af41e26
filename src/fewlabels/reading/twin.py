"""Beside what a model says: what the labels say by the chances of their drawing alone, and whether the two agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from fewlabels.answers import Finding
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Bools, Ints
from fewlabels.core.belief import Belief
from fewlabels.core.by_design import Shares, Weighed, shares, together
from fewlabels.core.cells import View
from fewlabels.core.evidence import Evidence
from fewlabels.core.joined import part_of
from fewlabels.core.outcomes import Outcome
from fewlabels.lens import Lens

FALSE_ALARM = 0.01  # how often figures that agree are said to disagree, over all rows that are read together


@dataclass(frozen=True)
class Twin:
    """The rows of a metric by design; nan where nothing is said."""

    value: Array
    low: Array
    high: Array
    disagrees: Bools  # with the model, more than chance allows

    @property
    def rows(self) -> list[tuple[float | None, float | None, float | None, bool]]:
        """What a finding says of it, row by row."""
        columns = zip(*(column.tolist() for column in (self.value, self.low, self.high, self.disagrees)), strict=True)
        return [(None, None, None, False) if v != v else (v, low, high, apart) for v, low, high, apart in columns]

    def wider(self, low: Array, high: Array) -> tuple[Array, Array]:
        """The model's intervals; where the two disagree, what holds both."""
        below, above = np.fmin(low, self.low), np.fmax(high, self.high)
        return np.where(self.disagrees, below, low), np.where(self.disagrees, above, high)


def partly_drawn(assessment: Assessment, lens: Lens) -> bool:
    """Whether some of the items that rows speak of could not be drawn, as in a study that compares two groups."""
    drawn_for, asked = assessment.settings.question, assessment.question
    return not drawn_for.drawn_from_all and (lens is not assessment.lens or asked.drawn_from_all)


def no_twin(count: int) -> Twin:
    """Of so many rows."""
    unknown = np.full(count, np.nan)
    return Twin(unknown, unknown, unknown, np.zeros(count, dtype=bool))


def weighed(evidence: Evidence, outcome: Outcome, view: View) -> list[tuple[Weighed, Ints]] | None:
    """The labels with the chances of their drawing, and the cell of each, by parts of the pool; None where a chance is
    not known."""
    if not evidence.count or np.isnan(evidence.probability).any():
        return None
    hit = (outcome.codes(evidence.label, evidence.predicted) == 0).astype(np.float64)
    told = np.lexsort((hit, evidence.probability, evidence.cell, evidence.since))  # sums to the last digit alike
    part, expected, found = part_of(view.cells), outcome.expected(view), []
    for number in range(int(part.max()) + 1):
        mine = told[part[evidence.cell[told]] == number]
        cell, since = evidence.cell[mine], evidence.since[mine].astype(np.float64)
        items = int(view.cells.size[part == number].sum())
        found.append((Weighed(hit[mine], evidence.probability[mine], since, expected[cell], items), cell))
    return found


def how_far_off(labels: Sequence[tuple[Weighed, Ints]] | None, belief: Belief) -> float:
    """By how much a model is off of the whole pool, as the labels have it by the chances of their drawing; nought where
    those are not known."""
    items, likeliest = int(belief.size.sum()), belief.likeliest
    return sum(own.items / items * own.off(likeliest[cell]) for own, cell in labels or ())


def _shares(lens: Lens, labels: Sequence[tuple[Weighed, Ints]], expected: Array) -> Shares:
    """The share of hits in each part of the rows, summed over the parts of the pool."""
    parts, cells = lens.rows.partition, lens.view.cells
    each, sizes = [], []
    for number, (own, cell) in enumerate(labels):
        size = np.where(part_of(cells) == number, cells.size, 0).astype(np.float64)
        total = parts.sums(size)
        score = np.divide(parts.sums(expected * size), total, out=np.zeros(len(total)), where=total > 0)
        if not len(cell):
            return Shares(*np.full((3, len(total)), np.nan))
        each.append(shares(own, parts.index[cell], total.astype(np.int64), score))
        sizes.append(total.astype(np.int64))
    return each[0] if len(each) == 1 else together(each, sizes)


def twin_of(lens: Lens, labels: Sequence[tuple[Weighed, Ints]], expected: Array, value: Array, level: float) -> Twin:
    """The rows of a metric that is linear in the rates, held against what a model says of them."""
    metric, view, parts = lens.metric, lens.view, lens.rows.partition
    found = _shares(lens, labels, expected)

    def shown(share: Array) -> Array:
        """The metric of these shares, which all cells of a part have."""
        return np.asarray(metric.values(share[None, parts.index], view)[0])

    ends = np.sort([shown(end) for end in found.interval(level)], axis=0)
    design = shown(found.value)
    said = ~np.isnan(design)
    far = found.far(FALSE_ALARM / max(int(said.sum()), 1))[lens.rows.part]
    with np.errstate(invalid="ignore"):
        disagrees = np.abs(design - value) > far * found.error[lens.rows.part] + 1e-12
    return Twin(design, ends[0], ends[1], disagrees)


def contradictions(findings: Sequence[Finding]) -> tuple[str, ...]:
    """A warning where the model is contradicted, naming where it is furthest off."""
    found = [finding for finding in findings if finding.contradicted]
    if not found:
        return ()
    worst = max(found, key=lambda f: abs(f.value - cast(float, f.by_design)))
    more = f" (and of {len(found) - 1} more)" if len(found) > 1 else ""
    return (
        f"The model is wrong of {worst.group}{more}: it says {worst.show(worst.value)}, and the labels, weighed by the "
        f"chances they had of being drawn, {worst.show(cast(float, worst.by_design))}. The interval shown holds both.",
    )
