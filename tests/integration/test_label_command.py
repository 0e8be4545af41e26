"""Labelling in the terminal, with what a labeller types piped in."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.cli.label import Sitting
from fewlabels.core.events import Skipped
from sittings import NAMES, make, run, seen_at_a_terminal, study_in, type_in

pytestmark = pytest.mark.usefixtures("fewer_draws")  # what is said is the same with as many draws or fewer


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    seen_at_a_terminal(monkeypatch)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fl.Study:
    return study_in(tmp_path, monkeypatch)


def test_a_part_of_a_name_that_fits_one_class_is_its_label(study: fl.Study) -> None:
    printed = type_in("card arr", "phone", "q", flags=("--by", "ann", "--show-prediction"))
    assert list(study.labels.values()) == ["card_arrival", "lost_or_stolen_phone"]
    assert {event.by for event in study.events if isinstance(event, fl.core.events.Told)} == {"ann"}  # type: ignore[attr-defined]
    assert "message" in printed
    assert "the model says" in printed
    assert "2 labels recorded in this sitting" in printed


def test_a_part_that_fits_several_offers_numbers(study: fl.Study, terminal: None) -> None:
    """And the numbers are those of the list of all classes."""
    printed = type_in("lost", "3", "q")
    assert "2 lost_or_stolen_card   3 lost_or_stolen_phone" in printed
    assert list(study.labels.values()) == ["lost_or_stolen_phone"]


def test_a_slip_of_the_pen_is_asked_back_and_never_taken_for_a_label(study: fl.Study, terminal: None) -> None:
    printed = type_in("crad_arival", "q")
    assert "Did you mean: 1 card_arrival" in printed
    assert study.labels == {}
    assert "No class is like 'xyz'" in type_in("xyz", "q")


def test_the_equals_sign_takes_the_models_word(study: fl.Study) -> None:
    type_in("=", "q", flags=("--show-prediction",))
    [(item, label)] = study.labels.items()
    assert label == NAMES[(ord(str(item)) - 97) % len(NAMES)]


def test_a_question_mark_lists_all_classes_with_numbers(study: fl.Study) -> None:
    printed = type_in("?", "13", "q")
    assert "13 topic_09" in printed
    assert list(study.labels.values()) == ["topic_09"]


def test_skipping_records_the_reason(study: fl.Study) -> None:
    type_in("s", "in Welsh", "s", "", "q")
    skips = [event for event in study.events if isinstance(event, Skipped)]
    assert [skip.reason for skip in skips] == ["in Welsh", None]
    assert study.labels == {}


def test_undo_shows_the_last_item_again_and_corrects_it(study: fl.Study) -> None:
    printed = type_in("card_arrival", "u", "phone", "topic_01", "q")
    assert "[again; now card_arrival]" in printed
    assert "✓ lost_or_stolen_phone (was card_arrival)" in printed
    assert list(study.labels.values()) == ["lost_or_stolen_phone", "topic_01"]


def test_undo_goes_back_step_by_step_and_to_skipped_items(study: fl.Study) -> None:
    type_in("topic_00", "s", "", "u", "u", "topic_05", "q")
    assert list(study.labels.values()) == ["topic_05"]
    assert "nothing to undo" in type_in("u", "q")


def test_leaving_during_an_undo_keeps_the_first_label(study: fl.Study) -> None:
    type_in("topic_00", "u", "q")
    assert list(study.labels.values()) == ["topic_00"]


def test_the_end_of_input_stops_and_loses_nothing(study: fl.Study) -> None:
    type_in("topic_00", "topic_01")
    assert list(study.labels.values()) == ["topic_00", "topic_01"]
    assert len(study.open_queries) == 1


def test_an_interrupted_item_is_asked_again_next_time(study: fl.Study) -> None:
    type_in("q")
    waiting = study.open_queries[0].item
    type_in("topic_00", "q")
    assert list(study.labels) == [waiting]


def test_every_label_is_on_disk_before_the_next_item_is_shown(study: fl.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = fl.load_study("study", storage="sqlite:///study.db")
    counts: list[int] = []

    def read(sitting: Sitting, prompt: str) -> str | None:
        counts.append(len(elsewhere.labels))
        return "topic_00" if len(counts) <= 3 else None

    monkeypatch.setattr(Sitting, "_read", read)
    Sitting(study, show=True).run()
    assert counts == [0, 1, 2, 3]


def test_what_somebody_else_told_meanwhile_is_said_and_passed_over(
    study: fl.Study, terminal: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = fl.load_study("study", storage="sqlite:///study.db")
    first = study.ask(1)[0]
    typed = iter(["topic_01", None])

    def read(sitting: Sitting, prompt: str) -> str | None:
        if not elsewhere.labels:
            elsewhere.tell(first, "topic_00")
        return next(typed)

    monkeypatch.setattr(Sitting, "_read", read)
    Sitting(study, show=True).run()
    assert study.labels == {first.item: "topic_00"}
    assert "was told 'topic_00' before" in capsys.readouterr().out


def test_few_classes_are_listed_under_every_item(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = make(tmp_path, ["fraud", "fine"])
    printed = type_in("1", "2", "q")
    assert printed.count("1 fraud   2 fine") == 3
    assert list(study.labels.values()) == ["fraud", "fine"]


def test_classes_named_like_numbers_or_commands_win_and_commands_take_a_colon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    study = make(tmp_path, ["q", "2", "1"])
    printed = type_in("q", "1", "#1", ":q", "2")
    assert ":q stop" in printed
    assert list(study.labels.values()) == ["q", "1", "q"]


def test_the_loop_ends_with_the_budget_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = make(tmp_path, NAMES, budget=2)
    printed = type_in("topic_00", "topic_01", "topic_02")
    assert "[2 of 2]" in printed
    assert "nothing more to ask" in printed
    assert "The budget of 2 labels is spent." in printed
    assert len(study.labels) == 2


def test_progress_towards_the_goal_is_told_every_ten_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make(tmp_path, NAMES, until=fl.HalfWidth(0.001))
    show = ("--show-prediction",)
    assert "Not yet" not in type_in(*["="] * 9, "q", flags=show).split("9 labels recorded")[0]
    assert "Not yet" in type_in(*["="] * 10, "q", flags=show).split("10 labels recorded")[0]


def test_what_the_model_says_and_the_group_are_hidden_unless_asked_for(study: fl.Study) -> None:
    assert "the model" not in type_in("topic_00", "q")
    assert "answered '=', which is not taken" in CliRunner().invoke(app, ["label", "study.db"], input="=\n").stderr
    printed = type_in("q", flags=("--show-prediction",))
    assert "the model says" in printed


def test_json_keeps_the_conversation_off_stdout(study: fl.Study) -> None:
    result = json.loads(type_in("topic_00", "s", "", "u", "topic_01", "q", flags=("--json",)))
    assert (result["told"], result["skipped"], result["corrected"]) == (1, 1, 1)
    assert result["done"] is False


# -- answers piped in ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", ["crad_arival", "xyz", "lost", "7", "#4", "hone", ""])
def test_the_first_refused_answer_of_a_pipe_ends_the_sitting(study: fl.Study, entry: str) -> None:
    result = run("topic_00", entry, "topic_02", "topic_03", code=1)
    assert list(study.labels.values()) == ["topic_00"]
    waiting = study.open_queries[0].item
    assert result.stderr.startswith(f"Error: item {waiting!r} was answered {entry!r}, which is not taken: ")
    assert "1 label before it is recorded" in result.stderr
    assert result.stderr.count("\n") == 1
    assert "1 label recorded in this sitting" in result.stdout


def test_a_refused_answer_of_a_pipe_is_told_to_machines(study: fl.Study) -> None:
    result = run("topic_00", "xyz", "topic_01", flags=("--json",), code=1)
    data = json.loads(result.stdout)
    assert data["told"] == 1
    assert "'xyz'" in data["refused"]
    assert json.loads(type_in("topic_05", flags=("--json",)))["refused"] is None


def test_asking_for_the_list_of_classes_refuses_nothing_in_a_pipe(study: fl.Study) -> None:
    type_in("?", "2", "topic_01")
    assert list(study.labels.values()) == ["lost_or_stolen_card", "topic_01"]


# -- skipping and stopping -------------------------------------------------------------------------------------------


def test_the_end_of_input_at_the_reason_takes_the_skip_back(study: fl.Study) -> None:
    assert "not skipped" in type_in("s")
    assert not any(isinstance(event, Skipped) for event in study.events)
    assert len(study.open_queries) == 1


def test_ctrl_c_at_the_reason_takes_the_skip_back_and_asks_again(
    study: fl.Study, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = iter(["s", KeyboardInterrupt(), "topic_00", "q"])

    def read(prompt: str = "") -> str:
        entry = next(typed)
        if isinstance(entry, str):
            return entry
        raise entry

    monkeypatch.setattr("builtins.input", read)
    sitting = Sitting(study, show=True)
    sitting.run()
    assert (sitting.skipped, sitting.told) == (0, 1)
    assert list(study.labels.values()) == ["topic_00"]


def test_labelling_stops_at_the_goal_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = make(tmp_path, NAMES, until=fl.HalfWidth(0.25))
    printed = type_in(*["="] * 26, flags=("--show-prediction",))
    assert "The goal is reached, so nothing more is asked" in printed
    assert "Goal reached" in printed
    reached = len(study.labels)
    assert 0 < reached < 26
    assert "0 labels recorded" in type_in("=")
    type_in("=", "=", "q", flags=("--past-goal", "--show-prediction"))
    assert len(study.labels) == reached + 2


def test_the_goal_is_looked_at_every_fifth_label_where_looking_takes_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fewlabels.cli.label._CHEAP", -1.0)
    study = make(tmp_path, NAMES, until=fl.HalfWidth(0.001))
    looks: list[int] = []

    def done(self: fl.Study) -> bool:
        looks.append(len(self.labels))
        return False

    monkeypatch.setattr(fl.Study, "done", property(done))
    typed = iter(["="] * 12)
    monkeypatch.setattr(Sitting, "_read", lambda *_: next(typed, None))
    Sitting(study, show=True).run()
    assert looks == [0, 5, 10]


def test_without_a_goal_it_is_never_looked_at(study: fl.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fl.Study, "done", property(lambda _: pytest.fail("looked")))
    typed = iter(["="] * 3)
    monkeypatch.setattr(Sitting, "_read", lambda *_: next(typed, None))
    Sitting(study, show=True).run()
    assert len(study.labels) == 3
