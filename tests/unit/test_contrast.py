"""The F-scores of two models on the same items: against slow loops, and on pools out of the ordinary."""

import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.pair_difference import PairDifferences

ALPHAS = {"F1": 0.5, "recall": 0.0, "precision": 1.0, "alpha 0.3": 0.3}


def scores_of(n=400, seed=0, prevalence=0.06, noise=0.8):
    """Scores of two models, and which items are positive."""
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) < prevalence
    at = 3.0 * y + rng.normal(size=n) - 2.5
    return 1 / (1 + np.exp(-at)), 1 / (1 + np.exp(-(at + noise * rng.normal(size=n)))), y


def joined(a, b, **more):
    made = {m: fl.Pool.from_arrays(positive_score=s, positive="rare", **more) for m, s in (("a", a), ("b", b))}
    return fl.Pool.join(made)


def study_of(pool, alpha=0.5, **more):
    return fl.create_study(pool, fl.CompareModels(fl.FScore(alpha, "rare"), "a", "b"), seed=1, **more)


def told(study, y, n, batch=10):
    goal = len(study.labels) + n
    while len(study.labels) < goal and (queries := study.ask(min(batch, goal - len(study.labels)))):
        study.tell({query.item: "rare" if y[query.item] else study.classes[0] for query in queries})
    return study


def exact(alpha, a, b, y):
    def score(s):
        counted = alpha * (s >= 0.5).sum() + (1 - alpha) * y.sum()
        return ((s >= 0.5) & y).sum() / counted if counted else math.nan

    return score(a) - score(b)


def pair_of(study):
    return PairDifferences.of(study._assessment.f_samples(study._history.evidence()))


@pytest.mark.parametrize("alpha", ALPHAS.values(), ids=ALPHAS)
def test_the_difference_is_that_of_two_difference_estimates_item_by_item(alpha):
    a, b, y = scores_of()
    study = told(study_of(joined(a, b), alpha), y, 45 if alpha < 1 else 12)
    pair = pair_of(study)
    sample, chance, m = pair.sample, pair.one.chance, pair.one.expected
    f, counted = [], []
    for predicted in sample.said:
        found = missed = 0.0
        for cell, size in enumerate(sample.size):
            rows = [i for i in range(len(sample.cell)) if sample.cell[i] == cell]
            here = sum(sample.positive[i] + (1 / chance[i] - 1) * (sample.positive[i] - m[cell]) for i in rows)
            here += (size - len(rows)) * m[cell] if pair.one.in_reach[cell] else 0.0
            found, missed = found + here * predicted[cell], missed + here * (1 - predicted[cell])
        mine = predicted[sample.cell]
        right, wrong = sum(mine * sample.positive), sum(mine * (1 - sample.positive))
        found = min(max(found, right), sample.size @ predicted - wrong)
        missed = max(missed, sum((1 - mine) * sample.positive))
        counted.append(alpha * sample.size @ predicted + (1 - alpha) * (found + missed))
        f.append(found / counted[-1])
    assert study.answer().difference.value == pytest.approx(f[0] - f[1], abs=1e-12)
    seen = expected = 0.0
    for i, cell in enumerate(sample.cell):
        one, other = ((sample.said[k][cell] - (1 - alpha) * f[k]) / counted[k] for k in (0, 1))
        weight = (one - other) ** 2 * (1 - chance[i]) / chance[i] ** 2
        seen += weight * (sample.positive[i] - m[cell]) ** 2
        expected += weight * m[cell] * (1 - m[cell])
    assert pair.spread.variance == pytest.approx((seen + expected) / 2, rel=1e-10)


@pytest.mark.parametrize("alpha", ALPHAS.values(), ids=ALPHAS)
def test_all_labels_give_the_exact_difference_and_room_for_the_population(alpha):
    a, b, y = scores_of(150, prevalence=0.2)
    study = told(study_of(joined(a, b), alpha), y, 150, batch=40)
    found = study.answer().difference
    assert (found.value, found.low, found.high) == pytest.approx((exact(alpha, a, b, y),) * 3, abs=1e-12)
    assert study.ask(3) == []
    wide = told(study_of(joined(a, b), alpha, target="population"), y, 150, batch=40).answer().difference
    assert wide.value == pytest.approx(found.value, abs=1e-12)

    def moves(s, y):
        hit, counted = s >= 0.5, alpha * (s >= 0.5).sum() + (1 - alpha) * y.sum()
        f = (hit & y).sum() / counted
        return (alpha * hit + (1 - alpha) * y) * ((hit == y) - f) / counted

    variance = ((moves(a, y) - moves(b, y)) ** 2).sum()
    assert wide.high - wide.value == pytest.approx(1.959964 * math.sqrt(variance), rel=1e-5)


