"""From what is read off the labels to the answer of a question."""

from functools import partial
from typing import Any, cast

from fewlabels.answers import Answer, Holds, Identification
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array
from fewlabels.core.belief import Columns
from fewlabels.core.evidence import Evidence
from fewlabels.core.intervals import IntervalKind
from fewlabels.core.labeller_error import LabellerError
from fewlabels.core.remembered import Remembered
from fewlabels.core.skips import Skips
from fewlabels.errors import QuestionError
from fewlabels.model_questions import BestModel, CompareModels
from fewlabels.questions import Against, Compare, Identify
from fewlabels.reading.apart import ApartReading
from fewlabels.reading.base import Reading
from fewlabels.reading.best_model import BestReading
from fewlabels.reading.best_of import BestOfReading, best_of_models
from fewlabels.reading.best_score import BestScoreReading
from fewlabels.reading.calibrations import CalibrationsReading
from fewlabels.reading.cells import CellReading
from fewlabels.reading.comparison import comparison
from fewlabels.reading.contrast import ContrastReading
from fewlabels.reading.draws import DrawReading
from fewlabels.reading.every_look import EveryLook
from fewlabels.reading.identification import how_sure, identification, of_order, read_exactly
from fewlabels.reading.models import PairReading, model_comparison
from fewlabels.reading.notes import error_note, skip_notes
from fewlabels.reading.verdicts import verdicts
from fewlabels.stopping import Stopping

# The last readings, with what they are of: draws and findings of the same labels are made once, whoever looks. Evidence
# is the same object until something changes.
_READ: Remembered[tuple[Assessment, Evidence, Reading]] = Remembered(4)


def read(
    assessment: Assessment, evidence: Evidence, level: float | None = None, interval: IntervalKind = "equal-tailed",
    *, borrowed: bool = False, kept: Columns | None = None, holds: Holds = "one look",
    error: LabellerError | None = None, skips: Skips | None = None,
) -> Reading:  # fmt: skip
    """What the question's estimator reads off the labels; `borrowed` if those were drawn adaptively for another one,
    `holds` is what intervals are to hold for. Where they cannot hold at a stop they are as usual. `kept` are draws of
    an earlier reading, which are taken where they still hold: the numbers are the same. Intervals allow for whatever
    the items of `skips` are."""
    about: dict[str, Any] = {"borrowed": borrowed, "holds": holds, "error": error}
    key = (id(assessment), id(evidence), level, interval, *about.values(), id(skips))
    about |= {"kept": kept, "skips": skips}
    *_, found = _READ.get(key, lambda: (assessment, evidence, _read(assessment, evidence, level, interval, **about)))
    return found


def _read(
    assessment: Assessment, evidence: Evidence, level: float | None, interval: IntervalKind,
    *, borrowed: bool, kept: Columns | None, holds: Holds, error: LabellerError | None, skips: Skips | None,
) -> Reading:  # fmt: skip
    level, by = assessment.settings.level if level is None else level, assessment.estimator
    if by.of_models:
        return _of_models(assessment, evidence, level, interval, holds, skips)
    if holds == "every look":
        EveryLook(assessment, evidence).check()
    elif holds == "a stop" and EveryLook(assessment, evidence).why_not is not None:
        holds = "one look"
    if not by.reads_draws:
        more: dict[str, Any] = {"holds": holds, "error": error, "skips": skips}
        return CellReading(assessment, evidence, level, interval, borrowed, kept, **more)
    if interval != "equal-tailed":
        raise QuestionError(f"an F-score from draws has equal-tailed intervals only; got interval={interval!r}.")
    return DrawReading(assessment, evidence, level, skips=skips)


def _of_models(
    assessment: Assessment, evidence: Evidence, level: float, interval: IntervalKind, holds: Holds,
    skips: Skips | None,
) -> Reading:  # fmt: skip
    """What sets several models against one another; intervals of a stop are as usual."""
    always: Holds = "every look" if holds == "every look" else "one look"
    scores = assessment.scores is not None
    found: PairReading | ApartReading | BestOfReading
    if isinstance(assessment.question, BestModel):
        if always == "every look" and scores:
            raise QuestionError("nothing is proved at every look of F-scores of models; leave out anytime=True.")
        if always == "every look":
            raise QuestionError(
                "there are no intervals for every look of the best of several models; what is dropped, and whether one "
                "is shown to be next to the best, holds at every look as it is. fl.CompareModels has such intervals."
            )
        best = BestScoreReading if scores else BestReading
        found = best(assessment, evidence, level, interval, skips=skips)
    else:
        of_others = ContrastReading if scores else PairReading
        pair = CalibrationsReading if assessment.question.in_bins else of_others
        found = pair(assessment, evidence, level, interval, always, skips=skips)
    found.check()
    return found


