"""A storage from its address."""

from fewlabels.errors import StudyError
from fewlabels.storages.address import SQLITE, file_of
from fewlabels.storages.base import Storage
from fewlabels.storages.memory import MemoryStorage


def open_storage(address: str | Storage | None, *, must_exist: bool = False) -> Storage:
    """None keeps studies in memory; `sqlite:///study.db` in a file; an open storage is taken as it is.

    Nothing is written before a study is created; with `must_exist` a file without studies is an error.
    """
    if address is None:
        return MemoryStorage()
    if not isinstance(address, str) and hasattr(address, "locked"):
        return address
    if not isinstance(address, str) or not address.startswith(SQLITE):
        raise StudyError(f"storage {address!r} is not known; use 'sqlite:///study.db', or None for memory.")
    from fewlabels.storages.sql import SqlStorage

    return SqlStorage(file_of(address), must_exist=must_exist)
