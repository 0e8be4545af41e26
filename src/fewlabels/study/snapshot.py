"""What a study knows at one moment, and what a reader of its figures must know of that."""

from dataclasses import dataclass

from fewlabels.answers import count_of
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import ScoreBins
from fewlabels.core.labeller_error import LabellerError
from fewlabels.core.skips import Skips
from fewlabels.study.labellers import OVERTAKEN, Waiting
from fewlabels.study.terms import Terms

LIKE_OTHERS = "Assumes that skipped items are like the others."


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
    skips: Skips | None = None  # items nobody could label; None where there are none, or they are like the others
    oldest: Waiting | None = None  # the open item that was handed out first

    @property
    def remaining(self) -> int:
        """Items the question can still ask about."""
        return int(self.terms.assessment.remaining(self.taken).sum())

    @property
    def forgotten(self) -> str:
        """The item that was handed out first and has no answer, in words, where that holds anything up."""
        budget, oldest = self.terms.settings.budget, self.oldest
        none_left = self.remaining == 0 or (budget is not None and self.spent >= budget)
        if oldest is None or (oldest.later < OVERTAKEN and not none_left):
            return ""
        return f"Item {oldest.item} was handed out first and has no answer. Label or skip it."


def notes_of(known: Snapshot, assessment: Assessment) -> tuple[str, ...]:
    """What is to be said of labels, and of what they are read for."""
    notes = list(known.changes)
    if known.skipped and known.terms.settings.skips == "ignorable":
        notes.append(f"{LIKE_OTHERS} {count_of(known.skipped, 'item')} skipped.")
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
