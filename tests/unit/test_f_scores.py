"""F-scores of one class: consistency, other models and thresholds, goals, settings."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import fewlabels as fl
from fewlabels.core.events import Query
from fraud_studies import F1, PRECISION, RECALL, N, exact, label, outputs, pool, sound, study_of

# -- consistency ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
def test_the_error_shrinks_with_the_labels_and_ends_at_nothing(alpha):
    """Over 30 seeds, the domain not restricted: the root mean square error at 30, 100 and 250 labels falls, and all
    labels give the score to the last digit. (Precision is about fewer items.)"""
    question = fl.Estimate(fl.FScore(alpha, "fraud"))
    s, y = outputs()
    places = [8, 20, int((s >= 0.5).sum()) - 1] if alpha == 1 else [30, 100, 250]
    found = fl.simulate(
        pool(), None, question, [fl.Method(fl.Acis(top_k=None), name="m")], [*places], runs=30, workers=1,
        measures=["mse", "estimate"],
    )  # fmt: skip
    first, second, third = found.of("m", "mse").mean(axis=0)
    assert first > second > third
    assert third < 0.15 * first
    study = study_of(question, strategy=fl.Acis(top_k=None))
    label(study, N, step=50)
    overall = study.answer().overall
    assert (overall.value, overall.low, overall.high) == pytest.approx((exact(alpha, s, y),) * 3, abs=1e-14)
    assert study.done


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
def test_the_population_stays_uncertain_by_equation_6_over_all_items(alpha):
    """Finite-data variance, Sec. 4.3.2: Eq. 6 with w = v, or Kish's effective sample size, whichever is larger; the
    interval is Wilson's for it. With all labels agreeing it is not of zero width."""
    question = fl.Estimate(fl.FScore(alpha, "fraud"))
    s, y = outputs()
    overall = label(study_of(question, target="population"), N, step=50).answer().overall
    hit = s >= 0.5
    v = [alpha * h + (1 - alpha) * t for h, t in zip(hit, y, strict=True)]
    G = exact(alpha, s, y)
    top = sum(a**2 * ((h == t) - G) ** 2 for a, h, t in zip(v, hit, y, strict=True)) / sum(v) ** 2
    crowd = sum(a**2 for a in v) / sum(v) ** 2
    variance = max(top / (1 - crowd), G * (1 - G) * crowd)
    n, z = G * (1 - G) / variance, stats.norm.ppf(0.975)
    middle = (G + z**2 / 2 / n) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * math.sqrt(G * (1 - G) / n + z**2 / 4 / n**2)
    assert overall.value == pytest.approx(G, abs=1e-14)
    assert (overall.low, overall.high) == pytest.approx((middle - half, middle + half), abs=1e-9)


def test_a_perfect_classifier_is_not_certain_for_the_population():
    s = np.where(outputs()[1], 0.9, 0.1) + np.linspace(0, 0.05, N)
    study = study_of(F1, fl.Pool.from_arrays(positive_score=s, positive="fraud"), target="population")
    overall = label(study, N, step=100).answer().overall
    assert overall.value == 1
    assert overall.low < 1 - 0.5 / N


def test_precision_asks_for_predicted_positives_only_and_is_done_with_them():
    s, y = outputs()
    hits = set(np.flatnonzero(s >= 0.5).tolist())
    study = study_of(PRECISION)
    label(study, N, step=7)
    assert set(study.labels) == hits
    assert study.ask(3) == []
    assert study.done
    assert "asks about is labelled" in study.progress.reason
    assert study.answer().overall.value == pytest.approx(exact(1.0, s, y), abs=1e-14)


# -- other models, other thresholds ---------------------------------------------------------------------------------


def two_models() -> tuple[fl.Pool, np.ndarray, np.ndarray, np.ndarray]:
    s, y = outputs()
    rng = np.random.default_rng(9)
    other = 1 / (1 + np.exp(-(np.log(s / (1 - s)) + rng.normal(size=N))))
    made = {m: fl.Pool.from_arrays(positive_score=p, positive="fraud") for m, p in (("a", s), ("b", other))}
    return fl.Pool.join(made), s, other, y


