"""The report people read: what it says, that it is one inert file, and that its numbers are the answer's."""

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.demo import demo_pool
from fewlabels.demo.run import true_labels
from fewlabels.reporting import pictures, report_data
from fewlabels.reporting.receipt import receipt_of
from fewlabels.reporting.render import render
from fewlabels.study.look import look

pytestmark = pytest.mark.usefixtures("fewer_draws")  # what is said is the same with as many draws or fewer

NAMES = ["north", "east", "south", "west"]
EVERY = [
    fl.Estimate("accuracy"),
    fl.Estimate("calibration_error"),
    fl.Estimate("calibration_bias", by="predicted_class"),
    fl.Estimate("reliability"),
    fl.Estimate("confusion"),
    fl.Estimate("accuracy", by="true_class"),
    fl.Estimate("cost", by="predicted_class"),
    fl.Estimate("f1", positive="north"),
    fl.Identify("accuracy", by="predicted_class"),
    fl.Compare("accuracy", by="predicted_class", a="north", b="south"),
    fl.Below("accuracy", 0.5, by="predicted_class"),
]


@pytest.fixture(scope="module")
def bank() -> fl.Pool:
    return demo_pool()


@pytest.fixture(scope="module")
def small() -> fl.Pool:
    """40 items of four classes, labels known."""
    rng = np.random.default_rng(0)
    probabilities = rng.dirichlet([0.5] * 4, size=40)
    return fl.Pool.from_arrays(probabilities=probabilities, classes=NAMES, labels=rng.choice(NAMES, size=40))


def labelled(pool: fl.Pool, question: object, n: int, **settings: object) -> fl.Study:
    study = fl.create_study(pool, question, **settings)  # type: ignore[arg-type]
    known = true_labels(pool)
    study.tell({query.item: known[query.item] for query in study.ask(n)}, by="ann")
    return study


def page(study: fl.Study, folder: Path, **how: bool) -> str:
    return fl.report(study, folder / "report.html", **how).read_text()


def numbers_of(text: str) -> dict[str, list[float]]:
    """Of each group in the table of the numbers: estimate and ends, as they are and not as they are shown."""
    table = text[text.index('<table class="cards numbers">') :]
    table = table[: table.index("</table>")]
    rows = re.findall(r"<tr[^>]*><td>(.*?)</td>(.*?)</tr>", table, re.DOTALL)
    found = {}
    for name, cells in rows:
        values = " ".join(re.findall(r'<data value="([^"]*)"', cells)[:2]).split()
        found[html.unescape(name.replace("<wbr>", ""))] = [float(v) for v in values]
    return found


# -- one inert file --------------------------------------------------------------------------------------------------


def test_the_report_is_one_file_that_loads_nothing_and_holds_no_item_text(bank: fl.Pool, tmp_path: Path) -> None:
    study = labelled(bank, fl.Estimate("accuracy"), 40)
    text = page(study, tmp_path)
    assert not re.search(r"(src|href|url\()\s*=?\s*[\"']?(http|//|file|data)", text)
    for event in study.events:
        shown = getattr(event, "payload", {}).get("text")
        assert shown is None or html.escape(shown) not in text


def test_texts_are_there_where_they_are_asked_for_mistakes_first(bank: fl.Pool, tmp_path: Path) -> None:
    study = labelled(bank, fl.Estimate("accuracy"), 30)
    text = page(study, tmp_path, include_text=True)
    asked = [event.payload["text"] for event in study.events if isinstance(event, fl.Query)]
    assert sum(words in html.unescape(text) for words in asked) == 30
    items = report_data(study, include_text=True).items
    assert items is not None
    right = [row.predicted == row.label for row in items]
    assert right == sorted(right)


def test_only_our_own_styles_and_script_may_run(small: fl.Pool, tmp_path: Path) -> None:
    text = page(labelled(small, fl.Estimate("accuracy", by="predicted_class"), 20), tmp_path)
    policy = html.unescape(re.findall(r'Content-Security-Policy" content="([^"]*)"', text)[0])
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (inside,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r"<[^>]*\s(style|on\w+)=", text)  # which the policy would forbid


