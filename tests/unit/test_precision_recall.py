"""Precision-recall curves and average precision: what they are, their intervals, and bands for whole curves."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import fewlabels as fl
from fewlabels.core.ranked import Ranking
from fewlabels.estimators import FEstimate
from fewlabels.questions_kept import question_from_json
from fewlabels.testing.folded import folded

AVERAGE = fl.Estimate("average_precision", positive="rare")
CURVE = fl.Estimate(fl.PrecisionRecall("rare", (0.1, 0.3, 0.5, 0.7)))


def outputs(n=600, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.uniform(size=n) < 0.08
    return 1 / (1 + np.exp(-(2.5 * y + rng.normal(size=n) - 2.5))), y


def pool_of(s):
    return fl.Pool.from_arrays(positive_score=s, threshold=0.5, positive="rare")


def told(question, s, y, n, seed=3, **more):
    study = fl.create_study(pool_of(s), question, seed=seed, **more)
    while len(study.labels) < n and (queries := study.ask(10)):
        study.tell({query.item: "rare" if y[query.item] else study.classes[0] for query in queries})
    return study


@pytest.mark.parametrize("digits", [1, 2, 8])
def test_the_average_precision_is_that_of_scikit_learn_ties_and_all(digits):
    s, y = outputs()
    s = s.round(digits)
    levels, stratum = np.unique(s, return_inverse=True)
    size = np.bincount(stratum)
    found = Ranking(np.arange(len(levels)), size).average_precision(np.bincount(stratum, y.astype(float)))
    assert found == pytest.approx(average_precision_score(y, s), abs=1e-12)


def test_a_positive_or_an_item_more_moves_it_by_its_slope():
    rng = np.random.default_rng(1)
    size, stratum = rng.integers(1, 9, 30), rng.permutation(30)
    positives, step = rng.uniform(0.1, 0.9, 30) * size, 1e-6
    more, item = Ranking(stratum, size).slopes(positives)
    value = Ranking(stratum, size).average_precision(positives)
    for cell in range(30):
        moved = positives + step * (np.arange(30) == cell)
        found = Ranking(stratum, size).average_precision(moved) - value
        assert found / step == pytest.approx(more[cell], rel=1e-3, abs=1e-6)
        crowded = size + step * (np.arange(30) == cell)
        found = Ranking(stratum, crowded).average_precision(positives) - value
        assert found / step == pytest.approx(item[cell], rel=1e-3, abs=1e-6)


def test_estimates_are_right_on_average_and_intervals_hold():
    """40 studies of 60 labels, all items in reach: the mean is off by no more than three standard errors, and at least
    92 in 100 intervals hold the truth, by two."""
    s, y = outputs()
    truth, found = average_precision_score(y, s), []
    for seed in range(40):
        overall = told(AVERAGE, s, y, 60, seed, strategy=fl.Doubt(reach=None)).answer().overall
        found.append((overall.value, overall.low <= truth <= overall.high))
    values, held = np.array(found).T
    assert abs(values.mean() - truth) < 3 * values.std() / np.sqrt(len(values))
    assert held.mean() > 0.92 - 2 * np.sqrt(0.92 * 0.08 / len(held))


def test_bands_hold_more_than_each_point_and_no_more_than_all_of_them_one_by_one():
    s, y = outputs()
    study = told(CURVE, s, y, 60)
    answer, careful = study.answer(), study.answer(level=1 - 0.05 / 8)
    rows = answer.to_dicts()
    assert [row["group"] for row in rows[:2]] == ["precision at 0.1", "precision at 0.3"]
    assert rows[-1]["group"] == "recall at 0.7"
    for row, most in zip(rows, careful.findings, strict=True):
        assert most.low - 1e-9 <= row["band_low"] <= row["low"] <= row["high"] <= row["band_high"] <= most.high + 1e-9
    assert any(row["band_low"] < row["low"] for row in rows)
    assert "all at once" in str(answer)
    assert "best balanced are precision at" in answer.sentence


def test_a_curve_has_what_each_score_has_by_itself():
    s, y = outputs()
    study = told(CURVE, s, y, 60)
    curve = study.answer()
    for alpha, name in ((1.0, "precision"), (0.0, "recall")):
        alone = study.answer(fl.Estimate(fl.FScore(alpha, "rare", threshold=0.3))).overall
        found = curve[f"{name} at 0.3"]
        assert (found.value, found.low, found.high) == pytest.approx((alone.value, alone.low, alone.high), abs=1e-12)


def test_whole_curves_are_held_by_their_bands():
    """30 studies of 60 labels: at least 92 in 100 whole curves, by two standard errors."""
    s, y = outputs()
    truth = [
        float(value)
        for figure in (lambda hit: y[hit].mean(), lambda hit: (y & hit).sum() / y.sum())
        for value in (figure(s >= t) for t in CURVE.metric.thresholds)
    ]
    held = []
    for seed in range(30):
        rows = told(CURVE, s, y, 60, seed).answer().to_dicts()
        held.append(all(r["band_low"] <= t <= r["band_high"] for r, t in zip(rows, truth, strict=True)))
    assert np.mean(held) > 0.92 - 2 * np.sqrt(0.92 * 0.08 / len(held))


def test_a_precision_is_open_by_an_item_while_one_is_unlabelled():
    s, y = outputs()
    predicted = int((s >= 0.5).sum())
    study = fl.create_study(pool_of(s), fl.Estimate("precision", positive="rare"), seed=3)
    study.tell({q.item: "rare" if y[q.item] else study.classes[0] for q in study.ask(predicted - 1)})
    found = study.answer().overall
    assert found.left == 1
    assert found.low <= max(found.value - 1 / predicted, 0) + 1e-12
    assert found.high >= min(found.value + 1 / predicted, 1) - 1e-12


def test_what_no_label_speaks_against_is_held():
    """A precision of one, while no label is of another class; and not once one is."""
    nearly = FEstimate(0.98, 0.01, 0.01, 60.0)
    assert nearly.interval(0.95, pool=True)[1] < 1
    assert replace(nearly, faultless=True).interval(0.95, pool=True)[1] == 1
    s, _ = outputs()
    study = fl.create_study(pool_of(s), fl.Estimate(fl.FScore(1.0, "rare", threshold=0.1)), seed=1)
    queries = study.ask(20)
    study.tell({query.item: "rare" for query in queries[:-1]})
    assert study.answer().overall.high == 1
    study.tell({queries[-1].item: study.classes[0]})
    assert study.answer().overall.high < 1


@pytest.mark.parametrize("drawn_for", ["f1", fl.FCurve("rare", (0.2, 0.5)), fl.PrecisionRecall("rare", (0.2, 0.5))])
@pytest.mark.parametrize("asked", [AVERAGE, fl.Estimate("f1", positive="rare")])
def test_labels_for_one_of_them_answer_the_others_by_the_strata_they_were_drawn_from(drawn_for, asked):
    """What was in reach is told by strata of scores, however cells are split besides."""
    s, y = outputs()
    study = told(fl.Estimate(drawn_for, positive="rare" if drawn_for == "f1" else None), s, y, 80)
    truth = (
        average_precision_score(y, s) if asked == AVERAGE else 2 * (y & (s >= 0.5)).sum() / (y.sum() + (s >= 0.5).sum())
    )
    overall = study.answer(asked).overall
    assert overall.low <= truth <= overall.high
    _, history = folded(study)
    frames = history.evidence().draws.frames
    assert max(frames.values()) > len(CURVE.metric.thresholds)  # numbers of strata, not of thresholds


def test_the_average_precision_of_another_model_goes_by_its_own_ranking():
    s, y = outputs()
    other = np.random.default_rng(5).permutation(s)
    pool = fl.Pool.join({"a": pool_of(s), "b": pool_of(other)})
    study = fl.create_study(pool, AVERAGE, model="a", seed=1)
    study.tell({i: "rare" if hit else study.classes[0] for i, hit in enumerate(y)}, drawn="uniform")
    for model, score in (("a", s), ("b", other)):
        found = study.answer(AVERAGE, model=model).overall
        expected = average_precision_score(y, score)
        assert (found.value, found.low, found.high) == pytest.approx((expected,) * 3, abs=2e-3)


def test_questions_are_kept_as_they_were_asked():
    for question in (AVERAGE, CURVE):
        assert question_from_json(question.to_json()) == question
    assert fl.Estimate("precision_recall", positive="rare").metric == fl.PrecisionRecall("rare")


@pytest.mark.parametrize("estimator", ["acis", "weighted"])
def test_what_reads_f_scores_only_is_refused_with_what_to_do(estimator):
    s, _ = outputs()
    with pytest.raises(fl.QuestionError, match=f"{estimator}.*average precision.*'difference'"):
        fl.create_study(pool_of(s), AVERAGE, estimator=estimator)


def test_labels_drawn_by_acis_or_uniformly_answer_for_it_too():
    s, y = outputs()
    for strategy in ("acis", "uniform"):
        study = told(fl.Estimate("f1", positive="rare"), s, y, 150, strategy=strategy)
        if strategy == "uniform":
            study = told(AVERAGE, s, y, 150, strategy=strategy)
        overall = study.answer(AVERAGE).overall
        assert overall.low <= average_precision_score(y, s) <= overall.high
        assert "difference" in overall.method


def test_nothing_predicted_and_nothing_found_is_said_in_words():
    s, _ = outputs()
    study = fl.create_study(pool_of(s), AVERAGE, seed=1)
    assert "no labels yet" in study.answer().sentence
    study.tell({query.item: study.classes[0] for query in study.ask(10)})
    overall = study.answer().overall
    assert (overall.low, overall.high) == (0.0, 1.0) or overall.high - overall.low > 0.5
