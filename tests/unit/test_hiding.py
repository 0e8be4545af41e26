"""How many positives hide below the items searched: the prior, the posterior and the ends, against slow loops."""

import math

import numpy as np
import pytest
from scipy.stats import beta

from fewlabels.core.hiding import Below, factor, prior
from fewlabels.estimators import FEstimate, OfAll
from fewlabels.estimators.apart_of_all import ApartOfAll
from fewlabels.estimators.contrast import Apart

CASES = [(280, 18_000, 40, 0), (280, 18_000, 40, 2), (30, 19_500, 10, 0), (12.5, 400, 60, 3), (100, 900, 450, 1)]
LEVEL = 0.95


def slow_posterior(searched, items, labelled, positive, assumed):
    """Point by point: 2801 log-odds of h from -20 to 8; .965 of the prior in proportion to h^(-1/2) up to `assumed`,
    .035 from there on with P(odds > t) in proportion to 1/t; C(H, x) C(M - H, k - x) of each."""
    edge, found = assumed / (1 - assumed), []
    for step in range(2801):
        odds = math.exp(-20 + step * 0.01)
        h = odds / (1 + odds)
        if h <= assumed:  # density .965 h^(-1/2) / (2 assumed^(1/2)), times dh / d log-odds
            weight = 0.965 * h**-0.5 / (2 * math.sqrt(assumed)) * h * (1 - h)
        else:  # density of the odds: .035 edge / odds²
            weight = 0.035 * edge / odds**2 * odds
        hidden = odds * searched
        if hidden < positive or items - hidden < labelled - positive:
            found.append((hidden, 0.0))
            continue
        log = 0.0
        for i in range(positive):
            log += math.log(hidden - i) if hidden > i else -math.inf
        for i in range(labelled - positive):
            log += math.log(items - hidden - i) - math.log(items - i)
        found.append((hidden, weight * math.exp(log)))
    return found


def slow_quantile(found, at):
    total, upto = sum(weight for _, weight in found), 0.0
    for hidden, weight in found:
        upto += weight / total
        if upto >= at:
            return hidden
    return found[-1][0]


@pytest.mark.parametrize(("searched", "items", "labelled", "positive"), CASES)
@pytest.mark.parametrize("assumed", [0.05, 0.4, 0.9])
def test_quantiles_are_those_of_a_slow_loop(searched, items, labelled, positive, assumed):
    below, slow = Below(items, labelled, positive), slow_posterior(searched, items, labelled, positive, assumed)
    for at in (0.025, 0.25, 0.5, 0.975):
        expected = max(slow_quantile(slow, at), positive)
        assert below.quantiles(searched, assumed, (at,))[0] == pytest.approx(expected, rel=1e-9)


def test_the_figures_of_decision_26_come_out():
    none, two = Below(18_000, 40, 0), Below(18_000, 40, 2)
    assert none.quantiles(280, 0.4, (0.975,)).round().tolist() == [179]
    assert two.quantiles(280, 0.4, (0.025, 0.25, 0.975)).round().tolist() == [40, 114, 1346]
    most = Below(18_000, 0, 0).ends(280, 0.4, LEVEL)[1]
    assert 0.4 < most / (280 + most) < 0.49  # no label below


def test_the_prior_has_the_weights_it_is_said_to_have():
    odds = np.exp(np.linspace(-20, 8, 2801))
    share = odds / (1 + odds)
    for assumed in (0.1, 0.4, 0.7):
        weight = prior(assumed) * 0.01  # of steps of the log-odds
        assert weight[share <= assumed].sum() == pytest.approx(0.965, abs=0.01)
        assert weight[share > assumed].sum() == pytest.approx(0.035, abs=0.001)


def test_once_all_below_are_labelled_nothing_is_open():
    assert Below(50, 50, 3).ends(20, 0.4, LEVEL) == (3, 3)
    assert Below(50, 50, 3).ends_by_labels(0.01) == (3, 3)


def test_no_more_hide_than_can_and_no_fewer_than_were_found():
    for below in (Below(60, 50, 4), Below(60, 59, 4), Below(1000, 3, 3), Below(9, 8, 0)):
        for searched in (0.01, 5, 300):
            low, high = below.ends(searched, 0.4, LEVEL)
            assert (below.positive if below.positive else 0) <= low <= high <= below.most
        low, high = below.ends_by_labels(0.01)
        assert below.positive <= low <= high <= below.most


def test_ends_by_labels_are_clopper_and_pearsons():
    below = Below(10_000, 100, 3)
    expected = 10_000 * beta.ppf([0.01, 0.99], [3, 4], [98, 97])
    assert below.ends_by_labels(0.02) == pytest.approx(tuple(expected))
    assert Below(10_000, 0, 0).ends_by_labels(0.01) == (0, 10_000)


def test_more_labels_without_a_positive_leave_fewer_to_hide():
    most = [Below(20_000, k, 0).ends(100, 0.4, LEVEL)[1] for k in (0, 10, 100, 1000, 10_000, 19_999)]
    assert most == sorted(most, reverse=True)
    assert most[-1] < 2


def test_a_recall_is_multiplied_by_the_share_that_does_not_hide():
    assert factor(0.0, 280, 120) == pytest.approx(280 / 400)
    assert factor(0.5, 0.5 * 300 + 0.5 * 280, 120) == pytest.approx(290 / (290 + 60))
    assert factor(1.0, 280, 120) == 1


