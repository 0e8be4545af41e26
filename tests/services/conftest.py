"""Every test here needs a service: they are marked, and skipped where it is not installed (in CI that is a failure)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services import page_service, postgres_server

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.services)


@pytest.fixture(scope="session")
def server() -> Iterator[postgres_server.Server]:
    """A running PostgreSQL server."""
    if postgres_server.programs() is None:
        pytest.skip("PostgreSQL is not installed (apt-get install postgresql)")
    pytest.importorskip("psycopg", reason="the driver is not installed (pip install 'fewlabels[postgres]')")
    with postgres_server.running() as found:
        yield found


@pytest.fixture
def database(server: postgres_server.Server) -> str:
    """The address of a new and empty database."""
    return server.new_database()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[page_service.Service]:
    """A service without studies, on this machine only; whoever comes is the owner."""
    with page_service.serving(tmp_path_factory.mktemp("service")) as found:
        yield found