def test_hostile_names_are_nothing_but_text(tmp_path: Path) -> None:
    evil = ["<script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "b & c", "\u202eevil", "]]></svg>"]
    shown = {"image_url": ["javascript:alert(3)"] * 20}
    pool = fl.Pool.from_arrays(predicted=evil * 4, score=[0.9] * 20, payload=shown)
    study = fl.create_study(pool, fl.Estimate("accuracy", by="predicted_class"), name="<b>bold</b>")
    for query in study.ask(8):
        study.tell(query, evil[0], by="<i>me</i>")
    text = page(study, tmp_path, include_text=True)
    assert text.count("<script>") == 1
    assert not re.search(r"<(img|b>bold|i>me)", text)
    assert not re.search(r"<[^>]*\s(src|href)=", text)
    assert "b &amp; c" in text


def test_the_same_study_makes_the_same_bytes_but_for_the_date(small: fl.Pool) -> None:
    study = labelled(small, fl.Identify("accuracy", by="predicted_class"), 20)
    first, second = (replace(report_data(study), written="2026-01-01T00:00:00+00:00") for _ in range(2))
    receipt = receipt_of(study)
    page = render(first, receipt)
    assert page == render(second, receipt_of(study))
    dated = render(replace(first, written="2031-02-03T04:05:06+00:00"), receipt)
    changed = [(a, b) for a, b in zip(page.splitlines(), dated.splitlines(), strict=True) if a != b]
    assert len(changed) == 1
    assert "<footer>" in changed[0][0]


# -- what it says ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("question", EVERY, ids=lambda question: question.describe())
def test_numbers_of_the_report_are_those_of_the_answer_to_the_last_bit(
    small: fl.Pool, tmp_path: Path, question: object
) -> None:
    for n in (0, 20):
        study = labelled(small, question, n)
        text, answer = page(study, tmp_path), study.answer()
        shown = numbers_of(text)
        assert set(shown) == {f.group for f in answer.findings}
        for f in answer.findings:
            np.testing.assert_array_equal(shown[f.group], [f.value, f.low, f.high])
        assert answer.sentence in html.unescape(text)
        assert not re.search(r">[^<]*\bnan\b[^<]*<", text)
        assert text.rstrip().endswith("</html>")


@pytest.mark.parametrize("estimator", ["beta", "frequency"])
@pytest.mark.parametrize("question", [EVERY[0], EVERY[2], EVERY[4], EVERY[8], EVERY[9]], ids=lambda q: q.describe())
def test_other_estimators_are_reported_too(small: fl.Pool, tmp_path: Path, question: object, estimator: str) -> None:
    for n in (0, 20):
        text = page(labelled(small, question, n, estimator=estimator), tmp_path)
        assert not re.search(r">[^<]*\bnan\b[^<]*<", text)


def test_the_report_names_what_a_cross_examination_asks_for(bank: fl.Pool, tmp_path: Path) -> None:
    study = labelled(bank, fl.Estimate("accuracy"), 40, budget=50)
    text, data = page(study, tmp_path), report_data(study)
    about = dict(data.facts)
    assert about["File"].endswith("banking77__minilm_mlp_5shot.parquet")
    assert about["Pool"] == "3,080 items, 77 classes"
    assert about["Labellers"] == "ann (40)"
    assert about["Version"] == f"fewlabels {fl.__version__}"
    assert {"Fingerprint of the pool", "Seed", "Study made", "First and last entry"} <= set(about)
    for words in ("50 labels", "95% intervals", "the items of this pool", *about.values()):
        assert words in html.unescape(text)


