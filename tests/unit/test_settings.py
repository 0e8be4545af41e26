"""Settings: every wrong name and number is refused when a study is created; the JSON round trip is exact."""

import json

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.settings import StudySettings

POOL = fl.Pool.from_arrays(
    probabilities=np.random.default_rng(0).dirichlet([1, 1, 1], 30),
    classes=["a", "b", "c"],
    columns={"region": ["N", "S"] * 15},
)
ACCURACY = fl.Estimate("accuracy", by="predicted_class")
COMPARE = fl.Compare("accuracy", by="region", a="N", b="S")

BAD_SETTINGS = {
    "strategy": ({"strategy": "tomson"}, ["'tomson'", "auto", "uniform", "thompson", "top_two"]),
    "estimator": ({"estimator": "betta"}, ["'betta'", "auto", "beta", "frequency"]),
    "prior": ({"prior": "score"}, ["'score'", "flat", "scores", "fl.Prior"]),
    "prior of another type": ({"prior": {"a": 0.5}}, ["prior", "flat", "scores", "fl.Prior"]),
    "target": ({"target": "world"}, ["'world'", "'pool'", "'population'"]),
    "model": ({"model": "gpt"}, ["'gpt'", "models are model"]),
    "no budget": ({"budget": 0}, ["budget", "at least 1", "0"]),
    "budget as text": ({"budget": "500"}, ["budget", "'500'"]),
    "half a label": ({"budget": 5.5}, ["budget", "5.5"]),
    "level in percent": ({"level": 95}, ["level", "0.95", "95"]),
    "level as text": ({"level": "high"}, ["level", "'high'"]),
    "negative seed": ({"seed": -1}, ["seed", "-1"]),
    "seed as text": ({"seed": "seven"}, ["seed", "'seven'"]),
    "no prior strength": ({"prior_strength": 0}, ["prior_strength", "positive", "0"]),
    "endless prior strength": ({"prior_strength": float("inf")}, ["prior_strength", "inf"]),
    "goal as a number": ({"until": 0.05}, ["until", "0.05", "fl.HalfWidth"]),
    "top-two for an estimate": ({"strategy": "top_two"}, ["top_two", "Identify", "thompson"]),
    "a probability as goal of an estimate": ({"until": fl.Probability(0.9)}, ["Probability", "HalfWidth"]),
    "a prior for an unknown group": ({"prior": fl.Prior({"z": 0.3})}, ["'z'", "a, b, c"]),
    "a prior along bins that are not there": ({"prior": "diagonal"}, ["diagonal", "score bins"]),
    "a storage of another kind": ({"storage": "mysql://host/db"}, ["mysql://host/db", "sqlite:///"]),
}


@pytest.mark.parametrize(("arguments", "words"), BAD_SETTINGS.values(), ids=BAD_SETTINGS.keys())
def test_bad_settings_are_refused_with_what_is_known(arguments, words):
    with pytest.raises(fl.FewlabelsError) as caught:
        fl.create_study(POOL, ACCURACY, **arguments)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert str(caught.value).endswith((".", "?"))


def test_a_refused_study_is_not_kept(tmp_path):
    where = f"sqlite:///{tmp_path}/s.db"
    for arguments, _ in BAD_SETTINGS.values():
        with pytest.raises(fl.FewlabelsError):
            fl.create_study(POOL, ACCURACY, name="mine", **{"storage": where, **arguments})
    fl.create_study(POOL, ACCURACY, name="mine", storage=where)


BAD_QUESTIONS = {
    "metric": (lambda: fl.Estimate("accurracy"), ["'accurracy'", "accuracy", "calibration_error", "confusion"]),
    "metric of another type": (lambda: fl.Estimate(3), ["'accuracy'", "3"]),
    "no positive class": (lambda: fl.Estimate("true_positive_rate"), ["positive="]),
    "a positive class without meaning": (lambda: fl.Estimate("accuracy", positive="a"), ["'a'", "'accuracy'"]),
    "top": (lambda: fl.Identify("accuracy", by="region", top=0), ["top", "at least 1", "0"]),
    "which": (lambda: fl.Identify("accuracy", by="region", which="bad"), ["'worst'", "'best'", "'bad'"]),
    "nothing to identify": (lambda: fl.Identify("accuracy"), ["by="]),
    "a table to identify": (lambda: fl.Identify("confusion", by="region"), ["confusion", "fl.Estimate"]),
    "one group compared": (lambda: fl.Compare("accuracy", by="region", a="N", b="N"), ["'N'", "different"]),
    "rope": (lambda: fl.Compare("accuracy", by="region", a="N", b="S", rope=5), ["rope", "0.05", "5"]),
    "half-width": (lambda: fl.HalfWidth(0), ["positive", "0"]),
    "half-width of": (lambda: fl.HalfWidth(0.1, of="all"), ["'groups'", "'overall'", "'all'"]),
    "probability": (lambda: fl.Probability(95), ["0.95", "95"]),
    "prior mean": (lambda: fl.Prior(1.5), ["between 0 and 1", "1.5"]),
    "prior strength": (lambda: fl.Prior(0.5, strength=-1), ["positive", "-1"]),
}


