"""How evenly the default draws: the rarer mistakes are, the longer what a model is sure of is looked at."""

import numpy as np
import pytest
from benchmarks.stops.anytime import _on_path
from benchmarks.stops.labels import begin, wilson

import fewlabels as fl
from fewlabels.core.keyed import Keyed
from fewlabels.reading.every_look import EveryLook
from fewlabels.strategies import Gain, State, gain

NAMES = [f"c{i}" for i in range(8)]


def share(labels: int, rarer: float) -> float:
    """Of draws that are uniform after so many labels."""

    def unseen():
        pytest.fail("it is not looked at")

    worth = np.array([1.0, 2.0, 3.0])
    state = State(np.full(3, 1000), 1, 5, 1, unseen, unseen, lambda: worth, labels, make_rarer=lambda: rarer)
    odds = Gain().choose(state, Keyed(1, 1)).odds
    assert odds is not None
    return odds.uniform


@pytest.mark.parametrize("rarer", [0.05, 0.3, 0.5])
def test_ten_labels_are_worth_a_half_where_mistakes_are_common(rarer):
    assert [share(n, rarer) for n in (0, 10, 30)] == [1.0, 0.5, 0.25]
    assert share(1000, rarer) == 0.2


def test_half_of_the_draws_are_uniform_until_half_a_mistake_is_expected_of_a_uniform_sample():
    assert share(50, 0.01) == pytest.approx(0.5)
    assert share(500, 0.001) == pytest.approx(0.5)
    assert share(10_000, 0.01) == 0.2


def labelling(accuracy: float, run: int):
    pool = fl.synthetic_pool(4000, NAMES, accuracy=[accuracy] * 8, seed=run)
    return begin(pool, fl.Estimate("accuracy", by="predicted_class"), fl.Method(), run)


def last_share(accuracy: float, labels: int) -> float:
    """Of the last round of a study's own."""
    order = labelling(accuracy, 0).take(labels).order
    assert order is not None
    return order.odds[max(order.odds)].uniform


def test_a_study_of_a_model_that_is_hardly_ever_wrong_draws_more_evenly():
    assert last_share(0.99, 60) > 0.25  # what is believed is a little worse than the truth
    assert last_share(0.7, 60) == 0.2


def over_wilson(labels: int, runs: int) -> float:
    """The mean width of intervals for every look of a model that is right in 99 of 100 cases, over Wilson's."""
    found = []
    for run in range(runs):
        at = labelling(0.99, run)
        look = EveryLook(at.assessment, at.take(labels))
        ends = _on_path(look, np.full(at.assessment.cells.count, 1 / at.items), None)[-1]
        low, high = wilson(at.items, np.array([float(labels)]), np.array([at.accuracy * labels]))
        found.append((ends[1] - ends[0]) / (high[0] - low[0]))
    return float(np.mean(found))


def test_intervals_for_every_look_are_narrower_for_it_where_hardly_anything_is_wrong(monkeypatch):
    evenly = over_wilson(100, 3)
    monkeypatch.setattr(gain, "_USUAL", 1e-9)  # ten labels are worth a half, whatever the model
    assert evenly < 0.9 * over_wilson(100, 3)
