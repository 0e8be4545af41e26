"""Labels for the group that stands out: who shares them, and what is believed for which kind of question."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.keyed import Keyed
from fewlabels.core.recalibration import SCEPTICAL, TRUSTING, WARY
from fewlabels.estimators import read_estimator
from fewlabels.settings import StudySettings
from fewlabels.strategies import Contest, Gain, State


def drawn(
    contest: Contest | None, rounds: int = 400, *, labels: int = 100_000, rate: float = 0.8, errors: float = 0.5
) -> np.ndarray:
    """How often each of six cells of two groups is drawn, by gains of 1, 2, 3 and 10, 20, 30."""
    gain = np.array([1.0, 2, 3, 10, 20, 30])
    state = State(
        np.full(6, 1000),
        1,
        5,
        1,
        lambda: pytest.fail("no rewards are looked at"),
        lambda: pytest.fail("no sample is looked at"),
        lambda: gain,
        labels,
        lambda: contest,
        make_likeliest=lambda: np.full(6, rate),
    )
    strategy = Gain(power=1.0, errors=errors)
    arms = [arm for number in range(rounds) for arm in strategy.choose(state, Keyed(1, number)).arms]
    return np.bincount(arms, minlength=6) / len(arms)


def test_groups_share_labels_by_the_contest_and_gains_decide_inside():
    group = np.array([0, 0, 0, 1, 1, 1])
    found = drawn(Contest(group, np.array([0.3, 0.1])))
    gains = np.array([1, 2, 3, 1, 2, 3]) / 6
    share = np.array([0.75, 0.75, 0.75, 0.25, 0.25, 0.25])
    np.testing.assert_allclose(found, 0.8 * share * gains + 0.2 / 6, atol=0.04)


def test_without_a_contest_gains_decide_alone():
    np.testing.assert_allclose(drawn(None), 0.8 * np.array([1, 2, 3, 10, 20, 30]) / 66 + 0.2 / 6, atol=0.04)


def test_where_nothing_is_open_labels_are_uniform():
    np.testing.assert_allclose(drawn(Contest(np.array([0, 0, 0, 1, 1, 1]), np.zeros(2))), np.full(6, 1 / 6), atol=0.04)


@pytest.mark.parametrize(
    ("rate", "labels", "errors", "uniform"),
    [
        (0.8, 0, 0.5, 1.0),
        (0.8, 30, 0.5, 0.25),  # ten labels' worth
        (0.8, 200, 0.5, 0.2),
        (0.99, 50, 0.5, 0.5),  # as many as hold half an error
        (0.99, 150, 0.5, 0.25),
        (0.99, 5000, 0.5, 0.2),
        (0.01, 150, 0.5, 0.25),  # nearly always wrong is as hard to tell from always
        (0.99, 150, 1.0, 0.4),
        (0.99, 150, 0.0, 0.2),
        (1.0, 1500, 0.5, 2 / 3),  # one item of 6,000 at least
    ],
)
def test_more_draws_are_uniform_where_errors_are_rare(rate, labels, errors, uniform):
    found = drawn(None, labels=labels, rate=rate, errors=errors)
    gains = np.array([1, 2, 3, 10, 20, 30]) / 66
    np.testing.assert_allclose(found, (1 - uniform) * gains + uniform / 6, atol=0.04)


@pytest.mark.parametrize("errors", [-0.1, np.inf, np.nan])
def test_errors_that_cannot_be_are_refused(errors):
    with pytest.raises(fl.QuestionError, match="errors a number from 0 on"):
        Gain(errors=errors)


QUESTIONS = [
    (fl.Estimate("accuracy", by="predicted_class"), TRUSTING),
    (fl.Compare("accuracy", by="predicted_class", a="x", b="y"), WARY),
    (fl.Identify("accuracy", by="predicted_class"), SCEPTICAL),
]


@pytest.mark.parametrize(("question", "trust"), QUESTIONS, ids=[q.kind for q, _ in QUESTIONS])
def test_how_far_scores_are_trusted_depends_on_the_kind_of_question(question, trust):
    for own in QUESTIONS:  # whatever the labels were drawn for
        settings = StudySettings(own[0], strategy="gain", estimator="hierarchical")
        assert settings.estimator_for(question).trust == trust
        assert settings.estimator_for(question).name == "hierarchical"


@pytest.mark.parametrize("name", ["beta", "cautious", "frequency"])
@pytest.mark.parametrize("kind", ["estimate", "identify", "compare"])
def test_other_estimators_read_all_questions_alike(name, kind):
    own = read_estimator(name)
    assert own.for_kind(kind) is own


def test_a_study_looks_at_the_confident_class_that_is_wrong():
    """Eight classes, the most confident of them right one time in three; the study finds it, and says so only then."""
    rng = np.random.default_rng(5)
    predicted = rng.integers(0, 8, 1600)
    confidence = np.array([0.7, 0.8, 0.85, 0.88, 0.9, 0.92, 0.94, 0.97])
    score = np.clip(confidence[predicted] + rng.normal(0, 0.03, 1600), 0, 1)
    right = rng.random(1600) < np.where(predicted == 7, 0.33, score)
    names = [f"c{k}" for k in predicted]
    pool = fl.Pool.from_arrays(predicted=names, score=score, other_labels=["other"])
    question = fl.Identify("accuracy", by="predicted_class")
    study = fl.create_study(pool, question, strategy="gain", estimator="hierarchical", seed=3)
    for _ in range(8):
        asked = study.ask(20)
        study.tell({query.item: names[int(query.item)] if right[int(query.item)] else "other" for query in asked})
        answer = study.answer()
        assert answer.groups == ("c7",) or answer.probability < 0.7
        assert sum(finding.p_top for finding in answer.findings) == pytest.approx(1)
    assert answer.groups == ("c7",)
    assert answer.probability > 0.9
    assert "counting half" not in answer.findings[0].method  # which is what ranks are judged by, not figures
