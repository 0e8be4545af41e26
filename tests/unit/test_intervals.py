"""Intervals against scipy.stats and against brute-force search."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from scipy import stats

from fewlabels.core.intervals import (
    AT_A_STOP,
    AT_ONE_LOOK,
    EXACT_POOL,
    beta_binomial_pmf,
    beta_interval,
    cautious_share,
    draws_interval,
    exact_share_intervals,
    exact_summed_interval,
    pool_share_intervals,
    rate_intervals,
)

LEVELS = [0.5, 0.9, 0.95]
SHAPES = [(1.0, 1.0), (3.0, 1.0), (280.0, 203.0), (0.5, 0.5), (1.8, 0.2), (2.0, 60.0), (1.01, 0.99), (9000.0, 12.0)]


def pool_interval(known, rest, size, a, b, level, kind):
    arrays = [np.array([float(x)]) for x in (known, rest, size, a, b)]
    low, high = pool_share_intervals(*arrays, level, kind)
    return float(low[0]), float(high[0])


@pytest.mark.parametrize("level", LEVELS)
def test_equal_tails_are_the_quantiles_of_scipy(level):
    a, b = np.array(SHAPES).T
    low, high = beta_interval(a, b, level, "equal-tailed")
    np.testing.assert_allclose(low, stats.beta.ppf((1 - level) / 2, a, b), rtol=1e-9)
    np.testing.assert_allclose(high, stats.beta.ppf((1 + level) / 2, a, b), rtol=1e-9)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_the_highest_density_interval_is_the_shortest_of_its_mass(a, b, level):
    low, high = (float(end[0]) for end in beta_interval(np.array([a]), np.array([b]), level, "highest-density"))
    assert stats.beta.cdf(high, a, b) - stats.beta.cdf(low, a, b) == pytest.approx(level, abs=1e-9)
    tails = np.linspace(0, 1 - level, 4001)  # brute force over the mass left out below
    widths = stats.beta.ppf(tails + level, a, b) - stats.beta.ppf(tails, a, b)
    assert high - low <= widths.min() + 1e-9


@pytest.mark.parametrize(("a", "b"), [(3.0, 2.0), (280.0, 203.0), (2.0, 60.0)])
def test_a_density_with_an_inner_mode_is_equally_high_at_both_ends_of_its_highest_density_interval(a, b):
    low, high = (float(end[0]) for end in beta_interval(np.array([a]), np.array([b]), 0.95, "highest-density"))
    assert stats.beta.pdf(low, a, b) == pytest.approx(stats.beta.pdf(high, a, b), rel=1e-4)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(some.integers(0, 400), some.floats(0.02, 300), some.floats(0.02, 300))
def test_the_beta_binomial_is_that_of_scipy(count, a, b):
    expected = stats.betabinom(count, a, b).pmf(np.arange(count + 1))
    np.testing.assert_allclose(beta_binomial_pmf(count, a, b), expected, rtol=1e-8, atol=1e-14)


@settings(derandomize=True, max_examples=80, deadline=None)
@given(
    some.integers(0, 20), some.integers(1, 60), some.floats(0.1, 60), some.floats(0.1, 60), some.sampled_from(LEVELS)
)
def test_pool_shares_have_the_quantiles_of_the_beta_binomial(known, rest, a, b, level):
    size = known + rest + 3
    low, high = pool_interval(known, rest, size, a, b, level, "equal-tailed")
    share = stats.betabinom(rest, a, b)
    first, last = share.ppf((1 - level) / 2), share.ppf((1 + level) / 2)
    if first < last:
        assert low == pytest.approx((known + first) / size, abs=1e-12)
        assert high == pytest.approx((known + last) / size, abs=1e-12)
    else:  # one share holds it all; what is shown may then be wider
        assert low <= (known + first) / size + 1e-12
        assert high >= (known + last) / size - 1e-12


@settings(derandomize=True, max_examples=60, deadline=None)
@given(some.integers(1, 40), some.floats(0.1, 30), some.floats(0.1, 30), some.sampled_from(LEVELS))
def test_the_highest_density_set_of_a_pool_share_is_a_shortest_run_of_its_mass(rest, a, b, level):
    low, high = pool_interval(0, rest, rest, a, b, level, "highest-density")
    first, last = round(low * rest), round(high * rest)
    pmf = stats.betabinom(rest, a, b).pmf(np.arange(rest + 1))
    assert pmf[first : last + 1].sum() >= level - 1e-9
    shortest = min(j - i for i in range(rest + 1) for j in range(i, rest + 1) if pmf[i : j + 1].sum() >= level + 1e-9)
    assert last - first <= max(shortest, 1)  # where one share holds it all, what is shown may be wider


def test_nothing_unlabelled_gives_the_exact_share_twice():
    for kind in ("equal-tailed", "highest-density"):
        assert pool_interval(3, 0, 7, 4.0, 5.0, 0.95, kind) == (3 / 7, 3 / 7)


@pytest.mark.parametrize("kind", ["equal-tailed", "highest-density"])
@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (10.0, 1.0), (2000.0, 100.0), (0.3, 4.0), (700.0, 650.0)])
def test_beyond_the_exact_size_the_stand_in_is_within_a_thousandth(a, b, kind):
    rest = EXACT_POOL + 1
    low, high = pool_interval(0, rest, rest, a, b, 0.95, kind)
    pmf = stats.betabinom(rest, a, b).pmf(np.arange(rest + 1))
    cumulative = np.cumsum(pmf)
    if kind == "equal-tailed":
        first, last = np.searchsorted(cumulative, 0.025), np.searchsorted(cumulative, 0.975)
    else:
        before = np.concatenate([[0.0], cumulative[:-1]])
        ends = np.searchsorted(cumulative, before + 0.95)
        first = int(np.argmin(np.where(ends <= rest, ends - np.arange(rest + 1), rest + 1)))
        last = ends[first]
    assert low == pytest.approx(first / rest, abs=1e-3 if kind == "equal-tailed" else 5e-3)
    assert high == pytest.approx(last / rest, abs=1e-3 if kind == "equal-tailed" else 5e-3)


def test_rows_do_not_disturb_one_another():
    known, rest = np.array([0.0, 5, 2, 2]), np.array([10.0, 0, 3, EXACT_POOL + 10])
    size, a, b = known + rest + 1, np.array([1.0, 6, 2, 9]), np.array([1.0, 2, 2, 3])
    low, high = pool_share_intervals(known, rest, size, a, b, 0.9, "equal-tailed")
    for i in range(4):
        one = pool_share_intervals(*(x[i : i + 1] for x in (known, rest, size, a, b)), 0.9, "equal-tailed")
        assert (low[i], high[i]) == (one[0][0], one[1][0])


def test_sample_intervals_are_sample_quantiles_or_the_shortest_window():
    draws = np.random.default_rng(0).gamma(2.0, size=(401, 3))
    low, high = draws_interval(draws, 0.9, "equal-tailed")
    np.testing.assert_allclose(low, np.quantile(draws, 0.05, axis=0))
    np.testing.assert_allclose(high, np.quantile(draws, 0.95, axis=0))
    low, high = draws_interval(draws, 0.9, "highest-density")
    for column in range(3):
        ordered, held = sorted(draws[:, column]), 361  # the least number of draws that is 90 % of 401
        windows = [(ordered[i + held - 1] - ordered[i], i) for i in range(401 - held + 1)]
        width, first = min(windows)
        assert (low[column], high[column]) == (ordered[first], ordered[first + held - 1])
        assert high[column] - low[column] == pytest.approx(width)


def interval_by_a_sum(rest: int, a: float, b: float, level: float, kind: str) -> tuple[int, int]:
    """Of the hits among `rest` items, from the probability of every number of them."""
    x = np.arange(rest + 1)
    pmf = beta_binomial_pmf(rest, a, b)
    upto = np.cumsum(pmf)
    if kind == "equal-tailed":
        tail = (1 - level) / 2
        return min(int((upto <= tail).sum()), rest), min(int((upto < 1 - tail - 1e-12).sum()), rest)
    runs = [(j - i, i, j) for i in x for j in x[i:] if upto[j] - (upto[i - 1] if i else 0.0) >= level - 1e-12]
    _, first, last = min(runs)
    return int(first), int(last)


@pytest.mark.parametrize("kind", ["equal-tailed", "highest-density"])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_many_rows_at_once_are_each_as_a_sum_over_all_numbers_of_hits(kind, level):
    """Rare and common hits, flat and U-shaped beliefs, equal rows among them, and rows with nothing left to label."""
    rng = np.random.default_rng(0)
    a, b = np.exp(rng.uniform(np.log(0.01), np.log(30), (2, 240)))
    a[::3], b[::3] = 0.01, 1.0
    rest = rng.choice([0, 1, 2, 7, 40], 240).astype(float)
    known = rng.integers(0, 3, 240).astype(float)
    low, high = pool_share_intervals(known, rest, rest + known + 1, a, b, level, kind)
    for i in range(240):
        first, last = interval_by_a_sum(int(rest[i]), a[i], b[i], level, kind) if rest[i] else (0, 0)
        assert (low[i], high[i]) == (
            (known[i] + first) / (rest + known + 1)[i],
            (known[i] + last) / (rest + known + 1)[i],
        )


@pytest.mark.parametrize("kind", ["equal-tailed", "highest-density"])
def test_equal_rates_have_equal_intervals_worked_out_once(kind):
    a, b = np.array([2.0, 0.5, 2.0, 2.0, 0.5]), np.array([1.0, 3.0, 1.0, 7.0, 3.0])
    found = rate_intervals(a, b, 0.9, kind)
    for i in range(5):
        one = beta_interval(a[i : i + 1], b[i : i + 1], 0.9, kind)
        assert [end[i] for end in found] == [end[0] for end in one]


@pytest.mark.parametrize("caution", [AT_ONE_LOOK, AT_A_STOP])
@pytest.mark.parametrize(("value", "half", "labels"), [(0.999, 0.002, 60), (0.95, 0.03, 80), (0.9, 0.02, 400)])
def test_an_interval_of_the_whole_is_stretched_and_lowered_by_so_much(value, half, labels, caution):
    """Step by step: to Clopper and Pearson's width at most, and down to their low end the fewer errors were seen."""
    hits, errors = value * labels, (1 - value) * labels
    exact = stats.beta.ppf(0.025, hits, errors + 1), stats.beta.ppf(0.975, hits + 1, errors)
    times = min(max((exact[1] - exact[0]) / (2 * half), 1), caution.stretch)
    part = caution.distrust * min(1, caution.few_errors / errors, caution.few_labels / labels) * 0.8**0.5
    low, high, lowered = cautious_share(value, value - half, min(value + half, 1.0), labels, 0.8, 0.95, caution)
    assert low == pytest.approx(min(value - times * half, value - part * (value - exact[0])), abs=1e-6)
    assert high == pytest.approx(min(value + times * (min(value + half, 1.0) - value), 1), abs=1e-6)
    assert lowered == (part * (value - exact[0]) > times * half)