def of_all(below, alpha=0.0, value=0.7, **more):
    searched = FEstimate(value, 0.0004, 0.0006, 100.0)
    return OfAll(searched, searched, alpha, 100.0, 500, below, **more)


def test_the_low_end_of_all_lies_between_those_of_each_doubt_by_itself_and_of_both_at_their_ends():
    whole = of_all(Below(19_500, 40, 0))
    low, high = whole.searched.interval(LEVEL, pool=True)
    left = 100 / (100 + whole.below.ends(100.0, 0.4, LEVEL)[1])
    found = whole.interval(0.4, LEVEL, pool=True)
    assert left * low < found[0] < left * whole.searched.value
    assert found[1] == high  # as long as nothing shows that some hide
    assert whole.value(0.4) == whole.searched.value
    assert whole.interval(0.0, LEVEL, pool=True) == (low, high)
    assert whole.interval(1.0, LEVEL, pool=True) == whole.interval_alone(LEVEL, pool=True)


def test_where_all_searched_are_labelled_the_interval_is_what_may_hide():
    known = FEstimate(0.7, 0.0, 0.0, 100.0, complete=True)
    whole = OfAll(known, FEstimate(0.7, 0.0, 0.0, 100.0), 0.0, 100.0, 500, Below(19_500, 40, 0))
    most = whole.below.ends(100.0, 0.4, LEVEL)[1]
    assert whole.interval(0.4, LEVEL, pool=True) == pytest.approx((0.7 * 100 / (100 + most), 0.7))


def test_an_interval_is_the_wider_the_less_is_assumed_while_none_is_found():
    for below in (Below(19_500, 40, 0), Below(300, 40, 0)):
        lows = [of_all(below).interval(assumed, LEVEL, pool=True)[0] for assumed in (0.01, 0.1, 0.2, 0.4, 0.8, 1)]
        assert lows == sorted(lows, reverse=True)


def test_labels_overturn_what_is_assumed():
    """Two of forty: some hide, whoever said that hardly any do."""
    for assumed in (0.001, 0.1, 0.4):
        low, high = of_all(Below(19_500, 40, 2)).interval(assumed, LEVEL, pool=True)
        assert low < 0.1
        assert high < 0.7


def test_once_some_are_found_the_value_is_lower_and_the_interval_holds_it():
    whole = of_all(Below(19_500, 40, 2))
    low, high = whole.interval(0.4, LEVEL, pool=True)
    assert low < whole.value(0.4) < high
    assert whole.value(0.4) < whole.searched.value
    assert whole.alone == pytest.approx(0.7 * 100 / (100 + 19_500 * 2 / 40))


def test_the_joint_interval_is_that_of_a_million_draws():
    """Once some are found: the figure searched times what is left, each drawn by itself."""
    whole, rng = of_all(Below(2_000, 200, 4)), np.random.default_rng(1)
    low, high = whole.searched.interval(LEVEL, pool=True)
    z = rng.standard_normal(1_000_000)
    down, up = math.log(0.7 / low) / 1.959964, math.log(high / 0.7) / 1.959964
    figure = 0.7 * np.exp(z * np.where(z < 0, down, up))
    hidden, weight = whole.below.posterior(100.0, 0.4)
    drawn = figure * 100 / (100 + rng.choice(hidden, len(z), p=weight))
    assert whole.interval(0.4, LEVEL, pool=True) == pytest.approx(tuple(np.quantile(drawn, (0.025, 0.975))), abs=0.004)


def test_positives_below_add_to_an_average_precision_no_more_than_they_can():
    plain, ranked = of_all(Below(2_000, 200, 4)), of_all(Below(2_000, 200, 4), ranked=True)
    for assumed in (0.4, 1.0):
        (low, high), (low_ranked, high_ranked) = (of.interval(assumed, LEVEL, pool=True) for of in (plain, ranked))
        assert low == low_ranked
        assert high < high_ranked < high + 0.2


def apart(below, alpha, scores=(0.7, 0.6), counted=(100.0, 100.0), assumed=0.4):
    inside = Apart(scores[0] - scores[1], 0.0004, 0.0004, math.inf, 0.0)
    return ApartOfAll(inside, scores, counted, alpha, 100.0, 500, below, assumed)


def test_the_difference_of_two_recalls_shrinks_and_keeps_its_sign():
    whole = apart(Below(19_500, 40, 0), 0.0)
    low, high = whole.interval(LEVEL)
    inside = whole.inside.interval(LEVEL)
    assert 0 < low < inside[0]
    assert high == pytest.approx(inside[1])
    assert whole.under(0.0) == pytest.approx(whole.inside.below(0.0), abs=1e-6)


def test_the_difference_of_two_f1_may_turn_where_the_models_do_not_say_it_equally_often():
    """One finds more and says it more often: whatever both miss costs the other more."""
    few, many = apart(Below(19_500, 5, 0), 0.5, counted=(200.0, 200.0)), None
    many = apart(Below(19_500, 5, 0), 0.5, (0.60, 0.62), (300.0, 120.0))
    assert few.interval(LEVEL)[0] > 0
    assert many.inside.value < 0 < many.at(150)
    low, high = many.interval(LEVEL)
    assert low < many.inside.value < many.at(60) < high
    assert many.under(0.0) < many.inside.below(0.0)
