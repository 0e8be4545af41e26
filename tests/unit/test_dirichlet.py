"""Dirichlet beliefs against scipy.stats."""

import numpy as np
import pytest
from scipy import stats

from fewlabels.core.dirichlet import DirichletBelief, dirichlet_draws, dirichlet_total_variance

ROWS = [[1.0, 1.0, 1.0], [0.2, 7.5, 0.3], [30.0, 2.0, 1e-3], [1e-6, 1e-6, 1.0], [400.0, 300.0, 5.0]]


@pytest.mark.parametrize("alpha", ROWS)
def test_the_total_variance_is_the_sum_of_scipys_variances(alpha):
    found = dirichlet_total_variance(np.array([alpha]))[0]
    assert found == pytest.approx(stats.dirichlet.var(alpha).sum(), rel=1e-10, abs=1e-15)


def belief(counts, size, prior) -> DirichletBelief:
    return DirichletBelief(np.array(prior, dtype=float), np.array(counts, dtype=float), np.array(size))


def test_means_are_those_of_scipy_and_counts_stay_apart_from_the_prior():
    known = belief([[2, 0, 1], [0, 0, 0]], [10, 4], [[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]])
    for row in range(2):
        np.testing.assert_allclose(known.mean[row], stats.dirichlet.mean(known.alpha[row]), rtol=1e-13)
    assert known.labels.tolist() == [3, 0]
    np.testing.assert_allclose(known.prior_strength, [1, 1])
    assert known.unlabelled.tolist() == [7, 4]


def test_the_pool_mean_weighs_known_items_and_predicted_ones():
    known = belief([[2, 0, 1], [1, 1, 0]], [10, 2], [[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]])
    expected = [(n + 7 * m) / 10 for n, m in zip([2, 0, 1], known.mean[0], strict=True)]
    np.testing.assert_allclose(known.pool_mean[0], expected, rtol=1e-13)
    assert known.pool_mean[1].tolist() == [0.5, 0.5, 0.0]


@pytest.mark.parametrize("alpha", ROWS)
def test_each_component_of_a_draw_has_its_beta_marginal(alpha):
    """P(theta_j <= q) at three quantiles q of Beta(alpha_j, A - alpha_j), 40,000 draws, within 4.5 standard errors."""
    n = 40_000
    draws = dirichlet_draws(np.array([alpha]), n, np.random.default_rng(3))[:, 0]
    np.testing.assert_allclose(draws.sum(axis=1), 1.0, atol=1e-12)
    for j, a in enumerate(alpha):
        marginal = stats.beta(a, sum(alpha) - a)
        for p in (0.05, 0.5, 0.95):
            q = marginal.ppf(p)
            if not 1e-12 < q < 1 - 1e-12:
                continue  # beyond what doubles tell apart
            assert abs((draws[:, j] <= q).mean() - p) < 4.5 * np.sqrt(p * (1 - p) / n)


def test_means_and_covariances_of_draws_are_those_of_scipy():
    alpha = [0.4, 2.0, 1.1, 0.05]
    draws = dirichlet_draws(np.array([alpha]), 100_000, np.random.default_rng(4))[:, 0]
    np.testing.assert_allclose(draws.mean(axis=0), stats.dirichlet.mean(alpha), atol=5e-3)
    np.testing.assert_allclose(np.cov(draws.T), stats.dirichlet.cov(alpha), atol=3e-3)


def test_draws_stay_finite_where_gamma_variates_would_underflow():
    alpha = np.array([[1e-9, 1e-9, 1e-9], [1e-6, 3e-7, 1e-8]])
    draws = dirichlet_draws(alpha, 2000, np.random.default_rng(5))
    assert np.isfinite(draws).all()
    np.testing.assert_allclose(draws.sum(axis=-1), 1.0)
    first = (draws[:, 1] > 0.5).mean(axis=0)  # nearly all mass on one class, chosen in proportion to alpha
    np.testing.assert_allclose(first, alpha[1] / alpha[1].sum(), atol=0.045)


def test_pool_draws_are_counts_of_the_items_there_are():
    known = belief([[2, 0, 1], [1, 1, 0]], [7, 2], [[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]])
    draws = np.concatenate(list(known.draw_chunks(3000, np.random.default_rng(6), pool=True)))
    items = draws * known.size[:, None]
    np.testing.assert_allclose(items, np.rint(items), atol=1e-9)
    np.testing.assert_allclose(items.sum(axis=-1), np.broadcast_to(known.size, (3000, 2)))
    assert (items >= known.counts - 1e-9).all()
    assert (draws[:, 1] == [0.5, 0.5, 0.0]).all()
    np.testing.assert_allclose(draws.mean(axis=0), known.pool_mean, atol=0.02)


def test_chunks_add_up_to_the_number_of_draws_asked_for(monkeypatch):
    monkeypatch.setattr("fewlabels.core.dirichlet.CHUNK", 12)
    known = belief([[2, 0, 1], [1, 1, 0]], [7, 2], [[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]])
    chunks = list(known.draw_chunks(11, np.random.default_rng(0), pool=False))
    assert [len(c) for c in chunks] == [2, 2, 2, 2, 2, 1]


def test_pending_queries_keep_the_mean_and_take_from_the_variance():
    known = belief([[2, 0, 1], [1, 1, 0]], [10, 9], [[0.2, 0.3, 0.5], [0.9, 0.05, 0.05]])
    after = known.expecting(np.array([3.0, 0.0]))
    np.testing.assert_allclose(after.mean, known.mean, rtol=1e-13)
    assert dirichlet_total_variance(after.alpha)[0] < dirichlet_total_variance(known.alpha)[0]
    np.testing.assert_array_equal(after.alpha[1], known.alpha[1])


def test_plain_frequencies_stand_in_for_the_mean_and_leave_the_unknown_unknown():
    plain = np.array([[0.75, 0.25], [np.nan, np.nan]])
    counts, size = np.array([[3.0, 1.0], [0.0, 0.0]]), np.array([6, 5])
    known = DirichletBelief(np.full((2, 2), 0.5), counts, size, plain=plain)
    np.testing.assert_array_equal(known.mean, plain)
    np.testing.assert_allclose(known.pool_mean, [[4.5 / 6, 1.5 / 6], [np.nan, np.nan]])
