"""The pools of the leaderboard are what they claim, and its rivals are those of their papers."""

from functools import partial

import numpy as np
import pytest
from benchmarks.leaderboard import rivals, studies, synthetic
from benchmarks.leaderboard.pools import entries, load
from scipy import stats
from scipy.special import expit

# -- pools -------------------------------------------------------------------------------------------------------------


def by_group(values, group):
    return np.bincount(group, values) / np.bincount(group)


def correlation(made, chosen=slice(None)):
    return np.corrcoef(made.score[chosen], made.right[chosen])[0, 1]


def test_every_synthetic_pool_on_the_list_is_made_and_no_other():
    assert {e.name for e in entries() if not e.real} == set(synthetic.MADE)


def test_at_least_half_of_the_pools_only_test_and_none_does_both():
    names = [e.name for e in entries()]
    assert len(set(names)) == len(names) == 30
    assert 2 * sum(e.role == "test" for e in entries()) >= len(names)


@pytest.mark.parametrize(("name", "accuracy", "within"), [("accuracy_99", 0.99, 0.003), ("accuracy_999", 0.999, 0.001)])
def test_accurate_models_are_calibrated(name, accuracy, within):
    made = synthetic.make(name)
    assert made.right.mean() == pytest.approx(accuracy, abs=within)
    assert made.score.mean() == pytest.approx(made.right.mean(), abs=within)


def test_saturated_scores_say_nearly_nothing():
    made = synthetic.make("saturated")
    assert np.mean(made.score > 0.999) > 0.97
    assert made.right.mean() < 0.95


def test_useless_scores_do_not_go_with_correctness():
    made = synthetic.make("useless")
    assert abs(correlation(made)) < 3 / np.sqrt(len(made.score))


def test_two_groups_are_miscalibrated_in_opposite_ways():
    made = synthetic.make("opposite_groups")
    first, second = by_group(made.score - made.right, made.group)
    assert first > 0.1
    assert second < -0.05


def test_of_one_group_every_prediction_is_wrong():
    made = synthetic.make("one_group_at_zero")
    accuracy = by_group(made.right, made.group)
    assert (accuracy == 0).sum() == 1
    assert np.sort(accuracy)[1] > 0.8


def test_the_surest_class_is_the_worst_and_no_score_shows_it():
    made = synthetic.make("worst_overconfident")
    surest = by_group(made.score, made.group).argmax()
    accuracy = by_group(made.right, made.group)
    assert accuracy.argmin() == surest
    assert accuracy[surest] == pytest.approx(0.75, abs=0.06)
    assert abs(correlation(made, made.group == surest)) < 0.15


def test_inverted_scores_go_down_with_correctness():
    assert correlation(synthetic.make("inverted")) < -0.2


def test_nine_scores_in_ten_are_tied():
    made = synthetic.make("ties_90")
    assert np.mean(made.score == stats.mode(made.score).mode) == pytest.approx(0.9, abs=0.01)


def test_a_sub_pool_has_about_five_items_a_group():
    board = load(next(e for e in entries() if e.name == "five_a_group"))
    assert len(board.groups) == 400
    assert board.items / len(board.groups) == 5


def test_a_run_has_one_sub_pool_whoever_asks():
    board = load(next(e for e in entries() if e.name == "opposite_groups"))
    first, again, other = (board.sub_pool(run) for run in (3, 3, 4))
    assert first.ids == again.ids != other.ids
    assert len(first) == len(board.pool) // 2
    assert first.known_labels.tolist() == [board.pool.known_labels[i] for i in first.ids]


@pytest.mark.parametrize("name", studies.STUDIES)
def test_no_look_is_at_more_than_half_of_a_sub_pool(name):
    for entry in (e for e in entries() if not e.real):
        board = load(entry)
        looks = studies.STUDIES[name].looks(board)
        assert looks == sorted(set(looks))
        assert 0 < looks[-1] <= board.items // 2


# -- rivals ------------------------------------------------------------------------------------------------------------


def slow_ppi(right, score, rest, level):
    """Example 1 and section 6 of the paper on PPI++, and the tuning of its package, item by item."""
    n, N = len(right), len(rest)
    mean_y, mean_f = sum(right) / n, sum(score) / n
    covariance = sum((y - mean_y) * (f - mean_f) for y, f in zip(right, score, strict=True)) / n
    everything = [*score, *rest]
    middle = sum(everything) / (n + N)
    variance = sum((f - middle) ** 2 for f in everything) / (n + N - 1)
    lam = min(max(covariance / ((1 + n / N) * variance), 0), 1)
    value = sum(lam * f for f in rest) / N + sum(y - lam * f for y, f in zip(right, score, strict=True)) / n
    rectified = [y - lam * f for y, f in zip(right, score, strict=True)]
    error = np.sqrt(lam**2 * np.var(rest) / N + np.var(rectified) / n)
    z = stats.norm.ppf((1 + level) / 2)
    return value, value - z * error, value + z * error


def samples(rng):
    for n, slope in ((20, 2.0), (200, 1.0), (100, -1.0), (100, 0.0)):
        odds = rng.normal(1.5, 1, 1000)
        right = (rng.random(1000) < expit(1.5 + slope * (odds - 1.5))).astype(float)
        yield right[:n], expit(odds)[:n], expit(odds)[n:]


def test_prediction_powered_inference_is_that_of_its_paper(rng):
    for right, score, rest in samples(rng):
        assert rivals.ppi(right, score, rest) == pytest.approx(slow_ppi(right, score, rest, 0.95), abs=1e-12)


@pytest.mark.filterwarnings("ignore")  # of packages that the rival imports
def test_prediction_powered_inference_is_that_of_its_package_where_that_is_installed(rng):
    by = rivals.ppi_by_package if rivals.HAS_PACKAGE else partial(slow_ppi, level=0.95)
    for right, score, rest in samples(rng):
        assert rivals.ppi(right, score, rest) == pytest.approx(by(right, score, rest), abs=1e-12)


def test_prediction_powered_inference_without_any_spread_of_scores_is_the_plain_mean():
    right = np.array([1.0, 1.0, 0.0, 1.0])
    assert rivals.ppi(right, np.full(4, 0.9), np.full(50, 0.9))[0] == 0.75


@pytest.mark.parametrize(("hits", "n"), [(0, 20), (20, 20), (13, 20), (495, 500)])
def test_binomial_intervals_are_the_usual_ones(hits, n):
    for ours, method in ((rivals.wilson, "wilson"), (rivals.clopper_pearson, "exact")):
        known = stats.binomtest(hits, n).proportion_ci(0.95, method=method)
        assert ours(hits, n) == pytest.approx((hits / n, known.low, known.high), abs=1e-9)
