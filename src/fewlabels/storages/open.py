"""A storage from its address: a file's name behind `sqlite:///`. It is not a URL, so nothing is decoded."""

from pathlib import Path

from fewlabels.errors import StudyError
from fewlabels.storages.base import Storage
from fewlabels.storages.memory import MemoryStorage

SQLITE = "sqlite:///"


def file_of(address: str) -> Path:
    """The file of an address, its name taken as it is written; `~` in front is home, unless there is a `~` here.

    >>> file_of("sqlite:///march?.db").name
    'march?.db'
    """
    name = address.removeprefix(SQLITE)
    if not name or "\0" in name:
        raise StudyError(f"storage {address!r} names no file; write one behind it, such as {SQLITE}study.db.")
    file = Path(name)
    if file.parts[:1] == ("~",) and not Path("~").exists():
        return Path.home().joinpath(*file.parts[1:])
    return file


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
