"""fewlabels simulate on real files: its table, its JSON, its exit codes, its words."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import fewlabels as fl
from fewlabels.cli import app
from fewlabels.cli.simulate import sentence
from fewlabels.simulation import synthetic_pool

CEILING = 3600  # seconds after which a test gives up waiting; a machine has to be very busy for a hundredth of it
SMALL = ("--budgets", "30,60", "--runs", "12", "--workers", "1")
LEAST = ("--budgets", "30,60", "--runs", "2", "--workers", "1")  # where it matters that it runs


@pytest.fixture
def predictions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """300 items of four classes as a CSV file, labels beside the predictions and in a file of their own."""
    monkeypatch.chdir(tmp_path)
    pool = synthetic_pool(300, ["ant", "bee", "cow", "dog"], accuracy=[0.5, 0.7, 0.8, 0.9], seed=2,
                          columns={"sex": {"F": 0.5, "M": 0.5}})  # fmt: skip
    outputs = pool.engine.models["model"]
    lines, labels = ["id,predicted,score,sex,truth"], ["id,label"]
    for i in range(300):
        sex, truth = pool.engine.columns["sex"][i], pool.known_labels[i]
        lines.append(f"{i},{pool.classes[outputs.predicted[i]]},{outputs.score[i]:.6f},{sex},{truth}")
        labels.append(f"{i},{truth}")
    Path("pets.csv").write_text("\n".join(lines) + "\n")
    Path("truth.csv").write_text("\n".join(labels) + "\n")
    return "pets.csv"


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["simulate", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def test_the_table_shows_every_method_at_every_budget_and_says_how_sure_it_is(predictions):
    result = run(predictions, "--label-column", "truth", *SMALL)
    said = result.stdout
    assert said.startswith("Accuracy by predicted class: 12 runs, 300 items, 4 classes")
    assert "12 of 12 runs" in result.stderr
    assert "rmse, lower is better" in said
    assert "30 labels" in said
    assert [line.split()[0] for line in said.splitlines() if "±" in line][:3] == ["uprior", "iprior", "iprior+ts"]
    assert "one pool and 12 runs" in said


def test_the_library_gives_the_same_numbers(predictions):
    data = json.loads(run(predictions, "--label-column", "truth", *SMALL, "--seed", "4", "--json").stdout)
    pool = fl.open_pool(predictions, label="truth")
    question = fl.Estimate("accuracy", by="predicted_class")
    same = fl.simulate(pool, None, question, budgets=[30, 60], runs=12, seed=4, workers=1)
    assert data["results"] == same.to_dicts()
    assert {row["p_value"] for row in data["best"]} == {same.best("rmse", labels).p_value for labels in (30, 60)}
    assert data["sentence"] == sentence(same)


def test_until_says_how_many_labels_each_method_needs(predictions):
    goal = ("--label", "truth", "--identify", "accuracy", "--until", "mrr=0.9", "--runs", "4", "--workers", "1")
    said = run(predictions, *goal).stdout
    assert "Labels needed until mrr exceeds 0.9" in said
    assert "Looked at 120 times, up to 300 labels" in said
    data = json.loads(run(predictions, *goal, "--json").stdout)
    assert [row["method"] for row in data["needed"]] == ["uprior", "iprior", "iprior+ts"]
    assert all(0 < row["first"] <= row["settled"] <= 300 for row in data["needed"])
    pool = fl.open_pool(predictions, label="truth")
    same = fl.simulate(pool, None, fl.Identify("accuracy", by="predicted_class"), budgets=None, runs=4, workers=1)
    assert data["needed"][2]["settled"] == same.needed("mrr", 0.9)[2].settled


def test_what_was_never_reached_is_said_to_need_more_than_was_looked_at(predictions):
    said = run(predictions, "--label", "truth", *SMALL, "--until", "rmse=0.0001").stdout
    assert "falls below 0.0001" in said
    assert "> 60" in said
    assert "No method gets there for good in every run" in said
    data = json.loads(run(predictions, "--label", "truth", *SMALL, "--until", "rmse=0.0001", "--json").stdout)
    assert data["needed"][0]["first"] is None


def test_a_goal_without_a_number_or_of_no_measure_is_wrong_use(predictions):
    assert "--until takes a measure and a number" in run(predictions, "--until", "rmse", code=2).stderr
    assert "unknown measure" in run(predictions, "--label", "truth", "--until", "rms=1", code=2).stderr
    assert "--until takes a measure and a number" in run(predictions, "--until", "rmse=nan", code=2).stderr
    assert "leave --measures out" in run(predictions, "--until", "rmse=1", "--measures", "mrr", code=2).stderr


def test_where_a_result_cannot_be_written_nothing_is_run(predictions):
    said = run(predictions, "--label", "truth", *SMALL, "--csv", "nowhere/out.csv", code=2)
    assert "no folder 'nowhere'" in said.stderr
    assert "runs" not in said.stderr
    Path("taken").write_text("")
    assert "taken is a file" in run(predictions, "--label", "truth", *SMALL, "--resume", "taken", code=1).stderr


def test_labels_may_lie_in_a_file_of_their_own(predictions):
    one = run(predictions, "--labels", "truth.csv", *SMALL, "--json").stdout
    assert (
        json.loads(one)["results"]
        == json.loads(run(predictions, "--label", "truth", *SMALL, "--json").stdout)["results"]
    )


@pytest.mark.parametrize(
    ("question", "measures"),
    [
        (("--identify", "accuracy", "--top", "2"), ["mrr", "success"]),
        (("--compare", "accuracy", "--by", "sex", "--a", "F", "--b", "M"), ["direction", "lambda_right"]),
        (("--estimate", "calibration_error", "--bins", "5"), ["ece_error", "ece_error_of_mean"]),
        (("--estimate", "confusion", "--measures", "rmse,scaled_rmse"), ["rmse", "scaled_rmse"]),
        (("--estimate", "true_positive_rate", "--positive-class", "bee", "--by", "sex"), ["rmse", "coverage", "width"]),
    ],
)
def test_every_kind_of_question_can_be_asked(predictions, question, measures):
    data = json.loads(
        run(predictions, "--label", "truth", *LEAST, "--methods", "iprior,iprior+ts", *question, "--json").stdout
    )
    assert list(dict.fromkeys(row["measure"] for row in data["results"])) == measures
    assert all(np.isfinite(row["mean"]) for row in data["results"])


def test_the_numbers_can_be_written_to_a_file(predictions):
    said = run(predictions, "--label", "truth", *SMALL, "--csv", "out.csv").stdout
    assert "out.csv" in said
    with Path("out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["method", "labels", "measure", "mean", "se", "runs"]
    assert len(rows) == 18


def test_kept_runs_are_not_done_again(predictions):
    arguments = (predictions, "--label", "truth", *SMALL, "--resume", "kept", "--json")
    first = run(*arguments).stdout
    size = Path("kept/runs.bin").stat().st_size
    assert run(*arguments).stdout == first
    assert Path("kept/runs.bin").stat().st_size == size


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 2, "needs the true labels"),
        (("--label", "truth", "--methods", "best"), 2, "unknown method 'best'; known are"),
        (("--label", "truth", "--methods", ","), 2, "--methods takes names"),
        (("--label", "truth", "--budgets", "many"), 2, "--budgets takes whole numbers"),
        (("--label", "truth", "--budgets", "301"), 2, "more than the 300 items"),
        (("--label", "truth", "--measures", "mrr"), 2, "is for --identify only"),
        (("--label", "truth", "--runs", "0"), 2, "got 0 runs"),
        (("--label", "true"), 2, "no column 'true'"),
        (("--labels", "nowhere.csv"), 2, "no file 'nowhere.csv'"),
    ],
)
def test_wrong_use_is_one_line_and_exit_code_2(predictions, arguments, code, words):
    error = run(predictions, "--budgets", "30", *arguments, code=code).stderr
    assert words in error
    assert error.count("\n") == 1


def test_a_folder_of_another_simulation_is_refused(predictions):
    run(predictions, "--label", "truth", *SMALL, "--resume", "kept")
    assert (
        "another simulation (other budgets)"
        in run(predictions, "--label", "truth", "--budgets", "40", "--resume", "kept", code=1).stderr
    )


@pytest.mark.parametrize("resume", [True, False])
def test_ctrl_c_says_what_was_done_and_exits_with_130(predictions, resume):
    arguments = [predictions, "--label", "truth", "--budgets", "250", "--runs", "100000", "--workers", "2"]
    arguments += ["--resume", "kept"] if resume else []
    process = subprocess.Popen([sys.executable, "-m", "fewlabels", "simulate", *arguments], start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
    until(lambda: Path("kept/runs.bin").exists() if resume else _children(process.pid), process)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=CEILING)
    assert process.returncode == 130
    assert "Traceback" not in error
    assert error.splitlines()[-1].startswith("Stopped after ")  # beneath what it said meanwhile
    assert ("kept in kept: the same command goes on" if resume else "with --resume DIR finished runs are") in error


def until(state: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Wait for a state that the process brings about."""
    deadline = time.monotonic() + CEILING
    while not state():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _children(pid: int) -> bool:
    """Whether both workers are there, beside the process that keeps track of what they share."""
    return len(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()) >= 3