def test_at_a_stop_an_interval_reaches_lower_while_few_errors_were_seen():
    once, stop = (cautious_share(0.97, 0.95, 0.985, 90, 0.95, 0.95, c)[0] for c in (AT_ONE_LOOK, AT_A_STOP))
    assert stop < once - 0.005
    once, stop = (cautious_share(0.7, 0.66, 0.74, 500, 0.95, 0.95, c) for c in (AT_ONE_LOOK, AT_A_STOP))
    assert stop == once


@pytest.mark.parametrize(("off", "ends"), [(0.02, (0.66, 0.746)), (-0.02, (0.654, 0.74)), (0.0, (0.66, 0.74))])
def test_at_a_stop_an_interval_reaches_towards_what_labels_say_without_the_model(off, ends):
    plain = cautious_share(0.7, 0.66, 0.74, 3000, 0.95, 0.95, AT_A_STOP._replace(stretch=1.0), off)
    assert plain == (pytest.approx(ends[0]), pytest.approx(ends[1]), False)
    assert cautious_share(0.7, 0.66, 0.74, 500, 0.95, 0.95, off=off) == cautious_share(0.7, 0.66, 0.74, 500, 0.95, 0.95)


@pytest.mark.parametrize(
    ("value", "labels", "left"), [(0.99, 100, 1.0), (0.9, 100, 0.5), (0.9, 400, 0.125), (1.0, 400, 0.5)]
)
def test_distrust_fades_with_errors_and_with_labels(value, labels, left):
    assert AT_A_STOP.fades(value, labels) == pytest.approx(left)


