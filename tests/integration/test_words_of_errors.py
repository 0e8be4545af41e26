"""Errors of the command line speak of options and of lines in files."""

import re
from pathlib import Path

import pytest

from command_line import asked, run
from fewlabels.cli.errors import in_shell_words
from fewlabels.cli.lines import line_of_row

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
def test_no_refusal_of_new_reads_like_python(mail: str, arguments: list[str]) -> None:
    error = run("new", mail, *arguments, code=2).stderr
    assert not re.search(r"\w=|\w\(|\bfl\.|\bHalfWidth\b|\bIdentify\b", error), error


def test_no_refusal_of_a_label_reads_like_python(march: str) -> None:
    item = asked(march)[0]
    run("tell", march, item, "refund")
    assert "use fewlabels correct" in run("tell", march, item, "other", code=2).stderr
    assert "--drawn uniform" in run("tell", march, "item-999", "refund", code=2).stderr
    assert "--other-label" in run("correct", march, item, "zzz", code=2).stderr


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


def test_an_unknown_label_in_a_file_is_named_with_its_line(march: str) -> None:
    first, second = asked(march, 2)
    text = f"id,label\n{first},refund\n{second},refnd\n"
    Path("labels.csv").write_text(text)
    error = run("tell", march, "--file", "labels.csv", code=2).stderr
    assert "labels.csv, line 3: unknown label 'refnd': did you mean 'refund'?" in error
    assert "stdin, line 3: unknown label" in run("tell", march, "--file", "-", code=2, stdin=text).stderr
    assert "stdin is empty" in run("tell", march, "--file", "-", code=2, stdin="").stderr
