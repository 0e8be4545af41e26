"""Models set against one another, at fixed truths: how often intervals hold, and verdicts are wrong at any look."""

import numpy as np
import pytest

from fewlabels.core.anytime.means import MeanBets
from fewlabels.core.best_of import Race
from fewlabels.core.paired import tally

pytestmark = pytest.mark.slow

WORTH = np.array([-1.0, 0.0, 1.0])
PATHS, DRAWS = 400, 400
ERROR = 3 * np.sqrt(0.05 * 0.95 / PATHS)  # three standard errors of a share of one in twenty


def items(won: int, lost: int, neither: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permutation(np.repeat([1.0, -1.0, 0.0], [won, lost, neither]))


@pytest.mark.parametrize("labels", [50, 100, 200])
@pytest.mark.parametrize("counts", [(300, 300, 0), (300, 200, 400), (500, 60, 40), (120, 100, 700)])
def test_the_interval_of_a_difference_holds_as_often_as_it_says(counts, labels):
    """With a fixed truth and a number of labels fixed beforehand; half as many pretended labels more must fail."""
    rng, values = np.random.default_rng([labels, *counts]), items(*counts, 0)
    held, pretended = 0, 0
    for _ in range(1000):
        drawn = rng.choice(values, labels, replace=False)
        truth = values.sum() / 5000
        told = tally(drawn, WORTH, 5000, len(values))
        low, high = np.quantile(told.draws(2000, rng, pool=True), [0.025, 0.975])
        held += low - 1e-12 <= truth <= high + 1e-12
        pretended += abs(told.mean - truth) <= (high - low) / 2 / 2
    assert 0.92 <= held / 1000 <= 0.985
    assert pretended / 1000 < 0.85


def test_models_that_are_equally_good_are_seldom_called_different_by_whoever_looks_after_each_label():
    """In at most one in twenty studies; a posterior at 97.5 % on either side, looked at as often, is far above that."""
    wrong, by_posterior = 0, 0
    for path in range(PATHS):
        values = items(400, 400, 300, path)
        bets, total, squares, fooled = MeanBets(len(values), -1, 1, 2), 0.0, 0.0, False
        for n, value in enumerate(values[:DRAWS].tolist(), start=1):
            bets.add(value)
            total, squares = total + value, squares + value**2
            if n < 10:
                continue
            spread = np.sqrt(max(squares / n - (total / n) ** 2, 1e-9) * (1 - n / len(values)) / n)
            fooled |= abs(total / n) > 1.96 * spread
            low, high = bets.capital.interval(0.95)
            if low > 0 or high < 0:
                wrong += 1
                break
        by_posterior += fooled
    assert wrong / PATHS <= 0.05 + ERROR
    assert by_posterior / PATHS > 0.15


def test_the_best_of_several_is_seldom_dropped_and_what_is_named_is_next_to_it():
    """Five models, two of them equally good and the best: neither should go, and no poor one should be named."""
    lost = named = 0
    for path in range(PATHS // 2):
        rng = np.random.default_rng([7, path])
        levels = np.array([0.8, 0.8, 0.79, 0.74, 0.6])
        right = np.stack([rng.permutation(np.arange(1500) < level * 1500) for level in levels], axis=1)
        said = np.where(right, 0, 1 + np.arange(5))
        order = rng.permutation(np.flatnonzero((said != said[:, :1]).any(axis=1)))[:300]
        differ = (said[:, :, None] != said[:, None, :]).sum(axis=0)
        race = Race(said[order], right[order].astype(float), differ, 1500, 0.02, 0.95)
        lost += bool(race.dropped[:2].any())
        named += bool(race.near[3:].any())
    assert lost / (PATHS // 2) <= 0.05 + ERROR * np.sqrt(2)
    assert named / (PATHS // 2) <= 0.05