def test_labels_go_where_the_models_differ():
    """One item in twenty is one on which they do; most of the first labels are of these."""
    a, b, y = scores_of(2000)
    differ = (a >= 0.5) != (b >= 0.5)
    assert differ.mean() < 0.1
    study = told(study_of(joined(a, b)), y, 40)
    assert differ[list(study.labels)].mean() > 0.5


def test_draws_have_the_chances_they_are_said_to_have():
    """Over many seeds the labelled items' inverse chances count the items that can be drawn."""
    a, b, y = scores_of(120, prevalence=0.2)
    pool, counts = joined(a, b), []
    for seed in range(40):
        study = fl.create_study(
            pool, fl.CompareModels("f1", "a", "b", positive="rare"), strategy=fl.Contrast(reach=None), seed=seed
        )
        counts.append((1 / pair_of(told(study, y, 30)).one.chance).sum())
    assert np.mean(counts) == pytest.approx(120, abs=3 * np.std(counts) / math.sqrt(40) + 1)


# -- pools out of the ordinary -----------------------------------------------------------------------------------------


def test_models_that_say_the_same_need_no_label():
    a, _, _ = scores_of()
    study = study_of(joined(a, np.clip(a * 1.0001, 0, 1)))
    assert study.ask(5) == []
    answer = study.answer()
    assert "say the same of 'rare' on all 400 items" in answer.sentence
    assert (answer.difference.value, answer.difference.low, answer.difference.high) == (0, 0, 0)
    assert (answer.p_equal, answer.verdict) == (1, "tied")
    assert study.done


def test_a_pair_that_agrees_on_all_but_a_few_items_is_settled_by_those():
    a, _, y = scores_of(2000)
    b = a.copy()
    b[np.argsort(np.abs(a - 0.5))[:2]] = 1 - b[np.argsort(np.abs(a - 0.5))[:2]]
    study = told(study_of(joined(a, b)), y, 30)
    answer = study.answer()
    assert answer.differ == 2
    assert answer.difference.low < exact(0.5, a, b, y) < answer.difference.high
    assert answer.difference.high - answer.difference.low < 0.1
    assert answer.p_equal > 0.9 or abs(exact(0.5, a, b, y)) > 0.01


def test_a_pair_that_disagrees_everywhere_is_told_apart():
    a, _, y = scores_of(300, prevalence=0.3)
    study = told(study_of(joined(a, 1 - a - 1e-9)), y, 60)
    answer = study.answer()
    assert answer.differ == 300
    assert answer.verdict == "better"
    assert answer.difference.low < exact(0.5, a, 1 - a, y) < answer.difference.high


@pytest.mark.parametrize("alpha", ALPHAS.values(), ids=ALPHAS)
def test_without_positives_nothing_narrow_is_said(alpha):
    a, b, _ = scores_of()
    y = np.zeros(400, dtype=bool)
    study = told(study_of(joined(a, b), alpha), y, 20 if alpha < 1 else 8)
    answer = study.answer()
    assert "Not decided: no 'rare' is labelled yet." in str(answer)
    assert answer.decided is None
    assert answer.difference.high - answer.difference.low > 0.05
    assert "nan" not in str(answer).lower()
    assert answer.verdict == "open"
    whole = told(study, y, 400, batch=100).answer()
    assert "nan" not in str(whole).lower()


def test_a_model_that_never_predicts_the_class_has_a_score_of_nothing():
    a, _, y = scores_of()
    study = told(study_of(joined(a, np.minimum(a, 0.4))), y, 60)
    answer = study.answer()
    assert answer.verdict == "better"
    assert answer.difference.low <= exact(0.5, a, np.minimum(a, 0.4), y) <= answer.difference.high


