"""Reproductions: the bookkeeping here, the papers' numbers at reduced size, and at full size in `make slow`."""

import json
import math
import sys

import pytest
from typer.testing import CliRunner

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.reproduction import Compared, Curve, Panel, Reproduction
from fewlabels.reproduction.drawing import draw
from fewlabels.reproduction.experiments import EXPERIMENTS
from fewlabels.reproduction.page import document
from fewlabels.reproduction.results import load_results, save_result
from fewlabels.reproduction.shapes import figure_pools
from fewlabels.reproduction.shapes.figure_pools import CIFAR100, SVHN


def test_a_number_agrees_within_three_standard_errors_of_a_difference_and_rounding():
    assert Compared("x", 10.0, 10.0 + 3 * math.sqrt(2 * 0.1**2 + 0.05**2 / 3) - 1e-9, 0.1).agrees
    assert not Compared("x", 10.0, 10.0 + 3 * math.sqrt(2 * 0.1**2 + 0.05**2 / 3) + 1e-9, 0.1).agrees
    assert Compared("x", 10.0, 99.0, 0.1, "as stated").agrees is None
    assert Compared("x", None, 99.0, 0.1).agrees is None


def test_a_crossing_agrees_inside_its_bootstrap_interval():
    assert Compared("x", 24.9, 26.0, math.nan, low=22.0, high=30.0).agrees
    assert not Compared("x", 40.0, 26.0, math.nan, low=22.0, high=30.0).agrees


def test_a_number_of_another_pool_has_a_difference_but_no_verdict():
    row = Compared("x", 9600.0, 9000.0, 100.0, rounding=50.0, other_pool=True)
    assert row.agrees is None
    assert row.apart == pytest.approx(-600 / math.sqrt(2 * 100**2 + 50**2 / 3))
    assert row.shown == ("9,600", "9,000 ± 100")


def test_numbers_are_shown_with_a_digit_more_than_the_paper_prints():
    assert Compared("x", 1.463, 1.47431, 0.0096, rounding=0.0005).shown == ("1.463", "1.4743 ± 0.0096")
    assert Compared("x", 24.9, 26.0, math.nan, low=22.04, high=math.inf).shown == ("24.9", "26.00 (22.0–?)")


def test_a_result_kept_is_read_back_as_it_was(tmp_path):
    rows = (Compared("a", 1.0, math.inf, math.nan, low=2.0, high=math.inf), Compared("b", None, 0.5, 0.1, "as stated"))
    curve = Curve("c", (0.0, 1.0), (0.5, 0.6), (0.4, 0.5), (0.6, 0.7))
    panels = (Panel("p", "x", "y", (curve,), marks=(("truth", 0.5),)), Panel("q", "x", "y", image=((0.0, 1.0),)))
    found = Reproduction("aaai-table-99", "Title", "a pool", 3, rows, ("Note – one.",), panels, 1.5)
    save_result(found, tmp_path / "one.json")
    (again,) = load_results(tmp_path).values()
    assert str(again) == str(found)
    assert again.panels == found.panels
    assert json.loads((tmp_path / "one.json").read_text())["rows"][0]["ours"] == "never"


def test_a_folder_without_results_is_refused_in_words(tmp_path):
    with pytest.raises(fl.StudyError, match="--keep"):
        load_results(tmp_path)


def test_names_and_aliases_are_unique_and_the_supplement_has_its_own_numbers():
    names = [name for n, e in EXPERIMENTS.items() for name in (n, *e.aliases)]
    assert len(set(names)) == len(names)
    of = {alias: n for n, e in EXPERIMENTS.items() for alias in e.aliases}
    assert [of[f"supplement-table-{i}"] for i in (1, 2, 3, 4)] == [f"aaai-table-{i}" for i in (8, 9, 10, 11)]
    experiments = [1, 2, 3, 4, 5, 6, 8, 11, 12, 13, 14, 15, 16]  # 7, 9 and 10 are algorithms
    assert [of[f"supplement-figure-{i}"] for i in experiments] == [f"aaai-figure-{i + 3}" for i in experiments]
    assert {f"v1-figure-{i}" for i in range(1, 14)} <= set(names)
    assert {f"workshop-figure-{i}" for i in (1, 2, 3, 5, 6, 7, 8, 9, 10)} <= set(names)


