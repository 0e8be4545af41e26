"""Ranks of independent Betas against order statistics, quadrature and a million draws."""

import itertools

import numpy as np
import pytest
from scipy import integrate
from scipy.special import betainc, betaincc, betaincinv

from fewlabels.core.comparison import probability_below
from fewlabels.core.ranking import (
    beta_rank_distribution,
    probability_of_set,
    ranks_from_distribution,
    ranks_from_draws,
)

SEVERAL = [
    [(1, 1), (1, 1), (1, 1), (1, 1)],
    [(3, 2), (20, 8), (5, 1), (60, 12), (300, 40), (200, 50), (1, 1), (2, 0.1)],
    [(0.3, 1.7), (1.2, 0.8), (1.9, 0.1), (1, 1)],
    [(10, 3), (11, 3), (12, 3), (13, 3), (14, 3), (15, 3)],
]
# Thompson sampling gives some groups a thousand labels and others none: one rate wide, the others narrow.
UNEVEN = [
    [(1, 1)] + [(9000, 1000)] * 9,
    [(1, 1), (1, 1)] + [(900 + 3 * i, 100) for i in range(9)],
    [(2, 1)] + [(90_000 + 100 * i, 10_000) for i in range(4)],
]


def chance_of_lowest(pairs, g: int) -> float:
    """P(theta_g < theta_h for all h != g), by quadrature in narrow panels."""
    others = np.array([p for i, p in enumerate(pairs) if i != g], dtype=float)
    knots = np.linspace(1e-9, 1 - 1e-9, 13)
    edges = np.unique(np.concatenate([[0, 1], *(betaincinv(*p, knots) for p in set(pairs))]))

    def integrand(u: np.ndarray) -> np.ndarray:
        return betaincc(others[:, :1], others[:, 1:], betaincinv(*pairs[g], u)).prod(axis=0)

    panels = itertools.pairwise(betainc(*pairs[g], edges))
    return sum(integrate.fixed_quad(integrand, low, high, n=16)[0] for low, high in panels)


@pytest.mark.parametrize("pairs", SEVERAL + UNEVEN)
def test_every_rank_is_taken_by_one_group(pairs):
    a, b = np.array(pairs, dtype=float).T
    distribution = beta_rank_distribution(a, b)
    assert (distribution >= -1e-12).all()
    np.testing.assert_allclose(distribution.sum(axis=1), 1, atol=1e-10)
    np.testing.assert_allclose(distribution.sum(axis=0), 1, atol=1e-4)


@pytest.mark.parametrize("pairs", SEVERAL + UNEVEN)
def test_the_chance_of_being_lowest_is_the_integral_it_stands_for(pairs):
    a, b = np.array(pairs, dtype=float).T
    distribution = beta_rank_distribution(a, b)
    for g in range(min(len(pairs), 3)):
        assert distribution[g, 0] == pytest.approx(chance_of_lowest(pairs, g), abs=1e-4)


def test_two_groups_rank_as_they_compare():
    a, b = np.array([7.0, 4.0]), np.array([3.0, 2.0])
    distribution = beta_rank_distribution(a, b)
    assert distribution[0, 0] == pytest.approx(probability_below(a, b, 0.0), abs=1e-5)


def test_equal_groups_have_equal_ranks():
    np.testing.assert_allclose(beta_rank_distribution(np.full(5, 3.0), np.full(5, 2.0)), 0.2, atol=1e-10)


def test_permuting_the_groups_permutes_their_ranks():
    a, b = np.array(SEVERAL[1], dtype=float).T
    order = np.array([3, 0, 7, 1, 6, 2, 5, 4])
    np.testing.assert_allclose(
        beta_rank_distribution(a[order], b[order]), beta_rank_distribution(a, b)[order], atol=1e-9
    )


@pytest.mark.parametrize("pairs", SEVERAL + UNEVEN)
def test_the_distribution_of_ranks_is_that_of_draws(pairs):
    """200,000 draws, each probability within 5 standard errors and 1e-4."""
    a, b = np.array(pairs, dtype=float).T
    draws = np.random.default_rng(0).beta(a, b, size=(200_000, len(a)))
    ranks = draws.argsort(axis=1).argsort(axis=1)
    found = beta_rank_distribution(a, b)
    for r in range(len(a)):
        share = (ranks == r).mean(axis=0)
        error = 5 * np.sqrt(np.maximum(share * (1 - share), 1e-5) / len(draws)) + 1e-4
        assert (np.abs(found[:, r] - share) <= error).all()


def test_rank_intervals_hold_the_least_ranks_that_leave_each_tail():
    distribution = np.array([[0.02, 0.02, 0.5, 0.46], [0.9, 0.08, 0.015, 0.005], [0.0, 0.0, 1.0, 0.0]])
    ranks = ranks_from_distribution(distribution, level=0.95, top=2)
    assert ranks.low.tolist() == [2, 1, 3]
    assert ranks.high.tolist() == [4, 2, 3]
    np.testing.assert_allclose(ranks.p_top, [0.04, 0.98, 0.0])


def test_ranks_from_draws_are_those_of_a_plain_loop():
    rng = np.random.default_rng(1)
    values = rng.beta([3, 5, 2, 9, 4], [2, 2, 2, 2, 2], size=(501, 5))
    found = ranks_from_draws(values, 0.9, 2, np.random.default_rng(0))
    ranks = [[1 + sum(other < own for other in row) for own in row] for row in values.tolist()]
    for g in range(5):
        mine = sorted(row[g] for row in ranks)
        cumulative = {r: sum(x <= r for x in mine) / 501 for r in range(1, 6)}
        assert found.low[g] == min(r for r, c in cumulative.items() if c >= 0.05)
        assert found.high[g] == min(r for r, c in cumulative.items() if c >= 0.95)
        assert found.p_top[g] == pytest.approx(cumulative[2])


def test_ties_between_draws_go_either_way_equally_often():
    """Two groups always equal; 20,000 draws, 4.5 standard errors."""
    values = np.full((20_000, 2), 0.5)
    ranks = ranks_from_draws(values, 0.95, 1, np.random.default_rng(0))
    np.testing.assert_allclose(ranks.p_top, 0.5, atol=4.5 * 0.5 / np.sqrt(20_000))
    found = probability_of_set(values, np.array([1]), np.random.default_rng(0))
    assert found == pytest.approx(0.5, abs=4.5 * 0.5 / np.sqrt(20_000))


def test_the_probability_of_a_set_is_the_share_of_draws_whose_lowest_groups_it_is():
    values = np.random.default_rng(2).beta([3, 5, 2, 9, 4], [2, 2, 2, 2, 2], size=(400, 5))
    for size in (1, 2, 4):
        total = 0.0
        for members in itertools.combinations(range(5), size):
            share = np.mean([set(np.argsort(row)[:size].tolist()) == set(members) for row in values])
            found = probability_of_set(values, np.array(members), np.random.default_rng(0))
            assert found == pytest.approx(share)
            total += found
        assert total == pytest.approx(1)
    assert probability_of_set(values, np.arange(5), np.random.default_rng(0)) == 1.0