def made(values: Any, measure: str = "rmse", methods: tuple[str, ...] = ("a", "b")) -> fl.SimulationResult:
    return fl.SimulationResult("q", methods, (10,), (measure,), np.array(values, dtype=float)[:, :, None, None])


def test_the_sentence_says_when_a_lead_may_be_luck():
    said = sentence(made([[0.5, 0.6], [0.6, 0.5], [0.4, 0.7]]))
    assert said.startswith("Better on average by rmse after 10 labels: a, 0.5000 ± 0.0577, against")
    assert "may be luck (p = " in said


def test_the_sentence_says_when_no_method_is_ahead_or_there_is_one_only():
    assert sentence(made([[0.5, 0.5]] * 3)).startswith("By rmse no method is ahead after 10 labels.")
    assert sentence(made([[0.5]] * 3, methods=("a",))).startswith("a has rmse 0.5000 in all runs after 10 labels.")


def test_the_sentence_names_the_clearly_best():
    values = np.random.default_rng(0).normal([0.3, 0.5], 0.05, (30, 2))
    assert sentence(made(values)).startswith("Better by rmse after 10 labels: a, 0.29")
    assert "(p < 0.001)" in sentence(made(values))


def test_the_sentence_names_the_best_of_several_and_the_next():
    values = np.random.default_rng(0).normal([0.5, 0.3, 0.4], 0.02, (30, 3))
    said = sentence(made(values, methods=("a", "b", "c")))
    assert said.startswith("Best by rmse after 10 labels: b, 0.30")
    assert ", next c with 0.40" in said


