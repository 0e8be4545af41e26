"""What is believed once some, or all, labels of a pool are known: the papers' figures of posteriors."""

import numpy as np

from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Ints
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.core.priors import Prior, PriorName
from fewlabels.engines import gathered
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.reading.cells import CellReading
from fewlabels.reproduction.outcomes import model_of, outcomes_of
from fewlabels.settings import StudySettings


def random_items(pool: Pool, labels: int | None, seed: int = 0) -> Ints:
    """So many items at random, those of fewer being the first of those of more; None for all."""
    return np.random.default_rng(seed).permutation(len(pool))[:labels]


def posterior(
    pool: Pool, question: Question, items: Ints, prior: PriorName | Prior = "scores", strength: float | None = None
) -> CellReading:
    """What the labels of these items tell about a question of rates, the population being meant; 95 % intervals."""
    model = model_of(pool)
    settings = StudySettings(question, estimator="beta", prior=prior, prior_strength=strength, target="population")
    cells = pool.engine.summarise(model, question.axes, probabilities=False)
    assessment = Assessment(settings, question, cells, pool.true_classes)
    cell = gathered(pool.engine.scan(model, question.axes)).cell[items]
    right = outcomes_of(pool).right[items]
    hits, misses = (np.bincount(cell, side, cells.count).astype(np.float64) for side in (right, 1 - right))
    belief = assessment.prior_belief.after(np.stack([hits, misses], axis=-1))
    return CellReading(assessment, NO_EVIDENCE, settings.level, "equal-tailed", believed=belief)
