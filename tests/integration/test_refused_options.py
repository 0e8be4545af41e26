"""Options that would have no effect, or a goal that anything reaches, are refused in words and exit code 2."""

import json
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from command_line import refused, run, run_json, write_mail


@pytest.fixture
def scores(here: Path) -> str:
    """The score of one class."""
    (here / "scores.csv").write_text("id,s\n" + "\n".join(f"i{i},{i / 20}" for i in range(20)) + "\n")
    return "scores.csv"


OF_NEW = {
    "bins without bins": (["--by", "region", "--bins", "5"], "--bins goes with --by score_bin"),
    "a kind of bins without bins": (["--bins-of", "mass"], "--bins-of goes with --by score_bin"),
    "no groups to identify": (["--identify", "accuracy", "--top", "0"], "at least 1; got 0"),
    "top without identify": (["--top", "2"], "--top goes with --identify"),
    "proven without identify": (["--proven"], "--proven goes with --identify"),
    "proven of an estimate": (["--estimate", "accuracy", "--proven"], "--proven does not go with --estimate"),
    "which without identify": (["--which", "best"], "--which goes with --identify"),
    "a group without compare": (["--by", "region", "--a", "north"], "--a goes with --compare"),
    "a region without compare": (["--rope", "0.1"], "--rope goes with --compare"),
    "an empty metric": (["--estimate", ""], "unknown metric ''"),
    "an empty end": (["--identify", "accuracy", "--which", ""], "got ''"),
    "a positive class beside bins": (
        ["--estimate", "calibration_error", "--bins", "4", "--positive-class", "refund"],
        "has no meaning for 'calibration_error'",
    ),
    "a threshold without a positive score": (["--threshold", "0.3"], "--positive-score"),
    "a threshold of zero without a positive score": (["--threshold", "0"], "--positive-score"),
    "a positive class without its score": (["--positive", "refund"], "--positive-class"),
    "two forms of predictions": (["--positive-score", "score", "--positive", "x", "--predicted", "predicted"], "two"),
    "sigmoids without probabilities": (["--independent"], "the file has none"),
    "two places": (["--study", "a.db", "--storage", "sqlite:///b.db"], "two places"),
    "a prior of frequencies": (["--estimator", "frequency", "--prior", "flat"], "has no prior"),
    "the strength of no prior": (["--estimator", "frequency", "--prior-strength", "3"], "has no prior"),
    "an infinite goal": (["--until-half-width", "inf"], "reached by anything"),
    "a goal that is no number": (["--until-half-width", "nan"], "got nan"),
    "a goal every share reaches": (["--until-half-width", "0.5"], "no interval is wider than ±0.5"),
    "an overall goal every share reaches": (["--until-overall", "2"], "no interval is wider than ±0.5"),
    "a goal every difference reaches": (
        ["--compare", "accuracy", "--by", "region", "--a", "north", "--b", "south", "--until-half-width", "1"],
        "no interval is wider than ±1",
    ),
    "an overall goal of a comparison": (
        ["--compare", "accuracy", "--by", "region", "--a", "north", "--b", "south", "--until-overall", "0.1"],
        "no overall figure; use --until-half-width",
    ),
}


@pytest.mark.parametrize(("options", "words"), OF_NEW.values(), ids=OF_NEW)
def test_new_refuses_options_it_would_ignore_and_creates_no_study(mail: str, options: list[str], words: str) -> None:
    assert words in refused("new", mail, *options)
    assert list(Path().glob("*.db")) == []


def test_a_comparison_may_have_a_goal_that_every_share_reaches(mail: str) -> None:
    pair = ["--compare", "accuracy", "--by", "region", "--a", "north", "--b", "south"]
    run("new", mail, *pair, "--until-half-width", "0.6")


def test_a_goal_for_costs_has_no_bound_but_must_be_finite() -> None:
    pool = fl.Pool.from_arrays(predicted=["a", "b"] * 5, score=[0.9] * 10)
    cost = fl.Estimate(fl.Cost([[0, 900], [200, 0]]))
    assert fl.create_study(pool, cost, until=fl.HalfWidth(30)).settings.until == fl.HalfWidth(30)
    with pytest.raises(fl.QuestionError, match="reached by anything"):
        fl.create_study(pool, cost, until=fl.HalfWidth(float("inf")))


def test_a_variance_every_score_reaches_is_refused(scores: str) -> None:
    flags = ["--positive-score", "s", "--positive", "fraud", "--estimate", "f1"]
    assert "variance below 0.25" in refused("new", scores, *flags, "--until-variance", "0.25")
    assert "variance below 0.25" in refused("new", scores, *flags, "--until-variance", "inf")


def test_a_study_that_has_such_a_goal_already_opens(mail: str) -> None:
    study = fl.create_study(fl.open_pool(mail), fl.Estimate("accuracy"), storage="sqlite:///old.db", name="old")
    import sqlite3

    with sqlite3.connect("old.db") as database:
        (text,) = database.execute("select settings from fewlabels_studies").fetchone()
        goal = {"name": "half_width", "goal": 2.0, "of": "groups"}
        database.execute("update fewlabels_studies set settings = ?", [json.dumps({**json.loads(text), "until": goal})])
    assert fl.load_study("old", storage="sqlite:///old.db").settings.until == fl.HalfWidth(2.0)
    assert study.settings.until is None


def test_a_threshold_of_zero_is_taken(scores: str) -> None:
    run("new", scores, "--positive-score", "s", "--positive", "fraud", "--threshold", "0")
    assert {q["predicted"] for q in run_json("ask", "scores.db", "-n", "20")} == {"fraud"}
    command = run_json("doctor", scores, "--positive-score", "s", "--positive", "fraud", "--threshold", "0")["answers"]
    assert "--threshold 0" in command[0]["command"]


