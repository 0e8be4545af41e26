"""How much of the prior's pull is left after some labels: what a belief that expects another shift says instead."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.special import expit

from fewlabels.core.recalibration import RecalibratedRates, model_of
from fewlabels.core.recalibration.fit import fit
from fewlabels.core.recalibration.model import TRUSTING
from fewlabels.core.recalibration.pull import logits_with_the_shift

SCORE = np.array([0.6, 0.8, 0.97, 0.55, 0.9, 0.99, 0.7, 0.95])
GROUP = np.array([0, 0, 0, 1, 1, 1, 2, 2])
SIZE = np.full(8, 20)
HITS = np.array([3.0, 7, 12, 0, 4, 9, 0, 0])
MISSES = np.array([2.0, 1, 1, 6, 0, 0, 0, 0])
LABELLED = GROUP < 2


def test_the_pull_of_the_shifts_prior_is_what_logits_change_by_with_it():
    model = model_of(SCORE, SIZE, GROUP, replace(TRUSTING, exceptions=(1e-9, 1e-9)))
    hits, labels = HITS[model.order], (HITS + MISSES)[model.order]

    def logits(expected_shift: float) -> np.ndarray:
        moved = replace(model, offset=model.offset + expected_shift)
        found = fit(moved, hits, labels)
        return moved.linear(found.beta, moved.reading) + found.effect[:, moved.group]

    rate, step = expit(logits(0.0)), 1e-3
    found = logits_with_the_shift(model, fit(model, hits, labels), labels * rate * (1 - rate))
    np.testing.assert_allclose(found, (logits(step) - logits(-step)) / (2 * step), atol=0.01)
    assert found.max() > 0.1  # of those without labels
    assert found.min() < 0.05


def test_labels_leave_less_and_less_of_it():
    model = model_of(SCORE, SIZE, GROUP)
    shares = [RecalibratedRates(model, n * HITS, n * MISSES, SIZE).prior_share for n in (0, 1, 10, 1000)]
    assert (shares[0] == 1).all()
    for more, fewer in pairwise(shares):
        assert (more > fewer)[LABELLED].all()
    assert shares[-1][LABELLED].max() < 0.01
