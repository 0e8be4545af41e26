"""Labelling in the terminal, with what a labeller types piped in."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.cli.label import Sitting
from fewlabels.core.events import Skipped

NAMES = ["card_arrival", "lost_or_stolen_card", "lost_or_stolen_phone", *(f"topic_{i:02}" for i in range(10))]


def make(path: Path, classes: list[str], **settings: object) -> fl.Study:
    """A study of 26 items on disk, items named a to z."""
    count = 26
    pool = fl.Pool.from_arrays(
        predicted=[classes[i % len(classes)] for i in range(count)],
        score=[0.5 + i / 60 for i in range(count)],
        ids=[chr(97 + i) for i in range(count)],
        classes=classes,
        payload={"text": [f"message {chr(97 + i)}" for i in range(count)]},
    )
    pool_file = path / "pool.jsonl"
    rows = pool.engine.find("model", (), pool.ids)
    pool_file.write_text(
        "".join(
            json.dumps({"id": r.item, "text": r.payload["text"], "predicted": r.predicted, "score": r.score}) + "\n"
            for r in rows
            if r is not None
        )
    )
    reopened = fl.open_pool(pool_file, classes=classes)
    return fl.create_study(
        reopened,
        fl.Estimate("accuracy"),
        strategy="uniform",
        storage=f"sqlite:///{path / 'study.db'}",
        **settings,  # type: ignore[arg-type]
    )


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fl.Study:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FEWLABELS_STORAGE", raising=False)
    return make(tmp_path, NAMES)


def type_in(*lines: str, flags: tuple[str, ...] = (), code: int = 0) -> str:
    result = CliRunner().invoke(app, ["label", "study.db", *flags], input="".join(f"{line}\n" for line in lines))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result.stdout


def test_a_part_of_a_name_that_fits_one_class_is_its_label(study: fl.Study) -> None:
    printed = type_in("card arr", "phone", "q", flags=("--by", "ann"))
    assert list(study.labels.values()) == ["card_arrival", "lost_or_stolen_phone"]
    assert {event.by for event in study.events if isinstance(event, fl.core.events.Told)} == {"ann"}  # type: ignore[attr-defined]
    assert "message" in printed
    assert "the model says" in printed
    assert "2 labels recorded in this sitting" in printed


def test_a_part_that_fits_several_offers_numbers(study: fl.Study) -> None:
    printed = type_in("lost", "2", "q")
    assert "1 lost_or_stolen_card   2 lost_or_stolen_phone" in printed
    assert list(study.labels.values()) == ["lost_or_stolen_phone"]


def test_a_slip_of_the_pen_is_asked_back_and_never_taken_for_a_label(study: fl.Study) -> None:
    printed = type_in("crad_arival", "q")
    assert "Did you mean: 1 card_arrival" in printed
    assert study.labels == {}
    assert "No class is like 'xyz'" in type_in("xyz", "q")


def test_the_equals_sign_takes_the_models_word(study: fl.Study) -> None:
    type_in("=", "q")
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
    Sitting(study).run()
    assert counts == [0, 1, 2, 3]


def test_what_somebody_else_told_meanwhile_is_said_and_passed_over(
    study: fl.Study, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    elsewhere = fl.load_study("study", storage="sqlite:///study.db")
    first = study.ask(1)[0]
    typed = iter(["topic_01", None])

    def read(sitting: Sitting, prompt: str) -> str | None:
        if not elsewhere.labels:
            elsewhere.tell(first, "topic_00")
        return next(typed)

    monkeypatch.setattr(Sitting, "_read", read)
    Sitting(study).run()
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
    assert "Not yet" not in type_in(*["="] * 9, "q").split("9 labels recorded")[0]
    assert "Not yet" in type_in(*["="] * 10, "q").split("10 labels recorded")[0]


def test_the_prediction_can_be_hidden(study: fl.Study) -> None:
    assert "the model" not in type_in("topic_00", "q", flags=("--hide-prediction",))


def test_json_keeps_the_conversation_off_stdout(study: fl.Study) -> None:
    result = json.loads(type_in("topic_00", "s", "", "u", "topic_01", "q", flags=("--json",)))
    assert (result["told"], result["skipped"], result["corrected"]) == (1, 1, 1)
    assert result["done"] is False