def answer(
    assessment: Assessment,
    evidence: Evidence,
    level: float,
    interval: IntervalKind,
    notes: tuple[str, ...] = (),
    *,
    borrowed: bool = False,
    holds: Holds = "one look",
    error: LabellerError | None = None,
    skips: Skips | None = None,
) -> Answer:
    """The answer to the assessment's question after the evidence, whatever the items of `skips` are."""
    assessment.estimator.check(evidence)
    about: dict[str, Any] = {"borrowed": borrowed, "holds": holds, "error": error, "skips": skips}
    reading = read(assessment, evidence, level, interval, **about)
    question = assessment.question
    notes = (*skip_notes(reading), *notes)
    notes += () if error is None else (error_note(error, question.kind, holds, allowed=reading.allows_for_error),)
    notes += EveryLook(assessment, evidence).notes if holds == "every look" and not question.of_models else ()
    common: dict[str, Any] = {
        "question": assessment.title,
        "overall": reading.overall,
        "notes": notes,
        "shared": reading.shared,
        "outlook": reading.outlook if assessment.settings.until is not None else None,
        "strategy": f"{assessment.strategy.name}: {assessment.strategy.reason}",
        "drawn": partial(_drawn, assessment, evidence, borrowed=borrowed, error=error) if reading.posterior else None,
    }
    match question:
        case Identify():
            return identification(cast(CellReading, reading), question, common)
        case Compare():
            return comparison(cast(CellReading, reading), question, common)
        case Against():
            return verdicts(cast(CellReading, reading), question, common)
        case CompareModels():
            return model_comparison(cast(PairReading | ApartReading, reading), common)
        case BestModel():
            return best_of_models(cast(BestOfReading, reading), common)
        case _:
            common["notes"] = (*reading.notes, *notes)
            return Answer(findings=reading.shown, sentence=reading.sentence, extra=reading.extra, **common)


def _drawn(
    assessment: Assessment, evidence: Evidence, *, borrowed: bool, error: LabellerError | None
) -> tuple[tuple[str, ...], Array]:
    """The names of an answer's figures and joint draws of them: made again, so that no answer has to keep them."""
    reading = cast(CellReading, read(assessment, evidence, borrowed=borrowed, error=error))
    return assessment.lens.rows.names, reading.row_draws


def answer_to_goal(
    assessment: Assessment, evidence: Evidence, level: float, goal: Stopping, kept: Columns,
    error: LabellerError | None = None, skips: Skips | None = None,
) -> Answer:  # fmt: skip
    """As much of the answer as the goal reads, with the same numbers; draws that still hold are taken from `kept`."""
    reading = read(assessment, evidence, level, kept=kept, holds=goal.holds, error=error, skips=skips)
    question = assessment.question
    common: dict[str, Any] = {"question": assessment.title, "overall": None, "notes": (), "shared": reading.shared}
    common["outlook"] = reading.outlook
    match question:
        case Compare():
            return comparison(cast(CellReading, reading), question, common)
        case CompareModels():
            common["overall"] = reading.overall
            return model_comparison(cast(PairReading | ApartReading, reading), common)
        case BestModel():
            return best_of_models(cast(BestOfReading, reading), common)
        case Against() if goal.reads == "probability":
            return verdicts(cast(CellReading, reading), question, common)
        case Identify() if goal.reads == "probability":
            of_cells = cast(CellReading, reading)
            if question.top == 1 and question.within == 0 and read_exactly(of_cells) is not None:
                return identification(of_cells, question, common)
            probability, certified = how_sure(of_cells, question)
            found: Any = () if certified else reading.findings  # without their ranks, which no goal reads
            sure: dict[str, Any] = {"probability": probability, "within": question.within, "certified": certified}
            common["outlook"] = of_order(reading.outlook, question)
            return Identification(findings=found, sentence="", top=question.top, **sure, **common)
        case _ if goal.reads == "overall":
            common["overall"] = reading.overall
            return Answer(findings=(), sentence="", extra=(), **common)
        case _:
            return Answer(findings=reading.findings, sentence="", extra=reading.extra, **common)
