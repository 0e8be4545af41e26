"""--hidden: what is assumed of the positives that a model scores lowest, on the command line."""

import csv

import numpy as np
import pytest

from command_line import refused, run, run_json


@pytest.fixture
def scored(tmp_path):
    """A file of 600 items, 4 % of which are fraud."""
    rng, path = np.random.default_rng(1), tmp_path / "scored.csv"
    fraud = rng.random(600) < 0.04
    score = 1 / (1 + np.exp(-(5 * fraud + rng.normal(size=600) - 3.5)))
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "p", "label"])
        rows.writerows(
            (i, f"{s:.6f}", "fraud" if y else "not fraud") for i, (s, y) in enumerate(zip(score, fraud, strict=True))
        )
    return path, {str(i): "fraud" if y else "not fraud" for i, y in enumerate(fraud)}


def new(path, *more):
    return (
        "new", str(path), "--positive-score", "p", "--positive", "fraud", "--estimate", "f1",
        "--positive-class", "fraud", "--study", str(path.with_suffix(".db")), *more,
    )  # fmt: skip


def test_an_assumption_is_kept_answered_with_and_changed(scored):
    path, labels = scored
    made = run_json(*new(path, "--label", "label", "--hidden", "0.1"))
    assert made["settings"]["hidden"] == 0.1
    study = str(path.with_suffix(".db"))
    for _ in range(2):
        for query in run_json("ask", study, "-n", "20"):
            run("tell", study, str(query["item"]), labels[str(query["item"])])
    usual, wide = run_json("answer", study)["overall"], run_json("answer", study, "--hidden", "0.4")["overall"]
    assert usual["hidden"]["assumed"] == 0.1
    assert wide["low"] < usual["low"] < usual["searched"]["low"]
    assert usual["labels_alone"]["low"] < wide["low"]
    said = run("answer", study).stdout
    assert "Assumes that at most 10% of all fraud items are among the" in " ".join(said.split())
    changed = run_json("change", study, "--hidden", "0.4")
    assert changed["hidden"] == 0.4
    assert run_json("answer", study)["overall"]["low"] == wide["low"]


def test_what_is_no_share_or_has_no_meaning_is_refused(scored):
    path, _ = scored
    assert "--hidden is a share from 0 to 1" in refused(*new(path, "--hidden", "1.5"))
    question = ("--estimate", "accuracy", "--study", str(path.with_suffix(".db")), "--hidden", "0.1")
    assert "none for accuracy" in refused("new", str(path), "--positive-score", "p", "--positive", "fraud", *question)
