"""What F-scores are made from: the labelled items and draws of an assessment; and what it assumes of items below."""

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from fewlabels.core.difference import part_of
from fewlabels.core.evidence import Evidence
from fewlabels.core.f_samples import samples_of
from fewlabels.core.groups import OfModel, ScoreStrata
from fewlabels.core.importance import FSample
from fewlabels.errors import QuestionError
from fewlabels.metrics import OfOneClass

if TYPE_CHECKING:
    from fewlabels.assessment import Assessment


def f_samples(made: "Assessment", evidence: Evidence) -> list[FSample]:
    """The labelled items and draws as an F-score reads them, one sample a row of the metric, or a model; of models by
    groups, those of all items, then of each group."""
    cells, models = made.cells, made.scores
    hit = (made.outcome.codes(evidence.label, evidence.predicted) == 0).astype(np.float64)
    if models is not None:
        figures, groups = (models.score, models.stratum, models.figures, models.predicted), made.view.groups
        whole = samples_of(evidence, hit, cells.size, *figures)
        parts = [groups.index == group for group in range(groups.count)] if made.question.by else []
        return [*whole, *(part_of(sample, part) for part in parts for sample in whole)]
    metric, score = cast(OfOneClass, made.metric), made.outcome.expected(made.view)
    by = [g.grouping if isinstance(g, OfModel) else g for g in cells.axes]
    drawn_by = max(i for i, grouping in enumerate(by) if isinstance(grouping, ScoreStrata))
    about = evidence, hit, cells.size, score, cells.coordinates[:, drawn_by], metric.figures(cells)
    return samples_of(*about, rank=metric.rank(cells))


def minds_hidden(made: "Assessment") -> bool:
    """Whether positives among the items not searched would change the figure, and its estimator says by how much."""
    question = made.question
    return made.estimator.of_all and question.weighable and cast(OfOneClass, question.metric).alpha < 1


def supposing(made: "Assessment", hidden: float) -> "Assessment":
    """The same under another assumption of positives not searched for."""
    if not minds_hidden(made):
        raise QuestionError(
            "hidden is the share of a class that may be among the items the model scores lowest; it has a meaning "
            f"for F1 and recall from weighted draws, and none for {made.title}. Leave it out."
        )
    return replace(made, supposed=hidden)
