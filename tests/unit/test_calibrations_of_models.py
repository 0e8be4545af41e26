"""Calibration errors of two models: each read by itself off the same uniform labels, and how far they are apart."""

import math

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.assessment import assess
from fewlabels.core.cells import View

ITEMS, NAMES = 600, ["a", "b", "c"]
QUESTION = fl.CompareModels("calibration_error", "new", "old")


def made(seed: int = 0) -> tuple[fl.Pool, np.ndarray]:
    """A model that is too sure of itself, one that is not and predicts nearly the same, and what is true."""
    rng = np.random.default_rng(seed)
    predicted, score = rng.integers(0, 3, ITEMS), rng.uniform(0.5, 0.85, ITEMS)
    true = np.where(rng.random(ITEMS) < score, predicted, (predicted + 1) % 3)
    other = np.where(np.arange(ITEMS) % 50 == 0, (predicted + 2) % 3, predicted)
    each = {"new": (other, score + 0.15), "old": (predicted, score)}
    return fl.Pool.join(
        {
            name: fl.Pool.from_arrays(predicted=[NAMES[p] for p in said], score=sure, classes=NAMES)
            for name, (said, sure) in each.items()
        }
    ), true


POOL, TRUE = made()


def told(labels: int, question: fl.CompareModels = QUESTION, **how: object) -> fl.Study:
    study = fl.create_study(POOL, question, seed=3, **how)
    study.tell({q.item: NAMES[TRUE[q.item]] for q in study.ask(labels)} if labels else {})
    return study


def error(model: str) -> float:
    """By hand, from all labels and ten bins."""
    outputs = POOL.engine.models[model]
    place = np.minimum((outputs.score * 10).astype(int), 9)
    right = outputs.predicted == TRUE
    gaps = [abs(right[place == b].mean() - outputs.score[place == b].mean()) * (place == b).mean() for b in set(place)]
    return float(sum(gaps))


def test_the_difference_is_that_of_each_by_itself():
    study = told(200)
    answer, alone = study.answer(), study.answer(fl.Estimate("calibration_error"), model="new").overall
    assert answer.difference.labels == 200
    assert f"new {alone}" in answer.sentence
    assert answer.difference.low < answer.difference.value < answer.difference.high
    assert answer.p_less + answer.p_equal + answer.p_more == pytest.approx(1)
    assert study.settings.resolved().strategy.name == "uniform"


def test_the_interval_is_that_of_both_put_together():
    study = told(150)
    answer = study.answer()
    one = study.answer(fl.Estimate("calibration_error"), model="new").overall
    reach = answer.difference.value - answer.difference.low
    assert reach > one.value - one.low  # the other's is in it, too
    wider = study.answer(level=0.99).difference
    assert wider.low < answer.difference.low
    assert wider.high > answer.difference.high


def pull_by_hand(metric: fl.CalibrationError, theta: np.ndarray, view: View) -> np.ndarray:
    """How the error grows with the share that is right in each bin, over the bin's share of items, by small steps."""
    step, out = 1e-6, []
    for unit in range(view.units.count):
        moved = theta + step * (view.units.index == unit)
        slope = (metric.values(moved, view) - metric.values(theta, view)).mean() / step
        out.append(slope * view.units.size.sum() / view.units.size[unit])
    return np.array(out)


@pytest.mark.parametrize("norm", ["absolute", "squared", "maximum"])
def test_what_a_label_pulls_is_the_slope_of_the_error(norm):
    metric = fl.CalibrationError(norm=norm)
    question = fl.Estimate(metric)
    view = assess(fl.StudySettings(question), question, POOL, "new").view
    theta = np.random.default_rng(1).uniform(0.5, 1, (200, view.cells.count))
    assert metric.pull(theta, view) == pytest.approx(pull_by_hand(metric, theta, view), abs=1e-3)


def test_errors_to_opposite_sides_make_the_interval_wider():
    rng = np.random.default_rng(4)
    said, sure = rng.integers(0, 2, 400), rng.uniform(0.6, 1, 400)
    pools = [
        fl.Pool.from_arrays(predicted=[NAMES[k] for k in one], score=sure, classes=NAMES) for one in (said, 1 - said)
    ]
    study = fl.create_study(fl.Pool.join(dict(zip("xy", pools, strict=True))), fl.CompareModels("calibration_error"))
    study.tell({q.item: NAMES[rng.integers(0, 2)] for q in study.ask(100)})
    one, other = (study.answer(fl.Estimate("calibration_error"), model=name).overall for name in "xy")
    found = study.answer().difference
    independent = math.hypot(one.value - one.low, other.high - other.value)
    both = one.value - one.low + other.high - other.value
    assert 1.2 * independent < found.value - found.low < 1.01 * both


