"""A pool is recognised wherever its file is, and not mistaken for another."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

import fewlabels as fl
from command_line import asked, refused, run, run_json, write_mail


@pytest.fixture
def moved(march: str) -> str:
    """A study whose file of predictions has moved to new/mail.csv, after two items were asked."""
    asked(march, 2)
    Path("new").mkdir()
    shutil.move("mail.csv", "new/mail.csv")
    return march


def lines_changed(file: str, old: str, new: str) -> None:
    path = Path(file)
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


# -- another place ---------------------------------------------------------------------------------------------------


def test_a_pool_that_is_gone_is_named_with_the_command_that_finds_it_again(moved: str) -> None:
    said = run("ask", moved, "-n", "5", code=1).stderr
    assert f"no file {str(Path('mail.csv').resolve())!r}" in said
    assert "fewlabels relocate STUDY FILE" in said


def test_a_study_goes_on_with_the_same_items_where_its_pool_is_now(moved: str, here: Path) -> None:
    write_mail(here, "other.csv")
    run("new", "other.csv", "--study", "twin.db", "--name", "march", "--by", "region")
    said = run("relocate", moved, "new/mail.csv", "--by", "ann").stdout
    assert said == f"Study 'march' reads its 60 items from {Path('new/mail.csv').resolve()} now.\n"
    asked("twin.db", 2)
    assert asked(moved, 10) == asked("twin.db", 10)
    event = next(e for e in fl.load_study("march", storage="sqlite:///march.db").events if hasattr(e, "source"))
    assert (event.source, event.by) == (str(Path("new/mail.csv").resolve()), "ann")


def test_the_new_place_is_said_to_machines(moved: str) -> None:
    place = str(Path("new/mail.csv").resolve())
    assert run_json("relocate", moved, "new/mail.csv") == {"study": "march", "source": place, "items": None}
    assert run_json("status", moved)["asked"] == 2


def test_another_file_is_refused_and_nothing_is_recorded(moved: str) -> None:
    lines_changed("new/mail.csv", "item-7,", "item-seven,")
    assert "not the pool the study was created with" in run("relocate", moved, "new/mail.csv", code=1).stderr
    assert "no file 'nowhere.csv'; check the path" in refused("relocate", moved, "nowhere.csv")
    events = fl.load_study("march", storage="sqlite:///march.db").events
    assert not any(hasattr(event, "source") for event in events)


def test_a_pool_may_move_twice(moved: str) -> None:
    run("relocate", moved, "new/mail.csv")
    shutil.move("new/mail.csv", "mail2.csv")
    assert "new/mail.csv" in run("ask", moved, "-n", "5", code=1).stderr
    run("relocate", moved, "mail2.csv")
    assert len(asked(moved, 5)) == 5


def test_the_file_of_texts_moves_too(here: Path) -> None:
    (here / "p.csv").write_text("id,predicted,score\n" + "".join(f"i{i},{'ab'[i % 2]},0.9\n" for i in range(20)))
    (here / "t.csv").write_text("id,text\n" + "".join(f"i{i},hello {i}\n" for i in range(20)))
    run("new", "p.csv", "--items", "t.csv", "--study", "two.db")
    (here / "new").mkdir()
    shutil.move("p.csv", "new/p.csv")
    run("relocate", "two.db", "new/p.csv")  # the texts are where they were
    assert run_json("ask", "two.db", "-n", "1")[0]["payload"]["text"].startswith("hello")
    shutil.move("t.csv", "new/t.csv")
    assert "t.csv" in run("ask", "two.db", "-n", "3", code=1).stderr
    assert "with --items FILE" in run("relocate", "two.db", "new/p.csv", code=1).stderr
    said = run("relocate", "two.db", "new/p.csv", "--items", "new/t.csv").stdout
    assert "new/p.csv and " in said
    assert len(asked("two.db", 3)) == 3


def test_a_study_of_arrays_can_be_given_a_file(here: Path) -> None:
    about = {"predicted": ["a", "b"] * 10, "score": [0.9] * 20, "ids": [f"i{i}" for i in range(20)]}
    fl.create_study(fl.Pool.from_arrays(**about), fl.Estimate("accuracy"), storage="sqlite:///s.db", name="s")
    (here / "p.csv").write_text("id,predicted,score\n" + "".join(f"i{i},{'ab'[i % 2]},0.9\n" for i in range(20)))
    study = fl.load_study("s", storage="sqlite:///s.db")
    with pytest.raises(fl.StudyError, match="did not come from a file"):
        study.ask(1)
    study.relocate("p.csv")
    assert len(fl.load_study("s", storage="sqlite:///s.db").ask(2)) == 2


def test_relocate_stands_in_the_help_between_status_and_simulate() -> None:
    text = run("--help").stdout
    assert text.index(" status ") < text.index(" relocate ") < text.index(" simulate ")


# -- other texts -----------------------------------------------------------------------------------------------------


def test_a_changed_text_is_noticed_and_the_first_item_named(march: str) -> None:
    first, second = asked(march, 2)
    lines_changed("mail.csv", f"message {second.removeprefix('item-')}, hello", "something else")
    said = run("ask", march, "-n", "5", code=1).stderr
    assert "what labellers are shown differs" in said
    assert f"of the 2 items asked so far 1 read differently, first '{second}'" in said
    assert first not in said


def test_a_changed_text_of_an_item_not_asked_yet_is_noticed(march: str) -> None:
    seen = asked(march, 2)
    other = next(f"item-{i}" for i in range(60) if f"item-{i}" not in seen)
    lines_changed("mail.csv", f"message {other.removeprefix('item-')}, hello", "something else")
    assert "though not for the 2 items asked so far" in run("ask", march, "-n", "5", code=1).stderr


def test_texts_that_the_file_has_no_more_are_noticed(march: str) -> None:
    lines_changed("mail.csv", "id,text,", "id,note,")
    assert "what labellers are shown differs" in run("ask", march, code=1).stderr
    assert "what labellers are shown differs" in run("relocate", march, "mail.csv", code=1).stderr


def test_a_pool_that_is_handed_in_has_the_same_texts_or_none(here: Path) -> None:
    about = {"predicted": ["a", "b"] * 5, "score": [0.9] * 10}
    pools = [fl.Pool.from_arrays(**about, payload={"text": [f"{t}{i}" for i in range(10)]}) for t in "tu"]
    fl.create_study(pools[0], fl.Estimate("accuracy"), storage="sqlite:///s.db")
    with pytest.raises(fl.StudyError, match="labellers are shown differs"):
        fl.load_study(storage="sqlite:///s.db", pool=pools[1])
    assert len(fl.load_study(storage="sqlite:///s.db", pool=fl.Pool.from_arrays(**about)).ask(2)) == 2


def test_payload_of_every_kind_is_recognised_after_it_was_stored() -> None:
    kinds = [None, "é 😀", 3, 0.5, float("nan"), True, ["a", {"b": 1}], {"x": [1]}]
    pool = fl.Pool.from_arrays(predicted=["a", "b"] * 4, score=[0.9] * 8, payload={"shown": kinds})
    study = fl.create_study(pool, fl.Estimate("accuracy"))
    assert len(study.ask(8)) == 8


def test_a_study_without_a_fingerprint_of_its_texts_opens_as_before(march: str) -> None:
    with sqlite3.connect("march.db") as database:
        (text,) = database.execute("select about from fewlabels_pools").fetchone()
        about = json.loads(text)
        assert about.pop("texts")
        database.execute("update fewlabels_pools set about = ?", [json.dumps(about)])
    lines_changed("mail.csv", "message 3, hello", "something else")
    assert len(asked(march, 5)) == 5


def test_wrong_use_of_relocate_is_refused(march: str) -> None:
    assert "no study file" in refused("relocate", "april.db", "mail.csv")


def test_a_file_without_the_study_s_groups_is_said_to_be_another_pool(march: str) -> None:
    Path("other.csv").write_text("id,predicted,score\n1,invoice,0.5\n2,refund,0.5\n")
    assert "not the pool the study was created with" in run("relocate", march, "other.csv", code=1).stderr
