"""Many intervals in one table: how many miss, and all that hold at once."""

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.answers import answer_data

CLASSES = [f"class {i:02}" for i in range(30)]


def study_of(question=None, classes=CLASSES, labels=200) -> fl.Study:
    rng = np.random.default_rng(1)
    predicted = rng.choice(classes, 1500)
    pool = fl.Pool.from_arrays(predicted=predicted, score=rng.beta(6, 2, 1500).clip(0.2, 0.99), classes=classes)
    study = fl.create_study(pool, question or fl.Estimate("accuracy", by="predicted_class"), strategy="uniform")
    study.tell({i: str(rng.choice([predicted[i], classes[0]])) for i in range(labels)}, drawn="uniform")
    return study


def test_a_long_table_says_once_how_many_of_its_intervals_miss():
    answer = study_of().answer()
    said = [note for note in answer.notes if "expected to miss" in note]
    assert len(said) == 1
    assert said[0].startswith("About 2 of these 30 intervals are expected to miss")
    assert str(answer).count("expected to miss") == 1
    assert answer.holds_together is None


def test_a_short_one_does_not():
    assert "expected to miss" not in str(study_of(classes=CLASSES[:20]).answer())


def test_intervals_that_hold_together_are_wider_and_say_so():
    study = study_of()
    plain, together = study.answer(), study.answer(together=True)
    for one, other in zip(plain.findings, together.findings, strict=True):
        assert one.value == other.value
        assert other.low <= one.low
        assert one.high <= other.high
        assert other.level == pytest.approx(1 - 0.05 / 31)
    assert "All 31 intervals are made to be right at once in 95% of studies" in together.notes[0]
    assert "expected to miss" not in str(together)
    assert answer_data(together)["holds_together"] == 0.95
    assert answer_data(plain)["holds_together"] is None


def test_one_interval_is_as_it_was():
    study = study_of(fl.Estimate("accuracy"))
    plain, together = study.answer().overall, study.answer(together=True).overall
    assert (plain.low, plain.high) == (together.low, together.high)


def test_they_are_made_for_every_look_too():
    study = study_of()
    one, both = study.answer(anytime=True), study.answer(anytime=True, together=True)
    assert both.findings[0].high - both.findings[0].low >= one.findings[0].high - one.findings[0].low


def test_a_verdict_is_no_table():
    study = study_of()
    with pytest.raises(fl.QuestionError, match="a table of intervals"):
        study.answer(fl.Below("accuracy", 0.8, by="predicted_class"), together=True)
