"""A synthetic pool has what was asked for, to within whole items; where chance is left, the tolerance is stated."""

import time

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.engines import MemoryEngine, ModelOutputs
from fewlabels.simulation import synthetic_pool


def parts(pool: fl.Pool) -> tuple[ModelOutputs, np.ndarray]:
    """The model's outputs, and whether each is right."""
    assert isinstance(pool.engine, MemoryEngine)
    outputs = pool.engine.models["model"]
    assert pool.known_labels is not None
    return outputs, np.array(pool.classes, dtype=object)[outputs.predicted] == pool.known_labels


def classwise(values: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    return np.bincount(predicted, weights=values) / np.bincount(predicted)


def test_classwise_accuracies_hold_to_within_two_items_a_class():
    wanted = np.linspace(0.35, 0.99, 20)
    outputs, right = parts(synthetic_pool(20_000, 20, accuracy=wanted, seed=3))
    assert np.abs(classwise(right, outputs.predicted) - wanted).max() <= 2 / 1000


def test_accuracies_can_be_one_number_or_named_by_class():
    outputs, right = parts(synthetic_pool(2_000, ["a", "b"], accuracy={"b": 0.6, "a": 0.9}))
    assert classwise(right, outputs.predicted) == pytest.approx([0.9, 0.6], abs=0.002)
    assert parts(synthetic_pool(2_000, 3, accuracy=0.75))[1].mean() == pytest.approx(0.75, abs=0.002)


@pytest.mark.parametrize(
    "curve", [None, lambda s: s**2, lambda s: 0.3 + 0.6 * s, lambda s: np.where(s < 0.7, 0.5, 0.9)]
)
def test_the_calibration_curve_holds_in_every_bin_of_scores(curve):
    """Rights follow the scores class by class, so a bin is off by at most an item at each end a class: 2 × 5 items."""
    outputs, right = parts(synthetic_pool(50_000, 5, scores=(2, 2), calibration=curve, seed=1))
    expected = outputs.score if curve is None else curve(outputs.score)
    number = np.minimum((outputs.score * 20).astype(int), 19)
    gap = np.bincount(number, weights=right - expected, minlength=20)
    assert np.abs(gap).max() <= 10


def test_accuracy_and_calibration_hold_at_once():
    """Accuracy within two items of 2,000; each class's calibration in the large within two items as well."""
    wanted = [0.5, 0.7, 0.9]
    outputs, right = parts(synthetic_pool(6_000, 3, accuracy=wanted, calibration=lambda s: s**1.5))
    assert classwise(right, outputs.predicted) == pytest.approx(wanted, abs=0.001)
    assert classwise(outputs.score**1.5, outputs.predicted) == pytest.approx(wanted, abs=0.001)
    number = np.minimum((outputs.score * 10).astype(int), 9)
    assert np.abs(np.bincount(number, weights=right - outputs.score**1.5)).max() <= 6


def test_group_sizes_are_exact_as_counts_and_nearest_as_shares():
    assert np.bincount(parts(synthetic_pool(100, 3, group_sizes=[70, 25, 5]))[0].predicted).tolist() == [70, 25, 5]
    assert np.bincount(parts(synthetic_pool(100, 3, group_sizes=[1, 1, 1]))[0].predicted).tolist() == [34, 33, 33]
    outputs, _ = parts(synthetic_pool(100, 3, group_sizes=[0.5, 0.5, 0], accuracy=0.8))
    assert np.bincount(outputs.predicted, minlength=3).tolist() == [50, 50, 0]


@pytest.mark.parametrize("ties", [0.0, 0.02, 0.3, 0.555, 1.0])
def test_the_share_of_tied_scores_is_exact_within_each_class(ties):
    outputs, _ = parts(synthetic_pool(4_000, 4, ties=ties, accuracy=[0.6, 0.7, 0.8, 0.9], seed=2))
    for k in range(4):
        _, index, counts = np.unique(outputs.score[outputs.predicted == k], return_inverse=True, return_counts=True)
        assert (counts[index] > 1).sum() == round(ties * 1_000)


def test_columns_have_the_shares_asked_for_and_are_independent_of_being_right():
    """Independent: accuracies of the two groups differ by less than 4.5 standard errors, once in 150,000 pools."""
    pool = synthetic_pool(10_000, 4, accuracy=0.8, columns={"sex": {"F": 0.3, "M": 0.7}, "row": list(range(10_000))})
    assert pool.columns == ("sex", "row")
    assert isinstance(pool.engine, MemoryEngine)
    female = pool.engine.columns["sex"] == "F"
    assert female.sum() == 3_000
    _, right = parts(pool)
    assert abs(right[female].mean() - right[~female].mean()) < 4.5 * np.sqrt(0.16 / 3_000 + 0.16 / 7_000)


def test_wrong_items_belong_to_every_other_class_alike():
    """Chi-square with 29 degrees of freedom below 66: a false alarm once in 10,000 pools."""
    pool = synthetic_pool(30_000, 6, accuracy=0.5, seed=5)
    outputs, right = parts(pool)
    label = np.searchsorted(np.array(pool.classes), pool.known_labels.astype(str))
    away = np.bincount(((label - outputs.predicted) % 6)[~right] + 6 * outputs.predicted[~right], minlength=36)
    away = away.reshape(6, 6)
    assert (away[:, 0] == 0).all()
    expected = away.sum(axis=1, keepdims=True) / 5
    assert ((away[:, 1:] - expected) ** 2 / expected).sum() < 66


def test_full_probabilities_sum_to_one_and_agree_with_prediction_and_score():
    outputs, _ = parts(pool := synthetic_pool(5_000, 7, accuracy=0.5, probabilities=True, ties=0.5))
    assert pool.engine.full_probabilities
    assert outputs.probabilities is not None
    assert outputs.probabilities.sum(axis=1) == pytest.approx(1)
    assert (outputs.probabilities.argmax(axis=1) == outputs.predicted).all()
    assert (outputs.probabilities.max(axis=1) == outputs.score).all()


def test_scores_can_be_given_item_by_item():
    given = np.linspace(0.6, 1, 500)
    outputs, right = parts(synthetic_pool(500, 2, scores=given))
    assert (outputs.score == given).all()
    assert right.sum() == pytest.approx(given.sum(), abs=2)


def test_the_same_seed_gives_the_same_pool_and_another_seed_another():
    one, same, other = (synthetic_pool(300, 3, accuracy=0.8, ties=0.2, seed=s) for s in (4, 4, 5))
    assert (parts(one)[0].score == parts(same)[0].score).all()
    assert (one.known_labels == same.known_labels).all()
    assert (parts(one)[0].score != parts(other)[0].score).any()


def test_a_synthetic_pool_can_be_studied_like_any_other():
    pool = synthetic_pool(300, 3, accuracy=[0.9, 0.8, 0.4], columns={"region": {"north": 1, "south": 1}})
    study = fl.create_study(pool, fl.Identify("accuracy", by="predicted_class"))
    known = dict(zip(pool.ids, pool.known_labels, strict=True))
    for _ in range(120):
        (query,) = study.ask()
        study.tell(query, known[query.item])
    assert study.answer().groups == ("class-2",)


def test_a_million_items_take_ten_times_as_long_as_a_hundred_thousand():
    """And not a hundred times: half-way between, on a logarithmic scale, is 31."""

    def seconds(items: int) -> float:
        started = time.process_time()
        accuracy = np.linspace(0.4, 0.95, 100)
        assert len(synthetic_pool(items, 100, accuracy=accuracy, calibration=lambda s: s**1.5, ties=0.3)) == items
        return time.process_time() - started

    assert seconds(1_000_000) < 31 * seconds(100_000)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"items": 1, "classes": 3}, "an item for each"),
        ({"accuracy": [0.5, 0.5]}, "one for each of the 3 classes"),
        ({"accuracy": 1.5}, "accuracy is a share"),
        ({"accuracy": {"class-0": 0.5}}, "'class-1'"),
        ({"accuracy": 0.2}, "no scores give class 'class-0' an accuracy of 0.2"),
        ({"accuracy": 0.9, "calibration": lambda s: s / 2}, "the calibration curve goes from"),
        ({"calibration": lambda s: 2 * s}, "from 0 to 1"),
        ({"group_sizes": [1, 2]}, "one share for each of the 3 groups"),
        ({"group_sizes": [1, 2, -1]}, "none negative"),
        ({"ties": 2}, "from 0 to 1; got 2"),
        ({"scores": (1, -1)}, "two positive parameters"),
        ({"scores": [0.5]}, "1 entries for 90 items"),
        ({"scores": [0.2] * 90, "probabilities": True}, "at least 1/3"),
        ({"columns": {"sex": ["F"]}}, "column 'sex' has 1 values"),
    ],
)
def test_impossible_wishes_are_refused_in_words(arguments, words):
    with pytest.raises(fl.PoolError, match=words):
        synthetic_pool(**{"items": 90, "classes": 3, **arguments})
