"""Two files, one command: models in a file each."""

import csv
from pathlib import Path

import numpy as np
import pytest

import fewlabels as fl
from command_line import refused, run, run_json
from fewlabels.pool.open_pool import models_of


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """old.csv and new.csv in the current folder, in different orders; the true classes by id."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    truth = [("lost", "late", "other")[k] for k in rng.integers(0, 3, 90)]
    for name, share, step in (("new", 0.9, 1), ("old", 0.6, -1)):
        with Path(f"{name}.csv").open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["id", "predicted", "score", "region"])
            for i in range(90)[::step]:
                said = truth[i] if rng.random() < share else "late"
                table.writerow([f"m{i}", said, round(rng.uniform(0.4, 1), 3), "north" if i % 2 else "south"])
    return {f"m{i}": label for i, label in enumerate(truth)}


def test_the_better_model_is_found_from_two_files(files: dict[str, str]) -> None:
    said = run("new", "new.csv", "old.csv", "--compare-models", "accuracy", "--until-probability", "0.95").stdout
    assert "accuracy of new against old; 90 items, 3 classes" in said
    study = fl.load_study("new", storage="sqlite:///new.db")
    while not study.done:
        study.tell({query.item: files[query.item] for query in study.ask(5)})
    found = run_json("answer", "new.db")
    assert (found["a"], found["b"], found["verdict"], found["items"]) == ("new", "old", "better", 90)
    assert "new is higher than old" in run("status", "new.db").stdout
    assert "south" in run("answer", "new.db", "--compare-models", "accuracy", "--by", "region").stdout


def test_two_large_files_say_what_they_say_in_memory(files: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    said = []
    for study, smallest in (("small.db", 10**12), ("large.db", 0)):
        monkeypatch.setattr("fewlabels.tables.large_tables.LARGE", smallest)
        made = run("new", "new.csv", "old.csv", "--compare-models", "accuracy", "--study", study).stdout
        asked = [query["item"] for query in run_json("ask", study, "-n", "20")]
        for item in asked:
            run("tell", study, item, files[item])
        said.append((made.replace(Path(study).stem, "study"), asked, run("answer", study).stdout))
    assert said[0] == said[1]


def test_labellers_are_not_shown_what_one_of_the_models_says(files: dict[str, str]) -> None:
    run("new", "new.csv", "old.csv", "--compare-models", "accuracy")
    said = run("label", "new.db", stdin="=\nq\n", code=1)
    assert "the model says" not in said.stdout
    assert "No class is like '='" in said.stderr
    assert fl.load_study("new", storage="sqlite:///new.db").labels == {}


def test_the_best_of_three_files_is_found(files: dict[str, str]) -> None:
    Path("older.csv").write_text(Path("old.csv").read_text())
    said = run("new", "new.csv", "old.csv", "older.csv", "--best-model", "accuracy", "--within", "0.02").stdout
    assert "model of highest accuracy of new, old, older" in said
    study = fl.load_study("new", storage="sqlite:///new.db")
    study.tell({query.item: files[query.item] for query in study.ask(30)})
    found = run_json("answer", "new.db")
    assert found["best"] == "new"
    assert set(found["p_best"]) == {"new", "old", "older"}
    assert "expected loss" in run("answer", "new.db").stdout


def test_files_that_moved_are_found_in_their_new_folder(files: dict[str, str]) -> None:
    run("new", "new.csv", "old.csv", "--compare-models", "accuracy")
    first = run_json("ask", "new.db", "-n", "2")
    Path("kept").mkdir()
    for name in ("new.csv", "old.csv"):
        Path(name).rename(Path("kept") / name)
    assert "no file" in run("ask", "new.db", code=1).stderr
    assert "name the folder" in refused("relocate", "new.db", "kept/new.csv")
    run("relocate", "new.db", "kept")
    assert len(run_json("ask", "new.db", "-n", "2")) == len(first)


def test_what_does_not_go_with_models_is_refused(files: dict[str, str]) -> None:
    assert "--top does not go with --compare-models" in refused(
        "new", "new.csv", "old.csv", "--compare-models", "accuracy", "--top", "2"
    )
    assert "--estimate and --compare-models" in refused(
        "new", "new.csv", "old.csv", "--compare-models", "accuracy", "--estimate", "accuracy"
    )


def test_files_without_ids_are_not_joined_by_the_order_of_their_rows(files: dict[str, str]) -> None:
    text = Path("old.csv").read_text()
    Path("old.csv").write_text(text.replace("id,", "number,", 1))
    with pytest.raises(fl.PoolError, match="joined by the ids"):
        fl.open_pool(["new.csv", "old.csv"])


def test_classes_that_one_model_never_predicts_are_the_others(files: dict[str, str]) -> None:
    rows = [line for line in Path("old.csv").read_text().splitlines() if ",other," not in line]
    Path("old.csv").write_text("\n".join(rows))
    ids = {line.partition(",")[0] for line in rows}
    kept = [line for line in Path("new.csv").read_text().splitlines() if line.partition(",")[0] in ids]
    Path("new.csv").write_text("\n".join(kept))
    pool = fl.open_pool(["new.csv", "old.csv"])
    assert pool.models == ("new", "old")
    assert set(pool.classes) == {"late", "lost", "other"}


def test_models_are_called_after_their_files() -> None:
    assert list(models_of(["x.v2.parquet", "y.csv.gz"])) == ["x.v2", "y"]
    with pytest.raises(fl.PoolError, match="two are called"):
        models_of(["a/x.csv", "a/x.parquet"])


def test_f_scores_of_two_files_are_compared_and_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    y = rng.uniform(size=300) < 0.15
    for name, noise in (("new", 0.5), ("old", 2.0)):
        at = 3 * y - 1.5 + noise * rng.normal(size=300)
        rows = [f"m{i},{1 / (1 + np.exp(-s)):.4f}" for i, s in enumerate(at.tolist())]
        Path(f"{name}.csv").write_text("\n".join(["id,fraud", *rows]))
    said = run(
        "new", "new.csv", "old.csv", "--positive-score", "fraud", "--positive", "fraud", "--compare-models", "f1"
    )
    assert "F1 of 'fraud' of new against old; 300 items" in said.stdout
    study = fl.load_study("new", storage="sqlite:///new.db")
    for _ in range(8):
        study.tell({query.item: "fraud" if y[int(query.item[1:])] else study.classes[0] for query in study.ask(10)})
    found = run_json("answer", "new.db")
    assert (found["a"], found["b"], found["verdict"]) == ("new", "old", "better")
    assert "new has a higher F1 of 'fraud' than old" in run("answer", "new.db").stdout
    run("report", "new.db", "-o", "report.html")
    assert "new against old" in Path("report.html").read_text()
    run("verify", "report.html")
