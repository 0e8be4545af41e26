"""At fixed truths, accurate and saturated models: no interval of the default is narrower than the labels allow.

The negative control is the papers' own posterior (`estimator="beta"`) on the same runs: its pseudo-counts are those of
the scores alone, and it must be caught.
"""

from functools import cache

import numpy as np
import pytest
from scipy.stats import hypergeom

import fewlabels as fl
from fixed_truths import digits_pool, row_coverage

ITEMS = 2_000


SURE = fl.Pool.from_arrays(predicted=["a", "b"] * (ITEMS // 2), score=np.full(ITEMS, 0.993))


@cache
def interval(misses: int, labels: int, estimator: str) -> tuple[float, float]:
    """Of the whole pool's accuracy, so many of a uniform sample being misses."""
    sample = fl.create_study(SURE, fl.Estimate("accuracy"), estimator=estimator)
    sample.tell({i: "ab"[(i + (i < misses)) % 2] for i in range(labels)}, drawn="uniform")
    found = sample.answer().overall
    return found.low, found.high


def exact_coverage(wrong: int, labels: int, estimator: str) -> float:
    """Of the whole pool's accuracy from a uniform sample, summed over all samples: no chance is left in it."""
    truth, covered = 1 - wrong / ITEMS, 0.0
    chance = hypergeom(ITEMS, wrong, labels)
    for misses in range(int(chance.ppf(1 - 1e-6)) + 1):
        low, high = interval(misses, labels, estimator)
        covered += float(chance.pmf(misses)) * (low - 1e-12 <= truth <= high + 1e-12)
    return covered


@pytest.mark.usefixtures("compiled_fits")
@pytest.mark.parametrize("wrong", [2, 10, 18, 64, 140], ids=lambda wrong: f"accuracy {1 - wrong / ITEMS:.3f}")
def test_the_accuracy_of_the_whole_pool_covers_at_every_number_of_labels(wrong):
    """Jeffreys' interval: near 95 % on average, and as an interval for counts does, up to ten points less here and
    there."""
    rates = [exact_coverage(wrong, labels, "auto") for labels in (20, 30, 50, 75, 100, 150, 200, 300, 500)]
    assert min(rates) >= 0.85
    assert np.mean(rates) >= 0.93


def test_the_papers_prior_is_caught_claiming_what_it_cannot_know():
    assert exact_coverage(18, 20, "beta") < 0.2
    assert exact_coverage(18, 100, "beta") < 0.7


def test_without_labels_next_to_nothing_is_claimed():
    pool = fl.Pool.from_arrays(predicted=["a", "b"] * 100, score=np.full(200, 0.993))
    found = fl.create_study(pool, fl.Estimate("accuracy")).answer().overall
    assert found.low < 0.6
    assert found.high == 1.0


BY_CLASS = fl.Estimate("accuracy", by="predicted_class")
LABELS = [50, 100, 200, 500]


@pytest.mark.usefixtures("fewer_draws", "compiled_fits")
@pytest.mark.parametrize("name", ["digits", "cifar10_vgg16"])
def test_classes_cover_after_adaptive_labels(name, data_folder):
    """200 runs: a class whose interval holds the truth 90 % of the time falls below 82 % once in 5,000. Of the control
    50: of 40 figures that hold 90 % of the time one falls below 60 % once in 6 million."""
    pool = digits_pool() if name == "digits" else fl.open_pool(data_folder / f"{name}.npz")
    found = row_coverage(pool, BY_CLASS, LABELS, 200, "thompson", "cautious")
    assert found.mean(axis=1).min() >= 0.93, found.mean(axis=1)
    assert found.min() >= 0.82, found.min(axis=1)
    papers = row_coverage(pool, BY_CLASS, LABELS, 50, "thompson", "beta")
    assert papers.min() < 0.6, "negative control: the papers' posterior is too sure of itself"


@pytest.mark.usefixtures("fewer_draws", "compiled_fits")
@pytest.mark.parametrize("name", ["digits", "cifar10_vgg16"])
def test_classes_cover_by_default(name, data_folder):
    """30 runs: of intervals that hold 92 % of the time on average, 86 % is three standard errors away. How often those
    of single classes hold is what the leaderboard is for."""
    pool = digits_pool() if name == "digits" else fl.open_pool(data_folder / f"{name}.npz")
    found = row_coverage(pool, BY_CLASS, [50, 200], 30)
    assert found.mean(axis=1).min() >= 0.86, found.mean(axis=1)


@pytest.mark.usefixtures("fewer_draws", "compiled_fits")
@pytest.mark.parametrize(
    "question", [fl.Estimate("reliability"), fl.Estimate("calibration_error")], ids=["bins", "ece"]
)
def test_calibration_covers_after_adaptive_labels(question, data_folder):
    """60 runs: 92 % falls below 80 % 7 times in 1,000."""
    pool = fl.open_pool(data_folder / "cifar10_vgg16.npz")
    found = row_coverage(pool, question, [50, 100, 200, 500], 60, "thompson", "cautious")
    assert found.mean(axis=1).min() >= 0.88, found.mean(axis=1)
    assert found[:, -1].min() >= 0.8, found[:, -1]  # the top bin, where nearly all items are
    default = row_coverage(pool, question, [50, 200], 20)
    assert default.mean(axis=1).min() >= 0.8, default.mean(axis=1)
    papers = row_coverage(pool, question, [50, 100, 200, 500], 60, "thompson", "beta")
    assert papers[:, -1].min() < 0.8, "negative control"
