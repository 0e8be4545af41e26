"""Figure 8 of [Ji21]: densities of two differences of accuracy."""

import numpy as np

from fewlabels.core.comparison import region_probabilities
from fewlabels.core.groups import ClassMap
from fewlabels.questions import Estimate
from fewlabels.reproduction.base import (
    DRAWN,
    Found,
    Setup,
    density_panel,
    load_superclasses,
    posterior,
    probability_row,
)

ROPE = 0.05


def differences(setup: Setup) -> Found:
    """Two differences, all labels known."""
    superclasses = ClassMap(load_superclasses("cifar100-paper", setup.data))
    rows, panels = [], []
    for a, b, by, printed in (("people", "trees", superclasses, 96.0), ("woman", "man", "predicted_class", 82.0)):
        reading = posterior(setup.pool("cifar100-paper"), Estimate("accuracy", by=by), None, "flat")
        rates, pair = reading.marginals, [reading.view.groups.labels.index(group) for group in (a, b)]
        assert rates is not None  # accuracy by group has them
        alpha, beta = rates.alpha[pair], rates.beta[pair]
        what = f"% probability that {a} is less accurate than {b} by 5 % or more"
        rows.append(probability_row(what, printed, region_probabilities(alpha, beta, ROPE)[0]))
        draws = np.random.default_rng(0).beta(alpha, beta, size=(200_000, 2))
        known = (alpha - 1) / (alpha + beta - 2)  # without the flat prior
        marks = (("rope", -ROPE), ("rope", ROPE), ("frequentist", round(float(known[0] - known[1]), 5)))
        panels.append(density_panel(f"{a} − {b}", "difference of accuracy", draws[:, 0] - draws[:, 1], 80, marks))
    return Found(rows, (DRAWN,), panels)
