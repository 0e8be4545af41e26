"""Run a telling part of the suite on the built wheel with the lowest versions it allows: `make lowest` calls this."""

import subprocess
import tomllib

from try_wheel import NO_OTHER, ROOT, installed

# What touches each dependency most: files and tables (duckdb), special functions (scipy), studies
# on disk (sqlalchemy), the command line (typer, rich), reports (jinja2), arrays (numpy) everywhere.
TELLING = (
    "tests/contracts/test_every_engine.py",
    "tests/contracts/test_every_storage.py",
    "tests/integration/test_a_strangers_parts.py",
    "tests/integration/test_demo.py",
    "tests/integration/test_label_files.py",
    "tests/integration/test_refused_options.py",
    "tests/unit/test_comparison.py",
    "tests/unit/test_dirichlet.py",
    "tests/unit/test_ranking.py",
    "tests/unit/test_settings.py",
)
# Releases of typer before 0.26 import names that a later click is going to drop.
NOT_OURS = ("-W", "ignore:'click:DeprecationWarning")


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    tools = [tool for tool in extras["dev"] if tool.startswith("pytest>=")]
    tools += [tool for tool in extras["frames"] if tool.startswith("pyarrow>=")]  # writes files for DuckDB to read
    lowest = [requirement.replace(">=", "==") for requirement in (*project["dependencies"], *tools)]
    with installed(*lowest) as programs:
        command = [programs / "python", "-m", "pytest", "-q", *NOT_OURS, *TELLING]
        subprocess.run(command, check=True, cwd=ROOT, env=NO_OTHER)


if __name__ == "__main__":
    main()
