"""What the labels of one pool say of another, of which no item is labelled: the same cells, in another mix."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from fewlabels.answers import Answer, Finding, percent
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.belief import Belief
from fewlabels.core.beta import Marginals
from fewlabels.core.cells import JOIN, Cells
from fewlabels.core.drift import FALSE_ALARM, Drift
from fewlabels.core.evidence import Evidence
from fewlabels.core.labeller_error import LabellerError
from fewlabels.core.transported import TransportedRates
from fewlabels.errors import QuestionError
from fewlabels.lens import Lens
from fewlabels.reading.cells import CellReading
from fewlabels.reading.notes import prior_notes

MOST_UNSEEN = 0.05  # of the items, in cells of which the labels' pool has none; with more nothing is said
UNKNOWABLE = (
    "Whether items of one cell are right as often as they were cannot be seen without labels of this pool: if they are "
    "not, these figures are wrong, and nothing here would tell."
)


@dataclass(frozen=True)
class Elsewhere:
    """Another pool, as the cells of this one."""

    cell: Ints  # (n,) which of the cells here, of those that both have
    size: Ints  # (n,) items there
    score_sum: Array  # (n,)
    unseen: Ints  # (n_cells here,) items of cells that are not here, counted with another of their unit that is
    strange: int  # items of units that are not here at all
    first: str  # the first such cell in words
    items: int
    drift: Drift

    def cells(self, here: Cells) -> Cells:
        """The cells that both have, with the items there."""
        return Cells(here.axes, here.names, here.coordinates[self.cell], self.size, self.score_sum)


@dataclass(frozen=True)
class ElsewhereReading(CellReading):
    """Off what is believed of the cells here; figures are of the items there, none of which is labelled."""

    whole: Belief | None = None  # what the overall figure is read off
    unseen: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # see Elsewhere; of cells that both have
    strange: int = 0

    @cached_property
    def pool(self) -> bool:
        """Nothing is known of any item for certain."""
        return False

    @cached_property
    def marginals(self) -> Marginals | None:
        """By draws alone: each has the luck of the items there in it."""
        return None

    @cached_property
    def of_overall(self) -> CellReading:
        return replace(self, believed=self.whole)

    @cached_property
    def overall(self) -> Finding | None:
        whole = self.assessment.whole
        if whole is None or whole is self.assessment.lens:
            return None if whole is None else self.findings[0]
        return self.of_overall._findings(whole, None)[0]

    def _findings(self, lens: Lens, marginals: Marginals | None) -> tuple[Finding, ...]:
        """With what items of which nothing is known may make of them."""
        parts = lens.rows.partition
        open_ = parts.sums(self.unseen.astype(np.float64)) + (self.strange if parts.count == 1 else 0)
        share = (open_ / (open_ + parts.size))[lens.rows.part].tolist()
        found = super()._findings(lens, marginals)
        return tuple(_wider(finding, part, lens) for finding, part in zip(found, share, strict=True))

    @property
    def notes(self) -> tuple[str, ...]:
        findings = self.findings if self.overall is None else (self.overall,)
        return prior_notes(self, findings, "a figure" if self.overall is None else "the overall figure")


def check_elsewhere(assessment: Assessment) -> None:
    """Raise where the question cannot be answered of another pool."""
    question = assessment.question
    if question.kind != "estimate" or question.of_models or not assessment.metric.of_correctness:
        raise QuestionError(
            f"labels are carried over to another pool for fl.Estimate of accuracy or of calibration, not for "
            f"{question.describe()}; leave pool= out, or make a study of that pool."
        )
    if assessment.estimator.reads_draws or not assessment.outcome.rates:
        raise QuestionError(f"the labels of {question.describe()} belong to the pool they were drawn from.")
    if assessment.grown:
        raise QuestionError(
            "the study was extended, and its parts have score levels of their own; labels are carried over from "
            "studies of one pool. Extend this one by these items too."
        )


def answer_elsewhere(
    assessment: Assessment, evidence: Evidence, there: Elsewhere, level: float, error: LabellerError | None
) -> Answer:
    """The answer of the other pool."""
    if there.strange + there.unseen.sum() > MOST_UNSEEN * there.items:
        raise QuestionError(
            f"{percent((there.strange + there.unseen.sum()) / there.items)} of these {there.items:,} items fall into "
            f"cells of which the study's pool has none (first: {there.first}), and its labels say nothing of those. "
            "Make a study of these items."
        )
    here = CellReading(assessment, evidence, level)
    other = Assessment(assessment.settings, assessment.question, there.cells(assessment.cells), assessment.true_classes)
    items = assessment.settings.target == "pool"
    carried = [TransportedRates(by, there.cell, there.size, items) for by in (here.belief, here.of_overall.belief)]
    reading = ElsewhereReading(
        other, _moved(evidence, there, assessment.cells.count), level, believed=carried[0], by=here.estimator,
        error=error, whole=carried[1], unseen=there.unseen[there.cell], strange=there.strange,
    )  # fmt: skip
    return Answer(
        question=assessment.title,
        findings=reading.shown,
        overall=reading.overall,
        sentence=f"Of another pool, {there.items:,} items of which none is labelled. {reading.sentence}",
        notes=(*_notes(there, assessment.cells), *reading.notes),
        extra=reading.extra,
        shared=reading.shared,
        strategy=f"{assessment.strategy.name}: {assessment.strategy.reason}",
    )


def _moved(evidence: Evidence, there: Elsewhere, n_cells: int) -> Evidence:
    """The labels of cells that the other pool has too."""
    place = np.full(n_cells, -1)
    place[there.cell] = np.arange(len(there.cell))
    keep = np.flatnonzero(place[evidence.cell] >= 0)
    items = [evidence.items[row] for row in keep.tolist()]
    columns = (evidence.predicted[keep], evidence.label[keep], evidence.score[keep])
    return Evidence(items, place[evidence.cell[keep]], *columns, evidence.designs)


def _wider(finding: Finding, share: float, lens: Lens) -> Finding:
    """What items of which nothing is known may make of a figure, if they are such a share of it."""
    lowest, highest = lens.bounds
    far = share * (highest - lowest if lens.metric.linear else 2.0)
    return replace(finding, low=max(finding.low - far, lowest), high=min(finding.high + far, highest))


def _notes(there: Elsewhere, cells: Cells) -> tuple[str, ...]:
    """What changed and can be seen; what cannot comes last and always."""
    notes, found = [], there.drift
    if found.alarm:
        name = JOIN.join(n[c] for n, c in zip(cells.names, cells.coordinates[found.furthest], strict=True)) or "all"
        way = "higher" if found.upwards else "lower"
        notes.append(
            f"Scores inside of cells are not what they were (p = {max(found.chance, 1e-6):.1g}; most surely in {name}, "
            f"where they are {way}): the mix of cells is not all that changed. Do not rely on these figures; label "
            "items of this pool."
        )
    elif found.compared:
        notes.append(
            f"Scores inside of {found.compared:,} cells look as they did; the test says otherwise of {FALSE_ALARM:.0%} "
            "of pools in which nothing changed."
        )
    else:
        notes.append("No cell has items enough in both pools to see whether scores inside of it changed.")
    if open_ := there.strange + int(there.unseen.sum()):
        notes.append(
            f"{open_:,} items lie in cells of which the study's pool has none (first: {there.first}); intervals hold "
            "whatever they are."
        )
    return (*notes, UNKNOWABLE)
