"""What asking, progress and answer work out of the same labels is worked out once, and comes out the same."""

import threading

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.recalibration import belief as recalibration
from fewlabels.core.remembered import Remembered
from fewlabels.reading import answer as answering

RANDOM = np.random.default_rng(2)
PREDICTED, SCORE = RANDOM.integers(0, 4, 500), RANDOM.beta(6, 2, 500)
TRUTH = np.where(RANDOM.random(500) < SCORE, PREDICTED, (PREDICTED + 1) % 4)
POOL = fl.Pool.from_arrays(predicted=PREDICTED, score=SCORE)
QUESTIONS = {
    "whole": (fl.Estimate("accuracy"), fl.HalfWidth(0.02)),
    "groups": (fl.Estimate("accuracy", by="predicted_class"), fl.HalfWidth(0.05)),
    "worst": (fl.Identify("accuracy", by="predicted_class"), fl.Probability(0.95)),
    "curve": (fl.Estimate(fl.CalibrationError(fl.ScoreBins(5))), None),
}


def labelled(kind: str, n: int = 40) -> fl.Study:
    question, until = QUESTIONS[kind]
    study = fl.create_study(POOL, question, until=until, seed=3)
    study.tell({query.item: int(TRUTH[query.item]) for query in study.ask(n)})
    return study


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is worked out anew."""
    monkeypatch.setattr(Remembered, "get", lambda *given: given[-1]())


@pytest.mark.parametrize("kind", QUESTIONS)
def test_what_is_remembered_is_what_is_worked_out_to_the_last_bit(kind, request):
    study = labelled(kind)
    study.ask(3)
    found = study.progress, study.answer(), study.answer(), study.progress
    request.getfixturevalue("forgetful")
    again = labelled(kind)
    assert [query.item for query in again.ask(3)] == [query.item for query in study.open_queries]
    assert found == (again.progress, again.answer(), again.answer(), again.progress)


def test_labels_are_fitted_once_for_asking_progress_and_answer(monkeypatch):
    fits: list[float] = []
    fit = recalibration.fit

    def counting(model, hits, labels):
        fits.append(labels.sum())
        return fit(model, hits, labels)

    monkeypatch.setattr(recalibration, "fit", counting)
    study = labelled("whole")
    fits.clear()
    for _ in range(2):
        study.progress, study.answer(), study.answer(level=0.9), study.answer(interval="highest-density")
    study.ask(60)
    assert fits.count(40.0) == 1


def test_another_label_is_another_reading():
    study = labelled("whole")
    before = study.answer()
    (query,) = study.ask()
    study.tell(query, int((TRUTH[query.item] + 1) % 4))
    assert study.answer() != before
    study.correct(query, int(PREDICTED[query.item]))
    right = study.answer().overall.value
    study.correct(query, int((PREDICTED[query.item] + 1) % 4))
    assert study.answer().overall.value != right


def test_threads_that_look_at_once_see_the_same():
    study, found = labelled("worst"), []
    threads = [threading.Thread(target=lambda: found.append((study.progress, study.answer()))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert all(one == found[0] for one in found)


def test_no_more_is_kept_than_was_said():
    for n in range(8):
        labelled("whole", 5 + n).answer()
    assert len(answering._READ) == 4
