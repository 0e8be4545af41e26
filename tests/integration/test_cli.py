"""The program in a shell, and how it matches what is typed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fewlabels as fl
from command_line import run
from fewlabels.cli.label import find_classes, is_number

# -- the program -----------------------------------------------------------------------------------------------------


def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fewlabels", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "NO_COLOR": "1"})


def test_the_program_runs_from_a_shell_with_exit_codes_and_clean_streams(mail: str) -> None:
    assert shell("--version").stdout == f"fewlabels {fl.__version__}\n"
    assert shell("new", mail, "--study", "s.db").returncode == 0
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