# -- studies -----------------------------------------------------------------------------------------------------------


def test_the_same_labels_answer_for_precision_and_recall_and_for_nothing_else():
    a, b, y = scores_of(600)
    study = told(study_of(joined(a, b)), y, 80)
    for name, alpha in (("recall", 0.0), ("precision", 1.0)):
        found = study.answer(fl.CompareModels(name, "a", "b", positive="rare")).difference
        turned = study.answer(fl.CompareModels(name, "b", "a", positive="rare")).difference
        assert found.low <= exact(alpha, a, b, y) <= found.high
        assert (turned.value, turned.low) == pytest.approx((-found.value, -found.high), abs=1e-9)
    for other in (fl.CompareModels("accuracy", "a", "b"), fl.Estimate("f1", positive="rare"), fl.Estimate("accuracy")):
        with pytest.raises(fl.QuestionError, match="uniform"):
            study.answer(other)


def test_a_uniform_sample_answers_for_f_scores_of_models_too():
    a, b, y = scores_of(400, prevalence=0.3)
    pool = joined(a, b)
    study = told(fl.create_study(pool, fl.Estimate("accuracy"), model="a", strategy="uniform", seed=2), y, 150)
    found = study.answer(fl.CompareModels("f1", "a", "b", positive="rare")).difference
    assert found.low <= exact(0.5, a, b, y) <= found.high
    drawn_for_one = told(fl.create_study(pool, fl.Estimate("f1", positive="rare"), model="a", seed=2), y, 30)
    with pytest.raises(fl.QuestionError, match="not for what these two models differ in"):
        drawn_for_one.answer(fl.CompareModels("f1", "a", "b", positive="rare"))


def test_a_study_taken_up_again_asks_and_answers_the_same(tmp_path):
    a, b, y = scores_of()
    pool, where = joined(a, b), f"sqlite:///{tmp_path / 's.db'}"
    one, two = study_of(pool, storage=where, name="one"), study_of(pool)
    for n in (10, 4, 25):
        mine, again = one.ask(n), two.ask(n)
        assert [q.item for q in mine] == [q.item for q in again]
        one.tell({q.item: "rare" if y[q.item] else one.classes[0] for q in mine})
        for query in reversed(again):
            two.tell(query, "rare" if y[query.item] else two.classes[0])
        one = fl.load_study("one", storage=where)
        one = fl.load_study("one", storage=where, pool=pool)
    first, second = one.answer().difference, two.answer().difference
    assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high), abs=1e-12)


def test_a_study_ends_when_it_is_so_sure_that_looks_do_no_harm():
    a, b, y = scores_of(500, prevalence=0.2, noise=3.0)
    study = study_of(joined(a, b), until=fl.Probability(0.95))
    while not study.done and (queries := study.ask(5)):
        study.tell({q.item: "rare" if y[q.item] else study.classes[0] for q in queries})
    answer = study.answer()
    assert study.done
    assert answer.verdict == "better"
    assert exact(0.5, a, b, y) > 0.01
    assert answer.probability >= 0.99
    assert "Goal reached: a is higher than b by more than 1 point with" in study.progress.reason


REFUSED = {
    "a curve": (lambda: fl.CompareModels(fl.FCurve("rare"), "a", "b"), "F1, precision or recall of one class"),
    "calibration bias": (lambda: fl.CompareModels("calibration_bias", "a", "b"), "calibration bias"),
    "the best of several": (lambda: fl.BestModel(fl.FCurve("rare")), "F1, precision or recall of one class"),
    "another strategy": (lambda: study_of(joined(*scores_of()[:2]), strategy="influence"), "'influence'"),
    "a strategy for one model": (lambda: study_of(joined(*scores_of()[:2]), strategy="doubt"), "'doubt'"),
    "another estimator": (lambda: study_of(joined(*scores_of()[:2]), estimator="paired"), "'paired'"),
    "every look": (lambda: study_of(joined(*scores_of()[:2])).answer(anytime=True), "every look"),
}


@pytest.mark.parametrize(("make", "words"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_done_is_refused_in_words(make, words):
    with pytest.raises(fl.QuestionError, match=words):
        make()
