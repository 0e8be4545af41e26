"""Intervals that hold at every look: bets are fair by enumeration, sums those of a search, few paths ever miss."""

import itertools
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from fewlabels.core.anytime import Capital, Path, compiled, of_mean, of_share, of_sum, using
from fewlabels.core.anytime.betting import Bets, Worth
from fewlabels.core.anytime.ratio import AT_SCORES, KAPPA, LAMBDA, along_share, log_chance, log_won
from fewlabels.core.odds import Odds

# -- uniform draws inside of a part -----------------------------------------------------------------------------------


def urns(size: int, labels: list[int], count: int, score: float) -> float:
    """The chance of these labels under the two urns, label by label."""
    c = min(max(count / size, 1e-9), 1 - 1e-9)
    total = 0.0
    for strength, mean, weight in ((KAPPA, c, 1 - AT_SCORES), (LAMBDA, score, AT_SCORES)):
        balls, product = [strength * (1 - mean), strength * mean], weight
        for label in labels:
            product *= balls[label] / sum(balls)
            balls[label] += 1
        total += product
    return total


def slow_won(size: int, labels: list[int], count: int, score: float) -> float:
    """That, over the chance of these labels if the count is true."""
    left, chance = [size - count, count], 1.0
    for label in labels:
        chance *= left[label] / sum(left)
        left[label] -= 1
    return urns(size, labels, count, score) / chance


@pytest.mark.parametrize(("size", "count"), [(6, 0), (6, 2), (6, 6), (7, 5)])
def test_a_bet_against_the_true_count_wins_nothing_on_average(size, count):
    """All orders of all labels, after each number of them; what is staked on orders that cannot be is lost."""
    for labels in range(size + 1):
        mean, never = 0.0, 0.0
        for order in itertools.product((0, 1), repeat=labels):
            hits = sum(order)
            if count - hits < 0 or size - count - (labels - hits) < 0:
                never += urns(size, list(order), count, 0.8)
                continue
            chance = math.exp(float(log_chance(*map(np.float64, (size, labels, hits, count)))))
            won = math.exp(float(log_won(*map(np.float64, (size, labels, hits, count, 0.8)))))
            assert won == pytest.approx(slow_won(size, list(order), count, 0.8))
            mean += chance * won
        assert mean + never == pytest.approx(1.0)


def test_nothing_is_known_without_labels_and_all_with_all_of_them():
    assert of_share(10, 0, 0, 0.9).interval(0.95) == (0.0, 1.0)
    assert of_share(10, 10, 7, 0.9).interval(0.95) == (0.7, 0.7)


@pytest.mark.parametrize("size", [40, 2000, 2001, 500_000])
def test_a_large_part_is_bet_on_at_fewer_values_and_never_for_less(size):
    found = of_share(size, 30, 24, 0.8)
    low, high = found.interval(0.95)
    assert len(found.values) <= 2001
    counts = np.arange(size + 1.0)
    kept = np.flatnonzero(log_won(*map(np.float64, (size, 30, 24)), counts, np.float64(0.8)) < math.log(20))
    assert low <= kept[0] / size + 1e-12
    assert high >= kept[-1] / size - 1e-12
    assert high - low < (kept[-1] - kept[0]) / size + 2.1 / 2000


@pytest.mark.parametrize("rate", [0.999, 0.95, 0.6])
def test_few_paths_ever_miss(rate):
    """600 paths of 400 labels, a look after each: 5 % and three standard errors. At each look by itself Wilson's holds
    95 %; of whole paths it misses more than a fifth."""
    rng, size, steps = np.random.default_rng(int(1000 * rate)), 2000, 400
    count, paths = round(rate * size), 600
    right = np.zeros((paths, size))
    right[:, :count] = 1
    hits = np.cumsum(rng.permuted(right, axis=1)[:, :steps], axis=1)
    labels = np.broadcast_to(np.arange(1.0, steps + 1), hits.shape)
    won = log_won(np.float64(size), labels, hits, np.float64(count), np.float64(0.9))
    assert (won.max(axis=1) >= math.log(20)).mean() < 0.05 + 3 * math.sqrt(0.05 * 0.95 / paths)
    share, z = hits / labels, 1.96
    middle = (share + z * z / (2 * labels)) / (1 + z * z / labels)
    half = z / (1 + z * z / labels) * np.sqrt(share * (1 - share) / labels + z * z / (4 * labels**2))
    missed = (np.abs(middle - count / size) > half)[:, 29:].any(axis=1)
    assert missed.mean() > 0.2 or rate > 0.99, "negative control"


