"""Bets that prove which groups stand out: fair whatever is predicted, and wrong in no more orders than the level
leaves."""

import copy
import math
from collections.abc import Callable

import numpy as np
import pytest

from fewlabels.core.proven import Draw, Proving, Standing, proven, shared_out
from fewlabels.core.proven.bets import Bets, Worth
from fewlabels.core.proven.drawing import evidence

NOBODY = np.zeros(0, dtype=np.int64)


def worths(left: np.ndarray, rate: np.ndarray, q: np.ndarray, sure: float, items: int) -> dict[tuple[int, int], Worth]:
    """What each cell's next label would be worth, by the formula."""
    middle = (sure + sum(n * c for n, c in zip(left, rate, strict=True))) / items
    there = [h for h in range(len(left)) if left[h] > 0]
    ends = {(h, y): middle + (y - rate[h]) / (q[h] * items) for h in there for y in (0, 1)}
    spread = math.sqrt(sum(left[h] * rate[h] * (1 - rate[h]) / q[h] for h in there)) / items
    limits = min(ends.values()), max(ends.values())
    return {key: Worth(x, *limits, middle, spread, *limits) for key, x in ends.items()}


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_a_bet_against_the_truth_is_fair_whatever_is_predicted_and_however_it_is_drawn(way):
    rng = np.random.default_rng()
    for _ in range(200):
        size = rng.integers(1, 9, 3)
        hits = rng.binomial(size, 0.6)
        known = rng.integers(0, 6, 2)
        items, sure = int(size.sum() + known.sum()), float(known[0])
        q = rng.dirichlet(np.ones(3)) / size
        each = worths(size, rng.uniform(0.01, 0.99, 3), q, sure, items)
        truth, expected = (sure + hits.sum()) / items, 0.0
        for (h, y), worth in each.items():
            bets = Bets(np.array([truth]), way)
            bets.add(worth)
            assert bets.won[0] >= 0
            expected += q[h] * (hits[h] if y else size[h] - hits[h]) * bets.won[0]
        assert expected == pytest.approx(1.0, abs=1e-9)


def test_more_is_won_against_lower_values_by_betting_on_higher_and_the_other_way_round():
    rng, values = np.random.default_rng(), np.linspace(-0.2, 1.2, 57)
    higher, lower = Bets(values, 1.0), Bets(values, -1.0)
    for _ in range(60):
        size = rng.integers(1, 9, 3)
        each = worths(size, rng.uniform(0.01, 0.99, 3), rng.dirichlet(np.ones(3)) / size, 3.0, int(size.sum()) + 5)
        worth = list(each.values())[rng.integers(len(each))]
        higher.add(worth)
        lower.add(worth)
        assert (np.diff(higher.won) <= 1e-9 * higher.won[:-1]).all()
        assert (np.diff(lower.won) >= -1e-9 * lower.won[1:]).all()


# -- every order -------------------------------------------------------------------------------------------------------

# Items of two groups, two cells each: (group, cell of the group, whether a hit). Group 0 is the better one, so that it
# is wrong to name it: the bets are that it is lower than it is, and that group 1 is higher.
POOL = [(0, 0, 1), (0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0)]
ITEMS = [sum(item[0] == g for item in POOL) for g in (0, 1)]
TRUTH = [sum(item[2] for item in POOL if item[0] == g) / ITEMS[g] for g in (0, 1)]
Chance = Callable[[tuple[int, int, int]], float]  # of an item, up to a factor


def most_won(drawn: Chance, believed: Chance) -> tuple[np.ndarray, np.ndarray, float]:
    """Of every order in which items may be drawn its chance, the most that is ever won against the truth, and the mean
    of what is won at the end; items are drawn by some chances, and the bets are made for others."""
    chances, largest, mean = [], [], 0.0
    kinds = sorted(set(POOL))

    def go(left: dict, seen: list, bets: list[Bets], chance: float, most: float) -> None:
        nonlocal mean
        now = (0.75 + 0.25 * bets[0].won[0]) * (0.1 + 0.9 * bets[1].won[0])
        if not any(left.values()):
            chances.append(chance)
            largest.append(max(most, now))
            mean += chance * now
            return
        mass = {kind: n * drawn(kind) for kind, n in left.items() if n}
        for kind, of_kind in mass.items():
            after = copy.deepcopy(bets)
            after[kind[0]].add(worth_of(kind, left, seen))
            rest = left | {kind: left[kind] - 1}
            go(rest, [*seen, kind], after, chance * of_kind / sum(mass.values()), max(most, now))

    def worth_of(kind: tuple[int, int, int], left: dict, seen: list) -> Worth:
        of_cell = np.array([sum(n for k, n in left.items() if k[:2] == (kind[0], h)) for h in (0, 1)], dtype=float)
        mine = [[k[2] for k in seen if k[:2] == (kind[0], h)] for h in (0, 1)]
        rate = np.array([(sum(hits) + 1) / (len(hits) + 2) for hits in mine])
        q = np.array([believed((kind[0], h, 0)) for h in (0, 1)])
        return worths(of_cell, rate, q / (q @ of_cell), sum(map(sum, mine)), ITEMS[kind[0]])[kind[1:]]

    first = [Bets(np.array([TRUTH[0]]), -1.0), Bets(np.array([TRUTH[1]]), 1.0)]
    go({kind: POOL.count(kind) for kind in kinds}, [], first, 1.0, 1.0)
    assert sum(chances) == pytest.approx(1.0)
    return np.array(chances), np.array(largest), mean


