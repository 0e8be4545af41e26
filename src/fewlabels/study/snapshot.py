"""What a study knows at one moment, and what a reader of its figures must know of that."""

from dataclasses import dataclass

import numpy as np

from fewlabels.answers import count_of
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import ScoreBins
from fewlabels.core.labeller_error import LabellerError
from fewlabels.reading.answer import read
from fewlabels.study.terms import Terms


@dataclass(frozen=True)
class Snapshot:
    """What a study knows at one moment: figures are computed from it while others go on telling."""

    terms: Terms
    evidence: Evidence
    taken: Ints  # items of each cell that are asked or labelled
    open: int
    spent: int
    skipped: int
    apart: int  # labels of unknown origin
    changes: list[str]  # of the goal, in words
    error: LabellerError | None = None  # how often labels are wrong, where something tells
    if_right: Evidence | None = None  # with skipped items, had the model been right about all of them
    if_wrong: Evidence | None = None

    @property
    def remaining(self) -> int:
        """Items the question can still ask about."""
        return int(self.terms.assessment.remaining(self.taken).sum())


def notes_of(known: Snapshot, assessment: Assessment) -> tuple[str, ...]:
    """What is to be said of labels, and of what they are read for."""
    notes = list(known.changes)
    if known.skipped:
        notes.append(_of_skipped(known, assessment))
    if known.apart:
        notes.append(f"{count_of(known.apart, 'label')} of unknown origin kept apart and not counted.")
    if assessment.settings.prior != known.terms.settings.prior:
        notes.append(
            "The prior as reported belongs to the study's own question; this one is answered with a flat prior."
        )
    bins = next((a for a in assessment.cells.axes if isinstance(a, ScoreBins) and a.by == "mass"), None)
    if bins is not None and (found := len(assessment.cells.names[assessment.cells.axis(bins)])) < bins.count:
        notes.append(
            f"{bins.count} bins of equal mass were asked for, {found} are possible: many items share one score."
        )
    return tuple(notes)


def _of_skipped(known: Snapshot, assessment: Assessment) -> str:
    """How many items were skipped, and between what the figure lies if the model was right, or wrong, about all."""
    skipped = f"{count_of(known.skipped, 'item')} skipped; the figures treat them like other unlabelled ones"
    if known.if_right is None or known.if_wrong is None or assessment is not known.terms.assessment:
        return f"{skipped}."
    right, wrong = (
        read(assessment, evidence, error=known.error).overall for evidence in (known.if_right, known.if_wrong)
    )
    if right is None or wrong is None or np.isnan(right.value) or np.isnan(wrong.value):
        return f"{skipped}."
    return (
        f"{skipped}. Had the model been right about all of them, the overall figure would be "
        f"{right.show(right.value)} ({right.interval}); had it been wrong, {wrong.show(wrong.value)} "
        f"({wrong.interval})."
    )
