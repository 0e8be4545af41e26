"""Beta beliefs against scipy.stats, quadrature and the beta-binomial distribution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import integrate, stats

from fewlabels.core.beta import SPREAD_FLOOR, BetaBelief, beta_variance, mean_absolute_distance

PARAMETERS = [(1, 1), (0.5, 0.5), (2e-3, 5), (280, 203), (1.8, 0.2), (9000, 12), (0.02, 0.03), (1, 60)]
alphas = np.array([float(a) for a, _ in PARAMETERS])
betas = np.array([float(b) for _, b in PARAMETERS])


def belief(hits, misses, size, prior=(1.0, 1.0), **more) -> BetaBelief:
    hits, misses = np.array(hits, dtype=float), np.array(misses, dtype=float)
    a, b = np.full(len(hits), float(prior[0])), np.full(len(hits), float(prior[1]))
    return BetaBelief(a, b, hits, misses, np.array(size), **more)


def posterior(a, b) -> BetaBelief:
    zero = np.zeros_like(a)
    return BetaBelief(a, b, zero, zero, np.full(len(a), 10))


def test_mean_and_variance_are_those_of_scipy():
    known = posterior(alphas, betas)
    np.testing.assert_allclose(known.mean, stats.beta.mean(alphas, betas), rtol=1e-13)
    np.testing.assert_allclose(known.variance, stats.beta.var(alphas, betas), rtol=1e-12)
    np.testing.assert_allclose(beta_variance(alphas, betas), stats.beta.var(alphas, betas), rtol=1e-12)


@pytest.mark.parametrize("probability", [1e-9, 0.025, 0.5, 0.975, 1 - 1e-9])
def test_quantiles_are_those_of_scipy(probability):
    known = posterior(alphas, betas)
    found = known.quantile(np.full(len(alphas), probability))
    np.testing.assert_allclose(found, stats.beta.ppf(probability, alphas, betas), rtol=1e-9, atol=1e-300)


def test_labels_are_added_to_the_prior_and_kept_apart_from_it():
    known = belief([3, 0], [1, 0], [10, 4], prior=(1.5, 0.5))
    assert known.alpha.tolist() == [4.5, 1.5]
    assert known.beta.tolist() == [1.5, 0.5]
    assert known.labels.tolist() == [4, 0]
    assert known.prior_strength.tolist() == [2, 2]
    assert known.unlabelled.tolist() == [6, 4]


def quad_distance(a: float, b: float, point: float) -> float:
    """E|theta - s| as the integral of the tails: that of F below s, and of 1 - F above it."""
    theta = stats.beta(a, b)
    below = integrate.quad(theta.cdf, 0, point, epsabs=1e-11, epsrel=1e-10, limit=200)[0]
    above = integrate.quad(theta.sf, point, 1, epsabs=1e-11, epsrel=1e-10, limit=200)[0]
    return below + above


@pytest.mark.parametrize(("a", "b"), PARAMETERS)
@pytest.mark.parametrize("point", [0.0, 0.1, 0.58, 0.99, 1.0])
def test_mean_absolute_distance_is_the_integral_it_stands_for(a, b, point):
    found = mean_absolute_distance(np.array([float(a)]), np.array([float(b)]), np.array([point]))[0]
    assert found == pytest.approx(quad_distance(a, b, point), abs=1e-8)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(some.floats(0.05, 500), some.floats(0.05, 500), some.floats(0, 1))
def test_mean_absolute_distance_lies_between_bias_and_spread(a, b, point):
    """|E theta - s| <= E|theta - s| <= sqrt(Var + (E theta - s)^2), by Jensen."""
    found = mean_absolute_distance(np.array([a]), np.array([b]), np.array([point]))[0]
    bias = stats.beta.mean(a, b) - point
    assert abs(bias) - 1e-12 <= found <= np.sqrt(stats.beta.var(a, b) + bias**2) + 1e-12


@pytest.mark.parametrize(("hits", "misses", "size"), [(0, 0, 5), (3, 1, 20), (7, 0, 8), (4, 6, 10)])
def test_the_pool_mean_is_the_mean_of_the_beta_binomial_share(hits, misses, size):
    known = belief([hits], [misses], [size], prior=(1.2, 0.8))
    rest = stats.betabinom(size - hits - misses, hits + 1.2, misses + 0.8)
    assert known.pool_mean[0] == pytest.approx((hits + rest.mean()) / size, abs=1e-12)


def test_the_pool_mean_of_a_fully_labelled_cell_is_its_share_exactly():
    known = belief([3, 0, 5], [4, 5, 0], [7, 5, 5], prior=(40.0, 2.0))
    assert known.pool_mean.tolist() == [3 / 7, 0.0, 1.0]


def test_plain_frequencies_stand_in_for_the_mean_and_leave_the_unknown_unknown():
    plain = np.array([np.nan, 2 / 3, 3 / 4])
    known = belief([0, 2, 3], [0, 1, 1], [5, 6, 4], prior=(0.5, 0.5), plain=plain)
    np.testing.assert_array_equal(known.mean, plain)
    np.testing.assert_allclose(known.pool_mean, [np.nan, 4 / 6, 3 / 4])


def test_draws_of_rates_have_the_beta_distribution():
    """Kolmogorov-Smirnov on 20,000 draws; fails by chance once in 10,000 a cell."""
    known = belief([3, 0, 40], [1, 2, 0], [50, 50, 50], prior=(1.0, 1.0))
    draws = known.draws(20_000, lambda cell: np.random.default_rng([1, cell]), pool=False)
    for cell in range(3):
        assert stats.kstest(draws[:, cell], stats.beta(known.alpha[cell], known.beta[cell]).cdf).pvalue > 1e-4


def test_draws_of_pool_shares_have_the_beta_binomial_distribution():
    """Chi-square on 20,000 draws; fails by chance once in 10,000 a cell."""
    known = belief([3, 0], [1, 2], [9, 7], prior=(1.0, 1.0))
    draws = known.draws(20_000, lambda cell: np.random.default_rng([2, cell]), pool=True)
    for cell in range(2):
        rest = int(known.unlabelled[cell])
        more = np.rint(draws[:, cell] * known.size[cell] - known.hits[cell]).astype(int)
        expected = stats.betabinom(rest, known.alpha[cell], known.beta[cell]).pmf(np.arange(rest + 1)) * len(draws)
        assert stats.chisquare(np.bincount(more, minlength=rest + 1), expected).pvalue > 1e-4


def test_draws_of_a_fully_labelled_cell_are_its_share():
    draws = belief([3], [4], [7]).draws(50, lambda cell: np.random.default_rng([0, cell]), pool=True)
    assert (draws == 3 / 7).all()


def test_draws_of_a_cell_that_is_as_it_was_are_kept():
    made: list[int] = []

    def generator(cell: int) -> np.random.Generator:
        made.append(cell)
        return np.random.default_rng([5, cell])

    kept: dict = {}
    belief([3, 0, 4], [1, 2, 0], [9, 7, 8]).draws(50, generator, pool=True, kept=kept)
    after = belief([3, 1, 4], [1, 2, 0], [9, 7, 8])
    draws = after.draws(50, generator, pool=True, kept=kept)
    assert made == [0, 1, 2, 1]
    np.testing.assert_array_equal(draws, after.draws(50, generator, pool=True))


def test_pending_queries_keep_the_mean_and_take_from_the_variance():
    known = belief([3, 1, 0], [1, 5, 0], [50, 50, 50], prior=(1.6, 0.4))
    after = known.expecting(np.array([2.0, 0.0, 1.0]))
    np.testing.assert_allclose(after.mean, known.mean, rtol=1e-14)
    assert after.variance[0] < known.variance[0]
    assert after.variance[1] == known.variance[1]
    np.testing.assert_allclose(after.alpha + after.beta, known.alpha + known.beta + [2, 0, 1])
    np.testing.assert_array_equal(known.expecting(np.zeros(3)).alpha, known.alpha)


def test_a_pseudo_count_of_next_to_nothing_is_widened_for_what_people_see_but_not_for_the_mean():
    known = belief([4], [0], [50], prior=(2.0, 1e-9))
    assert known.spread[1][0] == SPREAD_FLOOR
    assert known.mean[0] == pytest.approx(6 / (6 + 1e-9), abs=1e-15)