def by_inversion(hits: int, misses: int, size: int, level: float) -> tuple[float, float]:
    """[Clopper, Pearson 1934]: the shares that such a draw from a finite pool, or one further off, leaves open."""
    tail, drawn = (1 - level) / 2, hits + misses
    may_be = np.arange(hits, size - misses + 1)
    low = may_be[stats.hypergeom.sf(hits - 1, size, may_be, drawn) > tail + 1e-12].min()
    high = may_be[stats.hypergeom.cdf(hits, size, may_be, drawn) > tail + 1e-12].max()
    return low / size, high / size


@pytest.mark.parametrize("level", [0.9, 0.95])
@pytest.mark.parametrize("size", [1, 2, 7, 40, 150])
def test_exact_intervals_hold_what_a_draw_from_a_finite_pool_does_not_rule_out(size, level):
    some = range(0, size + 1, max(1, size // 11))
    told = [(hits, n - hits) for n in some for hits in range(0, n + 1, max(1, n // 6))]
    hits, misses = np.array(told, dtype=float).T
    found = np.transpose(exact_share_intervals(hits, misses, np.full(len(told), float(size)), level))
    np.testing.assert_allclose(found, [by_inversion(*one, size, level) for one in told], atol=1e-12)


@pytest.mark.parametrize(("hits", "misses"), [(35, 0), (34, 1), (100, 9), (100, 100), (2, 60), (0, 12), (900, 90)])
def test_exact_intervals_of_many_items_are_within_one_of_them_or_a_thousandth(hits, misses):
    size = EXACT_POOL + hits + misses + 1000
    low, high = exact_share_intervals(*(np.array([float(x)]) for x in (hits, misses, size)), 0.95)
    assert (low[0], high[0]) == pytest.approx(by_inversion(hits, misses, size, 0.95), abs=1e-3)
    assert misses or high[0] == 1.0
    assert hits or low[0] == 0.0


def test_the_exact_interval_of_several_parts_is_about_that_of_all_drawn_alike():
    hits, misses, size = np.array([80.0, 40.0, 0.0]), np.array([10.0, 4.0, 0.0]), np.array([900.0, 450.0, 0.0])
    one = np.ravel(exact_share_intervals(*(x.sum(keepdims=True) for x in (hits, misses, size)), 0.95))
    assert exact_summed_interval(hits[:2], misses[:2], size[:2], 0.95) == pytest.approx(one, abs=0.01)
    assert exact_summed_interval(hits, 0 * misses, size + 1, 0.95)[1] == 1.0  # where no miss was drawn all may be hits
    assert exact_summed_interval(0 * hits, misses, size + 1, 0.95)[0] == 0.0
    assert exact_summed_interval(np.array([3.0]), np.array([1.0]), np.array([4.0]), 0.95) == (0.75, 0.75)