def test_the_page_says_what_agrees_what_does_not_and_what_was_not_run(tmp_path):
    rows = (
        Compared("good", 1.0, 1.0, 0.1),
        Compared("bad", 9.0, 1.0, 0.1),
        Compared("free", 1.0, 5.0, 0.1, "as stated"),
    )
    save_result(Reproduction("aaai-table-3", "T", "P", 7, rows, ("Because of arithmetic.",)), tmp_path / "a.json")
    figure = Reproduction("aaai-figure-1", "F", "P", 1, (), (), (Panel("p", "x", "y", (Curve("c", (0.0,), (1.0,)),)),))
    save_result(figure, tmp_path / "f.json")
    (tmp_path / "aaai-figure-1.png").write_bytes(b"")
    page = document(tmp_path, EXPERIMENTS, tmp_path.parent / "page.md")
    assert "| [`aaai-table-3`](#aaai-table-3) | 7 of the paper's 1,000, before the rules; `make rep" in page
    assert " does it again | 1 of 2 |" in page
    assert "1 of 2 printed numbers agree; apart are: bad." in page
    assert "| bad | 9.0 | 1.00 ± 0.10 | -55.4 se, does not agree |" in page
    assert "Because of arithmetic." in page
    assert "| `aaai-table-4` | not run | |" in page
    assert f"![F]({tmp_path.name}/aaai-figure-1.png)" in page


def test_a_drawing_is_the_same_every_time_and_needs_curves(tmp_path):
    panels = (
        Panel(
            "lines", "x", "y", (Curve("a", (0.0, 1.0), (0.5, 0.6), (0.4, 0.5), (0.6, 0.7)),), marks=(("truth", 0.5),)
        ),
        Panel(
            "points", "x", "y", (Curve("a", (0.0, 1.0), (0.5, 0.6), (0.4, 0.5), (0.6, 0.7)),), "points", diagonal=True
        ),
        Panel("bars", "", "y", (Curve("a", (0.0, 1.0), (0.5, 0.6)),), "bars", ("one", "two")),
        Panel("image", "x", "y", (), "image", image=((0.0, 1.0), (1.0, 0.0))),
    )
    found = Reproduction("aaai-figure-99", "Title", "a pool", 3, panels=panels)
    for name in ("one.svg", "two.svg", "three.png"):
        draw(found, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert ">lines</text>" in (tmp_path / "one.svg").read_text()
    with pytest.raises(fl.QuestionError, match=r"\.svg"):
        draw(found, tmp_path / "four.txt")
    with pytest.raises(fl.QuestionError, match="--json"):
        draw(Reproduction("aaai-table-3", "T", "P", 1), tmp_path / "five.svg")


def test_drawing_without_matplotlib_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = Reproduction("f", "T", "P", 1, panels=(Panel("p", "x", "y", (Curve("c", (0.0,), (1.0,)),)),))
    with pytest.raises(fl.MissingExtraError, match=r"fewlabels\[plots\]"):
        draw(found, tmp_path / "f.svg")


def test_an_unknown_name_lists_the_nearest_or_all():
    with pytest.raises(fl.QuestionError, match=r"did you mean aaai-table-3"):
        fl.reproduce("aaai-tabel-3")
    with pytest.raises(fl.QuestionError, match=r"known are aaai-table-3,.*acis-other-pools"):
        fl.reproduce("?")


def test_without_a_folder_of_pools_it_is_asked_for(monkeypatch):
    monkeypatch.delenv("FEWLABELS_DATA", raising=False)
    with pytest.raises(fl.PoolError, match="name their folder"):
        fl.reproduce("aaai-table-3")


@pytest.mark.parametrize(
    "wrong", [("--json", "nowhere/t.json"), ("--figure", "t.png"), ("--keep", "nowhere/kept"), ("--figure", "t.xyz")]
)
def test_what_could_not_be_written_is_refused_before_the_runs(wrong, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["reproduce", "aaai-table-3", "--data", ".", *wrong])
    assert done.exit_code == 2
    assert "no folder" in done.stderr or "--figure draws a figure" in done.stderr


def test_a_missing_pool_says_where_it_is_looked_for(tmp_path):
    with pytest.raises(fl.PoolError, match="--data"):
        fl.reproduce("aaai-table-3", data=tmp_path, runs=1)


@pytest.mark.parametrize("name", ["aaai-table-3", "aaai-table-5", "supplement-table-1"])
def test_tables_come_out_at_reduced_size(name, data_folder, monkeypatch):
    """20 runs of the papers' own two data sets: each of 18 numbers is outside its tolerance once in 370 by chance."""
    monkeypatch.setattr(figure_pools.data_sets, "__defaults__", ((CIFAR100, SVHN),))
    found = fl.reproduce(name, data=data_folder, runs=20, workers=1)
    printed = [row for row in found.rows if row.agrees is not None]
    assert len(printed) == 18  # of CIFAR-100 and SVHN
    assert sum(not row.agrees for row in printed) <= 2
    assert "as stated" in str(found)


def test_the_command_lists_and_writes_json(data_folder, tmp_path):
    runner = CliRunner()
    assert "aaai-table-6" in runner.invoke(app, ["reproduce", "--list"]).stdout
    out = tmp_path / "t.json"
    arguments = ["reproduce", "aaai-table-8", "--runs", "3", "--workers", "1", "--data", str(data_folder)]
    arguments += ["--json", str(out)]
    assert runner.invoke(app, arguments).exit_code == 0
    assert len(json.loads(out.read_text())["rows"]) == 5 * 18
    assert runner.invoke(app, ["reproduce"]).exit_code == 2


@pytest.mark.parametrize("place", [0, 1, 3])
def test_json_without_a_file_prints_nothing_else(folder, place):
    """Whether a name or another option follows, or nothing."""
    given = ["supplement-figure-6", "--data", str(folder)]
    given.insert(place, "--json")
    assert json.loads(CliRunner().invoke(app, ["reproduce", *given]).stdout)["name"] == "aaai-figure-9"


def test_a_list_as_json():
    assert "aaai-table-6" in json.loads(CliRunner().invoke(app, ["reproduce", "--list", "--json"]).stdout)


def test_the_command_draws_and_writes_the_page(data_folder, tmp_path):
    runner = CliRunner()
    arguments = ["reproduce", "supplement-figure-6", "--data", str(data_folder), "--json", str(tmp_path / "f.json")]
    arguments += ["--figure", str(tmp_path / "f.svg"), "--keep", str(tmp_path / "kept")]
    assert "lizard is least accurate" in runner.invoke(app, arguments).stdout
    assert (tmp_path / "f.svg").read_text().startswith("<?xml")
    assert len(json.loads((tmp_path / "f.json").read_text())["panels"]) == 3
    assert {p.name for p in (tmp_path / "kept").iterdir()} == {"aaai-figure-9.json", "aaai-figure-9.png"}
    page = tmp_path / "page.md"
    assert (
        runner.invoke(app, ["reproduce", "--document", str(page), "--results", str(tmp_path / "kept")]).exit_code == 0
    )
    assert "lizard is least accurate | 68 | 68.0 ± 0.5 | -0.0 se, agrees |" in page.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "apart"), [("aaai-table-3", 1), ("aaai-table-5", 0), ("aaai-table-8", 0)])