def weighted_f(study: fl.Study, score: np.ndarray, y: np.ndarray, alpha: float, threshold: float) -> float:
    """The average of the rounds, by their draws, each from its stored probabilities and what was labelled before."""
    queries = [event for event in study.events if isinstance(event, Query)]
    hit = score >= threshold
    v = alpha * hit + (1 - alpha) * y
    known: set[int] = set()
    values, draws = [], []
    for number in sorted({query.round for query in queries}):
        mine = [query for query in queries if query.round == number]
        weight = [(query.item, 1 / (len(mine) * query.probability)) for query in mine] + [(j, 1.0) for j in known]
        total = sum(w * v[j] for j, w in weight)
        if total > 0:
            values.append(sum(w * v[j] for j, w in weight if hit[j] == y[j]) / total)
            draws.append(len(mine))
        known |= {query.item for query in mine}
    return float(np.average(values, weights=draws))


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0])
@pytest.mark.parametrize("threshold", [0.15, 0.5, 0.7])
def test_labels_for_one_model_and_threshold_answer_for_another_by_their_weights(alpha, threshold):
    both, s, other, y = two_models()
    study = label(study_of(F1, both, model="a", strategy=fl.Acis(top_k=None)), 70, y)
    question = fl.Estimate(fl.FScore(alpha, "fraud", threshold=threshold))
    for model, score in (("a", s), ("b", other)):
        found = study.answer(question, model=model)
        assert found.overall.value == pytest.approx(weighted_f(study, score, y, alpha, threshold), abs=1e-12)
        sound(found)
    assert study.answer(F1, model="b").overall.value == pytest.approx(weighted_f(study, other, y, 0.5, 0.5), abs=1e-12)
    assert study.answer().overall.value == pytest.approx(weighted_f(study, s, y, 0.5, 0.5), abs=1e-12)


def test_a_curve_is_the_f_score_at_each_threshold_from_one_set_of_labels():
    s, y = outputs()
    study = label(study_of(strategy=fl.Acis(top_k=None)), 80)
    thresholds = (0.1, 0.3, 0.5, 0.8)
    answer = study.answer(fl.Estimate(fl.FCurve("fraud", thresholds)))
    for t, finding in zip(thresholds, answer.findings, strict=True):
        assert finding.group == f"threshold {t:g}"
        assert finding.value == pytest.approx(weighted_f(study, s, y, 0.5, t), abs=1e-12)
        alone = study.answer(fl.Estimate(fl.FScore(0.5, "fraud", threshold=t))).overall
        assert (finding.value, finding.low, finding.high) == pytest.approx((alone.value, alone.low, alone.high))
    best = max(answer.findings, key=lambda f: f.value)
    assert best.group in answer.sentence
    assert "each threshold by itself" in answer.sentence


def test_labels_of_the_whole_pool_answer_exactly_for_another_model_and_threshold():
    both, s, other, y = two_models()
    study = label(study_of(F1, both, model="a"), N, y, step=100)
    for model, score in (("a", s), ("b", other)):
        curve = study.answer(fl.Estimate(fl.FCurve("fraud", (0.2, 0.6))), model=model)
        assert [f.value for f in curve.findings] == pytest.approx([exact(0.5, score, y, t) for t in (0.2, 0.6)])


def test_labels_drawn_for_an_f_score_answer_other_questions_too():
    """Accuracy from 150 of 400 labels chosen for F1: within a tenth, and its interval holds the truth."""
    study = label(study_of(), 150, step=25)
    s, y = outputs()
    overall = study.answer(fl.Estimate("accuracy")).overall
    truth = float(((s >= 0.5) == y).mean())
    assert abs(overall.value - truth) < 0.1
    assert overall.low <= truth <= overall.high


# -- stopping ------------------------------------------------------------------------------------------------------


def test_a_study_stops_at_a_half_width_and_says_why():
    study = study_of(until=fl.HalfWidth(0.15))
    assert not study.done
    while not study.done:
        label(study, 5)
    assert "Goal reached" in study.progress.reason
    assert "0.15" in study.progress.reason
    assert study.answer().overall.half_width <= 0.15
    assert len(study.labels) < N


def test_before_a_half_width_is_reached_the_labels_still_needed_are_told():
    study = label(study_of(until=fl.HalfWidth(0.02)), 40)
    progress = study.progress
    assert not progress.done
    assert "Not yet" in progress.reason
    assert f"{progress.labels_left.likely:,} more labels" in progress.reason
    assert 0 < progress.labels_left.likely <= N - 40


def test_a_study_stops_at_a_variance_and_says_why():
    study = study_of(until=fl.Variance(0.003))
    assert "Not yet" in study.progress.reason
    while not study.done:
        label(study, 5)
    assert "variance is" in study.progress.reason
    assert "0.003" in study.progress.reason
    assert study.answer().extra[0]["variance"] <= 0.003
    assert len(study.labels) < N


def test_a_variance_of_zero_because_ten_labels_agree_does_not_stop_a_study():
    """Every prediction is right: Eq. 6 is zero from the first labels on, and knows nothing."""
    s = np.where(outputs()[1], 0.9, 0.1) + np.linspace(0, 0.05, N)
    some_pool = fl.Pool.from_arrays(positive_score=s, positive="fraud")
    study = label(study_of(F1, some_pool, until=fl.Variance(1e-4)), 10)
    assert not study.done, study.progress.reason


