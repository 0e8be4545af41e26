"""What is asked of a compiled run and of the plain one."""

import pytest

from fewlabels.assessment import Assessment
from fewlabels.engines import gathered
from fewlabels.settings import StudySettings
from fewlabels.simulation.oracle import Known

pytest.importorskip("numba", reason="the extra 'fast' is not installed")


BY = "predicted_class"


def assess(pool, labels, question, strategy="thompson", prior="scores", strength=None):
    engine, model = pool.engine, pool.models[0]
    cells = engine.summarise(model, question.axes, probabilities=False)
    estimator = "auto" if not question.measured.outcome(pool.true_classes).rates else "beta"
    settings = StudySettings(question, strategy=strategy, estimator=estimator, prior=prior, prior_strength=strength)
    rows = gathered(engine.scan(model, question.axes))
    known = Known(cells, rows.cell, rows.predicted, labels, rows.hashes)
    return Assessment(settings, question, cells, pool.true_classes), known
