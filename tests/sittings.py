"""Studies to be labelled in a terminal, and sittings of somebody who types."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import fewlabels as fl
from fewlabels.cli import app

NAMES = ["card_arrival", "lost_or_stolen_card", "lost_or_stolen_phone", *(f"topic_{i:02}" for i in range(10))]


def seen_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read counts as typed by somebody who sees what is asked back."""
    monkeypatch.setattr("fewlabels.cli.label.at_terminal", lambda: True)


def make_binary(path: Path) -> fl.Study:
    """A study on disk of a pool with one positive class, fraud."""
    (path / "f.csv").write_text("id,s\n" + "\n".join(f"i{i},{i / 20}" for i in range(20)))
    pool = fl.open_pool(path / "f.csv", positive_score="s", positive="fraud")
    storage = f"sqlite:///{path / 'study.db'}"
    return fl.create_study(pool, fl.Estimate("accuracy"), strategy="uniform", storage=storage)


def make(path: Path, classes: list[str], **settings: object) -> fl.Study:
    """A study of 26 items on disk, items named a to z."""
    count = 26
    pool = fl.Pool.from_arrays(
        predicted=[classes[i % len(classes)] for i in range(count)],
        score=[0.5 + i / 60 for i in range(count)],
        ids=[chr(97 + i) for i in range(count)],
        classes=classes,
        payload={"text": [f"message {chr(97 + i)}" for i in range(count)]},
    )
    pool_file = path / "pool.jsonl"
    rows = pool.engine.find("model", (), pool.ids)
    pool_file.write_text(
        "".join(
            json.dumps({"id": r.item, "text": r.payload["text"], "predicted": r.predicted, "score": r.score}) + "\n"
            for r in rows
            if r is not None
        )
    )
    reopened = fl.open_pool(pool_file, classes=classes)
    return fl.create_study(
        reopened,
        fl.Estimate("accuracy"),
        strategy="uniform",
        storage=f"sqlite:///{path / 'study.db'}",
        **settings,  # type: ignore[arg-type]
    )


def study_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fl.Study:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FEWLABELS_STORAGE", raising=False)
    return make(tmp_path, NAMES)


def type_in(*lines: str, flags: tuple[str, ...] = (), code: int = 0) -> str:
    return run(*lines, flags=flags, code=code).stdout


def run(*lines: str, flags: tuple[str, ...] = (), code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["label", "study.db", *flags], input="".join(f"{line}\n" for line in lines))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == code, result.output
    return result
