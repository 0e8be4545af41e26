"""Which groups lie below a threshold and which above: few verdicts are wrong, by enumeration and by trial."""

import itertools
import json
import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.answers import Verdicts
from fewlabels.core.anytime import of_share
from fewlabels.core.anytime.ratio import log_chance
from fewlabels.core.verdicts import Won, of_capital, of_counts
from fewlabels.questions_kept import question_from_json

# -- what is shown -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "threshold", "within"), [(40, 0.8, 0.01), (37, 0.5, 0.0), (400, 0.93, 0.02)])
def test_counts_tell_what_a_search_through_all_values_does(size, threshold, within):
    rng = np.random.default_rng(size)
    for _ in range(60):
        labels = int(rng.integers(0, size + 1))
        hits = int(rng.binomial(labels, rng.uniform(0.3, 1)))
        slow = of_capital(of_share(size, labels, hits, 0.7), threshold, within)
        at = (np.array([float(x)]) for x in (size, labels, hits, 0.7, threshold))
        for fast, found in zip(of_counts(*at, within), slow, strict=True):
            assert fast[0] == pytest.approx(found) or max(fast[0], found) <= 1e-9


@pytest.mark.parametrize("count", [24, 25, 26])
def test_a_wrong_verdict_is_as_rare_as_it_says(count):
    """All orders of 12 labels of 30 items, of which so many are hits; the threshold is 0.8, that is 24 of them."""
    size, labels, alpha = 30, 12, 0.05
    chance = 0.0
    bar = -math.log(alpha)
    shown = {
        (n, k): float(of_counts(*(np.array([float(x)]) for x in (size, n, k, 0.9, 0.8)), 0.0)[0][0])
        for n in range(labels + 1)
        for k in range(n + 1)
    }
    for order in itertools.product((0, 1), repeat=labels):
        hits = list(itertools.accumulate(order))
        if any(shown[n, k] >= bar for n, k in enumerate(hits, 1)):  # "below" at some look
            chance += math.exp(float(log_chance(*map(np.float64, (size, labels, hits[-1], count)))))
    assert chance <= alpha if count > 24 else chance >= 0  # at 24 it is right either way


def bets(below: list[float], above: list[float]) -> Won:
    return Won(np.log(below), np.log(above), np.ones(len(below), dtype=bool))


def test_few_discoveries_are_wrong_or_none_is():
    found = bets([100, 30, 30, 1, 1], [0.1, 0.1, 0.1, 25, 1])
    assert found.verdicts(0.05, "family").tolist() == [-1, 0, 0, 0, 0]  # five groups: 100
    assert found.verdicts(0.05, "discoveries").tolist() == [-1, -1, -1, 1, 0]  # four at 5 / (.05 x 4) = 25
    assert bets([24] * 4, [1] * 4).verdicts(0.05, "discoveries").tolist() == [-1] * 4
    assert bets([19] * 4, [1] * 4).verdicts(0.05, "discoveries").tolist() == [0] * 4


def test_groups_that_are_clear_enough_once_the_others_are_wait_for_them():
    found = bets([24, 1, 1, 99], [0.1, 1, 30, 0.1])  # of four groups one takes 80, two 40 each, three 27, four 20
    assert found.verdicts(0.05, "discoveries").tolist() == [0, 0, 0, -1]
    assert found.waiting(0.05, "discoveries").tolist() == [True, False, True, False]
    assert not found.waiting(0.05, "family").any()


def test_all_groups_are_above_where_each_is_shown_to_be():
    found = bets([0.01] * 3, [21, 30, 20])
    assert found.all_are(1, 0.05)
    assert not found.all_are(-1, 0.05)
    assert not found.some_are(-1, 0.05)
    assert bets([0.01, 61, 0.01], [21, 0.1, 20]).some_are(-1, 0.05)  # a mean of 20
    assert not bets([0.01, 58, 0.01], [21, 0.1, 20]).some_are(-1, 0.05)


def test_nothing_is_said_of_a_group_with_fewer_than_three_labels():
    found = Won(np.array([9.0, 9.0]), np.array([0.0, 0.0]), np.array([True, False]))
    assert found.verdicts(0.05, "discoveries").tolist() == [-1, 0]
    assert not found.all_are(-1, 0.05)


def test_of_many_groups_at_the_edge_few_are_called_wrongly():
    """200 studies of 20 groups of 200 items; five lie a hit beyond the threshold's margin, where the verdict on them is
    just wrong, looked at after every ten labels in each. The expected share of wrong verdicts is 5 % at most."""
    rng, size, groups, wrong = np.random.default_rng(4), 200, 20, []
    count = np.array([163] * 5 + [120] * 8 + [190] * 7)  # of which "below 0.8" is wrong from 163 on
    for _ in range(200):
        hits = np.array([np.cumsum(rng.permutation(np.arange(size) < c)) for c in count])
        worst = 0.0
        for n in range(10, 200, 10):
            told = np.full(groups, float(n))
            about = (np.full(groups, float(size)), told, hits[:, n - 1].astype(float), np.full(groups, 0.8))
            side = Won(*of_counts(*about, np.full(groups, 0.8), 0.01), told > 2).verdicts(0.05, "discoveries")
            worst = max(worst, float((side[:5] < 0).sum() / max((side != 0).sum(), 1)))
        wrong.append(worst)
    assert np.mean(wrong) < 0.05


