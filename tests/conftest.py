"""What all tests share: where the data lies, and that under FEWLABELS_REQUIRE a skip is a failure."""

import gc
import hashlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# Of two workers on two cores, each thread of linear algebra beyond the first takes time from the other worker.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")  # read as NumPy is first imported

import numpy as np  # noqa: E402

REPOSITORY = Path(__file__).parent.parent

# Numba's cache does not notice an edit in a file that a compiled function imports: one cache for each state of them.
_COMPILED = [*(REPOSITORY / "src").rglob("kernels/*.py"), *(REPOSITORY / "src").rglob("compiled.py")]
_KERNELS = b"".join(path.read_bytes() for path in sorted(_COMPILED))
_STATE = hashlib.sha256(_KERNELS).hexdigest()[:16]
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"fewlabels-kernels-{_STATE}"))


# Processes that tests start share what was compiled, also where it may not be written beside the sources.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(Path(tempfile.gettempdir()) / "fewlabels-bytecode"))


# A suite started in the background of a shell ignores Ctrl-C, and so would every process it starts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real pools: $FEWLABELS_DATA, by default ../shared/data beside the repository."""
    folder = Path(os.environ.get("FEWLABELS_DATA", "../shared/data"))
    folder = folder if folder.is_absolute() else REPOSITORY / folder
    if not folder.exists():
        pytest.skip("no folder of real pools; set FEWLABELS_DATA")
    return folder


@pytest.fixture(scope="session")
def opened() -> Iterator[Any]:
    """A browser, one for all: its driver runs once in a process."""
    from gallery.browser import browser, chromium

    pytest.importorskip("playwright", reason="the driver is not installed (pip install 'fewlabels[gallery]')")
    if chromium() is None:
        pytest.skip("there is no Chromium (apt-get install chromium)")
    with browser() as found:
        yield found


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    """Under FEWLABELS_REQUIRE every skip is a failure."""
    report = yield
    if os.environ.get("FEWLABELS_REQUIRE") and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped, and FEWLABELS_REQUIRE is set: {report.longrepr}"
    return report


gc.disable()  # until all is collected


def pytest_collection_finish() -> None:
    """What is imported and collected stays to the end: it need not be searched for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--seeds", type=int, default=1, help="run statistical tests with seeds 0 to so many less one")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "seed" in metafunc.fixturenames:
        metafunc.parametrize("seed", range(metafunc.config.getoption("seeds")))


# Of each posterior or reward, a fifth of the usual: 50 beyond either end of an interval still tell where it ends.
FEWER_DRAWS = 2_000


@pytest.fixture
def fewer_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests in which the noise of draws has no part, or hardly one."""
    from fewlabels.core import objectives
    from fewlabels.reading import cells

    monkeypatch.setattr(cells, "DRAWS", FEWER_DRAWS)
    monkeypatch.setattr(objectives, "UPPER_DRAWS", FEWER_DRAWS)


@pytest.fixture
def compiled_fits() -> Iterator[None]:
    """For tests in which the last digit has no part: beliefs are fitted by compiled code, as simulations do."""
    from fewlabels.simulation.compiled import fast

    with fast():
        yield


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session of Spark on a cluster of three processes on this machine."""
    from services import spark_cluster

    pytest.importorskip("pyspark", reason="PySpark is not installed (pip install 'fewlabels[spark]')")
    if shutil.which("java") is None:
        pytest.skip("there is no Java (apt-get install openjdk-17-jre-headless)")
    with spark_cluster.running() as session:
        yield session


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)
