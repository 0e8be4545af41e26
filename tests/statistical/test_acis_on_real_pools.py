"""What ACIS promises on real pools of rare classes, each against the rest: five trials a class, three for coverage.

The order of methods is that of the means over classes, paired by class: a difference counts where it is above two of
its standard errors. Coverage may lie 2.6 standard errors below 92 %, and the widths of intervals at most 1.5 times
above the one width that would have held 95 % of the errors.
"""

import numpy as np
import pytest

from fewlabels.estimators import Averaged
from fewlabels.reproduction.acis21.one_vs_rest import BUDGETS, RARE, one_vs_rest
from fewlabels.reproduction.base import Setup
from fewlabels.simulation import Method

OTHERS = ("rand", "sawade", "iso", "platt")
INTERVALS = {name: Method("acis", Averaged(interval=name), name=name) for name in ("cautious", "eq6")}


@pytest.mark.slow
@pytest.mark.parametrize("name", RARE)
def test_calibration_and_importance_sampling_together_beat_either_alone(name, data_folder):
    values = one_vs_rest(Setup(data_folder, 5, 2), name, ["acis", *OTHERS], ["mse"])[..., 0].mean(axis=1)
    for b, labels in enumerate(BUDGETS):
        for m, other in enumerate(OTHERS, start=1):
            worse = values[:, m, b] - values[:, 0, b]
            if labels >= 30:
                assert worse.mean() > 2 * worse.std(ddof=1) / np.sqrt(len(worse)), (other, labels)


@pytest.mark.slow
@pytest.mark.parametrize("name", RARE)
def test_the_default_interval_covers_and_is_not_much_too_wide(name, data_folder):
    measures = ("coverage", "width", "bias")
    values = one_vs_rest(Setup(data_folder, 3, 2), name, list(INTERVALS.values()), measures)
    for b, labels in enumerate(BUDGETS):
        if labels < 70:
            continue
        held, width, error = (values[:, :, 0, b, k].ravel() for k in range(3))
        allowed = 0.92 - 2.6 * np.sqrt(0.92 * 0.08 / len(held))
        assert held.mean() >= allowed, labels
        assert width.mean() <= 1.5 * 2 * np.quantile(np.abs(error), 0.95), labels
        assert values[:, :, 1, b, 0].mean() < allowed, f"Eq. 6 is not caught at {labels} labels"
