"""The bundled pool, the demo's loop and the report it writes."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.demo import MODELS, demo_pool, run_demo, save_pool
from fewlabels.demo.run import Demo, true_labels
from fewlabels.reporting import report, report_data
from fewlabels.reporting.charts import LONGEST_NAME, NARROW, interval_chart


@pytest.fixture(scope="module")
def pool() -> fl.Pool:
    return demo_pool()


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["demo", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def labelled(pool: fl.Pool, question: object, n: int, **settings: object) -> fl.Study:
    study = fl.create_study(pool, question, **settings)  # type: ignore[arg-type]
    known = true_labels(pool)
    study.tell({query.item: known[query.item] for query in study.ask(n)})
    return study


# -- the pool --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("model", "accuracy"), [("minilm_mlp_5shot", 0.781), ("tfidf_lr", 0.915)])
def test_each_bundled_classifier_has_the_accuracy_its_provenance_states(model: str, accuracy: float) -> None:
    pool = demo_pool(model)
    assert (len(pool), len(pool.classes), pool.columns) == (3080, 77, ())
    rows = pool.engine.find("model", (), pool.ids)
    right = [row is not None and row.predicted == true for row, true in zip(rows, pool.known_labels, strict=True)]  # type: ignore[arg-type]
    assert np.mean(right) == pytest.approx(accuracy, abs=0.0006)


def test_labels_belong_to_their_ids_and_there_are_forty_a_class(pool: fl.Pool) -> None:
    known = true_labels(pool)
    assert known["b77_test_00000"] == "card_arrival"
    assert set(np.unique(list(known.values()), return_counts=True)[1].tolist()) == {40}


def test_an_unknown_bundled_model_lists_the_known_ones() -> None:
    with pytest.raises(fl.PoolError, match="minilm_mlp_5shot, tfidf_lr"):
        demo_pool("bert")


def test_the_attribution_travels_with_the_files(tmp_path: Path) -> None:
    files = save_pool(tmp_path / "bank")
    text = files[-1].read_text()
    assert "BANKING77 by PolyAI" in text
    assert "https://creativecommons.org/licenses/by/4.0/" in text
    assert fl.open_pool(files[0], items=files[1], classes=files[2]).classes == demo_pool().classes


# -- the loop --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_seed_1(pool: fl.Pool) -> tuple[Demo, list[int]]:
    """A demo of 60 labels and two seeds, and how many labels each of its steps told."""
    told: list[int] = []
    return run_demo(pool, labels=60, seed=1, repeats=2, tick=told.append), told


def test_the_demo_labels_as_many_items_as_it_says_and_scores_them_against_the_truth(
    of_seed_1: tuple[Demo, list[int]],
) -> None:
    demo, told = of_seed_1
    assert sum(told) == 60 * 2 * 2
    assert len(demo.chosen.study.labels) == len(demo.uniform.study.labels) == 60
    assert demo.worst[0] == "declined_transfer"
    assert list(demo.truth.values()) == sorted(demo.truth.values())
    assert demo.chosen.found == len(set(demo.worst) & set(demo.chosen.answer.groups))
    assert len(demo.found_chosen) == len(demo.found_uniform) == 2


def test_runs_of_other_seeds_count_as_if_they_were_shown(pool: fl.Pool, of_seed_1: tuple[Demo, list[int]]) -> None:
    """Whether the run of a seed is the one that is shown or not, as many groups are found."""
    several, (second, _) = run_demo(pool, 60, seed=0, repeats=2), of_seed_1
    assert several.found_chosen[1] == second.chosen.found
    assert several.found_uniform[1] == second.uniform.found


@pytest.mark.parametrize("labels", [0, 3081])
def test_the_demo_cannot_tell_more_labels_than_there_are(pool: fl.Pool, labels: int) -> None:
    with pytest.raises(fl.QuestionError, match="3,080"):
        run_demo(pool, labels)


# -- the command -----------------------------------------------------------------------------------------------------


def test_the_demo_command_prints_the_sentence_a_table_and_the_comparison_and_writes_the_report(tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    printed = run("--labels", "60", "--repeats", "2", "--out", str(out)).stdout
    sentence, table, beside = (
        printed.index(words) for words in ("Lowest accuracy by predicted class", "true rank", "Beside it: 60 labels")
    )
    assert sentence < table < beside
    assert "240 of 240 labels told" in printed
    assert "one run with one seed" in printed
    assert "found on average over 2 seeds" in printed
    assert "fewlabels demo --save" in printed
    assert out.stat().st_size > 5000


def test_the_demo_as_json_is_nothing_but_json(tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    data = json.loads(
        run("--labels", "30", "--repeats", "1", "--model", "tfidf_lr", "--out", str(out), "--json").stdout
    )
    assert data["worst"][0] == "card_not_working"
    assert len(data["fewlabels"]["groups"]) == 5
    assert data["report"] == str(out)


def test_the_saved_files_make_the_study_the_demo_suggests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = run("--save", "bank").stdout
    command = next(line for line in printed.splitlines() if "fewlabels new" in line).split()[1:]
    assert CliRunner().invoke(app, command).exit_code == 0
    query = fl.load_study("bank", storage="sqlite:///bank.db").ask(1)[0]
    assert query.payload["text"]


def test_a_wrong_model_is_wrong_use_and_a_report_that_cannot_be_written_a_failure(tmp_path: Path) -> None:
    assert "it has" in run("--model", "bert", code=2).stderr
    missing = tmp_path / "no" / "such" / "folder.html"
    assert "Error: " in run("--labels", "5", "--repeats", "1", "--out", str(missing), code=1).stderr


def test_every_bundled_model_is_described() -> None:
    assert all(MODELS.values())


# -- the report ------------------------------------------------------------------------------------------------------


def test_the_report_is_one_file_that_loads_nothing_and_holds_no_item_text(pool: fl.Pool, tmp_path: Path) -> None:
    study = labelled(pool, fl.Identify("accuracy", by="predicted_class", top=3), 40)
    html = report(study, tmp_path / "report.html").read_text()
    assert not re.search(r"(src|href|url\()\s*=?\s*[\"']?(http|//|file)", html)
    assert "<script" not in html
    for event in study.events:
        text = getattr(event, "payload", {}).get("text")
        assert text is None or text not in html


def test_the_report_says_sentence_notes_settings_and_every_group(pool: fl.Pool, tmp_path: Path) -> None:
    study = labelled(pool, fl.Identify("accuracy", by="predicted_class", top=3), 40, budget=50)
    html = report(study, tmp_path / "report.html").read_text()
    data = report_data(study)
    assert data.sentence == study.answer().sentence
    assert data.labels == 40
    assert html.count("<tr") == 1 + 77
    assert html.count('<tr class="named"') == 3
    for words in ("50 labels", "strata of the score", "95% intervals", "the items of this pool"):
        assert words in html


def test_the_chart_is_well_formed_and_its_marks_lie_inside(pool: fl.Pool, tmp_path: Path) -> None:
    study = labelled(pool, fl.Estimate("accuracy", by="predicted_class"), 100)
    html = report(study, tmp_path / "report.html").read_text()
    svg = ET.fromstring(html[html.index("<svg") : html.index("</svg>") + 6])
    width = float(svg.attrib["viewBox"].split()[2])
    dots = svg.findall(".//circle")
    assert len(dots) == 40
    assert all(300 < float(dot.attrib["cx"]) < width for dot in dots)
    places = [float(dot.attrib["cx"]) for dot in dots]
    assert places == sorted(places)  # lowest first


def test_names_are_escaped_in_the_report(tmp_path: Path) -> None:
    pool = fl.Pool.from_arrays(predicted=["<script>alert(1)</script>", "b & c"] * 5, score=[0.9] * 10)
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), name="<b>bold</b>")
    html = report(study, tmp_path / "report.html").read_text()
    assert "<script>" not in html
    assert "<b>bold" not in html
    assert "b &amp; c" in html


@pytest.fixture(scope="module")
def small() -> fl.Pool:
    """40 items of four classes, labels known."""
    rng = np.random.default_rng(0)
    names = ["north", "east", "south", "west"]
    probabilities = rng.dirichlet([0.5] * 4, size=40)
    return fl.Pool.from_arrays(probabilities=probabilities, classes=names, labels=rng.choice(names, size=40))


@pytest.mark.parametrize(
    "question",
    [
        fl.Estimate("accuracy"),
        fl.Estimate("calibration_error"),
        fl.Estimate("calibration_bias", by="predicted_class"),
        fl.Estimate("reliability"),
        fl.Estimate("confusion"),
        fl.Estimate("accuracy", by="true_class"),
        fl.Estimate("cost", by="predicted_class"),
        fl.Identify("accuracy", by="predicted_class"),
        fl.Compare("accuracy", by="predicted_class", a="north", b="south"),
    ],
    ids=lambda question: question.describe(),
)
@pytest.mark.parametrize("estimator", ["beta", "frequency"])
def test_every_question_can_be_reported_before_and_after_labels(
    small: fl.Pool, tmp_path: Path, question: object, estimator: str
) -> None:
    for n in (0, 20):
        study = labelled(small, question, n, estimator=estimator)
        html = report(study, tmp_path / f"{n}.html").read_text()
        assert not re.search(r"\bnan\b", html)
        assert html.rstrip().endswith("</html>")


def test_a_comparison_shows_which_way_and_how_sure(pool: fl.Pool, tmp_path: Path) -> None:
    study = labelled(pool, fl.Compare("accuracy", by="predicted_class", a="card_arrival", b="pin_blocked"), 10)
    html = report(study, tmp_path / "r.html").read_text()
    assert "Which way, and how sure" in html
    assert "card_arrival lower" in html


def test_a_fully_labelled_group_says_so_in_the_report(small: fl.Pool, tmp_path: Path) -> None:
    html = report(labelled(small, fl.Estimate("accuracy"), 40), tmp_path / "r.html").read_text()
    assert "<td>all 40 labelled</td>" in html
    assert "overall; all 40 labelled</span>" in html  # no prior carries any of it
    html = report(labelled(small, fl.Estimate("accuracy"), 40, target="population"), tmp_path / "r.html").read_text()
    assert "all 40 labelled" not in html


def test_the_report_of_a_confusion_matrix_begins_with_its_mix_ups(small: fl.Pool, tmp_path: Path) -> None:
    study = labelled(small, fl.Estimate("confusion"), 20)
    rows = [row.finding for row in report_data(study).rows]
    mixed = [f for f in rows if f.group.split(" → ")[0] != f.group.split(" → ")[1]]
    assert rows[: len(mixed)] == mixed
    assert [f.value for f in mixed] == sorted((f.value for f in mixed), reverse=True)
    html = report(study, tmp_path / "r.html").read_text()
    assert "<th>predicted → true</th>" in html
    assert "Predicted → true: how often" in html


def test_ranks_of_the_report_are_headed_by_their_level(small: fl.Pool, tmp_path: Path) -> None:
    study = labelled(small, fl.Identify("accuracy", by="predicted_class"), 10, level=0.9)
    assert "<th>rank (90%)</th>" in report(study, tmp_path / "r.html").read_text()


def test_long_pairs_of_classes_show_both_halves_in_the_chart() -> None:
    pool = fl.Pool.from_arrays(predicted=["a_rather_long_name_of_a_class", "another_quite_long_name"], score=[0.9, 0.8])
    rows = report_data(fl.create_study(pool, fl.Estimate("confusion"))).rows
    names = [mark.name for mark in interval_chart(rows, None).marks]
    assert all(len(name) <= LONGEST_NAME for name in names)
    assert all(" → a" in name for name in names)


def test_a_narrow_screen_gets_a_chart_as_wide_as_it_is_with_names_above_the_bars(pool: fl.Pool, tmp_path: Path) -> None:
    study = labelled(pool, fl.Estimate("accuracy", by="predicted_class"), 50)
    html = report(study, tmp_path / "r.html").read_text()
    drawn = re.findall(r'<svg class="(wide|narrow)" viewBox="0 0 (\d+) ', html)
    assert [kind for kind, _ in drawn] == ["wide", "narrow"]
    assert int(drawn[1][1]) <= 390 - 2 * 18  # the page's margin on both sides: text is shown at its own size
    chart = interval_chart(report_data(study).rows, None, NARROW)
    assert all(mark.name_y < mark.y for mark in chart.marks)
    assert all(chart.left <= mark.low <= mark.high <= chart.right for mark in chart.marks)
    assert re.search(r"max-width: 640px.*svg\.wide \{ display: none; \} svg\.narrow \{ display: block; \}", html, re.S)
