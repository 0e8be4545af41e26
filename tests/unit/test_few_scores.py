"""Models that only say yes or no, or give few marks: what `auto` is for their F-scores."""

import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.assessment import assess
from fewlabels.core.evidence import NO_EVIDENCE
from fewlabels.core.importance import FSample


def pool_of(scores: np.ndarray, **more: object) -> fl.Pool:
    return fl.Pool.from_arrays(positive_score=scores, positive="yes", classes=["no", "yes"], **more)


def made(pool: fl.Pool, metric: object = "recall", **settings: object) -> tuple[str, str]:
    """The names of the strategy and the estimator of a study."""
    used = fl.create_study(pool, fl.Estimate(metric, positive="yes"), **settings).settings
    return used.strategy_used.name, used.estimator_used.name


YES_OR_NO = (np.arange(200) % 8 == 0).astype(float)
MARKS = np.arange(200) % 5 / 4
LEVELS, DOUBT, STRATA = ("thompson", "levels"), ("doubt", "difference"), ("neyman", "two_strata")


@pytest.mark.parametrize(("scores", "parts"), [(YES_OR_NO, STRATA), (MARKS, LEVELS)], ids=["yes or no", "five marks"])
@pytest.mark.parametrize("metric", ["recall", "precision", "f1", fl.FScore(0.3, positive="yes")])
def test_two_scores_are_two_strata_and_each_of_a_few_is_a_cell(scores, parts, metric):
    pool = pool_of(scores)
    question = fl.Estimate(metric) if isinstance(metric, fl.FScore) else fl.Estimate(metric, positive="yes")
    study = fl.create_study(pool, question)
    assert (study.settings.strategy_used.name, study.settings.estimator_used.name) == parts


def test_scores_that_rank_items_are_drawn_by():
    assert made(pool_of(np.arange(200) % 6 / 5)) == DOUBT  # six of them
    assert made(pool_of(np.linspace(0, 1, 200))) == DOUBT
    assert made(pool_of(np.arange(45) % 5 / 4)) == DOUBT  # nine items a mark
    assert made(pool_of(np.full(200, 0.7))) == DOUBT  # one score, which is said


def test_what_somebody_asks_for_is_done():
    assert made(pool_of(MARKS), strategy="doubt") == DOUBT
    assert made(pool_of(MARKS), strategy="uniform")[0] == "uniform"
    assert made(pool_of(MARKS), estimator="difference") == DOUBT
    assert made(pool_of(MARKS), estimator="two_strata") == made(pool_of(MARKS), strategy="neyman") == STRATA


def test_curves_and_lists_of_figures_keep_their_draws():
    assert made(pool_of(MARKS), ["f1", "recall"]) == DOUBT
    assert made(pool_of(MARKS), "average_precision") == DOUBT


def test_a_study_that_is_loaded_again_goes_on_as_it_was_made(tmp_path):
    pool, question, place = pool_of(MARKS), fl.Estimate("f1", positive="yes"), f"sqlite:///{tmp_path / 'marks.db'}"
    study = fl.create_study(pool, question, storage=place)
    study.tell({query.item: "yes" for query in study.ask(7)})
    again = fl.load_study(storage=place, pool=pool)
    assert again.answer() == study.answer()
    assert [q.item for q in again.ask(5)] == [q.item for q in study.open_queries]
    assert fl.create_study(pool, question, storage=place, load_if_exists=True).answer() == study.answer()


def test_simulations_take_the_same_default():
    labels = np.where(np.arange(200) % 7 < 2, "yes", "no")
    question, methods = fl.Estimate("recall", positive="yes"), [fl.Method(), fl.Method("thompson", "levels")]
    found = fl.simulate(pool_of(MARKS), labels, question=question, methods=methods, budgets=[20, 60], runs=3)
    assert np.array_equal(found.values[:, 0], found.values[:, 1])
    assert found.values.std() > 0


def test_a_forecast_goes_by_all_labels_though_few_count_in_a_recall():
    study = fl.create_study(pool_of(YES_OR_NO), fl.Estimate("recall", positive="yes"), until=fl.HalfWidth(0.02))
    study.tell({query.item: "no" if query.item % 8 else "yes" for query in study.ask(40)})
    (found,) = study.answer().findings
    likely = math.ceil(40 * ((found.half_width / 0.02) ** 2 - 1))
    assert study.progress.labels_left.likely == min(likely, 160)


def prior_of(predicted: list[str], score: list[float], **metric: object) -> list[float]:
    """What is expected of each cell before a label is there; cells are in the order of predictions, then scores."""
    pool = fl.Pool.from_arrays(predicted=np.repeat(predicted, 20), score=np.repeat(score, 20), classes=["no", "yes"])
    question = fl.Estimate(fl.FScore(0.5, "yes", **metric))
    made = assess(fl.StudySettings(question, strategy="thompson", estimator="levels"), question, pool, "model")
    return made.belief(NO_EVIDENCE).mean.round(5).tolist()


def test_a_score_that_agrees_with_the_prediction_is_believed():
    assert prior_of(["no", "no", "yes", "yes"], [0.9, 0.6, 0.5, 0.8]) == [0.1, 0.4, 0.5, 0.8]


def test_a_score_that_contradicts_the_prediction_is_not_believed():
    """What is not predicted is what the prediction says; what is predicted is as likely to be right as not."""
    assert prior_of(["no", "no", "yes", "yes"], [1.0, 0.2, 0.0, 1.0]) == [0.0, 0.0, 0.5, 1.0]


def test_a_threshold_on_the_score_cannot_contradict_it():
    assert prior_of(["no", "no", "yes"], [0.9, 0.6, 0.8], threshold=0.4) == [0.1, 0.4, 0.8]


def test_of_three_classes_a_third_is_enough_to_be_predicted():
    rows = np.repeat([[0.25, 0.4, 0.35], [0.4, 0.35, 0.25], [0.2, 0.2, 0.6]], 20, axis=0)
    pool = fl.Pool.from_arrays(probabilities=rows, classes=["yes", "no", "neither"])
    question = fl.Estimate("f1", positive="yes")
    made = assess(fl.StudySettings(question, strategy="thompson", estimator="levels"), question, pool, "model")
    assert made.belief(NO_EVIDENCE).mean.round(5).tolist() == [0.2, 0.25, 0.4]


def test_labels_go_where_nothing_is_shown_yet_though_scores_are_sure():
    """A thousand items said to be no, forty said to be yes: both are asked about, as neither is certain."""
    truth = (np.arange(1040) < 40).astype(float)
    study = fl.create_study(pool_of(truth), fl.Estimate("f1", positive="yes"), seed=0)
    for _ in range(5):
        study.tell({q.item: "yes" if truth[q.item] and q.item % 9 else "no" for q in study.ask(10)})
    asked = np.array([truth[item] for item in study.labels])
    assert 5 <= asked.sum() <= 35


def sample_of(size: list[int], predicted: list[float]) -> FSample:
    none = np.zeros(0, dtype=np.int64)
    n = len(size)
    return FSample(
        0.5, np.array(size), np.linspace(0, 1, n), np.array(predicted), np.arange(n), none, none.astype(float), none,
        none, none, none.astype(float),
    )  # fmt: skip


def test_ties_are_scores_that_a_tenth_of_the_predicted_negatives_share():
    assert sample_of([80, 11, 9, 50], [0, 0, 0, 1]).tied.tolist() == [True, True, False, False]
    assert sample_of([1, 1, 1], [0, 0, 1]).tied.tolist() == [False, False, False]  # one item is no tie