def test_predictions_named_beside_the_probabilities_of_all_classes_are_refused(here: Path) -> None:
    rows = [f"i{i},0.7,0.3,b,0.9" for i in range(6)]
    (here / "p.csv").write_text("id,p_a,p_b,said,sure\n" + "\n".join(rows) + "\n")
    assert "--predicted is not read" in refused("new", "p.csv", "--predicted", "said", "--score", "sure")
    assert "--predicted is not read" in refused("doctor", "p.csv", "--predicted", "said", "--score", "sure")


def test_a_pool_refuses_a_threshold_or_a_positive_class_it_would_ignore() -> None:
    outputs = {"predicted": ["a", "b"], "score": [0.9, 0.8]}
    with pytest.raises(fl.PoolError, match=r"threshold=0\.5 cuts a positive_score"):
        fl.Pool.from_arrays(**outputs, threshold=0.5)
    with pytest.raises(fl.PoolError, match="positive='frod' is not a class"):
        fl.Pool.from_arrays(**outputs, positive="frod")
    with pytest.raises(fl.PoolError, match="threshold"):
        fl.open_pool({"predicted": np.array(["a", "b"]), "score": np.array([0.9, 0.8])}, threshold=0.2)


def test_a_study_that_kept_the_default_threshold_opens_its_pool_again(mail: str) -> None:
    """Older studies wrote threshold=0.5 down whatever their predictions were."""
    import sqlite3

    run("new", mail)
    with sqlite3.connect("mail.db") as database:
        (text,) = database.execute("select about from fewlabels_pools").fetchone()
        about = json.loads(text)
        about["source"] |= {"threshold": 0.5, "positive": "frod"}
        database.execute("update fewlabels_pools set about = ?", [json.dumps(about)])
    assert len(run_json("ask", "mail.db", "-n", "3")) == 3


def test_a_study_is_looked_for_in_one_place_under_one_name(march: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write_mail(Path(), "other.csv")
    run("new", "other.csv", "--storage", "sqlite:///all.db", "--name", "april")
    assert "two places" in refused("status", march, "--storage", "sqlite:///all.db")
    assert "two places" in refused("status", "sqlite:///all.db", "--storage", "sqlite:///march.db")
    assert "two places" in refused("list", march, "--storage", "sqlite:///all.db")
    assert "leave --name 'may' out" in refused("status", "april", "--storage", "sqlite:///all.db", "--name", "may")
    monkeypatch.setenv("FEWLABELS_STORAGE", "sqlite:///all.db")
    assert run_json("status", march)["study"] == "march"  # a file that is typed wins over the environment
    run("new", "other.csv", "--study", "may.db")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--top", "2"], "--top goes with --identify"),
        (["--bins", "3"], "--bins goes with"),
        (["--estimate", "reliability", "--bins", "3", "--positive-class", "refund"], "has no meaning"),
    ],
)
def test_answer_refuses_options_it_would_ignore(march: str, options: list[str], words: str) -> None:
    assert words in refused("answer", march, *options)


def test_answer_refuses_a_kind_of_interval_that_scores_from_draws_do_not_have(scores: str) -> None:
    run("new", scores, "--positive-score", "s", "--positive", "fraud", "--estimate", "f1")
    assert "equal-tailed intervals only" in refused("answer", "scores.db", "--interval", "highest-density")


def test_going_past_a_goal_needs_a_goal(march: str) -> None:
    assert "no goal" in refused("label", march, "--past-goal")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--labels", "l.csv", "--label-column", "label"], "two places"),
        (["--identify", "accuracy", "--level", "0.9"], "--level is about intervals"),
        (["--measures", "rmse", "--level", "0.9"], "--level is about intervals"),
        (["--until", "rmse=0.1", "--measures", ""], "leave --measures out"),
        (["--budgets", ""], "--budgets"),
        (["--threshold", "0.3"], "--positive-score"),
        (["--bins", "3"], "--bins goes with"),
    ],
)
def test_simulate_refuses_options_it_would_ignore(mail: str, options: list[str], words: str) -> None:
    assert words in refused("simulate", mail, "--runs", "1", *options)


def test_simulate_says_which_labels_belong_to_no_item(mail: str) -> None:
    rows = [f"item-{i},refund" for i in range(61)]
    Path("l.csv").write_text("id,label\n" + "\n".join(rows) + "\n")
    few = ["--runs", "1", "--budgets", "5", "--methods", "uprior", "--workers", "1"]
    done = run("simulate", mail, "--labels", "l.csv", *few)
    assert "1 label is of items that are not in the pool ('item-60' first)" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["demo", "--save", "x", "--labels", "3"], "--labels has no effect beside --save"),
        (["demo", "--save", "x", "--out", "r.html"], "--out has no effect beside --save"),
        (["reproduce", "--list", "aaai-table-3"], "NAME has no effect beside --list"),
        (["reproduce", "--list", "--runs", "3"], "--runs has no effect beside --list"),
        (["reproduce", "--list", "--json", "x.json"], "writes no file"),
        (["reproduce", "--document", "x.md", "--runs", "3"], "--runs has no effect beside --document"),
        (["reproduce", "--document", "x.md", "--json"], "--json has no effect beside --document"),
        (["reproduce", "aaai-table-3", "--results", "x"], "--results goes with --document"),
    ],
)
def test_demo_and_reproduce_refuse_options_they_would_ignore(here: Path, arguments: list[str], words: str) -> None:
    assert words in refused(*arguments)
    assert list(here.iterdir()) == []
