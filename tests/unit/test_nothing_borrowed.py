"""What a group's own labels say where nothing is borrowed: against a slow integral, and how it fades."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import beta, norm

from fewlabels.core.cells import Partition
from fewlabels.core.nothing_borrowed import FADED, FULL, ends_alone, fading
from fewlabels.core.recalibration import TRUSTING, RecalibratedRates, model_of

SIZE, GROUP = np.array([400, 600, 300, 500, 250, 800]), np.array([0, 0, 1, 1, 2, 2])
SCORE = np.array([0.6, 0.9, 0.7, 0.95, 0.55, 0.85])
PARTS = Partition(GROUP, (("a",), ("b",), ("c",)), np.array([1000, 800, 1050]), np.zeros(3))


def belief(hits: list[int], misses: list[int]) -> RecalibratedRates:
    model = model_of(SCORE, SIZE, GROUP, TRUSTING)
    return RecalibratedRates(model, np.array(hits, dtype=float), np.array(misses, dtype=float), SIZE)


def slowly(one: RecalibratedRates, part: int, *, pool: bool) -> list[float]:
    """The same of one part: a fine sum over the share that is wrong and over how far off the others are, with coins."""
    inside = part == GROUP
    hits, misses, eta = one.hits[inside], one.misses[inside], logit(one.likeliest[inside])
    items = SIZE[inside] - hits - misses if pool else SIZE[inside]
    off = np.linspace(-6, 6, 241)
    edges = np.linspace(0, 1, 201) ** 2  # finer where the density of Beta(1/2, 1) is high
    wrong = np.repeat((edges[1:] + edges[:-1]) / 2, len(off))
    beforehand = np.repeat(np.diff(beta.cdf(edges, 0.5, 1)), len(off)) * np.tile(norm.pdf(off, scale=2.0), 200)
    rates = (1 - wrong[:, None]) * expit(eta + np.tile(off, 200)[:, None])
    weight = np.prod(rates**hits * (1 - rates) ** misses, axis=1) * beforehand
    expected, coins = rates @ items, (rates * (1 - rates)) @ items if pool else np.full(len(rates), 1e-9)
    at = np.linspace(0, items.sum(), 2_001)
    upto = np.array([weight @ norm.cdf((x - expected) / np.sqrt(coins)) for x in at]) / weight.sum()
    ends = np.interp([0.0125, 0.9875], upto, at)
    return list((ends + (hits.sum() if pool else 0)) / SIZE[inside].sum())


@pytest.mark.parametrize("pool", [True, False])
@pytest.mark.parametrize(
    ("hits", "misses"),
    [([2, 4, 1, 5, 0, 0], [2, 1, 0, 0, 1, 3]), ([0, 1, 8, 20, 9, 18], [0, 0, 2, 3, 9, 7])],
)
def test_it_is_the_integral_over_any_share_that_is_wrong_and_any_shift(hits, misses, pool):
    one = belief(hits, misses)
    ends = ends_alone(one, PARTS, 0.95, pool=pool)
    for part in range(3):
        assert ends[:, part] == pytest.approx(slowly(one, part, pool=pool), abs=0.015)


def test_without_labels_there_is_none_and_of_many_labels_none_is_needed():
    one = belief([0, 0, 30, 25, 1, 0], [0, 0, 5, 0, 0, 0])
    ends = ends_alone(one, PARTS, 0.95, pool=True)
    assert np.isnan(ends[:, :2]).all()
    assert not np.isnan(ends[:, 2]).any()
    assert fading(np.array([0.0, 1.0, FULL, (FULL + FADED) / 2, FADED, 500.0])).tolist() == [0, 1, 1, 0.5, 0, 0]


def test_ends_lie_between_nothing_more_and_all_the_rest():
    one = belief([1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 20, 5])
    low, high = ends_alone(one, PARTS, 0.95, pool=True)
    assert 1 / 1000 <= low[0] < high[0] <= 1
    assert 0 <= low[2] < high[2] < 0.2


def test_parts_do_not_hear_one_another():
    alone = ends_alone(belief([0, 0, 3, 4, 0, 0], [0, 0, 1, 0, 0, 0]), PARTS, 0.95, pool=True)[:, 1]
    one = belief([0, 0, 3, 4, 0, 0], [0, 0, 1, 0, 0, 0])
    hits, misses = np.array([9, 0, 3, 4, 0, 9.0]), np.array([9, 0, 1, 0, 9, 0.0])
    with_others = RecalibratedRates(one.model, hits, misses, SIZE)
    moved = ends_alone(with_others, PARTS, 0.95, pool=True)[:, 1]
    assert moved == pytest.approx(alone, abs=0.1)  # but for what cells of it are likely to differ by
