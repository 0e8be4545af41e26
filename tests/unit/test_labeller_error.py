"""Labellers who err: how often, and what a share of right predictions is worth that they tell."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.keyed import Keyed
from fewlabels.core.labeller_error import LabellerError
from fewlabels.core.labeller_rates import Seen

ITEMS = 60
POOL = fl.Pool.from_arrays(probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], ITEMS))
ACCURACY = fl.Estimate("accuracy")


def make(**more: object) -> fl.Study:
    return fl.create_study(POOL, ACCURACY, **more)


SPLIT = (Seen(2, 2, None, 60), Seen(1, 2, None, 30), Seen(0, 2, None, 10))  # nobody decided


def rates_of(seen: tuple[Seen, ...]) -> tuple[float, float]:
    found = LabellerError(seen).rates(Keyed(1, 1))
    return float(np.mean(found[0])), float(np.mean(found[1]))


def test_pairs_that_differ_say_how_often_labels_err_though_nobody_decided():
    """Of pairs 30 in 100 differ: with errors alike that is 2 e (1 - e) = 0.3, an error of 18 %."""
    assert rates_of(SPLIT)[0] == pytest.approx(0.82, abs=0.05)
    assert rates_of((Seen(2, 2, None, 80), Seen(0, 2, None, 20)))[0] > 0.97
    assert LabellerError(SPLIT).errors == 30


def test_what_somebody_decided_is_counted_as_decided():
    decided = (Seen(2, 2, True, 50), Seen(1, 2, True, 10), Seen(1, 2, False, 5), Seen(0, 2, False, 20))
    s1, s0 = rates_of(decided)
    assert s1 == pytest.approx(114.5 / 125, abs=0.01)
    assert s0 == pytest.approx((45 + 10 - 10 * (1 - s1) + 0.5) / 60.55, abs=0.01)
    assert (LabellerError(decided).errors, LabellerError(decided).labels) == (15, 170)


@pytest.mark.parametrize("labels", [1, 2, 3, 4])
def test_an_item_counts_as_what_it_is_as_often_as_most_of_its_labels_do(labels):
    """By hand: every way in which labels may be right or wrong; of halves the first decides."""
    s, undecided = 0.8, LabellerError(having=((labels, 1.0),))
    expected = sum(
        s ** sum(way) * (1 - s) ** (labels - sum(way))
        for way in product((0, 1), repeat=labels)
        if 2 * sum(way) > labels or (2 * sum(way) == labels and way[0])
    )
    assert undecided._counted_right(np.array([s]))[0] == pytest.approx(expected)


def test_decided_items_count_as_what_they_are():
    s, having = np.array([0.8]), ((1, 0.5), (2, 0.5))
    differing = (Seen(2, 2, None, 5), Seen(1, 2, True, 5))
    assert LabellerError(differing, having=having)._counted_right(s)[0] == pytest.approx(0.5 * 0.8 + 0.5 * 0.96)
    everything = (Seen(2, 2, True, 5), Seen(1, 2, True, 5))
    assert LabellerError(everything, having=having)._counted_right(s)[0] == pytest.approx(0.5 * 0.8 + 0.5)
    assert brought_back(LabellerError(everything, having=((2, 1.0),)), 0.7, 0.6, 0.8) == (0.7, 0.6, 0.8)


def brought_back(error: LabellerError, value: float, low: float, high: float, size: float = 1e6) -> tuple[float, ...]:
    given = (np.array([x]) for x in (value, low, high, size))
    return tuple(float(column[0]) for column in error.true_shares(*given, 0.95, Keyed(1, 1)))


@pytest.mark.parametrize("right", [True, False])
@pytest.mark.parametrize(("items", "pairs"), [(9, 9), (9, 3), (30, 30)])
def test_people_who_agree_on_everything_leave_the_interval_as_wide_as_it_was(right, items, pairs):
    """With nothing but wrong predictions, or right ones, nothing tells how often labels of the others are wrong."""
    study = make(strategy="uniform", labels_per_item=2)
    queries = study.ask(items, by="ann")
    for query in queries:
        said = query.predicted if right else str((int(query.predicted) + 1) % 3)
        study.tell(query, said, by="ann")
    study.ask(items, by="ben")
    for query in queries[:pairs]:
        study.tell(query, study.opinions[query.item]["ann"], by="ben")
    known = study._known()
    now, naive = study.answer().overall, study._answer(replace(known, error=None)).overall
    assert now.labels == naive.labels == pairs
    assert now.value == pytest.approx(naive.value, abs=0.05)
    assert now.high - now.low > 0.95 * (naive.high - naive.low)


@pytest.mark.parametrize(("value", "low", "high"), [(0, 0, 0), (0, 0, 0.2), (0.05, 0, 0.1), (0.95, 0.9, 1), (1, 1, 1)])
@pytest.mark.parametrize("size", [1, 20, 1000])
@pytest.mark.parametrize("error", [0.01, 0.3, 0.49])
def test_labels_that_hardly_can_be_so_leave_a_doubt(value, low, high, size, error):
    """With three in ten labels wrong not all predictions can seem right; that they do is chance, not certainty."""
    middle, least, most = brought_back(LabellerError(given=error), value, low, high, size)
    assert 0 <= least <= middle <= most <= 1
    assert most - least > 0.3 * error / size
    assert most - least >= 0.9 * (high - low)


def test_chance_errors_of_few_labels_widen_what_all_labels_tell():
    """By hand: 100 items, all labelled, 70 seem right, a tenth of labels wrong, of three classes."""
    middle, least, most = brought_back(LabellerError(given=0.1, classes=3), 0.7, 0.7, 0.7, 100)
    t = (0.7 - 0.05) / (0.9 + 0.95 - 1)
    deviation = math.sqrt((t * 0.9 * 0.1 + (1 - t) * 0.95 * 0.05) / 100) / 0.85
    assert middle == pytest.approx(t, abs=0.005)
    assert (least, most) == pytest.approx((t - 1.96 * deviation, t + 1.96 * deviation), abs=0.006)


def test_the_note_says_how_many_labels_are_wrong_and_whether_that_is_all_of_them():
    study = make(strategy="uniform", labels_per_item=2)
    queries = study.ask(10, by="ann")
    for query in queries:
        study.tell(query, query.predicted, by="ann")
    for n, query in enumerate(queries):
        study.tell(query, query.predicted if n > 2 else str((int(query.predicted) + 1) % 3), by="ben")
    assert any("at least 3 of 20 labels of items that several" in note for note in study.answer().notes)
    for query in queries:
        study.correct(query, query.predicted, by="chief")
    assert any("(3 of 20 labels of items that several" in note for note in study.answer().notes)


def test_an_error_that_is_given_moves_the_figure_to_what_it_is_without():
    study = make(strategy="uniform", label_error=0.1, target="population")
    for query in study.ask(50):
        study.tell(query, query.predicted if query.item % 5 else str((int(query.predicted) + 1) % 3))
    naive = make(strategy="uniform", target="population")
    naive.tell(study.labels, drawn="uniform")
    told, found = naive.answer().overall, study.answer().overall
    assert told.value < found.value
    assert found.high - found.low > told.high - told.low
    assert "allowing for wrong labels" in found.method
    assert any("10% of labels, as given" in note for note in study.answer().notes)


def test_a_figure_that_cannot_allow_for_errors_says_so():
    pool = fl.Pool.from_arrays(positive_score=np.linspace(0, 1, 60), positive="p")
    study = fl.create_study(pool, fl.Estimate("f1", positive="p"), label_error=0.1)
    study.tell({query.item: query.predicted for query in study.ask(20)})
    assert any("do not allow for that" in note for note in study.answer().notes)


def test_at_a_stop_it_is_said_that_errors_allowed_for_are_proven_for_one_look():
    settings = {"label_error": 0.1, "until": fl.HalfWidth(0.1)}
    study = fl.create_study(POOL, fl.Estimate("accuracy", by="predicted_class"), **settings)
    study.tell({query.item: query.predicted for query in study.ask(20)})
    assert any("proven for one look only" in note for note in study.answer().notes)
