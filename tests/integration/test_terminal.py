"""What reaches a terminal: nothing that steers it, and nothing it cannot carry."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_line import asked, refused, run, run_json, shell
from fewlabels.cli import app

ESCAPE, BIDI = "\x1b[2J\x07", "\u202e"


@pytest.fixture
def hostile(here: Path) -> str:
    """A study whose texts, classes, groups, ids and name hold what terminals act on."""
    rows = [
        {
            "id": f"i{i}\x1b[31m",
            "text": f"hello{ESCAPE}\x9b31m {BIDI}txet",
            "predicted": f"cat{ESCAPE}" if i % 2 else f"dog{BIDI}",
            "score": 0.9,
            "place": f"no\rrth{i % 2}\n",
        }
        for i in range(12)
    ]
    (here / "h.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run("new", "h.jsonl", "--study", "h.db", "--name", f"march{ESCAPE}", "--by", "place")
    return "h.db"


def steers(text: str) -> list[str]:
    """The characters of a text a terminal would act on."""
    return sorted({c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160 or c in BIDI)})


@pytest.mark.parametrize(
    "command",
    [
        ["ask"],
        ["answer"],
        ["answer", "--identify", "accuracy"],
        ["answer", "--estimate", "confusion"],
        ["status"],
        ["list"],
        ["label"],
    ],
    ids=" ".join,
)
def test_no_command_lets_a_file_steer_the_terminal(hostile: str, command: list[str]) -> None:
    result = run(command[0], hostile, *command[1:], stdin="?\nq\n" if command[0] == "label" else None)
    assert steers(result.stdout) == []
    assert "\\x1b[2J\\x07" in result.stdout or "\\r" in result.stdout


def test_errors_show_what_would_steer_the_terminal(hostile: str) -> None:
    item = asked(hostile)[0]
    for arguments in (["tell", hostile, item, f"cow{ESCAPE}"], ["status", hostile, "--name", f"x{BIDI}"]):
        result = run(*arguments, code=2)
        assert steers(result.stderr) == []
        assert result.stderr.count("\n") == 1
    assert "\\x1b" in run("doctor", f"nowhere{ESCAPE}.csv", code=2).stderr


def test_the_doctor_shows_what_would_steer_the_terminal(hostile: str) -> None:
    assert steers(run("doctor", "h.jsonl").stdout) == []


def test_what_is_stored_and_what_machines_read_is_as_it_was_written(hostile: str) -> None:
    query = run_json("ask", hostile, "-n", "1")[0]
    assert query["item"].endswith("\x1b[31m")
    assert query["payload"]["text"] == f"hello{ESCAPE}\x9b31m {BIDI}txet"
    assert steers(run("ask", hostile, "--json").stdout) == []  # JSON has escapes of its own
    run("tell", hostile, query["item"], query["predicted"])
    assert run_json("status", hostile)["study"] == f"march{ESCAPE}"
    assert {f["group"] for f in run_json("answer", hostile)["findings"]} == {"no\rrth0\n", "no\rrth1\n"}


def test_letters_of_all_scripts_are_shown_as_they_are() -> None:
    from fewlabels.cli.printing import visible

    for text in ("naïve 漢字　かな", "می\u200cخواهم", "👨\u200d👩\u200d👧", "a\xa0b"):
        assert visible(text) == text


ENCODINGS = {
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "the C locale": {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
}


@pytest.fixture
def signs(here: Path) -> str:
    rows = [f"i{i},naïve 漢 →,{'ab'[i % 2]},0.9" for i in range(12)]
    (here / "s.csv").write_text("id,text,predicted,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    run("new", "s.csv", "--estimate", "confusion", "--until-half-width", "0.2")
    return "s.db"


@pytest.mark.parametrize("environment", ENCODINGS.values(), ids=ENCODINGS)
def test_a_terminal_without_the_signs_gets_other_words_for_them(signs: str, environment: dict[str, str]) -> None:
    done = shell("answer", signs, **environment)
    assert done.returncode == 0, done.stderr
    assert b"predicted -> true" in done.stdout
    assert b"?" not in done.stdout
    machines = json.loads(shell("ask", signs, "--json", **environment).stdout)
    assert machines[0]["payload"]["text"] == "naïve 漢 →"


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        (["ask", "s.db"], "na\\xefve \\u6f22 ->"),
        (["status", "s.db"], "+/-0.2"),
        (["doctor", "s.csv"], "..."),
        (["new", "--help"], "calibration_error, ..."),
        (["label", "s.db"], "ok a"),
    ],
    ids=lambda part: part[0] if isinstance(part, list) else "",
)
def test_every_command_writes_to_a_terminal_of_plain_letters(signs: str, command: list[str], shown: str) -> None:
    result = CliRunner(charset="ascii").invoke(app, command, input="a\nq\n")
    assert result.exit_code == 0
    assert shown in result.stdout
    assert "\ufffd" not in result.stdout


def test_what_is_typed_but_no_text_is_refused_before_it_is_kept(march: str) -> None:
    item = asked(march)[0]
    for arguments in (
        ["tell", march, item, "refund", "--by", "\udcff"],
        ["skip", march, item, "--reason", "\udcff"],
        ["new", "mail.csv", "--study", "x.db", "--name", "\udcff"],
    ):
        assert "is not text in UTF-8" in refused(*arguments)
    assert asked(march) == [item]
    assert not Path("x.db").exists()


def test_what_is_piped_in_but_no_text_is_refused_by_the_label_loop(march: str) -> None:
    result = run("label", march, stdin=b"\xff\n", code=1)
    assert "was answered '\\\\xff', which is not taken" in result.stderr


def test_commands_that_are_printed_can_be_pasted(mail: str) -> None:
    said = run("new", mail, "--study", "my study.db").stdout
    assert "fewlabels label 'my study.db' " in said
    item = asked("my study.db")[0]
    assert f"fewlabels tell 'my study.db' {item} LABEL" in run("ask", "my study.db").stdout
    run("new", mail, "--storage", "sqlite:///all.db", "--name", "a b")
    place = ["a b", "--storage", "sqlite:///all.db"]
    item = run_json("ask", *place, "-n", "1")[0]["item"]
    said = run("skip", *place, item).stdout
    assert f"fewlabels correct 'a b' --storage sqlite:///all.db {item} LABEL" in said


def test_a_reliability_diagram_shows_the_mean_score_beside_the_accuracy(march: str) -> None:
    lines = run("answer", march, "--estimate", "reliability").stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("group"))
    assert lines[head].endswith("mean score")
    mean = run_json("answer", march, "--estimate", "reliability")["findings"][0]["mean_score"]
    assert lines[head + 1].split()[-1] == f"{mean:.1%}"