def test_a_sum_is_never_bet_on_for_more_than_the_least_of_all_that_add_up_to_it():
    """Against a search through all pairs of counts; and hardly for less, where labels tell anything."""
    one, two = of_share(30, 12, 10, 0.8), of_share(20, 9, 4, 0.7)
    for weights in ((0.6, 0.4), (1.0, -1.0)):
        found = of_sum([one, two], weights)
        sums = (weights[0] * one.values[:, None] + weights[1] * two.values).ravel()
        both = (one.log_won[:, None] + two.log_won).ravel()
        for level in (0.5, 0.8, 0.95, 0.999):
            kept = sums[both < -math.log(1 - level)]
            low, high = found.interval(level)
            assert low <= kept.min() + 1e-9
            assert high >= kept.max() - 1e-9
            assert high - low < 1.15 * np.ptp(kept)


def test_the_most_that_was_won_is_that_of_any_label_before():
    rng = np.random.default_rng(4)
    for size, labels, score in ((40, 40, 0.9), (300, 90, 0.4), (3000, 25, 1.0), (1, 1, 0.0), (7, 0, 0.5)):
        hit = (rng.random(labels) < 0.7).astype(float)
        along = along_share(size, hit, score)
        each = [of_share(size, n, int(hit[:n].sum()), score).log_won for n in range(labels + 1)]
        np.testing.assert_array_equal(along.log_won, each[-1])
        np.testing.assert_allclose(along.most_won, np.max(each, axis=0), atol=1e-8)
        assert along.now.interval(0.95) == of_share(size, labels, int(hit.sum()), score).interval(0.95)


# -- draws with known chances ------------------------------------------------------------------------------------------

SIZE, CELL = np.array([2, 3, 1]), np.array([0, 0, 1, 1, 1, 2])
RIGHT = np.array([1, 0, 1, 1, 0, 0])
LOGIT = np.array([1.5, 0.2, -0.4])
ODDS = {1: Odds.of(np.array([1.0, 0.3, 0.0]), 0.4), 2: Odds.of(np.array([0.2, 0.1, 1.0]), 0.3)}
FIGURES = {
    "whole": np.full(3, 1 / 6),
    "a group": np.array([0.0, 1 / 4, 1 / 4]),
    "a difference": np.array([1 / 2, -1 / 3, 0.0]),
}


def path_of(items: list[int], rounds: list[int], odds: dict[int, Odds] | None = None) -> Path:
    at = np.array(items, dtype=np.int64)
    nothing = np.zeros(len(items), dtype=bool)
    return Path(
        CELL[at], RIGHT[at].astype(float), ~nothing, np.array(rounds[: len(items)]), nothing, SIZE,
        np.ones(3, dtype=bool), LOGIT, ODDS if odds is None else odds,
    )  # fmt: skip


def all_paths(length: int, rounds: list[int]):
    """Every order in which items can be drawn, with its chance."""

    def go_on(items: list[int], chance: float):
        if len(items) == length:
            yield items, chance
            return
        left = np.array([sum(CELL[i] == c for i in range(6) if i not in items) for c in range(3)], dtype=float)
        of_cell = ODDS[rounds[len(items)]].chances(left)
        for item in (i for i in range(6) if i not in items):
            q = of_cell[CELL[item]] / left[CELL[item]]
            if q > 0:
                yield from go_on([*items, item], chance * q)

    yield from go_on([], 1.0)


@pytest.mark.parametrize("figure", FIGURES)
def test_the_mean_of_each_draw_is_the_figure_and_it_stays_within_its_bounds(figure):
    per_hit, rounds = FIGURES[figure], [1, 1, 2, 2]
    truth = float(per_hit[CELL] @ RIGHT)
    group = None if figure == "whole" else np.array([0, 1, 1])
    means, total = np.zeros(4), np.zeros(4)
    for items, chance in all_paths(4, rounds):
        terms = list(path_of(items, rounds).terms(per_hit, group))
        for place, (x, again, low, high, *bound), _ in terms:
            assert (x, low, high) == (again, *bound), "every label was told at once"
            assert low - 1e-9 <= x <= high + 1e-9
            assert low - 1e-9 <= truth <= high + 1e-9
            means[place] += chance * x
            total[place] += chance
    assert means / total == pytest.approx(np.full(4, truth))


@pytest.mark.parametrize("figure", FIGURES)
def test_a_bet_against_the_true_value_wins_nothing_on_average(figure):
    per_hit, rounds = FIGURES[figure], [1, 2, 2]
    truth, mean = float(per_hit[CELL] @ RIGHT), 0.0
    for items, chance in all_paths(3, rounds):
        path = path_of(items, rounds)
        bets = path.bets(per_hit)
        bets._values[int(np.abs(bets._values - truth).argmin())] = truth
        for _, worth, told in path.terms(per_hit):
            bets.add(worth, told)
        capital = bets.capital
        mean += chance * math.exp(capital.log_won[capital.values == truth][0])
    assert mean == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("figure", FIGURES)
