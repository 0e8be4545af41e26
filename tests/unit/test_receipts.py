"""Receipts: an honest one computes again to the last word; of a tampered one the place is named."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.answers import answer_data
from fewlabels.cli import app
from fewlabels.core.events import Event, Planned, Query, Told
from fewlabels.reporting.data import report_data
from fewlabels.reporting.receipt import Receipt, read_receipt, receipt_of
from fewlabels.reporting.render import render

pytestmark = pytest.mark.usefixtures("fewer_draws")  # what is said is the same with as many draws or fewer

CLASSES = ["cat", "dog", "eel"]


def _pool() -> tuple[fl.Pool, np.ndarray[Any, Any]]:
    random = np.random.default_rng(4)
    table = random.dirichlet(np.full(3, 0.4), size=600)
    labels = np.array([random.choice(3, p=row) for row in table])
    texts = [f"secret text {i}" for i in range(600)]
    return fl.Pool.from_arrays(probabilities=table, classes=CLASSES, payload={"text": texts}), labels


def _labelled(question: Any, *batches: int, **more: Any) -> tuple[fl.Study, fl.Pool]:
    pool, labels = _pool()
    study = fl.create_study(pool, question, seed=5, **more)
    for size in batches:
        first, *rest = study.ask(size)
        for query in rest:
            study.tell(query, CLASSES[labels[int(query.item)]], by="ann")
        if size > 5:
            study.skip(first, "cut off")
        else:
            study.tell(first, CLASSES[labels[int(first.item)]])
    return study, pool


BY_CLASS = fl.Estimate("accuracy", by="predicted_class")


@cache
def _same(*batches: int) -> tuple[fl.Study, fl.Pool]:
    """To read only: tests share it."""
    return _labelled(BY_CLASS, *batches)


STUDIES = {
    "groups": (BY_CLASS, {}),
    "worst": (fl.Identify("accuracy", by="predicted_class"), {}),
    "f1": (fl.Estimate("f1", positive="eel"), {"strategy": "acis"}),
    "papers": (BY_CLASS, {"strategy": "thompson", "estimator": "beta", "budget": 40}),
    "uniform": (fl.Estimate("calibration_error"), {"strategy": "uniform"}),
    "skips": (BY_CLASS, {"skips": "ignorable"}),
    "compare": (fl.Compare("accuracy", by="predicted_class", a="cat", b="dog"), {"until": fl.Probability(0.9)}),
}


@pytest.mark.parametrize("name", STUDIES)
def test_an_honest_report_and_receipt_compute_again(name: str, tmp_path: Path) -> None:
    question, more = STUDIES[name]
    study, pool = _labelled(question, 12, 1, 7, 3, **more)
    outside = next(item for item in range(600) if item not in {query.item for query in _asked(study)})
    study.tell({outside: "cat"}, drawn="unknown")
    page = fl.report(study, tmp_path / "report.html")
    found = fl.verify(page, pool)
    assert found.ok, str(found)
    assert found.page
    receipt = tmp_path / "receipt.json"
    receipt.write_text(receipt_of(study).to_json())
    assert fl.verify(receipt).ok
    assert fl.verify(receipt).digest == found.digest


@pytest.mark.parametrize("name", STUDIES)
def test_a_report_from_before_the_first_label_computes_again_with_the_pool_and_without(
    name: str, tmp_path: Path
) -> None:
    question, more = STUDIES[name]
    pool, _ = _pool()
    study = fl.create_study(pool, question, seed=5, **more)
    study.ask(12)
    page = fl.report(study, tmp_path / "report.html")
    for at_hand in (pool, None):
        found = fl.verify(page, at_hand)
        assert found.ok, str(found)


def test_texts_and_paths_stay_out(tmp_path: Path) -> None:
    study, _ = _same(12)
    assert "secret" not in receipt_of(study).to_json()
    assert "secret" in receipt_of(study, include_text=True).to_json()
    file = tmp_path / "somewhere" / "predictions.csv"
    file.parent.mkdir()
    file.write_text("id,predicted,score\n" + "".join(f"{i},cat,0.{i % 9 + 1}\n" for i in range(50)))
    made = fl.create_study(fl.open_pool(file), fl.Estimate("accuracy"), storage=f"sqlite:///{tmp_path / 'study.db'}")
    made.ask(3)
    text = receipt_of(made).to_json()
    assert "somewhere" not in text
    assert "predictions.csv" in text
    page = fl.report(made, tmp_path / "report.html")
    assert fl.verify(page, file).ok
    file.write_text(file.read_text().replace("0.5", "0.6"))
    assert "not the pool" in str(fl.verify(page, file))


def test_the_command_line_writes_and_verifies(tmp_path: Path) -> None:
    file = tmp_path / "predictions.csv"
    file.write_text("id,predicted,score\n" + "".join(f"{i},{'ab'[i % 2]},0.{i % 9 + 1}\n" for i in range(50)))
    place = f"sqlite:///{tmp_path / 'march.db'}"
    study = fl.create_study(fl.open_pool(file), fl.Estimate("accuracy", by="predicted_class"), storage=place)
    study.tell({query.item: "a" for query in study.ask(20)}, by="ann")
    page, receipt = tmp_path / "report.html", tmp_path / "receipt.json"

    def run(*arguments: object) -> tuple[int, str]:
        done = CliRunner().invoke(app, [str(argument) for argument in arguments])
        return done.exit_code, done.output

    assert run("report", tmp_path / "march.db", "-o", page, "--receipt", receipt)[0] == 0
    for arguments in ((page,), (receipt,), (page, "--pool", file), (page, "--json")):
        assert run("verify", *arguments)[0] == 0
    assert "nothing differs" in run("verify", page, "--pool", file)[1]
    receipt.write_text(receipt.read_text().replace('"label": "a"', '"label": "b"', 1))
    code, said = run("verify", receipt)
    assert code == 1
    assert "difference" in said


def _asked(study: fl.Study) -> list[Query]:
    return [event for event in study.events if isinstance(event, Query)]


def _flip(event: Told) -> Told:
    return replace(event, label=next(name for name in CLASSES if name != event.label))


def _a_label(events: list[Event]) -> list[Event]:
    place = next(i for i, event in enumerate(events) if isinstance(event, Told))
    return [_flip(event) if i == place and isinstance(event, Told) else event for i, event in enumerate(events)]


def _a_query(events: list[Event]) -> list[Event]:
    """The fourth query removed with its label, the others numbered anew."""
    gone = next(event.item for event in events if isinstance(event, Query) and event.number == 4)
    kept = [event for event in events if getattr(event, "item", None) != gone]
    return [
        replace(event, number=event.number - 1) if isinstance(event, Query) and event.number > 4 else event
        for event in kept
    ]


def _an_item(events: list[Event]) -> list[Event]:
    """An item put in the place of another of its cell."""
    asked = [event for event in events if isinstance(event, Query)]
    one, other = next((a, b) for a in asked for b in asked if a.cell == b.cell and a.number < b.number)
    swap = {one.item: other.item, other.item: one.item}
    return [
        event if isinstance(event, Planned) else replace(event, item=swap.get(event.item, event.item))  # type: ignore[union-attr,call-arg]
        for event in events
    ]


TAMPERED = {"a label": _a_label, "a query": _a_query, "an item": _an_item}


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("what", TAMPERED)
def test_tampering_with_what_happened_is_named(what: str, everything: bool, tmp_path: Path) -> None:
    """Also where whoever did so computes the answer, the page and the digest again."""
    study, _ = _same(12, 4, 4, 10, 10)
    honest = receipt_of(study)
    receipt = replace(honest, events=tuple(TAMPERED[what](list(honest.events))))
    found = _written(receipt, tmp_path, everything=everything)
    assert not found.ok
    assert any(one.where.startswith(("query", "round", "entry")) for one in found.differences), str(found)


def test_another_seed_is_named(tmp_path: Path) -> None:
    study, _ = _same(12, 4)
    honest = receipt_of(study)
    other = replace(honest, record=replace(honest.record, settings={**honest.record.settings, "seed": 6}))
    found = _written(other, tmp_path, everything=True)
    assert found.differences[0].where == "round 1"


def test_a_number_of_the_answer_is_named(tmp_path: Path) -> None:
    study, _ = _same(12, 4)
    honest = receipt_of(study)
    findings = [dict(row) for row in honest.answer["findings"]]
    findings[1]["low"] += 0.01
    found = _written(replace(honest, answer={**honest.answer, "findings": findings}), tmp_path, everything=False)
    assert [one.where for one in found.differences] == ["the answer, findings 'dog' low"]


@pytest.mark.parametrize(
    "edit", [lambda page: page.replace("%", "&#37;", 1), lambda page: page.replace("labels", "label", 1)]
)
def test_an_edited_page_is_named(edit: Callable[[str], str], tmp_path: Path) -> None:
    study, _ = _same(12, 4)
    page = fl.report(study, tmp_path / "report.html")
    page.write_text(edit(page.read_text()))
    found = fl.verify(page)
    assert len(found.differences) == 1
    assert found.differences[0].where.startswith("the page, line ")


def _picture(page: Path, name: str) -> str:
    """The section of one picture."""
    found = re.search(rf'<section id="picture-{name}">.*?</section>\n', page.read_text(), flags=re.DOTALL)
    assert found is not None
    return found[0]


@pytest.mark.parametrize("name", ["groups", "reliability"])
def test_a_picture_that_was_cut_out_is_named_with_the_pool_and_without(name: str, tmp_path: Path) -> None:
    study, pool = _same(12, 4)
    page = fl.report(study, tmp_path / "report.html")
    page.write_text(page.read_text().replace(_picture(page, name), ""))
    for found in (fl.verify(page, pool), fl.verify(page)):
        assert [one.what for one in found.differences] == [f"the picture {name!r} is not there, and should be"]


def test_pictures_nobody_can_draw_here_are_said_to_be_unseen_and_no_more_than_these(tmp_path: Path) -> None:
    study, pool = _same(12, 4)
    page = fl.report(study, tmp_path / "report.html")
    honest, picture = page.read_text(), _picture(page, "reliability")
    forged = picture.replace("Accuracy at each score", "Accuracy is 100%")
    page.write_text(honest.replace(picture, forged))
    found = fl.verify(page)
    assert found.ok
    assert "reliability" in found.pictures
    assert "it reads 'Accuracy is 100%'" in str(fl.verify(page, pool).differences[0])
    for more in (picture + forged, picture + '<p class="quiet">Accuracy is 100%</p>\n'):
        page.write_text(honest.replace(picture, more))
        assert not fl.verify(page).ok, more
    other = picture.replace("picture-reliability", "picture-cost")
    page.write_text(honest.replace(picture, picture + other))
    assert "the picture 'cost' is there, and should not be" in str(fl.verify(page))


def test_a_report_written_without_the_pool_says_so_and_verifies_with_it(tmp_path: Path) -> None:
    file = tmp_path / "somewhere" / "predictions.csv"
    file.parent.mkdir()
    file.write_text("id,predicted,score\n" + "".join(f"{i},{'ab'[i % 2]},0.{i % 9 + 1}\n" for i in range(60)))
    place = f"sqlite:///{tmp_path / 'study.db'}"
    study = fl.create_study(fl.open_pool(file), fl.Estimate("accuracy", by="predicted_class"), storage=place)
    study.tell({query.item: "a" for query in study.ask(20)})
    away = file.rename(tmp_path / "elsewhere.csv")
    page = fl.report(fl.load_study("study", storage=place), tmp_path / "report.html")
    assert "reliability: the pool was not at hand" in page.read_text()
    assert "somewhere" not in page.read_text()
    found = fl.verify(page, away)
    assert found.ok, str(found)
    assert "reliability" in found.pictures
    page.write_text(page.read_text().replace("<li>reliability:", "<li>Accuracy is 100%</li><li>reliability:"))
    assert not fl.verify(page, away).ok


@pytest.mark.parametrize(("strategy", "unbound"), [("auto", 4), ("uniform", 16)])
def test_labels_on_which_no_later_choice_rests_are_counted(strategy: str, unbound: int, tmp_path: Path) -> None:
    study, _ = _labelled(fl.Estimate("accuracy"), 5, 3, 4, 4, strategy=strategy)
    file = tmp_path / "receipt.json"
    file.write_text(receipt_of(study).to_json())
    found = fl.verify(file)
    assert (found.unbound, found.labels) == (unbound, 16)
    assert f"{unbound} labels of 16 came after the last choice that rests on labels" in str(found)
    assert f"What the labels say: {study.answer().sentence}" in str(found)


def test_the_page_of_another_version_is_said_not_to_be_compared(tmp_path: Path) -> None:
    study, _ = _same(5)
    honest = receipt_of(study)
    found = _written(replace(honest, software={**honest.software, "fewlabels": "9.9"}), tmp_path, everything=False)
    assert found.ok
    assert not found.page
    assert "THE PAGE WAS NOT COMPARED" in str(found).splitlines()[0]
    assert "Made by fewlabels 9.9" in str(found)


@pytest.mark.parametrize("text", ["", "{}", "<html></html>", '{"fewlabels_receipt": 7}', "nonsense"])
def test_what_is_no_receipt_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    with pytest.raises(fl.StudyError, match="receipt"):
        fl.verify(file)
    with pytest.raises(fl.StudyError, match="no file"):
        fl.verify(tmp_path / "nothing.html")


def test_a_receipt_is_read_as_written() -> None:
    study, _ = _same(12)
    receipt = receipt_of(study)
    assert read_receipt(receipt.to_json()).to_json() == read_receipt(receipt.packed()).to_json() == receipt.to_json()
    assert answer_data(receipt.study().answer()) == answer_data(study.answer())


def _written(receipt: Receipt, folder: Path, *, everything: bool) -> fl.Verification:
    """The page of a receipt, verified; with `everything` the answer is what the tampered events lead to."""
    study = receipt.study()
    if everything:
        receipt = replace(receipt, answer=answer_data(study.answer()))
    page = folder / "report.html"
    page.write_text(render(report_data(study), receipt))
    return fl.verify(page)
