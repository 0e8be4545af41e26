"""The labels of a study, read for another question or model."""

from dataclasses import replace

import numpy as np

from fewlabels.assessment import Assessment, assess
from fewlabels.between_models import asked_of
from fewlabels.core.evidence import Evidence
from fewlabels.core.groups import Grouping, of_model
from fewlabels.core.priors import Prior
from fewlabels.core.skips import Skips
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.study.snapshot import Snapshot


def read_otherwise(
    pool: Pool, own: str, known: Snapshot, question: Question, model: str | None
) -> tuple[Assessment, Evidence, Skips | None]:
    """The same labels, for another question or model than the study's own.

    Where they were not drawn uniformly, what decided the draws becomes a further axis: inside a cell the labelled
    items are then a simple random sample again.
    """
    settings, evidence = known.terms.settings, known.evidence
    question, model = asked_of(question, pool, model if question.of_models else model or own)
    strata: tuple[Grouping, ...] = ()
    weighted = settings.estimator_for(question).reads_draws  # their weights undo how they were drawn
    if not weighted and not evidence.equal_chances:
        strata = tuple(g if own == model else of_model(own, g) for g in known.terms.assessment.strata_needed)
    if isinstance(settings.prior, Prior):  # its figures are about the groups of the study's own question
        settings = replace(settings, prior="flat", prior_strength=None)
    assessment = assess(settings, question, pool, model, strata)
    own_terms = known.terms.assessment
    if (between := own_terms.between or own_terms.scores) is not None and not evidence.equal_chances:
        wanted = np.isin(assessment.arms.index, assessment.in_question)
        between.check_reach(evidence, question, assessment.cells, wanted)
    evenly, axes = own_terms.between is not None, assessment.cells.axes
    moved = evidence.moved(*pool.engine.outputs_of(model, axes, evidence.items), evenly=evenly)
    if (skips := known.skips) is None:
        return assessment, moved, None
    outputs = pool.engine.outputs_of(model, axes, skips.evidence.items)
    return assessment, moved, skips.moved(*outputs, evenly=evenly)