def test_what_was_ever_won_against_the_true_value_is_seldom_much(figure):
    """Of all paths, by Ville's inequality; the most is along a path, and more often large than what there is at its
    end."""
    per_hit, rounds, reached = FIGURES[figure], [1, 2, 2, 2], {1.02: np.zeros(2), 1.1: np.zeros(2), 1.3: np.zeros(2)}
    truth = float(per_hit[CELL] @ RIGHT)
    for items, chance in all_paths(4, rounds):
        path = path_of(items, rounds)
        bets = path.bets(per_hit)
        place = int(np.abs(bets._values - truth).argmin())
        bets._values[place], along = truth, [0.0]
        for _, worth, told in path.terms(per_hit):
            bets.add(worth, told)
            along.append(float(bets.capital.log_won[place]))
        most = bets.capital.most_won
        assert most is not None
        assert most[place] == pytest.approx(max(along))
        for capital, share in reached.items():
            share += chance * (np.array([max(along), along[-1]]) >= math.log(capital))
    for capital, (ever, last) in reached.items():
        assert last <= ever <= 1 / capital
    assert reached[1.02][0] > reached[1.02][1], "at the end some of what was won is lost again"


def test_what_was_given_up_stays_so_unless_it_is_the_likeliest_now():
    values, now = np.arange(5) / 4, np.array([9.0, 2, 0, 2, 9])
    for most, ends in (
        ([9.0, 2, 1, 2, 9], (0.25, 0.75)),
        ([9.0, 5, 1, 2, 9], (0.5, 0.75)),
        ([9.0, 2, 4, 2, 9], (0.25, 0.75)),  # so that what is won now is what counts
        ([9.0, 4, 4, 4, 9], (0.25, 0.75)),
    ):
        assert Capital(values, now, all_there_are=True, most_won=np.array(most)).interval(0.95) == ends


def test_intervals_do_not_grow_again():
    rng = np.random.default_rng(8)
    bets, ends, now = Bets(np.linspace(0, 1, 501), all_there_are=False), [], []
    drawn = (rng.random(300) < 0.75).astype(float).tolist()
    for before, x in pairwise([None, *drawn]):
        bets.add(Worth.of(x, -0.1, 1.1), () if before is None else (before,))
        ends.append(bets.capital.interval(0.95))
        now.append(bets.capital.now.interval(0.95))
    low, high = np.array(ends).T
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) <= 0).all()
    assert (np.diff(np.array(now).T[0]) < 0).any(), "which is not so of what is won now"
    turned = bets.capital.turned(-1.0, 1.0)
    assert turned.interval(0.95) == pytest.approx((1 - high[-1], 1 - low[-1]))


def test_equal_chances_are_those_without_odds():
    items, rounds = [3, 0, 5, 2], [1, 1, 2, 2]
    even = {number: Odds.of(np.ones(3), 0.5) for number in (1, 2)}
    by_odds = path_of(items, rounds, even).capital(FIGURES["whole"])
    evenly = path_of(items, rounds, {}).capital(FIGURES["whole"])
    assert by_odds.log_won == pytest.approx(evenly.log_won)


def every_completion(known: np.ndarray, right: np.ndarray):
    """The hits with each of the labels that may be missing."""
    missing = np.flatnonzero(~known)
    for guess in itertools.product((0.0, 1.0), repeat=len(missing)):
        hit = right.astype(float).copy()
        hit[missing] = guess
        yield hit


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("seen", [[1, 2, 3, 4, 5], [3, 3, 3, 9, 9], [9, 2, 9, 4, 5]])
def test_missing_labels_never_win_more_than_any_of_the_labels_they_may_be(figure, seen):
    """All draws of five items, all sets of missing labels, against all labels these may be: bets with a label missing
    win no more than bets that learn as late from the true one. With that a value is given up with a label missing only
    where it is with all of them, and so is an interval that holds at every look."""
    per_hit, group = FIGURES[figure], None if figure == "whole" else np.array([0, 1, 1])
    items = [0, 2, 5, 1, 3]
    path = path_of(items, [1, 1, 1, 2, 2])
    for missing in itertools.chain.from_iterable(itertools.combinations(range(5), k) for k in (1, 2, 3)):
        known = ~np.isin(np.arange(5), missing)
        late = np.where(known, seen, 99)
        found = replace(path, known=known, seen=late).capital(per_hit, group)
        for hit in every_completion(known, path.hit):
            truth = replace(path, hit=hit, seen=late).capital(per_hit, group)
            assert (found.log_won <= truth.log_won + 1e-9).all()
            assert found.most_won is not None
            assert truth.most_won is not None
            assert (found.most_won <= truth.most_won + 1e-9).all()