def test_the_threshold_and_the_positives_of_each_group_are_said(tmp_path: Path) -> None:
    rows = ["id,s,sex,label"] + [f"{i},{i % 10 / 10},{'fm'[i % 2]},{'yes' if i % 3 else 'not yes'}" for i in range(60)]
    (tmp_path / "p.csv").write_text("\n".join(rows))
    pool = fl.open_pool(tmp_path / "p.csv", id="id", positive_score="s", threshold=0.4, positive="yes", label="label")
    study = labelled(pool, fl.Estimate("accuracy", by="sex"), 30)
    data = report_data(study)
    about, truth = dict(data.facts), study.labels
    assert about["Threshold"] == "0.4 on s"
    assert about["Positive class"] == "yes"
    for row in data.rows:
        wanted = sum(label == "yes" and "fm"[int(item) % 2] == row.finding.group for item, label in truth.items())
        assert row.more["positives"] == wanted
    assert "<th>positives</th>" in page(study, tmp_path)


def test_the_verdict_says_reached_or_about_how_many_more(small: fl.Pool, tmp_path: Path) -> None:
    question, goal = fl.Estimate("accuracy"), fl.HalfWidth(0.2)
    early, late = (labelled(small, question, n, until=goal) for n in (5, 35))
    assert report_data(early).verdict.kind == "not yet"
    left = early.progress.labels_left
    assert left is not None
    assert str(left) in report_data(early).verdict.head
    assert report_data(late).verdict.kind == "reached"
    assert late.answer().stop in page(late, tmp_path)
    assert report_data(labelled(small, question, 5)).verdict.kind == "no goal"
    assert report_data(labelled(small, question, 5, budget=5)).verdict.head == "Ended"
    assert report_data(labelled(small, question, 5, budget=5, until=goal)).verdict.head == "Ended short of the goal"


def test_what_a_look_says_is_what_the_study_says(small: fl.Pool) -> None:
    from fewlabels.study.look import look

    for until in (None, fl.HalfWidth(0.2), fl.HalfWidth(0.01)):
        study = labelled(small, fl.Estimate("accuracy", by="predicted_class"), 25, until=until)
        seen = look(study)
        assert seen.answer == study.answer()
        assert seen.progress == study.progress


def test_a_projection_is_marked_as_one_and_follows_from_the_interval(bank: fl.Pool) -> None:
    data = report_data(labelled(bank, fl.Estimate("accuracy"), 60))
    assert data.projection is not None
    assert data.projection.startswith("Projection: a uniform sample would take about")
    needed = int(re.findall(r"about ([\d,]+) labels", data.projection)[0].replace(",", ""))
    assert data.overall is not None
    share, half = data.overall.value, data.overall.half_width
    assert needed == pytest.approx(share * (1 - share) * (1.96 / half) ** 2, rel=0.15)
    assert report_data(labelled(bank, fl.Estimate("accuracy"), 0)).projection is None


@pytest.mark.parametrize(("metric", "alpha"), [("f1", 0.5), ("recall", 0.0), ("precision", 1.0)])
def test_the_projection_of_an_f_score_is_what_uniform_samples_need(metric: str, alpha: float) -> None:
    """The deviation of 2,000 uniform samples of that size, which is off by some 2 % itself, is that of the interval, as
    far as 400 labels tell: within a quarter."""
    rng = np.random.default_rng(0)
    score = rng.beta(0.5, 4, 20_000)
    true, said = rng.random(20_000) < score, score >= 0.5
    pool = fl.Pool.from_arrays(probabilities=np.stack([1 - score, score], axis=1), classes=["no", "yes"])
    study = fl.create_study(pool, fl.Estimate(metric, positive="yes"), seed=1)
    study.tell({query.item: ["no", "yes"][int(true[query.item])] for query in study.ask(400)})
    data = report_data(study)
    assert data.projection is not None
    labels = int(re.findall(r"about ([\d,]+) labels", data.projection)[0].replace(",", ""))
    samples = [rng.choice(20_000, labels, replace=False) for _ in range(2000)]
    found = [(true[s] & said[s]).sum() / (alpha * said[s].sum() + (1 - alpha) * true[s].sum()) for s in samples]
    assert data.overall is not None
    assert np.std(found) == pytest.approx(data.overall.half_width / 1.96, rel=0.25)


