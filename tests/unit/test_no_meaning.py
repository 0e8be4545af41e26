"""Questions that have no meaning are refused with the sentence why: every metric by every kind of group."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.metrics import METRICS, metric_by_name, metric_names, needs_positive
from fewlabels.questions_kept import question_from_json

SUPERCLASSES = fl.ClassMap({"a": "vowel", "b": "other", "c": "other"})
GROUPS = {
    "predicted class": "predicted_class",
    "superclass": SUPERCLASSES,
    "true class": "true_class",
    "score bin": "score_bin",
    "column": "side",
    "predicted class and column": ("predicted_class", "side"),
    "column and true class": ("side", "true_class"),
    "predicted and true class": ("predicted_class", "true_class"),
}
BY_PREDICTION = {"predicted class", "superclass", "predicted class and column", "predicted and true class"}
BY_TRUTH = {"true class", "column and true class", "predicted and true class"}
REFUSED = {
    "accuracy": {"predicted and true class"},
    "calibration_bias": {"predicted and true class"},
    "calibration_error": {"predicted and true class"},
    "reliability": BY_TRUTH | {"score bin"},
    "confusion": BY_TRUTH,
    "cost": BY_TRUTH,
    "balanced_accuracy": BY_PREDICTION | BY_TRUTH,
    "macro_f1": BY_PREDICTION | BY_TRUTH,
    "true_positive_rate": BY_PREDICTION | BY_TRUTH,
    "f1": BY_PREDICTION | BY_TRUTH,
    "precision": BY_PREDICTION | BY_TRUTH,
    "recall": BY_PREDICTION | BY_TRUTH,
    "reliability_curve": set(GROUPS),
    "f_scores": set(GROUPS),
    "f_curve": set(GROUPS),
    "precision_recall": set(GROUPS),
    "average_precision": set(GROUPS),
}
KINDS = {
    "estimate": lambda metric, by: fl.Estimate(metric, by=by),
    "identify": lambda metric, by: fl.Identify(metric, by=by),
    "compare": lambda metric, by: fl.Compare(metric, by=by, a="x", b="y"),
    "below": lambda metric, by: fl.Below(metric, 0.5, by=by),
    "above": lambda metric, by: fl.Above(metric, 0.5, by=by),
}
ONE_A_GROUP = {"identify", "compare", "below", "above"}


def made(name: str):
    return metric_by_name(name, "a" if needs_positive(name) else None)


def expected(metric: str, group: str, kind: str) -> bool:
    """Whether it is to be refused."""
    figure = made(metric)
    if kind in ONE_A_GROUP and not figure.one_a_group:
        return True
    if kind in ("below", "above") and (figure.scale is None or group in BY_TRUTH):
        return True
    return group in REFUSED[metric]


def test_every_metric_is_spoken_of():
    assert set(REFUSED) == set(metric_names())
    assert set(METRICS) - {"f_score"} <= set(REFUSED)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("metric", REFUSED)
def test_each_is_asked_or_refused_in_words(metric, group, kind):
    ask = KINDS[kind]
    if not expected(metric, group, kind):
        assert ask(made(metric), GROUPS[group]).kind == kind
        return
    with pytest.raises(fl.QuestionError) as refusal:
        ask(made(metric), GROUPS[group])
    assert str(refusal.value).endswith(".")
    assert len(str(refusal.value).split()) > 8


def test_the_refusal_says_why_and_what_to_ask():
    with pytest.raises(fl.QuestionError) as refusal:
        fl.Identify("balanced_accuracy", by="predicted_class")
    assert str(refusal.value).startswith("balanced accuracy by predicted class has no meaning: it is a mean over true")
    assert "Ask for accuracy by predicted class" in str(refusal.value)


def test_predictions_at_a_threshold_are_not_those_of_the_groups():
    assert fl.Estimate(fl.FScore(0.5, "a", threshold=0.3), by="predicted_class").by


def test_a_study_that_asked_such_a_question_once_is_read():
    question = fl.Identify("balanced_accuracy", by="side", top=1)
    data = question.to_json() | {"by": [{"kind": "predicted_class"}]}
    kept = question_from_json(data)
    assert kept.to_json() == data
    assert kept == question_from_json(data)
    settings = fl.StudySettings(kept)
    assert fl.StudySettings.from_json(settings.to_json()) == settings


def test_its_figures_would_say_nothing():
    """The negative control: what was answered before is a third in each group, however many are right."""
    rng = np.random.default_rng(0)
    pool = fl.Pool.from_arrays(predicted=rng.choice(list("abc"), 300), score=[0.8] * 300)
    data = fl.Estimate("balanced_accuracy", by="side").to_json() | {"by": [{"kind": "predicted_class"}]}
    study = fl.create_study(pool, question_from_json(data), strategy="uniform")
    study.tell({item: rng.choice(list("abc")) for item in range(300)}, drawn="uniform")
    assert [f.value for f in study.answer().findings] == pytest.approx([1 / 3] * 3)
