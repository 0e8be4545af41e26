"""The command line as tests call it, and a small file of predictions to call it with."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from fewlabels.cli import app

MAIL_CLASSES = ("invoice", "refund", "other")


def run(*arguments: str, code: int = 0, stdin: str | bytes | None = None) -> Result:
    """What the command printed; it must end with this exit code."""
    result = CliRunner().invoke(app, list(arguments), input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result


def run_json(*arguments: str, code: int = 0, stdin: str | bytes | None = None) -> Any:
    """What the command says to machines: stdout must be JSON and nothing else."""
    return json.loads(run(*arguments, "--json", code=code, stdin=stdin).stdout)


def refused(*arguments: str, stdin: str | bytes | None = None) -> str:
    """What the command says as it refuses: one line on stderr, exit code 2."""
    result = run(*arguments, code=2, stdin=stdin)
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def shell(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The program in a process of its own, its streams as bytes."""
    command = [sys.executable, "-m", "fewlabels", *arguments]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, "NO_COLOR": "1", **environment})


def asked(study: str, n: int = 1) -> list[str]:
    """The ids of the items a study asks for."""
    return [str(query["item"]) for query in run_json("ask", study, "-n", str(n))]


def write_mail(folder: Path, name: str = "mail.csv") -> str:
    """60 items, every third predicted each class; the truth is the prediction, but for every fifth item."""
    lines = ["id,text,predicted,score,region,label"]
    for i in range(60):
        predicted, region = MAIL_CLASSES[i % 3], "north" if i % 2 else "south"
        truth = MAIL_CLASSES[(i + 1) % 3] if i % 5 == 0 else predicted
        lines.append(f'item-{i},"message {i}, hello",{predicted},{0.5 + i / 125:.3f},{region},{truth}')
    (folder / name).write_text("\n".join(lines) + "\n")
    return name


def write_numbered(folder: Path, items: int = 90, name: str = "n.jsonl") -> str:
    """Items whose ids are the whole numbers from 0 on."""
    rows = [{"id": i, "predicted": MAIL_CLASSES[i % 3], "score": 0.9} for i in range(items)]
    (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return name
