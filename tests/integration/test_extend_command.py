"""fewlabels extend: new items join a study kept in a file, and it goes on by itself."""

import shutil
from pathlib import Path

import fewlabels as fl
from command_line import asked, refused, run, run_json
from fewlabels.core.events import Extended


def write_more(here: Path, name: str = "april.csv", start: int = 60) -> str:
    """20 more items of the same kind; nothing is predicted to be "other"."""
    lines = ["id,text,predicted,score,region"]
    lines += [f'item-{i},"message {i}",{("invoice", "refund")[i % 2]},0.9,west' for i in range(start, start + 20)]
    (here / name).write_text("\n".join(lines) + "\n")
    return name


def test_a_study_is_extended_and_asks_for_new_items_from_both_files(march: str, here: Path) -> None:
    before = asked(march, 5)
    said = run("extend", march, write_more(here), "--by", "ann").stdout
    assert said.startswith("Study 'march' has 20 items more, and 80 in all; its figures are of all of them.\n")
    everything = asked(march, 80)  # those still waiting first
    assert everything[:5] == before
    assert sorted(everything) == sorted(f"item-{i}" for i in range(80))
    study = fl.load_study("march", storage=f"sqlite:///{march}")
    (event,) = (event for event in study.events if isinstance(event, Extended))
    assert (event.by, event.pool["count"]) == ("ann", 20)
    assert {f.group for f in study.answer().findings} == {"north", "south", "west"}


def test_machines_are_told_how_many(march: str, here: Path) -> None:
    assert run_json("extend", march, write_more(here)) == {"study": "march", "new": 20, "items": 80}


def test_the_same_items_are_refused_and_nothing_is_recorded(march: str, here: Path) -> None:
    assert "item 'item-0' (and 59 more) is in the study's pool already" in refused("extend", march, "mail.csv")
    write_more(here)
    run("extend", march, "april.csv")
    assert "item 'item-60' (and 19 more)" in refused("extend", march, "april.csv")
    assert len(fl.load_study("march", storage=f"sqlite:///{march}").events) == 1


def test_either_file_may_move_and_another_is_refused(march: str, here: Path) -> None:
    run("extend", march, write_more(here))
    Path("new").mkdir()
    shutil.move("april.csv", "new/may.csv")
    assert "no file" in run("ask", march, code=1).stderr
    write_more(here, "other.csv", 100)
    assert (
        "is none of the 2 files that the study's pool is made of" in run("relocate", march, "other.csv", code=1).stderr
    )
    run("relocate", march, "new/may.csv")
    assert len(asked(march, 80)) == 80
    shutil.move("mail.csv", "new/mail.csv")
    run("relocate", march, "new/mail.csv")
    assert [event.part for event in fl.load_study("march", storage=f"sqlite:///{march}").events[-1:]] == [0]
    assert run_json("status", march)["asked"] == 80


def test_a_report_of_an_extended_study_is_verified_with_its_two_files(march: str, here: Path) -> None:
    run("extend", march, write_more(here))
    for item in asked(march, 6):
        run("tell", march, item, "refund")
    run("report", march, "-o", "report.html")
    page = Path("report.html").read_text()
    assert "Extended by" in page
    assert "april.csv" in page
    assert str(here) not in page
    said = run("verify", "report.html", "--pool", "mail.csv", "--pool", "april.csv").stdout
    assert "every item drawn from the pool again: nothing differs." in said