def test_tables_come_out_at_full_size(name, apart, data_folder):
    """But for one cell of SVHN in Table 3, which the exact mean leaves apart too."""
    found = fl.reproduce(name, data=data_folder)
    assert found.runs == EXPERIMENTS[name].runs
    print(found)
    assert sum(row.agrees is False for row in found.rows) == apart


@pytest.mark.slow
def test_four_of_six_printed_crossings_of_accuracy_lie_in_their_interval(data_folder):
    """Table 6 does not come out in full; were it to, it would belong to the test above."""
    found = fl.reproduce("aaai-table-6", data=data_folder)
    print(found)
    assert not found.agrees
    assert sum(row.agrees is True for row in found.rows if row.what.startswith("CIFAR-100")) == 4


@pytest.mark.slow
def test_printed_crossings_of_calibration_lie_in_their_interval_or_in_that_of_another_tenth_held_out(data_folder):
    """Which tenth the published runs held out is not known; for the non-active method all are tried."""
    found = fl.reproduce("aaai-table-9", data=data_folder)
    print(found)
    printed = {row.what: row for row in found.rows if row.variant == "as printed" and not row.other_pool}
    assert len(printed) == 12  # of two pools, four crossings each, two of them over the tenths as well
    for what, row in printed.items():
        others = printed.get(f"{what}, median and range over the tenths held out")
        assert row.paper is None or row.agrees or (others and others.low <= row.paper <= others.high)
