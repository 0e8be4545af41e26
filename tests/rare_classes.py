"""F-scores of rare classes of a real pool, and how many labels and runs their coverage is measured with."""

from functools import cache

import numpy as np

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.engines import gathered
from fewlabels.simulation.oracle import Known

LABELS = np.array([50, 100, 200, 300])
BATCHES = {"1": (1,), "10": (10,), "50": (50,), "mixed": (7, 50, 1, 20)}
CLASSES, RUNS, LEAST = (3, 25, 50), 40, 0.84


@cache
def pool(folder) -> fl.Pool:
    return fl.open_pool(folder / "cifar100_wrn16_4.npz")


def known(one: fl.Pool, assessment: Assessment) -> Known:
    names = list(one.true_classes)
    label = np.array([names.index(name) for name in one.known_labels])
    rows = gathered(one.engine.scan("model", assessment.cells.axes))
    return Known(assessment.cells, rows.cell, rows.predicted, label, rows.hashes)
