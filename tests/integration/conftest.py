"""What the tests of the command line share: an empty folder to work in, and a file of predictions in it."""

from pathlib import Path

import pytest

from command_line import run, write_mail


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, without a storage in the environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FEWLABELS_STORAGE", raising=False)
    return tmp_path


@pytest.fixture
def mail(here: Path) -> str:
    """A file of 60 predictions."""
    return write_mail(here)


@pytest.fixture
def march(mail: str) -> str:
    """A study of it, by region."""
    run("new", mail, "--study", "march.db", "--by", "region")
    return "march.db"
