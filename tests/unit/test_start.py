"""What starting loads: numpy, scipy's special functions and fewlabels, and nothing that few calls need."""

import subprocess
import sys

import pytest

# Each takes a tenth of a second or more, or belongs to an extra that need not be installed.
HEAVY = (
    "scipy.optimize", "scipy.stats", "scipy.linalg", "scipy.sparse", "sqlalchemy", "sqlite3", "duckdb", "jinja2",
    "pandas", "polars", "pyarrow", "pyspark", "numba", "matplotlib", "sklearn", "asyncio",
    "fewlabels.reproduction.experiments", "fewlabels.reproduction.aaai21", "fewlabels.reproduction.acis21",
    "fewlabels.simulation.kernels.chosen", "fewlabels.testing", "pytest",
)  # fmt: skip


@pytest.mark.parametrize(
    ("start", "more"), [("import fewlabels", ("typer", "rich", "fewlabels.cli")), ("import fewlabels.cli", ())]
)
def test_starting_loads_nothing_heavy(start, more):
    code = f"import sys; {start}; print(*(name for name in {(*HEAVY, *more)} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_the_checks_of_parts_need_nothing_that_fewlabels_does_not():
    names = ("pytest", "hypothesis", "scipy.stats", "pandas", "pyarrow", "numba", "sklearn")
    code = f"import sys, fewlabels.testing; print(*(name for name in {names} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "\n"


def test_what_is_loaded_late_is_found_under_its_name_again_and_again():
    """The import of a package called like the function must not take its place."""
    code = """
import fewlabels as fl
for _ in range(2):
    try:
        fl.reproduce("aaai-table-33")
    except fl.QuestionError as error:
        assert "did you mean aaai-table-3" in str(error), error
assert callable(fl.reproduce) and callable(fl.simulate)
import fewlabels.reproduction.experiments
assert callable(fl.reproduce)
"""
    subprocess.run([sys.executable, "-c", code], check=True)
