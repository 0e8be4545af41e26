"""What all tests share: where the data lies, and that under FEWLABELS_REQUIRE a skip is a failure."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

REPOSITORY = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real pools: $FEWLABELS_DATA, by default ../shared/data beside the repository."""
    folder = Path(os.environ.get("FEWLABELS_DATA", "../shared/data"))
    folder = folder if folder.is_absolute() else REPOSITORY / folder
    if not folder.exists():
        pytest.skip("no folder of real pools; set FEWLABELS_DATA")
    return folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    """Under FEWLABELS_REQUIRE every skip is a failure."""
    report = yield
    if os.environ.get("FEWLABELS_REQUIRE") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and FEWLABELS_REQUIRE is set: {report.longrepr}"
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", type=int, default=1, help="run statistical tests with seeds 0 to so many less one")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("seeds")))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