def test_labels_told_later_change_nothing_of_what_was_staked_before():
    """Whether a label is missing, told late or told now: bets on later items are the same, so that all looks at a study
    are looks at one game."""
    path = replace(path_of([0, 2, 5, 1, 3], [1, 1, 1, 2, 2]), seen=np.array([1, 99, 3, 4, 5]))
    for figure, per_hit in FIGURES.items():
        group = None if figure == "whole" else np.array([0, 1, 1])
        told = list(path.terms(per_hit, group))
        missing = list(replace(path, known=np.array([True, False, True, True, True])).terms(per_hit, group))
        for (_, one, seen), (_, other, seen_too) in zip(told, missing, strict=True):
            assert one[4:] == pytest.approx(other[4:])
            assert seen == pytest.approx(seen_too)
            assert other.low - 1e-12 <= one.low <= other.high + 1e-12


@pytest.mark.parametrize(("hits", "missing"), [(3, 1), (0, 2), (6, 3)])
def test_missing_labels_of_an_urn_win_the_least_of_all_they_may_be(hits, missing):
    found = of_share(20, 9, hits, 0.7, missing)
    every = [of_share(20, 9, hits + more, 0.7).log_won for more in range(missing + 1)]
    assert found.log_won == pytest.approx(np.min(every, axis=0))
    hit, known = np.array([1.0, 0, 1, 1, 0, 1, 1, 0]), np.array([True, True, False, True, True, True, False, True])
    along = along_share(20, hit, 0.7, known)
    assert along.interval(0.95)[0] <= along_share(20, hit, 0.7).interval(0.95)[0] + 1e-12
    assert along.most_won is not None
    assert (along.most_won >= along_share(20, hit[:2], 0.7).most_won - 1e-12).all(), "what was won before the gap"


def test_missing_values_of_a_mean_win_no_more_than_any_that_they_may_be():
    drawn, missing = np.array([1.0, -1, 0, 1, 1, 0, -1]), np.array([1, 4])
    least, most = drawn.copy(), drawn.copy()
    least[missing], most[missing] = -1, 1
    found = of_mean(least, 12, -1, 1, 2, most)
    for guess in itertools.product((-1.0, 0.0, 1.0), repeat=2):
        drawn[missing] = guess
        assert (found.log_won <= of_mean(drawn, 12, -1, 1, 2).log_won + 1e-9).all()


def test_worths_are_kept_in_a_byte_and_drawn_by_as_kept():
    worth = np.array([3.0, 2.9, 1e-3, 0.0, 1e-30])
    odds = Odds.of(worth, 0.2)
    again = Odds.from_text(0.2, odds.text)
    assert again == odds
    assert odds.worth[[0, 3]].tolist() == [1.0, 0.0]
    assert odds.worth[:3] == pytest.approx(worth[:3] / 3, rel=0.045)
    left = np.array([4.0, 0.0, 2.0, 3.0, 1.0])
    chances = again.chances(left)
    assert chances.sum() == pytest.approx(1)
    assert chances[1] == 0
    assert chances[3] == pytest.approx(0.2 * 0.3)
    assert Odds.of(np.zeros(3), 0.2).chances(np.ones(3)) == pytest.approx(np.full(3, 1 / 3))


@pytest.mark.parametrize(("least", "most"), [(0.0, 1.0), (-1.0, 1.0)])
def test_compiled_bets_win_the_same(least, most):
    """Draws at their bounds, bounds between the values and outside of them."""
    rng, values = np.random.default_rng(3), np.linspace(least, most, 301)

    def won(shift):
        bets, ends, told = Bets(values, all_there_are=False), [], ()
        for x, low, high in draws:
            bets.add(Worth.of(x + shift, low, high + shift), told)
            ends.append(bets.capital)
            told = (x + shift,)
        return np.array([(capital.log_won, capital.most_won) for capital in ends])

    low, high = least - 2 * rng.random(200), most + rng.random(200)
    low[:20], high[20:40] = least, most
    x = low + (high - low) * rng.beta(3, 1, 200)
    x[:5], x[20:25] = low[:5], high[20:25]
    draws = list(zip(x.tolist(), low.tolist(), high.tolist(), strict=True))
    plain = won(0.0)
    with using(compiled):
        np.testing.assert_array_equal(won(0.0), plain)
        assert not np.array_equal(won(1e-6), plain)