def even(_: tuple[int, int, int]) -> float:
    return 1.0


def uneven(item: tuple[int, int, int]) -> float:
    return (1.0, 3.0)[item[1]]


def in_favour(item: tuple[int, int, int]) -> float:
    """Misses of the first group and hits of the second come first."""
    return 1.0 if item[0] == item[2] else 0.02


@pytest.mark.parametrize("chances", [even, uneven])
def test_over_all_orders_in_which_items_may_be_drawn_nothing_is_won_against_the_truth_on_average(chances):
    """And in no more of them than the level leaves as much as a proof takes."""
    chance, most, mean = most_won(chances, chances)
    assert mean == pytest.approx(1.0, abs=1e-9)
    reached = [float(chance[most >= enough - 1e-12].sum()) for enough in (1.1, 1.25, 1.5, 2, 3, 5)]
    assert all(share <= 1 / enough for share, enough in zip(reached, (1.1, 1.25, 1.5, 2, 3, 5), strict=True))
    assert reached[1] > 0.02  # it is reached at times, so that there is something to see


def test_bets_made_for_other_chances_than_items_are_drawn_by_win_against_the_truth():
    """The negative control."""
    chance, most, mean = most_won(in_favour, even)
    reached = [float(chance[most >= enough].sum()) * enough for enough in (1.1, 1.25, 1.5, 2)]
    assert max(reached) > 1 or mean > 1.05


# -- drawing -----------------------------------------------------------------------------------------------------------


def standing(hits: list[float], labels: list[float], size: int = 200) -> Standing:
    groups = len(hits) // 2
    group, stratum = np.repeat(np.arange(groups), 2), np.tile([0, 1], groups)
    return Standing(
        group, stratum, np.full(2 * groups, float(size)), np.array(hits), np.array(labels), np.zeros(groups)
    )


def test_groups_with_few_labels_are_drawn_from_first():
    at = standing([3, 3, 0, 0, 2, 2], [4, 4, 0, 0, 3, 3])
    assert shared_out(at, np.array([True, False, False]), 0.01, 3).tolist() == [0, 3, 0]


def test_labels_go_to_the_group_named_and_to_those_that_are_hard_to_tell_from_it():
    at = standing([30, 30, 32, 32, 59, 59], [60.0] * 6)
    drawn = shared_out(at, np.array([True, False, False]), 0.01, 40)
    assert drawn.sum() == 40
    assert drawn[2] < min(drawn[:2])


def test_more_labels_of_two_groups_that_differ_are_more_evidence():
    named = np.array([True, False])
    each = [standing([n / 2, n / 2, 0.9 * n, 0.9 * n], [n] * 4) for n in (10.0, 30.0, 90.0)]
    found = [evidence(at, at.variance, named, 0.01)[0, 0] for at in each]
    assert found == sorted(found)
    assert found[0] > 0


def test_every_item_that_is_left_has_a_chance_and_they_add_up_to_one_a_group():
    at = standing([60, 200, 10, 0], [60, 200, 10, 0])
    total = np.bincount(at.group, at.worth * at.left)
    np.testing.assert_allclose(total, 1.0)
    assert (at.worth[at.left > 0] > 0).all()
    assert at.worth[1] == 0


def test_all_pairs_of_several_named_groups_and_the_others_are_looked_at():
    draws = []
    for n in range(30):
        for g, y in ((0, 0), (1, 0), (2, 1), (3, 1)):
            rest = float(40 - n)
            known = np.array([rest]), np.array([0.5]), np.array([1 / rest]), float(n * y), 40
            least = (n + 1) * y / 40
            draws.append(Draw(g, *(worths(*known)[0, y],) * 2, least, least + (rest - 1) / 40, NOBODY))
    won = proven(Proving(np.zeros(4), 0.01), draws, np.array([True, True, False, False]))
    assert won.shape == (2, 2)
    assert (won > math.log(2 / 0.05)).all()