@pytest.mark.parametrize(("make", "words"), BAD_QUESTIONS.values(), ids=BAD_QUESTIONS.keys())
def test_bad_questions_are_refused_with_what_is_known(make, words):
    with pytest.raises(fl.QuestionError) as caught:
        make()
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (fl.Identify("accuracy", by="region", top=2), ["top=2", "2 groups"]),
        (fl.Compare("accuracy", by="region", a="N", b="X"), ["'X'", "N, S"]),
        (fl.Estimate("true_positive_rate", positive="z"), ["'z'", "a, b, c"]),
        ("accuracy", ["fl.Estimate", "'accuracy'"]),
    ],
)
def test_a_question_that_does_not_fit_the_pool_is_refused(question, words):
    with pytest.raises(fl.QuestionError) as caught:
        fl.create_study(POOL, question)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_path_for_a_pool_says_to_open_it():
    with pytest.raises(fl.FewlabelsError, match="open_pool"):
        fl.create_study("predictions.parquet", ACCURACY)


ALL_SETTINGS = [
    StudySettings(ACCURACY),
    StudySettings(
        fl.Estimate("accuracy"), strategy="uniform", estimator="frequency", prior="flat", budget=5, seed=2**62
    ),
    StudySettings(ACCURACY, prior=fl.Prior({"a": 0.1, "b": 1 / 3}, strength=7), prior_strength=0.3, level=0.8),
    StudySettings(fl.Estimate("accuracy", by="true_class"), prior="flat", target="population", model="m"),
    StudySettings(fl.Estimate("calibration_error", by=("predicted_class", "region")), until=fl.HalfWidth(0.05)),
    StudySettings(fl.Estimate(fl.CalibrationError(fl.ScoreBins(7, "mass"))), until=fl.HalfWidth(0.1, of="overall")),
    StudySettings(fl.Identify("accuracy", by=fl.ClassMap({"a": "x", "b": "y"}), top=3, which="best")),
    StudySettings(fl.Identify("calibration_bias", by=fl.ScoreBins(3, "mass")), strategy="top_two"),
    StudySettings(COMPARE, until=fl.Probability(0.9)),
    StudySettings(fl.Compare("true_positive_rate", by="region", a="N", b="S", rope=0.01, positive="a")),
    StudySettings(fl.Estimate(fl.Cost([[0, 1], [5, 0]], classes=["a", "b"]), by="column:predicted_class")),
    StudySettings(fl.Estimate("confusion")),
    StudySettings(fl.Estimate("reliability")),
    StudySettings(fl.Estimate("balanced_accuracy")),
    StudySettings(fl.Estimate("macro_f1")),
]


@pytest.mark.parametrize("settings", ALL_SETTINGS, ids=lambda s: s.question.describe())
def test_settings_survive_json_exactly(settings):
    text = json.dumps(settings.to_json())
    again = StudySettings.from_json(json.loads(text))
    assert again == settings
    assert json.dumps(again.to_json()) == text


def test_settings_of_another_version_say_so():
    with pytest.raises(fl.StudyError, match=r"settings of version 99.*up to version 2"):
        StudySettings.from_json({**StudySettings(ACCURACY).to_json(), "schema": 99})


def test_a_seed_may_come_from_numpy():
    assert fl.create_study(POOL, ACCURACY, seed=np.int64(7)).settings.seed == 7


def test_f_scores_are_drawn_by_doubt_and_studies_of_0_1_keep_importance_sampling():
    made = fl.StudySettings(fl.Estimate("f1", positive="fraud"))
    assert (made.strategy_used.name, made.estimator_used.name) == ("doubt", "difference")
    kept = made.as_kept()
    assert (kept.strategy_used.name, kept.estimator_used.name) == ("acis", "acis")
