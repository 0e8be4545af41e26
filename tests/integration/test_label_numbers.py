"""Labelling in a terminal: what numbers mean."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from sittings import NAMES, make, make_binary, seen_at_a_terminal, study_in, type_in


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    seen_at_a_terminal(monkeypatch)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fl.Study:
    return study_in(tmp_path, monkeypatch)


ROLLOVER = ["rollover_401k", *NAMES]


@pytest.mark.parametrize("typed", ["1", "#4", "0", "401", "4.", "-1"])
def test_a_stray_number_is_refused_and_never_taken_for_part_of_a_name(
    tmp_path: Path, terminal: None, monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    monkeypatch.chdir(tmp_path)
    study = make(tmp_path, ROLLOVER)
    assert "No list is shown; type ? first." in type_in(typed, "q")
    assert study.labels == {}


def test_a_number_beyond_the_list_on_the_screen_is_refused(study: fl.Study, terminal: None) -> None:
    printed = type_in("lost", "1", "q")
    assert "The numbers on the screen are 2, 3;" in printed
    assert study.labels == {}


def test_a_number_of_a_list_shown_for_an_earlier_item_is_refused(study: fl.Study, terminal: None) -> None:
    printed = type_in("lost", "3", "3", "q")
    assert "No list is shown" in printed
    assert list(study.labels.values()) == ["lost_or_stolen_phone"]


def test_numbers_not_shown_of_a_long_list_are_refused(
    tmp_path: Path, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = make(tmp_path, [f"topic_{chr(97 + i)}" for i in range(15)])
    printed = type_in("topic", "14", "q")
    assert "and 3 more" in printed
    assert study.labels == {}


def test_a_match_inside_a_word_needs_confirmation(
    tmp_path: Path, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = make(tmp_path, ROLLOVER)
    assert "Did you mean: 1 rollover_401k" in type_in("lover", "q")
    assert study.labels == {}
    type_in("lover", "1", "q")
    assert list(study.labels.values()) == ["rollover_401k"]


def test_numbers_of_a_list_take_a_sign_where_classes_are_numbers(
    tmp_path: Path, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = make(tmp_path, ["5", "7"])
    printed = type_in("1", "#1", "7", "q")
    assert "The numbers on the screen are #1, #2;" in printed
    assert list(study.labels.values()) == ["5", "7"]


@pytest.mark.parametrize(("typed", "label"), [("1", "fraud"), ("0", "not fraud"), ("#1", "fraud"), ("True", "fraud")])
def test_zero_and_one_mean_in_label_what_they_mean_in_tell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, label: str
) -> None:
    monkeypatch.chdir(tmp_path)
    study = make_binary(tmp_path)
    assert "0 not fraud   1 fraud" in type_in(typed, "q")
    assert list(study.labels.values()) == [label]
    if not typed.startswith("#"):
        query = study.ask(1)[0] if not study.open_queries else study.open_queries[0]
        assert CliRunner().invoke(app, ["tell", "study.db", str(query.item), typed]).exit_code == 0
        assert study.labels[query.item] == label
