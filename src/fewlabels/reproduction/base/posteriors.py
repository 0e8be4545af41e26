"""What is believed once some, or all, labels of a pool are known: the papers' figures of posteriors."""

from collections.abc import Iterable

import numpy as np

from fewlabels.answers import Finding
from fewlabels.assessment import Assessment
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.core.priors import Prior, PriorName
from fewlabels.engines import gathered
from fewlabels.metrics import Metric
from fewlabels.pool import Pool
from fewlabels.questions import Estimate, Question
from fewlabels.reading.cells import Reading
from fewlabels.reproduction.base.labelled_pool import labelled, model_of, random_items
from fewlabels.reproduction.base.panels import Numbers, numbers
from fewlabels.settings import StudySettings


def posterior(
    pool: Pool,
    question: Question,
    labels: int | None,
    prior: PriorName | Prior = "scores",
    strength: float | None = None,
) -> Reading:
    """What the labels of so many random items, None for all, tell about a question of rates, the population being
    meant; 95 % intervals."""
    model, items = model_of(pool), random_items(pool, labels)
    settings = StudySettings(question, estimator="beta", prior=prior, prior_strength=strength, target="population")
    cells = pool.engine.summarise(model, question.axes, probabilities=False)
    assessment = Assessment(settings, question, cells, pool.true_classes)
    cell = gathered(pool.engine.scan(model, question.axes)).cell[items]
    right = labelled(pool).right[items]
    hits, misses = (np.bincount(cell, side, cells.count).astype(np.float64) for side in (right, 1 - right))
    belief = assessment.prior_belief.after(np.stack([hits, misses], axis=-1))
    return Reading(assessment, NO_EVIDENCE, settings.level, "equal-tailed", believed=belief)


def by_class(pool: Pool, metric: str | Metric, prior: PriorName = "flat") -> Reading:
    """What all labels tell of each predicted class."""
    return posterior(pool, Estimate(metric, by="predicted_class"), None, prior)


def with_intervals(findings: Iterable[Finding]) -> tuple[Numbers, Numbers, Numbers]:
    """Values, and the lower and upper ends of their intervals, for a curve."""
    found = list(findings)
    return numbers(f.value for f in found), numbers(f.low for f in found), numbers(f.high for f in found)