# -- studies -----------------------------------------------------------------------------------------------------------

RIGHT = {"ann": 0.98, "bob": 0.97, "eve": 0.6, "joe": 0.45}


def labelled_pool(n: int = 1200) -> tuple[fl.Pool, dict[int, str], dict[str, float]]:
    rng = np.random.default_rng(8)
    who = rng.choice(list(RIGHT), n)
    predicted = rng.choice(["yes", "no"], n)
    right = rng.random(n) < np.array([RIGHT[w] for w in who])
    truth = np.where(right, predicted, np.where(predicted == "yes", "no", "yes"))
    pool = fl.Pool.from_arrays(predicted=predicted, score=rng.beta(8, 2, n), columns={"who": who})
    return pool, dict(enumerate(truth.tolist())), {w: float(right[who == w].mean()) for w in RIGHT}


@pytest.mark.parametrize("question", [fl.Below, fl.Above])
@pytest.mark.parametrize("way", [{}, {"strategy": "uniform"}, {"strategy": "gain"}, {"estimator": "beta"}])
def test_a_study_ends_once_every_group_has_its_verdict(question, way):
    pool, truth, _ = labelled_pool()
    study = fl.create_study(pool, question("accuracy", 0.8, by="who"), until=fl.Probability(0.95), **way)
    assert not study.done
    while not study.done:
        study.tell({q.item: truth[q.item] for q in study.ask(10)})
    answer = study.answer()
    assert isinstance(answer, Verdicts)
    assert set(answer.below) == {"eve", "joe"}
    assert set(answer.above) == {"ann", "bob"}
    assert answer.undecided == ()
    assert answer.all_above is False
    assert answer.all_below is False
    assert "every group has its verdict, 2 below and 2 above 80.0%" in study.progress.reason
    assert f"Not all groups are {question.kind} 80.0%" in answer.sentence
    assert "At most 5% of these verdicts are expected to be wrong, however often you check." in answer.sentence
    assert [row["verdict"] for row in answer.to_dicts()] == ["below", "below", "above", "above"]
    assert "verdict" in str(answer)
    assert all(f.labels >= 3 for f in answer.findings)


def test_all_above_is_one_verdict():
    pool, truth, _ = labelled_pool()
    study = fl.create_study(pool, fl.Above("accuracy", 0.15, by="who"))
    assert study.answer().all_above is None
    assert "not decided yet for 4 of 4" in study.answer().sentence
    study.tell({q.item: truth[q.item] for q in study.ask(250)})
    assert study.answer().all_above is True
    assert "All groups are above 15.0%." in study.answer().sentence


def test_labels_of_another_question_tell_too_where_chances_were_equal():
    pool, truth, _ = labelled_pool()
    study = fl.create_study(pool, fl.Estimate("accuracy"), strategy="uniform")
    study.tell({q.item: truth[q.item] for q in study.ask(400)})
    assert set(study.answer(fl.Below("accuracy", 0.8, by="who")).below) == {"eve", "joe"}


def test_a_bias_has_a_threshold_too():
    pool, truth, right = labelled_pool()
    study = fl.create_study(pool, fl.Above("calibration_bias", 0.1, by="who"), until=fl.Probability(0.95))
    while not study.done:
        study.tell({q.item: truth[q.item] for q in study.ask(20)})
    answer = study.answer()
    assert set(answer.above) == {"eve", "joe"}  # scores of .8 on average, accuracies of .6 and .45
    assert set(answer.below) == {"ann", "bob"}
    assert right["eve"] < 0.7


def test_a_question_about_a_threshold_is_kept_and_refused_in_words():
    asked = fl.Below("accuracy", 0.8, by=("predicted_class", "who"), within=0.02, control="family")
    assert question_from_json(json.loads(json.dumps(asked.to_json()))) == asked
    for wrong, why in (
        ({"threshold": 1.2}, "threshold is a number"),
        ({"threshold": 0.995}, "there is something to find out"),
        ({"threshold": 0.8, "within": -1}, "within is how near"),
        ({"threshold": 0.8, "control": "none"}, "control is 'discoveries' or 'family'"),
    ):
        with pytest.raises(fl.QuestionError, match=why):
            fl.Below("accuracy", **wrong)
    with pytest.raises(fl.QuestionError, match="a threshold is for accuracy"):
        fl.Below("calibration_error", 0.1, by="who")
    pool, _, _ = labelled_pool(40)
    with pytest.raises(fl.QuestionError, match="leave out target"):
        fl.create_study(pool, fl.Below("accuracy", 0.8, by="who"), target="population")
    with pytest.raises(fl.QuestionError, match=r"is for fl\.Below and fl\.Above"):
        fl.create_study(pool, fl.Estimate("accuracy"), strategy="nearest")