# -- settings and arguments ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings",
    [
        fl.StudySettings(F1),
        fl.StudySettings(F1, strategy=fl.Acis(), estimator=fl.Averaged()),
        fl.StudySettings(
            fl.Estimate(fl.FScore(0.3, "fraud", threshold=0.2)),
            strategy=fl.Acis(
                "platt", 0.01, mixing=(0.5,), top_k=None, reuse=True, replacement=False, first=7, growth=1.5
            ),
            estimator=fl.Averaged(2, "weights", "eq6", "printed"),
            until=fl.Variance(0.005),
        ),
        fl.StudySettings(fl.Estimate(fl.FCurve("fraud", (0.1, 0.2), alpha=0.0)), strategy="sawade"),
        fl.StudySettings(PRECISION, strategy="uniform", estimator="iso", until=fl.HalfWidth(0.05)),
        fl.StudySettings(RECALL, strategy="top_k", estimator="gmm"),
        fl.StudySettings(fl.Estimate("f1", by="region", positive="fraud"), strategy="thompson"),
    ],
    ids=lambda s: s.question.describe(),
)
def test_settings_of_f_scores_survive_json_exactly(settings):
    text = json.dumps(settings.to_json())
    again = fl.StudySettings.from_json(json.loads(text))
    assert again == settings
    assert json.dumps(again.to_json()) == text


WRONG = {
    "alpha": (lambda: fl.FScore(1.5, "fraud"), "1.5"),
    "alpha as text": (lambda: fl.FScore("half", "fraud"), "'half'"),
    "alpha nan": (lambda: fl.FScore(float("nan"), "fraud"), "nan"),
    "threshold": (lambda: fl.FScore(0.5, "fraud", threshold=1.2), "1.2"),
    "thresholds falling": (lambda: fl.FCurve("fraud", (0.5, 0.2)), "(0.5, 0.2)"),
    "no thresholds": (lambda: fl.FCurve("fraud", ()), "()"),
    "threshold nan": (lambda: fl.FCurve("fraud", (float("nan"),)), "nan"),
    "no positive class": (lambda: fl.Estimate("f1"), "positive="),
    "curve by group": (lambda: fl.Estimate(fl.FCurve("fraud"), by="region"), "whole pool"),
    "curve to identify": (lambda: fl.Identify(fl.FCurve("fraud"), by="region"), "threshold"),
    "epsilon": (lambda: fl.Acis(epsilon=0.0), "0.0"),
    "epsilon too large": (lambda: fl.Acis(epsilon=0.5), "0.5"),
    "calibration": (lambda: fl.Acis(calibration="beta"), "'beta'"),
    "first": (lambda: fl.Acis(first=0), "first=0"),
    "growth": (lambda: fl.Acis(growth=0.5), "growth=0.5"),
    "mixing": (lambda: fl.Acis(mixing=(1.2,)), "1.2"),
    "top_k": (lambda: fl.Acis(top_k=-3), "-3"),
    "caution": (lambda: fl.Acis(caution=-1), "-1"),
    "neither reuse nor replacement": (lambda: fl.Acis(reuse=False, replacement=False), "replacement=True"),
    "window": (lambda: fl.Averaged(window=0), "0"),
    "average_by": (lambda: fl.Averaged(average_by="labels"), "'labels'"),
    "interval": (lambda: fl.Averaged(interval="wide"), "'wide'"),
    "reuse": (lambda: fl.Averaged(reuse="never"), "'never'"),
    "variance": (lambda: fl.Variance(0), "0"),
    "variance nan": (lambda: fl.Variance(float("nan")), "nan"),
    "positive not a class": (lambda: study_of(fl.Estimate("f1", positive="frod")), "'frod'"),
    "a strategy of F-scores for accuracy": (lambda: study_of(fl.Estimate("accuracy"), strategy="acis"), "'acis'"),
    "an object of F-scores for accuracy": (lambda: study_of(fl.Estimate("accuracy"), strategy=fl.Acis()), "'acis'"),
    "an estimator of F-scores for accuracy": (lambda: study_of(fl.Estimate("accuracy"), estimator="iso"), "'iso'"),
    "acis with beliefs": (lambda: study_of(strategy="acis", estimator="beta"), "'beta'"),
    "thompson with draws": (lambda: study_of(strategy="thompson", estimator="iso"), "'thompson'"),
    "a strategy of another kind": (lambda: study_of(strategy=3), "3"),
    "an estimator of another kind": (lambda: study_of(estimator=3), "3"),
    "a variance for accuracy": (lambda: study_of(fl.Estimate("accuracy"), until=fl.Variance(0.01)), "Variance"),
}


@pytest.mark.parametrize(("make", "word"), WRONG.values(), ids=WRONG.keys())
def test_wrong_arguments_are_refused_with_the_value(make, word):
    with pytest.raises(fl.QuestionError) as caught:
        make()
    assert word in str(caught.value), str(caught.value)
    assert str(caught.value).endswith(".")
