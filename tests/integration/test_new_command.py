"""fewlabels new and list."""

from pathlib import Path

import pytest

import fewlabels as fl
from command_line import asked, run, run_json
from pools_in_tables import write


def test_new_without_a_question_estimates_accuracy_by_predicted_class(mail: str) -> None:
    result = run("new", mail)
    assert "accuracy by predicted class" in result.stdout
    assert "fewlabels label mail.db" in result.stdout
    assert fl.load_study("mail", storage="sqlite:///mail.db").settings.question == fl.Estimate(
        "accuracy", by="predicted_class"
    )


def test_new_takes_every_setting_of_a_study(mail: str) -> None:
    made = run_json(
        *("new", mail, "--study", "s.db", "--name", "audit", "--identify", "accuracy", "--by", "region"),
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


def test_new_asks_for_a_proof(mail: str) -> None:
    made = run_json("new", mail, "--identify", "accuracy", "--by", "region", "--proven", "--until-probability", "0.95")
    settings = fl.load_study("mail", storage="sqlite:///mail.db").settings
    assert settings.question == fl.Identify("accuracy", by="region", proven=True)
    assert made["settings"]["question"]["proven"] is True
    assert settings.strategy_used.name == "prove"


def test_a_study_of_many_files_is_called_after_their_folder_and_finds_them_again(here: Path) -> None:
    Path("march").mkdir()
    for part, ids in (("a", ["1", "2", "3"]), ("b", ["4", "5", "6"])):
        write(Path(f"march/{part}.parquet"), {"id": ids, "predicted": ["x", "y", "x"], "score": [0.5, 0.7, 0.9]})
    run("new", "march/?.parquet")
    assert len(asked("march.db", 6)) == 6
    Path("march").rename("april")
    run("relocate", "march.db", "april/*.parquet")
    assert fl.load_study("march", storage="sqlite:///march.db").pool.ids == ["1", "2", "3", "4", "5", "6"]


def test_score_bins_and_calibration_take_their_number_of_bins(mail: str) -> None:
    run("new", mail, "--study", "a.db", "--by", "score_bin", "--bins", "4", "--bins-of", "mass")
    run("new", mail, "--study", "b.db", "--estimate", "calibration_error", "--bins", "5")
    by = fl.load_study("a", storage="sqlite:///a.db").settings.question.by
    assert by == (fl.ScoreBins(4, "mass"),)
    metric = fl.load_study("b", storage="sqlite:///b.db").settings.question.metric
    assert metric == fl.CalibrationError(bins=fl.ScoreBins(5))


def test_compare_names_groups_of_two_groupings_with_commas(mail: str) -> None:
    run("new", mail, "--study", "c.db", "--compare", "accuracy", "--by", "region", "--by", "predicted_class",
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
    mail: str, arguments: list[str], words: str
) -> None:
    result = run("new", mail, *arguments, code=2)
    assert words in result.stderr
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    assert not any(run_json("list", file.name) for file in Path().glob("*.db"))


def test_a_second_study_of_one_name_is_refused_and_the_way_out_named(march: str, mail: str) -> None:
    result = run("new", mail, "--study", march, code=2)
    assert "fewlabels status march.db" in result.stderr


def test_a_file_of_several_studies_asks_which_one(march: str, mail: str) -> None:
    assert "march.db --name second" in run("new", mail, "--study", march, "--name", "second").stdout
    assert "march, second" in run("status", march, code=2).stderr
    assert "second" in run("status", march, "--name", "second").stdout
    assert "there: march, second" in run("status", march, "--name", "third", code=2).stderr
    assert [s["study"] for s in run_json("list", march)] == ["march", "second"]
    assert "accuracy by region" in run("list", march).stdout


def test_a_study_is_found_by_name_in_a_storage_and_by_the_environment(
    mail: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = "sqlite:///all.db"
    assert (
        "fewlabels label march --storage sqlite:///all.db"
        in run("new", mail, "--storage", storage, "--name", "march").stdout
    )
    assert run_json("status", "march", "--storage", storage)["study"] == "march"
    monkeypatch.setenv("FEWLABELS_STORAGE", storage)
    assert run_json("status", "march")["study"] == "march"
    assert run_json("status", "all.db")["study"] == "march"
    assert "no study named 'april'" in run("status", "april", code=2).stderr


@pytest.mark.parametrize("command", [["status"], ["answer"], ["ask"], ["label"], ["list"]])
def test_a_study_file_that_is_not_there_is_an_error_and_is_not_created(march: str, command: list[str]) -> None:
    result = run(*command, "april.db", code=2)
    assert "no study file 'april.db'; there is march.db" in result.stderr
    assert not Path("april.db").exists()


def test_a_file_that_is_no_study_fails_with_one_line(here: Path) -> None:
    (here / "notes.db").write_text("these are not studies, but a long enough text to be looked at" * 20)
    assert run("status", "notes.db", code=1).stderr.startswith("Error: ")


def test_list_needs_a_place_to_look(here: Path) -> None:
    assert "--storage" in run("list", code=2).stderr
