"""The band of the smooth reliability curve holds the curve of the whole sub-pool: on average over its points, after 20
to 1,000 labels, within three standard errors of 92 %.

What the draws alone say is the negative control: where a model is nearly always right at high scores, they rule out
that it always is.
"""

import numpy as np
import pytest
from benchmarks.leaderboard.labelled import take
from benchmarks.leaderboard.pools import entries, load, sub_pool
from benchmarks.leaderboard.studies import STUDIES

import fewlabels as fl
from fewlabels.simulation.compiled import fast

FEW, MANY = 8, 60


def held(title: str, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The share of points that the band holds, and that draws hold, (n_runs, n_looks)."""
    (entry,) = (e for e in entries() if e.title == title)
    shown, drawn = [], []
    for run in range(count):
        labelled = take(load(entry), sub_pool(entry, run), STUDIES["calibration"], "gain+hierarchical", run, 10)
        curve = labelled.beside(fl.Estimate("reliability_curve"))
        true, readings = curve.truth.values, [curve.reading(place) for place in range(len(labelled.looks))]
        bands = [np.array([(f.low, f.high) for f in reading.findings]).T for reading in readings]
        draws = [np.quantile(reading.row_draws, (0.025, 0.975), axis=0) for reading in readings]
        for into, ends in ((shown, bands), (drawn, draws)):
            into.append([((low <= true + 1e-9) & (true - 1e-9 <= high)).mean() for low, high in ends])
    return np.array(shown), np.array(drawn)


def test_the_band_covers_where_nearly_all_is_right():
    with fast():
        shown, drawn = held("cifar10_vgg16", FEW)
    assert shown.mean() > 0.9
    assert drawn.mean() < 0.85


@pytest.mark.slow
@pytest.mark.parametrize("title", ["cifar10_vgg16", "20news", "adult_sex_scores", "svhn_paper", "accuracy_99"])
def test_the_band_covers(title):
    with fast():
        shown, _ = held(title, MANY)
    error = shown.std(axis=0, ddof=1) / np.sqrt(MANY)
    assert (shown.mean(axis=0) > 0.92 - 3 * error).all(), shown.mean(axis=0)