def test_a_mean_that_a_few_runs_make_best_is_not_called_clearly_best():
    """All runs but one speak for b; that one makes the mean of a the best."""
    result = made([[0.31 + i / 1000, 0.3] for i in range(29)] + [[0.3, 9.0]])
    assert result.best("rmse", 10).p_value < 0.05
    assert not result.best("rmse", 10).clear
    said = sentence(result)
    assert said.startswith("Better on average by rmse after 10 labels: a,")
    assert "but the runs, pair by pair, rather speak for b (p < 0.001)" in said


def test_a_measure_without_a_good_end_has_no_best():
    values = np.random.default_rng(0).normal([0.3, 0.5], 0.05, (30, 2))
    both = np.stack([values + 0.4, values], axis=2)[:, :, None, :]
    about = {"question": "accuracy", "methods": ("a", "b"), "budgets": (10,)}
    first = fl.SimulationResult(**about, measures=("coverage", "rmse"), values=both)
    assert sentence(first).startswith("Better by rmse after 10 labels: a, 0.29")
    none = fl.SimulationResult(**about, measures=("coverage", "width"), values=both)
    assert sentence(none).startswith("By coverage and width no method is called best: neither end is better")


def test_methods_that_are_best_alike_are_named_together():
    said = sentence(made([[0.3, 0.3, 0.5]] * 4, methods=("a", "b", "c")))
    assert said.startswith("By rmse a and b are ahead, alike with 0.3000 in all runs, after 10 labels.")


def test_help_names_the_options():
    said = run("--help").stdout
    assert "--budgets" in said
    assert "--resume" in said