def test_the_projection_of_two_models_counts_labels_where_they_say_the_same() -> None:
    one, two = (["a", "b", "a", "b"] * 50, ["a", "b", "b", "b"] * 50)
    both = {name: fl.Pool.from_arrays(predicted=said, score=[0.9] * 200) for name, said in (("x", one), ("y", two))}
    study = fl.create_study(fl.Pool.join(both), fl.CompareModels("accuracy", a="x", b="y"))
    study.tell({query.item: "a" for query in study.ask(10)})
    assert "would take about 40 labels" in (report_data(study).projection or "")


def test_figures_that_take_the_least_stay_in_a_report(bank: fl.Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = look(labelled(bank, fl.Estimate("accuracy", by="predicted_class"), 60))
    assert {"by_labels", "reliability", "calibration_bias"} <= pictures.quick(seen)
    size, told = pictures.reading_size(seen), len(set(seen.evidence.cell.tolist()))
    assert size == told + (seen.assessment.cells.count - told) // 3 > len(seen.answer.findings)
    monkeypatch.setattr(pictures, "_MOST", 4 * size)
    assert pictures.quick(seen) >= {"groups", "reliability", "calibration_error", "calibration_bias"}
    assert not pictures.quick(seen) & {"by_labels", "accuracy_calibration"}
    monkeypatch.setattr(pictures, "_MOST", size)
    assert pictures.quick(seen) == {"groups", "labels_by_group", "labels_over_time"}


def test_the_best_of_models_is_named_first_and_beside_every_difference(tmp_path: Path) -> None:
    said = {"x": ["a", "b", "a", "b"] * 50, "y": ["a", "b", "b", "b"] * 50, "z": ["b", "b", "b", "b"] * 50}
    made = {name: fl.Pool.from_arrays(predicted=p, score=[0.9] * 200, classes=["a", "b"]) for name, p in said.items()}
    pool = fl.Pool.join(made)
    study = fl.create_study(pool, fl.BestModel("accuracy"))
    study.tell({query.item: "a" for query in study.ask(30)})
    data, answer = report_data(study), study.answer()
    assert data.best is not None
    assert (data.best.best, {name for name, *_ in data.rows[0].more["as_best"]}) == ("x", set(answer.columns))
    assert [row.more["as_best"][0][1] for row in data.rows] == [answer.p_best[row.finding.group] for row in data.rows]
    text = page(study, tmp_path)
    assert all(f'<data value="{p}">' in text for p in answer.p_best.values())
    assert "<th>p(best)</th>" in text
    assert not data.left_out


def test_what_could_be_wrong_speaks_of_few_labels_skips_and_open_queries(small: fl.Pool, tmp_path: Path) -> None:
    study = labelled(small, fl.Estimate("accuracy", by="predicted_class"), 20)
    first, *_ = study.ask(3)
    study.skip(first, reason="blurred")
    found = report_data(study).doubts
    said = {doubt.head: doubt.words for doubt in found}
    assert "fewer than 10 labels" in said["Few labels"]
    assert said["Open queries"].startswith("2 items asked")
    (skipped,) = [doubt.words for doubt in found if "skipped" in doubt.words]  # once
    assert skipped == "1 item was skipped. The intervals hold whatever the right labels are."
    for query in study.ask(21):
        study.tell(query, query.predicted)
    forgotten = {doubt.head: doubt for doubt in report_data(study).doubts}["Open queries"]
    assert "was handed out first and has no answer. Label or skip it." in forgotten.words
    assert forgotten.serious
    assert "on average over groups and studies" in said["What the intervals promise"]
    assert "probability 95" not in page(study, tmp_path)


def test_a_model_that_its_own_labels_contradict_is_said_to_be_wrong(small: fl.Pool) -> None:
    from fewlabels.reporting.doubts import doubts
    from fewlabels.study.look import look

    seen = look(labelled(small, fl.Estimate("accuracy"), 20))
    overall = replace(seen.answer.overall, by_design=0.1, by_design_low=0.0, by_design_high=0.2, contradicted=True)
    first = doubts(replace(seen, answer=replace(seen.answer, overall=overall)))[0]
    assert first.serious
    assert "disagree more than chance allows" in first.words


def test_a_comparison_shows_which_way_and_how_sure(bank: fl.Pool, tmp_path: Path) -> None:
    study = labelled(bank, fl.Compare("accuracy", by="predicted_class", a="card_arrival", b="pin_blocked"), 10)
    text, answer = page(study, tmp_path), study.answer()
    assert "Which way, and how sure" in text
    for probability in (answer.p_less, answer.p_equal, answer.p_more):
        assert f'<data value="{probability}">' in text


def test_a_fully_labelled_group_says_so_in_the_report(small: fl.Pool, tmp_path: Path) -> None:
    text = page(labelled(small, fl.Estimate("accuracy"), 40), tmp_path)
    assert "all 40 labelled</data></td>" in text
    assert "overall; all 40 labelled</span>" in text  # no prior carries any of it
    assert "all 40 labelled" not in page(labelled(small, fl.Estimate("accuracy"), 40, target="population"), tmp_path)


def test_the_report_of_a_confusion_matrix_begins_with_its_mix_ups(small: fl.Pool, tmp_path: Path) -> None:
    study = labelled(small, fl.Estimate("confusion"), 20)
    rows = [row.finding for row in report_data(study).rows]
    mixed = [f for f in rows if f.group.split(" → ")[0] != f.group.split(" → ")[1]]
    assert rows[: len(mixed)] == mixed
    assert [f.value for f in mixed] == sorted((f.value for f in mixed), reverse=True)
    assert "<th>predicted → true</th>" in page(study, tmp_path)


def test_ranks_of_the_report_are_headed_by_their_level(small: fl.Pool, tmp_path: Path) -> None:
    text = page(labelled(small, fl.Identify("accuracy", by="predicted_class", top=2), 10, level=0.9), tmp_path)
    assert "<th>rank (90%)</th>" in text
    assert text.count('<tr class="named"') == 2


def test_a_large_study_is_read_once_and_says_which_pictures_it_left_out(
    small: fl.Pool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    study = labelled(small, fl.Estimate("accuracy", by="predicted_class"), 20)
    monkeypatch.setattr(pictures, "_MOST", 10)
    monkeypatch.setattr(pictures, "_LOOKS", 10)
    read = []
    monkeypatch.setattr("fewlabels.study.study.answer_question", _counting(read))
    fl.report(study, tmp_path / "r.html")
    assert len(read) == 1
    data = report_data(study)
    assert all("every_look" not in row.more for row in data.rows)


def _counting(calls: list[int]):  # type: ignore[no-untyped-def]
    from fewlabels.reading.answer import answer

    def counted(*given: object, **more: object) -> object:
        calls.append(1)
        return answer(*given, **more)  # type: ignore[arg-type]

    return counted


# -- the commands ----------------------------------------------------------------------------------------------------


def test_the_commands_write_a_report_and_a_figure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("id,predicted,score\n" + "\n".join(f"{i},{'ab'[i % 2]},0.{5 + i % 5}" for i in range(30)))
    run = CliRunner().invoke
    made = run(app, ["new", "p.csv", "--study", "s.db", "--estimate", "accuracy", "--by", "predicted_class"])
    assert made.exit_code == 0
    assert "report.html" in run(app, ["report", "s.db"]).stdout
    assert Path("report.html").read_text().startswith("<!doctype html>")
    written = json.loads(run(app, ["report", "s.db", "-o", "r.html", "--json"]).stdout)
    assert written["bytes"] == Path("r.html").stat().st_size
    drawn = json.loads(run(app, ["plot", "s.db", "groups", "--json"]).stdout)
    assert {row["group"] for row in drawn["rows"]} == {"a", "b"}
    assert Path("groups.svg").read_text().startswith("<svg")
    assert "each group with its interval" in run(app, ["plot", "s.db"]).stdout
    refused = run(app, ["plot", "s.db", "pie"])
    assert refused.exit_code == 2
    assert "no figure 'pie'; there are groups" in refused.stderr
    missing = run(app, ["report", "s.db", "-o", "no/such/r.html"])
    assert missing.exit_code == 2
