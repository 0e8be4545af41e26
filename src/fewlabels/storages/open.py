"""A storage from its address."""

from fewlabels.errors import StudyError
from fewlabels.storages.base import Storage
from fewlabels.storages.memory import MemoryStorage


def open_storage(address: "str | Storage | None") -> Storage:
    """None keeps studies in memory; `sqlite:///study.db` in a file; an open storage is taken as it is."""
    if address is None:
        return MemoryStorage()
    if not isinstance(address, str):
        return address
    if not address.startswith("sqlite:///"):
        raise StudyError(f"storage {address!r} is not known; use 'sqlite:///study.db', or None for memory.")
    from fewlabels.storages.sql import SqlStorage

    return SqlStorage(address)
