"""P(D in region) for the difference of two rates, against quadrature at tight tolerance and plain double sums."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats
from scipy.special import betainc, betaincinv, betaln, xlog1py, xlogy

from fewlabels.core.comparison import (
    change_by_a_label,
    draws_region_probabilities,
    pool_region_probabilities,
    probability_below,
    region_probabilities,
)


def half(a, b, a_other, b_other, threshold, *, mirrored: bool) -> float:
    """The integral of f(x; a, b) F(x + t; a', b') over the lower half of (0, 1); mirrored, that of f F(1 - x + t).

    With x = y^(1/p), p = min(a, 1), a pole of the density at 0 goes into the measure.
    """
    p = min(a, 1.0)

    def integrand(y: float) -> float:
        x = y ** (1 / p)
        density = np.exp(xlogy(a - p, x) + xlog1py(b - 1, -x) - betaln(a, b)) / p
        return density * betainc(a_other, b_other, min(max((1 - x if mirrored else x) + threshold, 0.0), 1.0))

    own = betaincinv(a, b, [1e-12, 1e-5, 0.01, 0.2, 0.5, 0.8, 0.99, 1 - 1e-5, 1 - 1e-12])
    places = betaincinv(a_other, b_other, [1e-12, 1e-5, 0.01, 0.5, 0.99, 1 - 1e-5, 1 - 1e-12])
    kinks = np.array([0.0, 1.0, *places]) - threshold
    inside = sorted(x for x in (*own, *(1 - kinks if mirrored else kinks)) if 1e-12 < x < 0.5)
    edges = [0.0, *(x**p for x in inside), 0.5**p]
    return sum(
        integrate.quad(integrand, low, high, epsabs=1e-14, epsrel=1e-10, limit=500)[0]
        for low, high in itertools.pairwise(edges)
        if high > low
    )


def quad_below(a, b, threshold: float) -> float:
    """P(theta_0 - theta_1 < t): the integral of f_1(x) F_0(x + t)."""
    lower = half(a[1], b[1], a[0], b[0], threshold, mirrored=False)
    return lower + half(b[1], a[1], a[0], b[0], threshold, mirrored=True)


PAIRS = [
    ((1, 1), (1, 1)),
    ((280, 203), (351, 162)),
    ((61, 50), (53, 27)),
    ((1, 1), (3000, 1000)),
    ((9000, 1000), (5, 2)),
    ((1.8, 0.2), (0.4, 1.6)),
    ((0.5, 0.5), (40, 3)),
    ((0.01, 5), (2, 0.01)),
    ((0.02, 0.03), (0.5, 0.5)),
    ((700, 1.2), (1, 900)),
    ((50_000, 50_100), (51_000, 49_000)),
]


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("threshold", [-0.35, -0.05, 0.0, 0.05, 0.6])
@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_the_probability_that_a_difference_lies_below_is_the_integral_it_stands_for(one, two, threshold):
    """Within 1e-8 of quadrature, whose own tolerance is 1e-10."""
    a, b = np.array([one[0], two[0]], dtype=float), np.array([one[1], two[1]], dtype=float)
    assert probability_below(a, b, threshold) == pytest.approx(quad_below(a, b, threshold), abs=1e-8)


def test_two_uniform_rates_have_the_probabilities_of_the_triangle():
    """For D = U - V, P(D < t) = 1 - (1 - t)^2 / 2 for t in [0, 1]."""
    ones = np.ones(2)
    for t in (0.0, 0.05, 0.3, 0.99):
        assert probability_below(ones, ones, t) == pytest.approx(1 - (1 - t) ** 2 / 2, abs=1e-12)
        assert probability_below(ones, ones, -t) == pytest.approx((1 - t) ** 2 / 2, abs=1e-12)


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (1.8, 0.2), (0.05, 3.0), (70.0, 30.5), (5000.0, 20.0)])
def test_a_label_changes_probabilities_by_at_most_the_largest_gap_between_the_distribution_functions(a, b):
    """The densities cross once, so that gap is the total variation."""
    at = np.sort(np.concatenate([np.linspace(0, 1, 100_001), stats.beta(a, b).ppf(np.linspace(0, 1, 10_001))]))
    before, *after = (stats.beta(*two).cdf(at) for two in ((a, b), (a + 1, b), (a, b + 1)))
    expected = [np.abs(one - before).max() for one in after]
    assert np.ravel(change_by_a_label(np.array([a]), np.array([b]))) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("rope", [0.0, 0.05, 0.2])
@pytest.mark.parametrize(("one", "two"), PAIRS)
def test_the_three_regions_share_out_one_and_swap_with_the_groups(one, two, rope):
    a, b = np.array([one[0], two[0]], dtype=float), np.array([one[1], two[1]], dtype=float)
    mu = region_probabilities(a, b, rope)
    assert mu.sum() == pytest.approx(1, abs=1e-8)
    assert (mu >= 0).all()
    np.testing.assert_allclose(region_probabilities(a[::-1], b[::-1], rope), mu[::-1], atol=1e-8)
    np.testing.assert_allclose(region_probabilities(b, a, rope), mu[::-1], atol=1e-8)  # 1 - theta ~ Beta(b, a)


def test_a_shift_moves_the_difference():
    a, b = np.array([5.0, 7.0]), np.array([3.0, 2.0])
    less = region_probabilities(a, b, 0.05, shift=0.1)
    assert less[0] == pytest.approx(probability_below(a, b, -0.15), abs=1e-14)
    assert less[2] == pytest.approx(1 - probability_below(a, b, -0.05), abs=1e-14)


def test_a_threshold_beyond_one_is_certain():
    a, b = np.array([5.0, 7.0]), np.array([3.0, 2.0])
    assert probability_below(a, b, 1.2) == pytest.approx(1, abs=1e-14)
    assert probability_below(a, b, -1.2) == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("rope", [0.0, 0.05, 0.1])
@pytest.mark.parametrize("shift", [0.0, -0.037])
@pytest.mark.parametrize(
    ("known", "rest", "size"), [((3, 5), (7, 5), (20, 10)), ((0, 0), (1, 30), (1, 40)), ((4, 2), (0, 0), (10, 5))]
)
def test_finite_pools_are_compared_by_the_double_sum_over_their_items(known, rest, size, rope, shift):
    a, b = (2.5, 4.0), (1.5, 0.7)
    expected = [0.0, 0.0, 0.0]
    for x in range(rest[0] + 1):
        for y in range(rest[1] + 1):
            d = (known[0] + x) / size[0] - (known[1] + y) / size[1] + shift
            region = 0 if d < -rope - 1e-12 else 2 if d > rope + 1e-12 else 1
            expected[region] += stats.betabinom(rest[0], a[0], b[0]).pmf(x) * stats.betabinom(rest[1], a[1], b[1]).pmf(
                y
            )
    arrays = (np.array(v, dtype=float) for v in (known, rest, size, a, b))
    np.testing.assert_allclose(pool_region_probabilities(*arrays, rope, shift), expected, atol=1e-10)


def test_draws_are_counted_into_the_regions():
    difference = np.array([-0.2, -0.05, 0.0, 0.05, 0.3, 0.06, -0.06, 0.01])
    assert draws_region_probabilities(difference, 0.05).tolist() == [2 / 8, 4 / 8, 2 / 8]


def test_two_equal_rates_next_to_one_are_a_toss_up():
    """Beta(2, 0.01) has most of its mass nearer to 1 than floating point can tell; 1 - theta has not."""
    assert probability_below(np.array([2.0, 2.0]), np.array([0.01, 0.01]), 0.0) == pytest.approx(0.5, abs=1e-6)


def test_mirrored_rates_of_equal_variance_are_compared():
    """Beta(3, 1) and Beta(1, 3) mirror each other: neither is the narrower, whichever way they are looked at.

    P(theta_0 < theta_1) = 3 B(4, 3) = 1/20.
    """
    assert probability_below(np.array([3.0, 1.0]), np.array([1.0, 3.0]), 0.0) == pytest.approx(1 / 20, abs=1e-9)
    assert probability_below(np.array([1.0, 3.0]), np.array([3.0, 1.0]), 0.0) == pytest.approx(19 / 20, abs=1e-9)
