"""A storage from its address."""

from pathlib import Path

from fewlabels.errors import StudyError
from fewlabels.storages.base import Storage
from fewlabels.storages.memory import MemoryStorage


def open_storage(address: str | Storage | None, *, must_exist: bool = False) -> Storage:
    """None keeps studies in memory; `sqlite:///study.db` in a file; an open storage is taken as it is."""
    if address is None:
        return MemoryStorage()
    if not isinstance(address, str) and hasattr(address, "locked"):
        return address
    if not isinstance(address, str) or not address.startswith("sqlite:///"):
        raise StudyError(f"storage {address!r} is not known; use 'sqlite:///study.db', or None for memory.")
    file = Path(address.removeprefix("sqlite:///"))
    if must_exist and not file.exists():
        raise StudyError(f"no file {str(file)!r}; create a study in it first, or check the path.")
    from fewlabels.storages.sql import SqlStorage

    return SqlStorage(address)
