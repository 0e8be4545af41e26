"""Shares by the chances of the draws: weights against a transcription, no bias by enumeration, and a wrong model."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

import fewlabels as fl
from fewlabels.core.by_design import LEAST, Weighed, shares
from fewlabels.core.recalibration import TRUSTING
from fewlabels.core.recalibration import model as models
from fewlabels.estimators import Hierarchical

HIT = [1.0, 0.0, 1.0, 1.0, 0.0]
LIKED = [0.5, 0.1, 0.2, 0.9, 0.3]


def chances(asked: tuple[int, ...]) -> list[float]:
    """Of each item, once these were asked: by liking, and doubled after a miss; nought for what was asked."""
    missed = any(HIT[i] == 0 for i in asked)
    liking = [0.0 if i in asked else LIKED[i] + (0.4 if missed else 0.1) for i in range(len(HIT))]
    return [one / sum(liking) for one in liking]


def test_weights_are_those_of_the_formula():
    labels = Weighed(np.array([1.0, 0, 1]), np.array([0.2, 0.05, 0.5]), np.array([1.0, 2, 3]), np.zeros(3), 9)
    expected = [
        1 + (9 - 3) / (9 - t) * (1 / ((9 - t + 1) * q) - 1) for t, q in zip((1, 2, 3), (0.2, 0.05, 0.5), strict=True)
    ]
    np.testing.assert_allclose(labels.weight, expected)


@pytest.mark.parametrize("draws", [1, 2, 3])
def test_weighed_hits_are_right_on_average_whatever_the_chances_depend_on(draws):
    total, size, certain = 0.0, 0.0, 0.0
    for asked in itertools.permutations(range(len(HIT)), draws):
        chance = [chances(asked[:t])[item] for t, item in enumerate(asked)]
        hit = np.array([HIT[i] for i in asked])
        weight = Weighed(hit, np.array(chance), np.arange(draws, dtype=float), np.zeros(draws), len(HIT)).weight
        probability = float(np.prod(chance))
        total, size, certain = (
            total + probability * float(weight @ hit),
            size + probability * weight.sum(),
            (certain + probability),
        )
    assert certain == pytest.approx(1)
    assert total / draws == pytest.approx(sum(HIT) / len(HIT))
    assert size / draws == pytest.approx(1)


@pytest.mark.parametrize("draws", [1, 2, 3, 5])
def test_how_far_predictions_are_off_is_right_on_average_and_nought_once_all_is_labelled(draws):
    """With labelled items known, the others as predicted, and so much more: the share of hits."""
    predicted, found = np.array([0.9, 0.8, 0.2, 0.6, 0.1]), 0.0
    for asked in itertools.permutations(range(len(HIT)), draws):
        chance = [chances(asked[:t])[item] for t, item in enumerate(asked)]
        hit, of = np.array([HIT[i] for i in asked]), list(asked)
        off = Weighed(hit, np.array(chance), np.arange(draws, dtype=float), np.zeros(draws), len(HIT)).off(
            predicted[of]
        )
        share = (hit.sum() + np.delete(predicted, of).sum()) / len(HIT) + off
        assert draws < len(HIT) or off == pytest.approx(0)
        found += float(np.prod(chance)) * share
    assert found == pytest.approx(sum(HIT) / len(HIT))


def test_labels_of_one_round_may_be_told_in_any_order():
    rng = np.random.default_rng(0)
    hit, chance, when = rng.integers(0, 2, 40).astype(float), rng.uniform(0.01, 0.2, 40), np.repeat(np.arange(8.0), 5)
    score, group = rng.random(40), rng.integers(0, 2, 40)
    size, mean = np.array([300, 400]), np.array([0.5, 0.6])
    order = np.concatenate([rng.permutation(5) + 5 * k for k in range(8)])
    one = shares(Weighed(hit, chance, when, score, 700), group, size, mean)
    other = shares(Weighed(hit[order], chance[order], when[order], score[order], 700), group[order], size, mean)
    np.testing.assert_allclose(one.value, other.value)
    np.testing.assert_allclose(one.error, other.error)


def test_equal_chances_give_the_plain_share_and_nothing_is_said_of_few_labels():
    left = 1000 - np.arange(20)
    hit = np.array([1.0] * 15 + [0] * 5)
    labels = Weighed(hit, 1 / left, np.arange(20.0), np.full(20, 0.7), 1000)
    found = shares(labels, np.zeros(20, dtype=int), np.array([1000]), np.array([0.7]))
    assert found.value[0] == pytest.approx(0.75)
    assert found.worth[0] == pytest.approx(20)
    few = shares(labels, (np.arange(20) >= 4).astype(int), np.array([200, 800]), np.array([0.7, 0.7]))
    assert np.isnan(few.value[0])
    assert few.worth[1] >= LEAST


def test_labels_that_all_agree_leave_an_interval():
    labels = Weighed(np.ones(50), 1 / (1000 - np.arange(50.0)), np.arange(50.0), np.full(50, 0.9), 1000)
    found = shares(labels, np.zeros(50, dtype=int), np.array([1000]), np.array([0.9]))
    low, high = found.interval(0.95)
    assert low[0] < 0.97
    assert high[0] == 1


def opposite_groups(seed: int) -> tuple[fl.Pool, list[str]]:
    """Two groups, one right less often than its scores say, the other more often."""
    rng = np.random.default_rng(seed)
    group, scale = rng.integers(0, 2, 3000), rng.normal(2, 1.2, 3000)
    right = rng.random(3000) < expit(scale + np.where(group == 0, -1.5, 1.5))
    predicted = np.where(group == 0, "no", "yes")
    labels = np.where(right, predicted, "other").tolist()
    return fl.Pool.from_arrays(predicted=predicted, score=expit(scale), other_labels=["other"]), labels


def told(pool: fl.Pool, labels: list[str], count: int, seed: int) -> fl.Answer:
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), strategy="gain", seed=seed)
    for _ in range(count // 25):
        study.tell({q.item: labels[int(q.item)] for q in study.ask(25)})
    return study.answer()


@pytest.fixture
def rigid(monkeypatch):
    """The model without effects of groups: wrong of groups that are miscalibrated in opposite ways."""
    monkeypatch.setattr(models, "SPREADS", ((1e-3, 1.0),))
    monkeypatch.setattr(models, "BETWEEN_SD", 1e-3)
    monkeypatch.setattr(models, "AS_GROUPS", 0.0)
    monkeypatch.setattr(Hierarchical, "trust", replace(TRUSTING, slab=1e-3))


def test_a_model_that_is_wrong_of_groups_is_contradicted(rigid):
    answer = told(*opposite_groups(0), 300, 0)
    wrong = [finding for finding in answer.findings if finding.contradicted]
    assert wrong
    assert all(f.low <= min(f.value, f.by_design) and max(f.value, f.by_design) <= f.high for f in wrong)
    assert any("The model is wrong of" in note for note in answer.notes)


def test_a_model_that_is_right_is_not_contradicted():
    answer = told(*opposite_groups(0), 300, 0)
    assert not any(finding.contradicted for finding in (*answer.findings, answer.overall))
    assert all(f.by_design_low < f.by_design < f.by_design_high for f in (*answer.findings, answer.overall))


def test_nothing_is_said_by_design_where_chances_are_not_known():
    pool, labels = opposite_groups(0)
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), strategy="thompson", seed=0)
    study.tell({q.item: labels[int(q.item)] for q in study.ask(40)})
    assert study.answer().overall.by_design is None


def whole_pool(count: int, until: fl.HalfWidth | None) -> fl.Finding:
    """Of opposite groups, after so many labels."""
    pool, labels = opposite_groups(0)
    study = fl.create_study(pool, fl.Estimate("accuracy"), until=until, seed=0)
    for _ in range(count // 25):
        study.tell({q.item: labels[int(q.item)] for q in study.ask(25)})
    return study.answer().overall


@pytest.mark.parametrize("off", [0.03, -0.03])
def test_at_a_stop_the_whole_pool_s_interval_reaches_towards_what_labels_say_without_the_model(off, monkeypatch):
    monkeypatch.setattr(Weighed, "off", lambda _, __: off)
    once, stop = whole_pool(300, None), whole_pool(300, fl.HalfWidth(0.001, of="overall"))
    reached = stop.low - once.low, stop.high - once.high
    assert reached == (pytest.approx(0.3 * min(off, 0)), pytest.approx(0.3 * max(off, 0)))
