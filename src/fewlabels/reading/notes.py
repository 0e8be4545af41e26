"""What a reader of figures must know: what they rest on, and what is no more than noise."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from fewlabels.answers import MOST_PRIOR, Finding, Holds, count_of, percent
from fewlabels.core.cells import View
from fewlabels.core.keyed import Use
from fewlabels.core.labeller_error import LabellerError
from fewlabels.lens import Lens

if TYPE_CHECKING:
    from fewlabels.reading.base import Reading
    from fewlabels.reading.cells import CellReading

FEW_SKIPPED = 0.05  # of the items that somebody looked at: up to there a sentence says less


def prior_notes(
    reading: "CellReading", findings: tuple[Finding, ...], what: str, rows: Sequence[int] = ()
) -> tuple[str, ...]:
    """A warning where what is reported, of these rows or of all, rests on the prior, or on what groups have in
    common."""
    share = max(finding.prior_share for finding in findings)
    whole, notes = findings[0] is reading.overall, []
    by = reading.of_overall if whole else reading
    from_scores = reading.assessment.settings.prior == "scores" and by.belief.scores_vouch
    if not by.belief.shared:
        source = "the model's own scores" if from_scores else "the prior"
        rests = f"{percent(share)} of {what} still rests on {source}, not on labels; if those are biased, so is it."
        return () if share <= MOST_PRIOR else (rests,)
    lens = cast(Lens, reading.assessment.whole) if whole else reading.assessment.lens
    common_of = by.averaged(by.belief.own_share, lens.rows.partition)[lens.rows.part]
    common = float(common_of[list(rows) or slice(None)].max())
    checked = whole and findings[0].by_design is not None  # beside it stands what needs no model
    if common > MOST_PRIOR and not checked:
        notes.append(
            f"{percent(common)} of {what} is read off the model's scores, as all labels together recalibrate them."
            if from_scores
            else f"{percent(common)} of {what} is what all groups have in common, for want of labels in each."
        )
    if share > MOST_PRIOR:
        still = f"{percent(share)} of {what} still rests on what was expected before the first label"
        notes.append(f"{still}: there are few labels as yet.")
    return tuple(notes)


def noise_notes(reading: "CellReading") -> tuple[str, ...]:
    """A warning where a calibration error is no larger than noise: an absolute gap is never seen to be zero."""
    if not reading.metric.noisy:
        return ()
    belief, overall = reading.belief, reading.overall
    whole = View(reading.view.cells, (), reading.metric.axes)
    floor = reading.metric.noise(belief, whole, reading.keyed.generator(Use.ANSWER, 3))
    if floor is None or overall is None or overall.value > 2 * floor:
        return ()
    knows = "." if belief.widened else ", and its interval does not know."
    return (
        f"A perfectly calibrated model would show about {overall.show(floor)} from these labels; the true error "
        f"may be far smaller than the figure{knows}",
    )


def error_note(error: LabellerError, kind: str, holds: Holds, *, allowed: bool) -> str:
    """How many labels are wrong, and whether the figures allow for that."""
    least = "" if all(one.right is not None for one in error.seen) else "at least "
    wrong = f"{least}{error.errors:,} of {count_of(error.labels, 'label')} of items that several people labelled"
    many = f"{percent(error.given)} of labels, as given" if error.given is not None else wrong
    if not allowed:
        return f"Some labels are wrong ({many}); these figures do not allow for that."
    more = "" if kind == "estimate" else " Probabilities and ranks do not."
    more += "" if holds == "one look" else " Brought back so, they are proven for one look only."
    return f"Figures and intervals allow for wrong labels ({many}).{more}"


def skip_notes(reading: "Reading") -> tuple[str, ...]:
    """How many items nobody could label, and what that may hide."""
    skips, overall = reading.skips, reading.overall
    if skips is None:
        return ()
    did = "skipped" if not skips.open else "not answered" if skips.open == skips.count else "skipped or not answered"
    asked, metric = reading.assessment.question, reading.assessment.metric
    if skips.share <= FEW_SKIPPED or overall is None or asked.of_models or asked.kind == "compare":
        share = f"{skips.count:,} {'item was' if skips.count == 1 else 'items were'}"
        share = share if skips.share <= FEW_SKIPPED else f"{percent(skips.share)} of items were"
        return (f"{share} {did}. The intervals hold whatever the right labels are.",)
    worst = (
        f"low as {overall.show(overall.low)}" if metric.worst == "lowest" else f"high as {overall.show(overall.high)}"
    )
    they = f"{did} items" if did == "skipped" else "these"
    return (
        f"{percent(skips.share)} of items were {did}. If {they} are harder, {asked.metric.title} could be as {worst}.",
    )
