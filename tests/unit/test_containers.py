"""The container file and the compose file, read without a network or a daemon: they fit each other and the package."""

import json
import re
import shlex
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from fewlabels.cli.app import app

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
yaml = pytest.importorskip("yaml")


def instructions(text: str) -> list[tuple[str, str]]:
    """Each instruction of a container file, with what it says."""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split(None, 1)[0], line.split(None, 1)[1]) for line in lines]


CONTAINER = instructions((ROOT / "Containerfile").read_text())
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
ENTRYPOINT = json.loads(next(said for name, said in CONTAINER if name == "ENTRYPOINT"))


def test_the_entry_point_is_a_command_of_the_package_with_options_it_knows():
    assert ENTRYPOINT[0] in PROJECT["scripts"]
    shown = CliRunner().invoke(app, [ENTRYPOINT[1], "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
    assert shown.exit_code == 0
    options = [word for word in ENTRYPOINT[2:] if word.startswith("--")]
    assert options
    assert [option for option in options if option not in shown.stdout] == []


def test_what_is_copied_is_there_and_the_extras_that_are_installed_exist():
    for _, said in (pair for pair in CONTAINER if pair[0] == "COPY"):
        *sources, _ = shlex.split(said)
        assert [source for source in sources if not (ROOT / source).exists()] == []
    (install,) = (said for name, said in CONTAINER if name == "RUN" and "pip install" in said)
    extras = re.search(r"/source\[([a-z,]+)\]", install)[1].split(",")
    assert {"serve", "postgres"} <= set(extras) <= set(PROJECT["optional-dependencies"])
    readme, licences = PROJECT["readme"], PROJECT["license-files"]
    assert [name for name in (readme, *licences) if name not in " ".join(said for _, said in CONTAINER)
            and not name.startswith("src/")] == []  # fmt: skip


def test_it_does_not_run_as_root():
    users = [said for name, said in CONTAINER if name == "USER"]
    assert users
    assert "root" not in users
    order = [name for name, _ in CONTAINER]
    assert order.index("USER") < order.index("ENTRYPOINT")


def test_the_services_of_the_compose_file_fit_each_other_and_the_container():
    service, database = COMPOSE["services"]["fewlabels"], COMPOSE["services"]["database"]
    assert (ROOT / service["build"]["context"] / service["build"]["dockerfile"]).exists()
    storage = urlsplit(re.sub(r"\$\{[^}]*\}", "password", service["environment"]["FEWLABELS_STORAGE"]))
    assert (storage.scheme, storage.hostname) == ("postgresql", "database")
    given = database["environment"]
    assert (storage.username, storage.path) == (given["POSTGRES_USER"], f"/{given['POSTGRES_DB']}")
    passwords = re.findall(r"\$\{[^}]*\}", service["environment"]["FEWLABELS_STORAGE"])
    assert passwords == [given["POSTGRES_PASSWORD"]]
    host, outside, inside = service["ports"][0].rsplit(":", 2)
    assert host == "127.0.0.1"  # others come through a proxy that speaks TLS
    assert outside == inside == ENTRYPOINT[ENTRYPOINT.index("--port") + 1]
    assert [said for name, said in CONTAINER if name == "EXPOSE"] == [inside]
    assert service["volumes"] == [f"./pools:{ENTRYPOINT[ENTRYPOINT.index('--pools') + 1]}:ro"]
    assert service["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert database["healthcheck"]["test"][1] == (f"pg_isready -U {given['POSTGRES_USER']} -d {given['POSTGRES_DB']}")
    assert {mount.split(":")[0] for mount in database["volumes"]} == set(COMPOSE["volumes"])


def test_no_secret_stands_in_either_file():
    for name in ("FEWLABELS_TOKEN", "POSTGRES_PASSWORD"):
        values = [one["environment"][name] for one in COMPOSE["services"].values() if name in one["environment"]]
        assert [value for value in values if not value.startswith(f"${{{name}:?")] == []
        assert not re.search(rf"{name}[= ]\S", "\n".join(said for _, said in CONTAINER))
