"""fewlabels doctor."""

import datetime
import decimal
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from command_line import MAIL_CLASSES, run, run_json
from odd_pools import REFUSED, random_table, some_probabilities
from pools_in_tables import write


def test_doctor_says_what_is_there_and_what_can_be_asked(mail: str) -> None:
    printed = run("doctor", mail).stdout
    assert printed.startswith("mail.csv: 60 rows")
    assert "the predicted class and its score; 3 classes (invoice, other, refund)" in printed
    assert "column region: 2 values" in printed
    assert "labels: 60, for simulation" in printed
    assert "--compare accuracy --by region --a south --b north" in printed


def test_every_command_doctor_gives_creates_a_study(mail: str) -> None:
    answers = run_json("doctor", mail)["answers"]
    assert len(answers) >= 5
    for number, answer in enumerate(answers):
        _, *arguments = answer["command"].split()
        run(*arguments, "--study", f"s{number}.db")


def test_files_that_would_not_fit_into_memory_are_not_read_by_doctor(here: Path, monkeypatch) -> None:
    monkeypatch.setattr("fewlabels.cli.examine.MOST_BYTES", 10)
    (here / "a.jsonl").write_text('{"predicted": "a", "score": 0.5}\n')
    said = run("doctor", "a.jsonl", code=2).stderr
    assert "held in memory" in said
    assert "Write Parquet" in said


def test_a_second_table_is_joined_in_memory_so_that_doctor_refuses_large_files_with_one(mail: str, monkeypatch) -> None:
    monkeypatch.setattr("fewlabels.cli.examine.MOST_BYTES", 1000)
    monkeypatch.setattr("fewlabels.tables.large_tables.LARGE", 0)
    assert run("doctor", mail).stdout.startswith("mail.csv: 60 rows")
    assert "without --items" in run("doctor", mail, "--items", mail, code=2).stderr


def test_doctor_says_of_a_pool_left_in_its_file_what_it_says_of_one_in_memory(mail: str, monkeypatch) -> None:
    said_by_queries(monkeypatch, mail)
    said_by_queries(monkeypatch, mail, "--id", "text", "--other-label", "spam")


def said_by_queries(monkeypatch, *arguments: str, code: int = 0) -> None:
    """All that doctor says, in every number: of a file in memory, and of the same one that stays where it is."""
    small = run_json("doctor", *arguments, code=code)
    with monkeypatch.context() as patch:
        patch.setattr("fewlabels.tables.large_tables.LARGE", 0)
        patch.setattr("fewlabels.cli.doctor.examine", None)
        assert run_json("doctor", *arguments, code=code) == small


def odd_columns() -> dict[str, object]:
    """A column of every kind, with values missing, ties, both zeros, and numbers that are text."""
    rng, n = np.random.default_rng(3), 120
    some = [i if i % 7 else None for i in range(n)]
    return {
        **{key: values[:n] for key, values in random_table(1).items()},
        "real": pa.array([0.0, -0.0, float("nan"), None, 0.1, float("inf")] * (n // 6)),
        "short real": pa.array([0.1, 0.3, None] * (n // 3), pa.float32()),
        "whole": pa.array([None if v is None else v % 5 for v in some], pa.int16()),
        "huge": pa.array([2**63 + i for i in range(n)], pa.uint64()),
        "checked": pa.array([None if v is None else v % 3 == 0 for v in some]),
        "said": rng.choice(["True", "FALSE", "true"], n),
        "written": [("1e3", " .5", "-2", "5.\t")[i % 4] for i in range(n)],
        "nearly": [("1", "nan")[i % 2] for i in range(n)],
        "blank": ["" if i % 2 else " " for i in range(n)],
        "none": pa.array([None] * n, pa.string()),
        "no number": pa.array([float("nan")] * n),
        "day": pa.array([datetime.date(2024, 1, 1 + i % 9) for i in range(n)]),
        "moment": pa.array([datetime.datetime(2024, 1, 1 + i % 9, 8, 30) for i in range(n)]),
        "price": pa.array([decimal.Decimal(i % 4) / 4 for i in range(n)], pa.decimal128(9, 2)),
        "tags": [["a", "b"] if i % 3 else None for i in range(n)],
        "parts": [{"x": i} for i in range(n)],
    }


def test_doctor_says_of_odd_columns_by_queries_what_it_says_in_memory(here: Path, monkeypatch) -> None:
    write(here / "odd.parquet", odd_columns())
    said_by_queries(monkeypatch, "odd.parquet", "--other-label", "owl")
    said_by_queries(monkeypatch, "odd.parquet", "--positive-score", "score", "--positive", "ant")
    said_by_queries(monkeypatch, "odd.parquet", "--id", "said", code=1)
    kinds = {column["name"]: column["kind"] for column in run_json("doctor", "odd.parquet")["columns"]}
    assert [kinds[name] for name in ("said", "written", "nearly", "tags", "parts", "price")] == [
        "yes/no", "number", "text", "list", "list", "number",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["list", "columns"])
def test_doctor_says_of_probabilities_by_queries_what_it_says_in_memory(here: Path, monkeypatch, kind: str) -> None:
    write(here / "wide.parquet", some_probabilities(kind))
    said_by_queries(monkeypatch, "wide.parquet")


@pytest.mark.parametrize("table", [table for name, table in REFUSED.items() if name != "nothing"])
def test_doctor_says_of_what_is_no_pool_by_queries_what_it_says_in_memory(here: Path, monkeypatch, table) -> None:
    write(here / "bad.parquet", {**table, "key": [f"k{i}" for i in range(len(next(iter(table.values()))))]})
    said_by_queries(monkeypatch, "bad.parquet", code=1)


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
        f"{model},q{i},what is {i},{MAIL_CLASSES[i % 3]},0.{i + 1},{seconds}{i}"
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
    rows = [f"{i},{MAIL_CLASSES[i % 3]},{0.5 + i / 100},{i / 7:.3f},{'true' if i % 2 else 'false'}" for i in range(30)]
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


def test_doctor_offers_no_fairness_question_where_there_are_more_classes(mail: str) -> None:
    assert "true_positive_rate" not in run("doctor", mail).stdout
