"""F-scores on pools out of the ordinary: answered in words."""

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.reading.answer import answer as answer_to
from fewlabels.testing.folded import folded
from fraud_studies import F1, PRECISION, RECALL, label, sound, study_of, tell


def scored(scores, y) -> tuple[fl.Pool, np.ndarray]:
    return fl.Pool.from_arrays(positive_score=scores, positive="fraud"), np.array(y, dtype=bool)


def top_class(rng: np.random.Generator, s: np.ndarray, y: np.ndarray) -> tuple[fl.Pool, np.ndarray]:
    """Two classes, one column of scores: that of the class predicted."""
    predicted = np.where(rng.uniform(size=len(s)) < 0.3, "fraud", "fine")
    return fl.Pool.from_arrays(predicted=predicted, score=0.5 + s, classes=["fine", "fraud"]), y


@cache
def edges() -> dict[str, tuple[fl.Pool, np.ndarray]]:
    """Pools out of the ordinary, and which of their items are positive."""
    rng = np.random.default_rng(5)
    s = rng.uniform(0.05, 0.45, size=60)
    y = rng.uniform(size=60) < 0.2
    y[:2] = True, False
    many = np.arange(60) < 54
    return {
        "no predicted positives": scored(s, y),
        "no predicted and no true positives": scored(s, np.zeros(60)),
        "no true positives": scored(2 * s, np.zeros(60)),
        "all predicted positive": scored(0.5 + s, y),
        "all positive": scored(0.5 + s, np.ones(60)),
        "constant scores": scored([0.7] * 60, y),
        "one score, predicted negative": scored([0.0] * 60, y),
        "one column of two classes": top_class(rng, s, y),
        "ties": scored(np.where(many, 0.2, 0.3 + np.arange(60) / 100), y),
        "ties of predicted positives": scored(np.where(many, 1.0, np.arange(60) / 100), y),
        "smaller than the first batch": scored(2 * s[:4], y[:4]),
        "one item": scored([0.9], y[:1]),
        "scores of 0 and 1": scored(np.arange(60) % 2, y),
    }


def predicted_positive(some_pool: fl.Pool) -> set[int]:
    index = some_pool.engine.models["model"].predicted
    return set(np.flatnonzero(index == some_pool.classes.index("fraud")).tolist())


METHODS = {
    "auto": {},
    "once": {"strategy": fl.Acis(replacement=False)},
    "whole": {"strategy": fl.Acis(reuse=False)},
    "platt": {"strategy": fl.Acis(calibration="platt")},
    "sawade": {"strategy": "sawade"},
    "top_k": {"strategy": "top_k"},
    "gmm": {"strategy": "top_k", "estimator": "gmm"},
    "herding": {"strategy": "herding"},
    "rand": {"strategy": "uniform", "estimator": "weighted"},
    "iso": {"strategy": "uniform", "estimator": "iso"},
    "platt alone": {"strategy": "uniform", "estimator": "platt"},
    "beliefs": {"strategy": "thompson"},
}


CURVE = fl.Estimate(fl.FCurve("fraud", (0.1, 0.4, 0.8)))


def of_population(study: fl.Study) -> Iterator[fl.Answer]:
    """The study's answer whenever one is taken, were it about the population its pool came from: the same is asked for
    both."""
    (assessed, history), seen = folded(study), len(study.events)
    assessed = replace(assessed, settings=replace(assessed.settings, target="population"))
    while True:
        yield answer_to(assessed, history.evidence(), 0.95, "equal-tailed")
        for event in (new := study.events_after(seen)):
            history.apply(event)
        seen += len(new)


@cache
def looks(name: str, method: str) -> list[tuple[dict[str, fl.Answer], bool]]:
    """From the first label to the last: the answer by target, and whether all that is asked about is labelled."""
    some_pool, y = edges()[name]
    most = 30 if method in ("whole", "sawade") else len(some_pool)  # the last ones take draws without end
    found = []
    for question in (F1, PRECISION, RECALL, CURVE):
        study = study_of(question, some_pool, seed=3, **METHODS[method])
        other = study.classes[1 - study.classes.index("fraud")]
        asked_about = predicted_positive(some_pool) if question is PRECISION else set(range(len(some_pool)))
        population = of_population(study)
        found.append(({"pool": study.answer(), "population": next(population)}, False))
        while len(study.labels) < most and (queries := study.ask(1 if len(study.labels) < 3 else 9)):
            study.tell({query.item: "fraud" if y[query.item] else other for query in queries})
            known = asked_about <= set(study.labels)
            found.append(({"pool": study.answer(), "population": next(population)}, known))
            assert study.progress.reason
    return found


