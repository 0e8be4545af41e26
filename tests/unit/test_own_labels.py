"""What a group's own labels say of it: against a slow sum, and at its ends."""

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from fewlabels.core.cells import Partition
from fewlabels.core.own_labels import ALONE, HEARD, own_ends
from fewlabels.core.recalibration import TRUSTING, RecalibratedRates, model_of

SIZE, GROUP = np.array([40, 60, 30, 500, 25, 80]), np.array([0, 0, 1, 1, 2, 2])
SCORE = np.array([0.6, 0.9, 0.7, 0.95, 0.55, 0.85])
PARTS = Partition(GROUP, (("a",), ("b",), ("c",)), np.array([100, 530, 105]), np.zeros(3))


def belief(hits: list[int], misses: list[int]) -> RecalibratedRates:
    model = model_of(SCORE, SIZE, GROUP, TRUSTING)
    return RecalibratedRates(model, np.array(hits, dtype=float), np.array(misses, dtype=float), SIZE)


def slowly(one: RecalibratedRates, part: int, often: float, *, pool: bool) -> tuple[float, float]:
    """The same for one part, by a fine sum over how far off it may be and how much of it is wrong whatever its score:
    nothing in two groups of three, up to a half in the third."""
    inside = part == GROUP
    hits, misses, eta = one.hits[inside], one.misses[inside], logit(one.likeliest[inside])
    items = SIZE[inside] - hits - misses if pool else SIZE[inside]
    off, half = np.linspace(-12, 12, 1_201), np.linspace(0, 0.5, 201)
    taken = np.repeat([0.0, *(half[1:] + half[:-1]) / 2], len(off))
    beforehand = np.repeat([2 / 3, *[1 / 3 / 200] * 200], len(off)) * np.tile(norm.pdf(off, scale=2.0), 201)
    rates = (1 - taken[:, None]) * expit(eta + np.tile(off, 201)[:, None])
    weight = np.prod(rates**hits * (1 - rates) ** misses, axis=1) * beforehand
    weight /= weight.sum()
    share = (rates @ items + (hits.sum() if pool else 0)) / SIZE[inside].sum()
    order = np.argsort(share)
    upto = np.cumsum(weight[order])
    low, middle, high = (share[order][np.searchsorted(upto, q)] for q in ((1 - often) / 2, 0.5, (1 + often) / 2))
    coins = weight @ (rates * (1 - rates) @ items) if pool else 0.0
    chance = norm.ppf((1 + often) / 2) ** 2 * coins / SIZE[inside].sum() ** 2
    return middle - np.sqrt((middle - low) ** 2 + chance), middle + np.sqrt((high - middle) ** 2 + chance)


@pytest.mark.parametrize("pool", [True, False])
@pytest.mark.parametrize(
    ("hits", "misses"),
    [([9, 20, 0, 30, 1, 15], [6, 3, 0, 0, 9, 5]), ([20, 40, 25, 300, 0, 0], [20, 5, 5, 60, 12, 13])],
)
def test_it_is_the_integral_over_how_a_group_may_be_unlike_the_others(hits, misses, pool):
    one = belief(hits, misses)
    ends = own_ends(one, PARTS, 0.95, pool=pool)
    for part in range(3):
        assert ends[:, part] == pytest.approx(slowly(one, part, 0.925, pool=pool), abs=0.004)


def test_few_labels_are_not_heard_and_more_are_more_and_more():
    reach = []
    for labels in (HEARD, HEARD + 2, ALONE - 2, ALONE):
        ends = own_ends(belief([labels - 3, 0, 0, 0, 0, 0], [3, 0, 0, 0, 0, 0]), PARTS, 0.95, pool=True)
        assert np.isnan(ends[:, 1:]).all()
        reach.append(ends[1, 0] - ends[0, 0])
    assert np.isnan(reach[0])
    assert 0 < reach[1] < reach[2] < reach[3]


def test_a_level_of_a_third_leaves_nothing_to_bound():
    ends = own_ends(belief([10, 10, 0, 0, 0, 0], [5, 5, 0, 0, 0, 0]), PARTS, 1 / 3, pool=True)
    assert ends[0, 0] == pytest.approx(ends[1, 0])


def test_very_many_labels_that_are_all_alike_are_no_trouble():
    size, parts = np.array([10**7, 10**7]), Partition(np.zeros(2, int), (("a",),), np.array([2 * 10**7]), np.zeros(1))
    model = model_of(np.array([0.5, 1.0]), size, np.zeros(2, int), TRUSTING)
    for hits, misses in (([1e6, 1e6], [0.0, 0.0]), ([0.0, 0.0], [1e6, 1e6])):
        one = RecalibratedRates(model, np.array(hits), np.array(misses), size)
        low, high = own_ends(one, parts, 0.95, pool=True)[:, 0]
        assert low < high
        assert (low > 0.999) if hits[0] else (high < 0.001)
