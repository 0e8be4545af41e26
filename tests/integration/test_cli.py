"""The command line on real files: every command, its JSON, its exit codes, its words."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.cli.errors import in_shell_words
from fewlabels.cli.label import find_classes, is_number
from fewlabels.cli.lines import line_of_row
from fewlabels.exchange.labels_file import read_labels

CLASSES = ("invoice", "refund", "other")


@pytest.fixture
def predictions(here: Path) -> str:
    """60 items, every third predicted each class; the truth is the prediction, but for every fifth item."""
    lines = ["id,text,predicted,score,region,label"]
    for i in range(60):
        predicted, region = CLASSES[i % 3], "north" if i % 2 else "south"
        truth = CLASSES[(i + 1) % 3] if i % 5 == 0 else predicted
        lines.append(f'item-{i},"message {i}, hello",{predicted},{0.5 + i / 125:.3f},{region},{truth}')
    (here / "mail.csv").write_text("\n".join(lines) + "\n")
    return "mail.csv"


@pytest.fixture
def study(predictions: str) -> str:
    run("new", predictions, "--study", "march.db", "--by", "region")
    return "march.db"


def run(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
    """What the command printed; it must end with this exit code."""
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def run_json(*arguments: str, code: int = 0, stdin: str | None = None) -> Any:
    """What the command says to machines: stdout must be JSON and nothing else."""
    return json.loads(run(*arguments, "--json", code=code, stdin=stdin).stdout)


def asked(study: str, n: int = 1) -> list[str]:
    return [str(query["item"]) for query in run_json("ask", study, "-n", str(n))]


# -- new and list ----------------------------------------------------------------------------------------------------


def test_new_without_a_question_estimates_accuracy_by_predicted_class(predictions: str) -> None:
    result = run("new", predictions)
    assert "accuracy by predicted class" in result.stdout
    assert "fewlabels label mail.db" in result.stdout
    assert fl.load_study("mail", storage="sqlite:///mail.db").settings.question == fl.Estimate(
        "accuracy", by="predicted_class"
    )


def test_new_takes_every_setting_of_a_study(predictions: str) -> None:
    made = run_json(
        *("new", predictions, "--study", "s.db", "--name", "audit", "--identify", "accuracy", "--by", "region"),
        *("--by", "predicted_class", "--top", "2", "--which", "best", "--strategy", "uniform", "--prior", "flat"),
        *("--prior-strength", "1", "--target", "population", "--until-probability", "0.9", "--budget", "20"),
        *("--seed", "3", "--level", "0.8"),
    )
    settings = fl.load_study("audit", storage="sqlite:///s.db").settings
    assert made["settings"] == settings.to_json()
    assert settings.question == fl.Identify("accuracy", by=("region", "predicted_class"), top=2, which="best")
    assert (settings.strategy, settings.prior, settings.prior_strength) == ("uniform", "flat", 1.0)
    assert (settings.target, settings.until) == ("population", fl.Probability(0.9))
    assert (settings.budget, settings.seed, settings.level) == (20, 3, 0.8)


def test_score_bins_and_calibration_take_their_number_of_bins(predictions: str) -> None:
    run("new", predictions, "--study", "a.db", "--by", "score_bin", "--bins", "4", "--bins-of", "mass")
    run("new", predictions, "--study", "b.db", "--estimate", "calibration_error", "--bins", "5")
    by = fl.load_study("a", storage="sqlite:///a.db").settings.question.by
    assert by == (fl.ScoreBins(4, "mass"),)
    metric = fl.load_study("b", storage="sqlite:///b.db").settings.question.metric
    assert metric == fl.CalibrationError(bins=fl.ScoreBins(5))


def test_compare_names_groups_of_two_groupings_with_commas(predictions: str) -> None:
    run("new", predictions, "--study", "c.db", "--compare", "accuracy", "--by", "region", "--by", "predicted_class",
        "--a", "north,refund", "--b", "south,refund", "--rope", "0.1")  # fmt: skip
    question = fl.load_study("c", storage="sqlite:///c.db").settings.question
    assert isinstance(question, fl.Compare)
    assert (question.a, question.b, question.rope) == ("north × refund", "south × refund", 0.1)


def test_a_binary_score_file_is_opened_by_its_flags(here: Path) -> None:
    (here / "f.csv").write_text("id,s\n" + "\n".join(f"{i},{i / 20}" for i in range(20)))
    flags = ["--positive-score", "s", "--positive", "fraud", "--threshold", "0.3"]
    run("new", "f.csv", *flags, "--estimate", "true_positive_rate")
    study = fl.load_study("f", storage="sqlite:///f.db")
    assert study.classes == ("not fraud", "fraud")
    assert study.settings.question == fl.Estimate("true_positive_rate", positive="fraud")
    item = asked("f.db")[0]
    run("tell", "f.db", item, "1")
    assert list(study.labels.values()) == ["fraud"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--estimate", "accuracy", "--identify", "accuracy"], "one question"),
        (["--estimate", "acuracy"], "unknown metric 'acuracy'; known are accuracy"),
        (["--estimate", "accuracy", "--top", "3"], "--top does not go with --estimate"),
        (["--compare", "accuracy", "--by", "region", "--a", "north"], "needs two groups"),
        (["--compare", "accuracy", "--by", "region", "--a", "north", "--b", "east"], "no group 'east'"),
        (["--by", "country"], "no column 'country'"),
        (["--prior", "guess"], "unknown prior 'guess'"),
        (["--until-half-width", "0.1", "--until-probability", "0.9"], "one goal"),
        (["--level", "95"], "0.95"),
        (["--study", "sqlite:///x.db"], "a URL goes into --storage"),
    ],
)
def test_new_refuses_what_means_nothing_in_words_and_creates_no_study(
    predictions: str, arguments: list[str], words: str
) -> None:
    result = run("new", predictions, *arguments, code=2)
    assert words in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert not any(run_json("list", file.name) for file in Path().glob("*.db"))


def test_a_second_study_of_one_name_is_refused_and_the_way_out_named(study: str, predictions: str) -> None:
    result = run("new", predictions, "--study", study, code=2)
    assert "fewlabels status march.db" in result.stderr


def test_a_file_of_several_studies_asks_which_one(study: str, predictions: str) -> None:
    assert "march.db --name second" in run("new", predictions, "--study", study, "--name", "second").stdout
    assert "march, second" in run("status", study, code=2).stderr
    assert "second" in run("status", study, "--name", "second").stdout
    assert "there: march, second" in run("status", study, "--name", "third", code=2).stderr
    assert [s["study"] for s in run_json("list", study)] == ["march", "second"]
    assert "accuracy by region" in run("list", study).stdout


def test_a_study_is_found_by_name_in_a_storage_and_by_the_environment(
    predictions: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = "sqlite:///all.db"
    assert (
        "fewlabels label march --storage sqlite:///all.db"
        in run("new", predictions, "--storage", storage, "--name", "march").stdout
    )
    assert run_json("status", "march", "--storage", storage)["study"] == "march"
    monkeypatch.setenv("FEWLABELS_STORAGE", storage)
    assert run_json("status", "march")["study"] == "march"
    assert run_json("status", "all.db")["study"] == "march"
    assert "no study named 'april'" in run("status", "april", code=2).stderr


@pytest.mark.parametrize("command", [["status"], ["answer"], ["ask"], ["label"], ["list"]])
def test_a_study_file_that_is_not_there_is_an_error_and_is_not_created(study: str, command: list[str]) -> None:
    result = run(*command, "april.db", code=2)
    assert "no study file 'april.db'; there is march.db" in result.stderr
    assert not Path("april.db").exists()


def test_a_file_that_is_no_study_fails_with_one_line(here: Path) -> None:
    (here / "notes.db").write_text("these are not studies, but a long enough text to be looked at" * 20)
    assert run("status", "notes.db", code=1).stderr.startswith("Error: ")


def test_list_needs_a_place_to_look(here: Path) -> None:
    assert "--storage" in run("list", code=2).stderr


# -- ask, tell, skip, correct ----------------------------------------------------------------------------------------


def test_asking_twice_shows_the_waiting_items_first(study: str) -> None:
    first = asked(study, 3)
    assert asked(study, 3) == first
    assert asked(study, 5)[:3] == first
    assert not {query["item"] for query in run_json("ask", study, "-n", "2", "--new")} & set(asked(study, 5))
    printed = run("ask", study, "-n", "5").stdout
    assert "message" in printed
    assert "5 of them asked before" in printed


def test_ask_says_why_there_is_nothing_to_ask(predictions: str) -> None:
    run("new", predictions, "--study", "s.db", "--budget", "1")
    run("tell", "s.db", asked("s.db")[0], "refund")
    assert run("ask", "s.db").stdout == "Nothing to ask: The budget of 1 label is spent.\n"


def test_a_told_label_is_recorded_with_who_said_so(study: str) -> None:
    item = asked(study)[0]
    assert "Recorded 1 label." in run("tell", study, item, "refund", "--by", "ann").stdout
    loaded = fl.load_study("march", storage="sqlite:///march.db")
    assert loaded.labels == {item: "refund"}
    assert loaded.events[-1].by == "ann"  # type: ignore[union-attr]
    assert run_json("tell", study, item, "refund")["known_before"] == 1


def test_a_wrong_label_is_refused_with_a_suggestion(study: str) -> None:
    item = asked(study)[0]
    assert "did you mean 'refund'" in run("tell", study, item, "refnd", code=2).stderr
    assert "never asked" in run("tell", study, "item-999", "refund", code=2).stderr


def test_contradicting_a_label_is_refused_and_correcting_it_works(study: str) -> None:
    item = asked(study)[0]
    run("tell", study, item, "refund")
    assert "correct" in run("tell", study, item, "other", code=2).stderr
    assert "was refund" in run("correct", study, item, "other").stdout
    assert run_json("correct", study, item, "invoice") == {"item": item, "before": "other", "after": "invoice"}


def test_a_skipped_item_is_not_asked_again_and_can_be_labelled_later(study: str) -> None:
    item = asked(study)[0]
    assert "fewlabels correct march.db" in run("skip", study, item, "--reason", "unreadable").stdout
    assert item not in asked(study, 20)
    assert "was skipped" in run("correct", study, item, "other").stdout
    other = asked(study)[0]
    assert run_json("skip", study, other) == {"skipped": other, "reason": None}
    assert "not open" in run("skip", study, other, code=2).stderr


@pytest.mark.parametrize("form", ["csv", "semicolon", "bom", "jsonl", "stdin"])
def test_labels_come_from_files_of_several_kinds(study: str, form: str) -> None:
    first, second, third = asked(study, 3)
    rows = {first: "refund", second: "other", third: ""}
    separator = ";" if form == "semicolon" else ","
    text = "\n".join([f"id{separator}label", *(f"{i}{separator}{label}" for i, label in rows.items())]) + "\n"
    if form == "jsonl":
        text = "".join(json.dumps({"item": i, "label": label or None}) + "\n" for i, label in rows.items())
    Path("labels").write_text(text, encoding="utf-8-sig" if form == "bom" else "utf-8")
    stdin = {"stdin": text} if form == "stdin" else {}
    told = run_json("tell", study, "--file", "-" if form == "stdin" else "labels", **stdin)
    assert (told["told"], told["without_label"]) == (2, 1)


def test_a_file_with_one_bad_row_records_nothing(study: str) -> None:
    first, second = asked(study, 2)
    Path("labels.csv").write_text(f"id,label\n{first},refund\n{second},nonsense\n")
    assert "nonsense" in run("tell", study, "--file", "labels.csv", code=2).stderr
    assert fl.load_study("march", storage="sqlite:///march.db").labels == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,label\na,x\na,y\n", "line 3 says 'a' is 'y'"),
        ("name,label\na,x\n", "no column 'id' or 'item'; it has name, label"),
        ("id,label\n,x\n", "line 2 has no item"),
        ("id,label\n", "holds no labels"),
        ("", "l is empty: expected a head line 'id,label'"),
        ('{"id": "a", "label": "x"}\n{"id"\n', "line 2 is not JSON"),
    ],
)
def test_a_file_of_labels_that_cannot_be_read_names_the_line(here: Path, text: str, words: str) -> None:
    (here / "l").write_text(text)
    with pytest.raises(fl.LabelError) as error:
        read_labels("l")
    assert words in str(error.value)


def test_labels_of_items_never_asked_need_their_origin(study: str) -> None:
    Path("labels.csv").write_text("id,label\nitem-1,refund\nitem-2,other\n")
    assert "uniform" in run("tell", study, "--file", "labels.csv", code=2).stderr
    assert run_json("tell", study, "--file", "labels.csv", "--drawn", "unknown")["told"] == 2
    assert run_json("status", study)["brought_along"] == 2
    assert "--drawn is 'uniform'" in run("tell", study, "item-3", "other", "--drawn", "best", code=2).stderr
    assert "ITEM and LABEL" in run("tell", study, "item-3", code=2).stderr


def test_whole_number_ids_are_read_as_numbers(here: Path) -> None:
    (here / "n.jsonl").write_text(
        "".join(json.dumps({"id": i, "predicted": CLASSES[i % 3], "score": 0.9}) + "\n" for i in range(9))
    )
    run("new", "n.jsonl")
    item = run_json("ask", "n.db", "-n", "1")[0]["item"]
    assert isinstance(item, int)
    run("tell", "n.db", str(item), "other")
    run("correct", "n.db", str(item), "refund")
    assert "check its id" in run("tell", "n.db", "seven", "other", code=2).stderr


# -- answer and status -----------------------------------------------------------------------------------------------


def tell_all(study: str) -> None:
    truth = {f"item-{i}": CLASSES[(i + 1) % 3] if i % 5 == 0 else CLASSES[i % 3] for i in range(60)}
    Path("all.csv").write_text("id,label\n" + "\n".join(f"{item},{label}" for item, label in truth.items()))
    run("tell", study, "--file", "all.csv", "--drawn", "uniform")


def test_the_answer_is_a_sentence_then_a_table_with_intervals_method_target_and_labels(study: str) -> None:
    tell_all(study)
    printed = run("answer", study).stdout
    assert printed.startswith("Accuracy by region, from 60 labels: overall 80.0%")
    assert "group  value" in printed
    assert "95% intervals; target: the items of this pool" in printed
    north = next(line for line in printed.splitlines() if line.startswith("north"))
    assert north.split()[1:6] == ["80.0%", "all", "30", "labelled", "30"]


def test_the_answer_as_json_carries_every_number_with_its_interval(study: str) -> None:
    tell_all(study)
    answer = run_json("answer", study, "--level", "0.9")
    assert [f["group"] for f in answer["findings"]] == ["north", "south"]
    for finding in [answer["overall"], *answer["findings"]]:
        assert finding["low"] <= finding["value"] <= finding["high"]
        assert {"level", "method", "target", "labels", "prior_share"} <= set(finding)
        assert finding["level"] == 0.9


def test_another_question_is_answered_from_the_same_labels(study: str) -> None:
    tell_all(study)
    worst = run_json("answer", study, "--identify", "accuracy", "--top", "2")
    assert len(worst["groups"]) == 2
    assert worst["probability"] >= 0
    fair = run_json("answer", study, "--compare", "accuracy", "--by", "region", "--a", "north", "--b", "south")
    assert fair["p_equal"] == pytest.approx(1.0)
    assert fair["difference"]["value"] == pytest.approx(0.0, abs=1e-9)
    assert run_json("answer", study, "--estimate", "confusion")["findings"]
    assert "predicted class" in run("answer", study, "--by", "predicted_class", "--interval", "highest-density").stdout


def test_a_group_without_labels_is_a_dash_and_null_never_zero(predictions: str) -> None:
    run("new", predictions, "--study", "s.db", "--estimator", "frequency", "--by", "region")
    printed = run("answer", "s.db").stdout
    assert next(line for line in printed.splitlines() if line.startswith("north")).split()[1] == "–"
    assert run_json("answer", "s.db")["findings"][0]["value"] is None


def test_long_answers_show_twenty_groups_unless_all_are_asked_for(here: Path) -> None:
    rows = [{"id": i, "predicted": f"class {i % 30}", "score": 0.5} for i in range(90)]
    (here / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("new", "many.jsonl")
    assert "and 10 more groups: --all or --json" in run("answer", "many.db").stdout
    assert "class 29" in run("answer", "many.db", "--all").stdout


def test_status_tells_progress_and_check_turns_an_unreached_goal_into_exit_1(predictions: str) -> None:
    run("new", predictions, "--study", "s.db", "--by", "region", "--until-half-width", "0.01", "--budget", "60")
    assert "Not yet" in run("status", "s.db").stdout
    run("status", "s.db", "--check", code=1)
    run("answer", "s.db", "--check", code=1)
    tell_all("s.db")
    assert "Goal reached" in run("status", "s.db", "--check").stdout
    about = run_json("status", "s.db", "--check")
    assert (about["done"], about["reached"], about["labelled"]) == (True, True, 60)


def test_a_spent_budget_is_done_but_a_goal_it_missed_is_not_reached(predictions: str) -> None:
    run("new", predictions, "--study", "s.db", "--until-half-width", "0.01", "--budget", "2")
    for item in asked("s.db", 2):
        run("tell", "s.db", item, "other")
    about = run_json("status", "s.db", "--check", code=1)
    assert (about["done"], about["reached"]) == (True, False)


def test_status_at_the_goal_leads_to_the_answer_and_before_it_to_labelling(predictions: str) -> None:
    run("new", predictions, "--study", "s.db", "--by", "region", "--until-half-width", "0.01")
    assert "Next: fewlabels label s.db" in run("status", "s.db").stdout
    tell_all("s.db")
    printed = run("status", "s.db").stdout
    assert "Next: fewlabels answer s.db" in printed
    assert "fewlabels label" not in printed


def test_status_says_how_much_of_the_budget_is_spent(predictions: str) -> None:
    run("new", predictions, "--study", "s.db", "--budget", "3")
    first, second = asked("s.db", 2)
    run("tell", "s.db", first, "other")
    run("skip", "s.db", second)
    assert "1 of the budget of 3 labels spent." in run("status", "s.db").stdout
    about = run_json("status", "s.db")
    assert (about["budget"], about["spent"]) == (3, 1)


def test_a_fully_labelled_group_says_so_in_place_of_an_interval(study: str) -> None:
    for item in [f"item-{i}" for i in range(0, 60, 2)]:  # the whole south
        run("tell", study, item, "other", "--drawn", "uniform")
    lines = {line.split()[0]: line for line in run("answer", study).stdout.splitlines() if line}
    assert "all 30 labelled" in lines["south"]
    assert "labelled" not in lines["north"]
    population = run("answer", study, "--estimate", "accuracy", "--by", "region").stdout
    assert "all 30 labelled" in population


def test_a_fully_labelled_group_of_a_population_keeps_its_interval(predictions: str) -> None:
    run("new", predictions, "--study", "s.db", "--by", "region", "--target", "population")
    tell_all("s.db")
    assert "all 30 labelled" not in run("answer", "s.db").stdout


def test_a_confusion_matrix_shows_its_largest_mix_ups_first(here: Path) -> None:
    names = [f"c{i:02}" for i in range(12)]
    rows = [{"id": i, "predicted": names[i % 12], "score": 0.9} for i in range(240)]
    (here / "many.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("new", "many.jsonl", "--estimate", "confusion", "--prior", "flat")
    truth = {i: "c03" if i % 12 == 11 else names[i % 12] for i in range(240)}  # every c11 is truly c03
    (here / "l.csv").write_text("id,label\n" + "".join(f"{i},{t}\n" for i, t in truth.items()))
    run("tell", "many.db", "--file", "l.csv", "--drawn", "uniform")
    table = run("answer", "many.db").stdout.split("\n\n")[1].splitlines()
    assert table[0].startswith("predicted → true")
    assert table[1].startswith("c11 → c03")
    assert any(line.startswith("predicted → true: how often") for line in table[-3:])
    every = run("answer", "many.db", "--all").stdout
    assert "c00 → c00" in every
    assert every.index("c11 → c03") < every.index("c00 → c01") < every.index("c00 → c00")


def test_ranks_are_shown_as_their_interval_under_its_level(study: str) -> None:
    asked_for = ("answer", study, "--identify", "accuracy", "--by", "predicted_class")
    heads, row = run(*asked_for).stdout.split("\n\n")[1].splitlines()[:2]
    assert "rank (95%)" in heads
    assert "1–3" in row.split()
    assert "rank (90%)" in run(*asked_for, "--level", "0.9").stdout


# -- the words of errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("if the first was wrong, use correct().", "if the first was wrong, use fewlabels correct."),
        (
            "no label to correct; tell() records a first one.",
            "no label to correct; fewlabels tell records a first one.",
        ),
        ("drawn='uniform' (a sample) or drawn='unknown'.", "--drawn uniform (a sample) or --drawn unknown."),
        ("which class is positive; pass positive='…'.", "which class is positive; add --positive-class CLASS."),
        ("the class it scores; pass positive='fraud', say.", "the class it scores; add --positive fraud, say."),
        ("positive='x' is not a class of the pool", "--positive-class 'x' is not a class of the pool"),
        ("goes into other_labels= of the pool.", "goes into --other-label of fewlabels new."),
        ("other_labels names 'a', which", "--other-label names 'a', which"),
        ("add it to classes=.", "add it to --classes."),
        ("or positive_score= naming a column", "or --positive-score naming a column"),
        ("pass positive_score= and positive=.", "add --positive-score and --positive."),
        ('pass probabilities_are="independent"; if logits', "add --independent; if logits"),
        ("until=3", "--until-half-width or --until-probability 3"),
        (
            "until=fl.Probability is for Identify, Compare, Below and Above; an Estimate stops at fl.HalfWidth.",
            "--until-probability is for --identify, --compare, --below and --above; an --estimate stops at "
            "--until-half-width.",
        ),
        ("is for fl.Identify with top=1; use", "is for --identify with --top 1; use"),
        ("say which with model=: a, b.", "say which with --model: a, b."),
        ("top=5 of 3 groups", "--top 5 of 3 groups"),
        ("prior='diagonal' needs bins; use prior='scores'.", "--prior diagonal needs bins; use --prior scores."),
        ("by='true_class' is for accuracy", "--by true_class is for accuracy"),
        ("use scores, flat or diagonal or fl.Prior(…).", "use scores, flat or diagonal."),
        ("no column 'until' for id; 3 classes", "no column 'until' for id; 3 classes"),
    ],
)
def test_errors_speak_of_options_not_of_python(python: str, shell: str) -> None:
    assert in_shell_words(python) == shell


@pytest.mark.parametrize(
    "arguments",
    [
        ["--estimate", "true_positive_rate"],
        ["--estimate", "true_positive_rate", "--positive-class", "spam"],
        ["--estimate", "accuracy", "--positive-class", "refund"],
        ["--estimate", "accuracy", "--until-probability", "0.9"],
        ["--identify", "accuracy", "--top", "9"],
        ["--identify", "confusion"],
        ["--identify", "calibration_bias", "--by", "true_class"],
        ["--until-half-width", "-1"],
        ["--prior", "diagonal"],
        ["--prior", "guess"],
        ["--prior-strength", "-1"],
        ["--strategy", "top_two"],
        ["--by", "region", "--by", "region"],
        ["--positive-score", "score"],
        ["--other-label", "refund"],
    ],
)
def test_no_refusal_of_new_reads_like_python(predictions: str, arguments: list[str]) -> None:
    error = run("new", predictions, *arguments, code=2).stderr
    assert not re.search(r"\w=|\w\(|\bfl\.|\bHalfWidth\b|\bIdentify\b", error), error


def test_no_refusal_of_a_label_reads_like_python(study: str) -> None:
    item = asked(study)[0]
    run("tell", study, item, "refund")
    assert "use fewlabels correct" in run("tell", study, item, "other", code=2).stderr
    assert "--drawn uniform" in run("tell", study, "item-999", "refund", code=2).stderr
    assert "--other-label" in run("correct", study, item, "zzz", code=2).stderr


# -- lines of files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "id,predicted,score\nx,a,0.5\ny,b,7\n", "(row 1, line 3 of the file)"),
        ("a.csv", "id,predicted,score\n\nx,a,0.5\n\ny,b,7\n", "(row 1, line 5 of the file)"),
        ("a.csv", 'id,text,predicted,score\nx,"two\nlines",a,0.5\ny,t,b,7\n', "(row 1, line 4 of the file)"),
        ("a.csv", "id,predicted,score\nx,a,0.5\nx,b,0.7\n", "rows 0 and 1, lines 2 and 3 of the file"),
        ("a.jsonl", '{"predicted": "a", "score": 7}\n', "row 0, line 1 of the file"),
    ],
)
def test_an_error_about_a_row_names_its_line_in_the_file(here: Path, name: str, text: str, words: str) -> None:
    (here / name).write_text(text)
    assert words in run("new", name, code=2).stderr
    assert words in run("doctor", name, code=1).stdout


def test_a_line_that_is_not_known_is_not_guessed(here: Path) -> None:
    (here / "a.csv").write_text("# made by hand\nid,predicted,score\nx,a,0.5\n")
    assert line_of_row("a.csv", 0) is None
    assert line_of_row("a.parquet", 0) is None


@pytest.mark.parametrize(("name", "text"), [("e.csv", ""), ("e.csv", "id,predicted,score\n"), ("e.jsonl", "\n")])
def test_an_empty_file_of_predictions_is_called_empty(here: Path, name: str, text: str) -> None:
    (here / name).write_text(text)
    assert f"{name} is empty: expected a row for each item" in run("new", name, code=2).stderr
    assert f"{name} is empty" in run("doctor", name, code=1).stdout


def test_an_unknown_label_in_a_file_is_named_with_its_line(study: str) -> None:
    first, second = asked(study, 2)
    text = f"id,label\n{first},refund\n{second},refnd\n"
    Path("labels.csv").write_text(text)
    error = run("tell", study, "--file", "labels.csv", code=2).stderr
    assert "labels.csv, line 3: unknown label 'refnd': did you mean 'refund'?" in error
    assert "stdin, line 3: unknown label" in run("tell", study, "--file", "-", code=2, stdin=text).stderr
    assert "stdin is empty" in run("tell", study, "--file", "-", code=2, stdin="").stderr


# -- doctor ----------------------------------------------------------------------------------------------------------


def test_doctor_says_what_is_there_and_what_can_be_asked(predictions: str) -> None:
    printed = run("doctor", predictions).stdout
    assert printed.startswith("mail.csv: 60 rows")
    assert "the predicted class and its score; 3 classes (invoice, other, refund)" in printed
    assert "column region: 2 values" in printed
    assert "labels: 60, for simulation" in printed
    assert "--compare accuracy --by region --a south --b north" in printed


def test_every_command_doctor_gives_creates_a_study(predictions: str) -> None:
    answers = run_json("doctor", predictions)["answers"]
    assert len(answers) >= 5
    for number, answer in enumerate(answers):
        _, *arguments = answer["command"].split()
        run(*arguments, "--study", f"s{number}.db")


def test_doctor_warns_of_equal_scores_numbers_for_names_and_missing_texts(here: Path) -> None:
    rows = [{"p_000": 1.0 if i < 9 else 0.6, "p_001": 0.0 if i < 9 else 0.4, "p_002": 0.0} for i in range(10)]
    (here / "sure.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = run_json("doctor", "sure.jsonl")
    blocks = " ".join(found["blocks"])
    assert "90% of the scores are exactly 1" in blocks
    assert "--classes" in blocks
    assert "2 classes are never predicted" in blocks
    assert "only ids" in blocks
    assert "row number" in blocks
    assert found["models"][0]["score"]["equal"] == pytest.approx(0.9)


def test_doctor_on_unmapped_columns_suggests_the_flags_that_mend_it(here: Path) -> None:
    (here / "x.csv").write_text("id,prediction,confidence\na,spam,0.9\nb,ham,0.8\nc,spam,0.7\n")
    result = run("doctor", "x.csv", code=1)
    assert "no predictions found" in result.stdout
    assert "--predicted prediction --score confidence" in result.stdout
    assert run_json("doctor", "x.csv", code=1)["answers"] == []
    printed = run("doctor", "x.csv", "--predicted", "prediction", "--score", "confidence").stdout
    assert "fewlabels new x.csv --predicted prediction --score confidence" in printed


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,p_a,p_b\nx,0.9,0.9\ny,0.2,0.1\n", "--independent"),
        ("id,predicted,score,key\nx,a,0.9,1\nx,b,0.8,2\n", "perhaps --id key"),
        ("id,predicted,score\nx,a,2.5\ny,b,0.8\n", "logits"),
        ("id,predicted,score\nx,a,0.5\ny,b,\n", "NaN"),
    ],
)
def test_doctor_names_what_blocks_an_awkward_file(here: Path, text: str, words: str) -> None:
    (here / "bad.csv").write_text(text)
    assert words in run("doctor", "bad.csv", code=1).stdout


@pytest.mark.parametrize("name", ["missing.csv", "notes.txt", "broken.parquet"])
def test_doctor_on_a_file_that_cannot_be_read_is_wrong_use(here: Path, name: str) -> None:
    (here / "notes.txt").write_text("hello")
    (here / "broken.parquet").write_text("hello")
    result = run("doctor", name, code=2)
    assert name in result.stderr
    assert result.stdout == ""


def labelled_file(here: Path, labels: dict[str, int]) -> str:
    """A file of predictions 'bird' and 'cat', with so many of these labels."""
    rows = ["id,text,predicted,score,label"]
    for label, count in labels.items():
        rows += [f"{label}-{i},t,{'bird' if i % 2 else 'cat'},0.9,{label}" for i in range(count)]
    (here / "birds.csv").write_text("\n".join(rows) + "\n")
    return "birds.csv"


def test_doctor_counts_every_label_and_names_those_no_model_predicts(here: Path) -> None:
    file = labelled_file(here, {"bird": 40, "cat": 40, "oos": 1200, "brid": 1, "": 3})
    printed = run("doctor", file).stdout
    assert "labels: 1,281, for simulation" in printed
    assert "1,200 labels are 'oos', which no model predicts: add --other-label oos" in printed
    assert "1 label is 'brid'; did you mean 'bird'?" in printed
    mended = run("doctor", file, "--other-label", "oos").stdout
    assert "'oos'" not in mended
    assert "2 classes (bird, cat), beside them oos" in mended


def test_doctor_calls_a_long_file_a_pool_of_several_models_and_shows_how_to_choose(here: Path) -> None:
    rows = [
        f"{model},q{i},what is {i},{CLASSES[i % 3]},0.{i + 1},{seconds}{i}"
        for seconds, model in enumerate(("gpt", "tiny"), start=1)
        for i in range(6)
    ]
    (here / "long.csv").write_text("\n".join(["model,id,prompt,predicted,score,seconds", *rows]) + "\n")
    printed = run("doctor", "long.csv").stdout
    assert "long.csv: 12 rows" in printed
    assert "a pool of several models, a row of each for 6 items: gpt, tiny (column 'model')" in printed
    assert "--model gpt --estimate accuracy" in printed
    assert "differ between the models of one item: seconds." in printed
    assert "--id " not in printed
    found = run_json("doctor", "long.csv")
    assert (found["model_column"], found["differing"]) == ("model", ["seconds"])
    assert "--model: gpt, tiny" in run("new", "long.csv", code=2).stderr
    run("new", "long.csv", "--model", "tiny")
    assert {query["item"] for query in run_json("ask", "long.db", "-n", "9")} == {f"q{i}" for i in range(6)}


def test_doctor_does_not_advise_an_id_whose_values_appear_twice(here: Path) -> None:
    rows = [f"q{i % 3},what is {i % 3},x,0.5" for i in range(6)]
    (here / "twice.csv").write_text("\n".join(["id,prompt,predicted,score", *rows]) + "\n")
    printed = run("doctor", "twice.csv", code=1).stdout
    assert "ids must be unique" in printed
    assert "--id " not in printed


def test_doctor_sees_numbers_in_a_file_without_types(here: Path) -> None:
    rows = [f"{i},{CLASSES[i % 3]},{0.5 + i / 100},{i / 7:.3f},{'true' if i % 2 else 'false'}" for i in range(30)]
    (here / "n.csv").write_text("\n".join(["id,class,trust,weight,checked", *rows]) + "\n")
    hints = run_json("doctor", "n.csv", code=1)["hints"]
    assert any("--predicted class --score trust" in hint for hint in hints)
    kinds = {column["name"]: column["kind"] for column in run_json("doctor", "n.csv", code=1)["columns"]}
    assert kinds == {"id": "number", "class": "text", "trust": "number", "weight": "number", "checked": "yes/no"}


def test_doctor_counts_classes_as_new_does(here: Path) -> None:
    file = labelled_file(here, {"bird": 5, "oos": 5})
    assert "2 classes" in run("doctor", file, "--other-label", "oos").stdout
    assert "2 classes" in run("new", file, "--other-label", "oos").stdout


def test_doctor_writes_large_numbers_with_separators(here: Path) -> None:
    rows = [f"i{i},{'ab'[i % 2]},0.9,{1000 * i}" for i in range(2600)]
    (here / "big.csv").write_text("id,predicted,score,income\n" + "\n".join(rows) + "\n")
    printed = run("doctor", "big.csv").stdout
    assert "big.csv: 2,600 rows" in printed
    assert "1,300 to 1,300 items each, half have 1,300 or more" in printed
    assert "2,600 distinct values from 0 to 2,599,000" in printed


def test_doctor_offers_the_fairness_question_for_two_classes_and_an_attribute(here: Path) -> None:
    rows = [f"i{i},t,{i / 60:.3f},{'FM'[i % 2]}" for i in range(60)]
    (here / "loans.csv").write_text("id,text,s,sex\n" + "\n".join(rows) + "\n")
    flags = ["--positive-score", "s", "--positive", "default"]
    answers = run_json("doctor", "loans.csv", *flags)["answers"]
    rate = "--compare true_positive_rate --by sex --a F --b M --positive-class default"
    assert any(answer["command"].endswith(rate) for answer in answers)
    for number, answer in enumerate(answers):
        run(*answer["command"].split()[1:], "--study", f"s{number}.db")


def test_doctor_offers_no_fairness_question_where_there_are_more_classes(predictions: str) -> None:
    assert "true_positive_rate" not in run("doctor", predictions).stdout


# -- the program -----------------------------------------------------------------------------------------------------


def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fewlabels", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})


def test_the_program_runs_from_a_shell_with_exit_codes_and_clean_streams(predictions: str) -> None:
    assert shell("--version").stdout == f"fewlabels {fl.__version__}\n"
    assert shell("new", predictions, "--study", "s.db").returncode == 0
    answered = shell("answer", "s.db", "--json")
    assert answered.returncode == 0
    assert json.loads(answered.stdout)["study"] == "s"
    assert answered.stderr == ""
    wrong = shell("answer", "nowhere.db")
    assert wrong.returncode == 2
    assert wrong.stdout == ""
    assert "Traceback" not in wrong.stderr
    assert shell("status", "s.db", "--check").returncode == 1
    assert shell("frobnicate").returncode == 2


def test_help_reads_no_file_or_database_library() -> None:
    heavy = "('duckdb', 'sqlalchemy', 'pandas', 'jinja2')"
    code = f"import sys; from fewlabels.cli import app; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_texts_that_look_like_markup_are_shown_as_they_are(here: Path) -> None:
    (here / "m.csv").write_text("id,text,predicted,score\n[b]x,[red]hot[/red] :smile:,[a],0.9\ny,plain,b,0.8\n")
    run("new", "m.csv")
    printed = run("ask", "m.db").stdout
    assert "[red]hot[/red] :smile:" in printed
    assert "[b]x" in printed
    assert "[a]" in run("answer", "m.db").stdout


# -- matching --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "found", "fit"),
    [
        ("lost_card", ["lost_card"], "beginning"),
        ("LOST CARD", ["lost_card"], "beginning"),
        ("lost", ["lost_card", "lost_phone"], "beginning"),
        ("phone", ["lost_phone"], "beginning"),
        ("ca lo", ["lost_card"], "beginning"),
        ("hone", ["lost_phone"], "inside"),
        ("lsot phone", ["lost_phone"], "near"),
        ("?!", [], "near"),
        ("", [], "beginning"),
    ],
)
def test_classes_are_found_by_part_of_their_name(typed: str, found: list[str], fit: str) -> None:
    names, how = find_classes(typed, ["lost_card", "lost_phone", "refund"])
    assert names[: len(found)] == found
    assert how == fit
    if fit != "near":
        assert names == found


@pytest.mark.parametrize(
    ("typed", "number"), [("1", True), ("#4", True), ("2.", True), ("-1", True), ("401k", False), ("?", False)]
)
def test_digits_and_signs_alone_are_a_number_and_no_part_of_a_name(typed: str, number: bool) -> None:
    assert is_number(typed) is number