@pytest.mark.usefixtures("fewer_draws")
@pytest.mark.parametrize("target", ["pool", "population"])  # one after the other, to share what was looked at
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", edges())
def test_pools_out_of_the_ordinary_are_answered_in_words(name, method, target):
    """From the first label to the last: no NaN shown, no crash, no width of zero before all is labelled."""
    for answers, known in looks(name, method):
        assert answers[target].findings[0].target == target
        sound(answers[target], exact_allowed=target == "pool" and known)


@pytest.mark.parametrize("method", METHODS)
def test_the_same_is_asked_whether_the_pool_is_meant_or_the_population(method):
    def asked(target: str) -> list[int]:
        study = study_of(target=target, **METHODS[method])
        while len(study.labels) < 30:
            tell(study, study.ask(5))
        return list(study.labels)

    assert asked("pool") == asked("population")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no predicted positives", "predicts 'fraud' for no item"),
        ("all predicted positive", "predicts 'fraud' for every item"),
        ("constant scores", "same score"),
        ("ties", "90% of the items share one score"),
    ],
)
def test_what_is_odd_about_a_pool_is_said(name, words):
    some_pool, y = edges()[name]
    study = label(study_of(F1, some_pool), 5, y)
    assert words in str(study.answer())


def test_no_positive_found_yet_is_said_and_leaves_the_score_open():
    some_pool, y = edges()["no true positives"]
    study = label(study_of(RECALL, some_pool), 12, y)
    answer = study.answer()
    assert "No item labelled so far is 'fraud'" in str(answer)
    assert (answer.overall.low, answer.overall.high) == (0, 1)
    assert math.isnan(answer.overall.value)


def test_before_the_first_label_nothing_is_claimed():
    answer = study_of().answer()
    assert "no labels yet" in answer.sentence
    assert (answer.overall.low, answer.overall.high) == (0, 1)


@pytest.mark.parametrize("alpha", [0.0, 0.5])
def test_without_predicted_positives_the_score_is_zero_once_a_positive_is_found(alpha):
    some_pool, y = edges()["no predicted positives"]
    study = label(study_of(fl.Estimate(fl.FScore(alpha, "fraud")), some_pool), 60, y)
    assert (study.answer().overall.value, study.answer().overall.high) == (0, 0)


def test_precision_without_predicted_positives_is_not_said_to_be_reached():
    """Nothing can be labelled and nothing is known: no goal is reached by that, whichever it is."""
    some_pool, _ = edges()["no predicted positives"]
    for until in (fl.Variance(0.005), fl.HalfWidth(0.05)):
        study = study_of(PRECISION, some_pool, until=until)
        assert study.ask(5) == []
        assert "Goal reached" not in study.progress.reason
        sound(study.answer())


def test_a_fully_labelled_pool_without_any_positive_is_not_called_unknown_yet():
    some_pool, y = edges()["no predicted and no true positives"]
    study = label(study_of(F1, some_pool), 60, y, step=20)
    assert len(study.labels) == 60
    assert "not known yet" not in study.answer().sentence
    assert "not defined" in study.answer().sentence


@pytest.mark.parametrize("question", [F1, PRECISION, RECALL, fl.Estimate(fl.FCurve("fraud", (0.5,)))])
@pytest.mark.parametrize("strategy", ["auto", "thompson"])
def test_one_against_the_rest_is_refused_where_only_the_top_score_is_known(question, strategy):
    predicted = ["fraud", "fine", "odd"] * 10
    some_pool = fl.Pool.from_arrays(predicted=predicted, score=np.linspace(0.4, 0.9, 30))
    with pytest.raises(fl.QuestionError, match="score of 'fraud' for every item") as caught:
        study_of(question, some_pool, strategy=strategy)
    assert "one column a class" in str(caught.value)


def test_one_against_the_rest_is_that_of_the_argmax_on_full_probabilities():
    rng = np.random.default_rng(2)
    p = rng.dirichlet([0.5, 0.5, 0.5], size=80)
    y = np.where(rng.uniform(size=80) < 0.7, p.argmax(axis=1), rng.integers(0, 3, 80))
    names = ["fine", "fraud", "odd"]
    study = study_of(F1, fl.Pool.from_arrays(probabilities=p, classes=names))
    while queries := study.ask(20):
        study.tell({q.item: names[y[q.item]] for q in queries})
    hit, true = p.argmax(axis=1) == 1, y == 1
    assert study.answer().overall.value == pytest.approx(2 * (hit & true).sum() / (hit.sum() + true.sum()), abs=1e-14)