def test_from_all_labels_it_is_exact():
    answer = told(ITEMS).answer()
    assert answer.difference.value == pytest.approx(error("new") - error("old"))
    assert answer.difference.low == answer.difference.high == answer.difference.value
    assert answer.verdict == ("worse" if error("new") - error("old") > 0.01 else "tied")


def test_the_model_that_is_too_sure_is_found_worse_and_it_says_so():
    study = told(400, until=fl.Probability(0.95))
    answer = study.answer()
    assert answer.verdict == "worse"
    assert "new has a higher calibration error than old" in answer.sentence
    assert study.done, study.progress.reason


def test_a_claim_takes_a_hundred_labels():
    study = told(90, until=fl.Probability(0.5))
    assert not study.done
    assert "a claim takes 100 labels; there are 90 labels" in study.progress.reason


def test_without_labels_nothing_is_said():
    answer = told(0).answer()
    assert answer.sentence == "Not decided: no labels yet."
    assert math.isnan(answer.difference.value)
    assert (answer.difference.low, answer.difference.high) == (-1.0, 1.0)
    assert answer.verdict == "open"


def test_a_model_and_itself_are_alike_whatever_the_labels():
    one = fl.Pool.from_arrays(predicted=["a", "b", "a", "b"], score=[0.9, 0.6, 0.8, 0.7], classes=["a", "b"])
    study = fl.create_study(fl.Pool.join({"x": one, "y": one}), fl.CompareModels("calibration_error"))
    answer = study.answer()
    assert "the same of all 4 items" in answer.sentence
    assert (answer.verdict, answer.difference.value, answer.difference.high) == ("tied", 0.0, 0.0)


def test_a_model_and_itself_are_alike_though_labels_move_both_alike():
    rng = np.random.default_rng(2)
    one = fl.Pool.from_arrays(predicted=["a", "b"] * 100, score=rng.uniform(0.5, 1, 200), classes=["a", "b"])
    study = fl.create_study(fl.Pool.join({"x": one, "y": one}), fl.CompareModels("calibration_error"))
    for _ in range(20):  # a correlation of one is now and then a little more, in floating point
        study.tell({query.item: "ab"[rng.integers(0, 2)] for query in study.ask(3)})
        answer = study.answer()
        assert (answer.verdict, answer.difference.low, answer.difference.high) == ("tied", 0.0, 0.0)


def test_a_kept_study_answers_the_same(tmp_path):
    place = f"sqlite:///{tmp_path / 'kept.db'}"
    first = told(100, storage=place, name="kept").answer()
    again = fl.load_study("kept", storage=place, pool=POOL).answer()
    assert again.sentence == first.sentence


def test_a_simulation_knows_the_truth():
    labels = [NAMES[t] for t in TRUE]
    found = fl.simulate(POOL, labels, QUESTION, budgets=[100, ITEMS], runs=3, seed=1)
    (last,) = [d for d in found.to_dicts() if d["labels"] == ITEMS and d["measure"] == "rmse"]
    assert last["mean"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: fl.CompareModels("calibration_error", "new", "old", by="region"), ["all items", "leave out by="]),
        (lambda: fl.BestModel("calibration_error"), ["accuracy", "calibration error"]),
        (lambda: told(0, strategy="influence"), ["'influence'", "uniform"]),
        (lambda: told(0, estimator="paired"), ["'paired'"]),
        (lambda: told(0, fl.CompareModels("accuracy", "new", "old"), estimator="each_model"), ["'each_model'"]),
        (lambda: told(50).answer(anytime=True), ["every look", "anytime=True"]),
        (
            lambda: told(50, fl.CompareModels("accuracy", "new", "old")).answer(QUESTION),
            ["uniform"],
        ),
        (lambda: told(0, fl.CompareModels(fl.CalibrationError(norm="squared", debias=True))), ["debias"]),
    ],
)
def test_what_does_not_fit_is_refused_in_words(make, words):
    with pytest.raises(fl.QuestionError) as caught:
        make()
    assert all(word in str(caught.value) for word in words), str(caught.value)
