"""The pool that simulations are tested on."""

import pytest

import fewlabels as fl
from fewlabels.simulation import synthetic_pool


@pytest.fixture(scope="module")
def pool() -> fl.Pool:
    return synthetic_pool(
        240,
        6,
        accuracy=[0.5, 0.6, 0.7, 0.8, 0.9, 0.95],
        calibration=lambda s: s**1.5,
        group_sizes=[60, 50, 40, 40, 30, 20],
        columns={"sex": {"F": 0.4, "M": 0.6}},
        probabilities=True,
        seed=11,
    )
