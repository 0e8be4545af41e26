"""A storage from its address: a file's name behind `sqlite:///`, not a URL, so nothing is decoded; or the URL of a
PostgreSQL database."""

from pathlib import Path
from typing import TYPE_CHECKING

from fewlabels.errors import StudyError
from fewlabels.storages.base import Storage
from fewlabels.storages.memory import MemoryStorage

if TYPE_CHECKING:
    from fewlabels.storages.database import Database

SQLITE = "sqlite:///"
POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")


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
    """None keeps studies in memory; `sqlite:///study.db` in a file; `postgresql://user@server/database` on a server; an
    open storage is taken as it is.

    Nothing is written before a study is created; with `must_exist` a place without studies is an error.
    """
    if address is None:
        return MemoryStorage()
    if not isinstance(address, str) and hasattr(address, "locked"):
        return address
    from fewlabels.storages.sql import SqlStorage

    return SqlStorage(_database(address), must_exist=must_exist)


def upgrade_storage(address: str) -> tuple[int, int]:
    """Bring studies that an older version keeps up to date; from which version of the tables, and to which."""
    from fewlabels.storages.sql import SqlStorage

    return SqlStorage(_database(address)).upgrade()


def _database(address: object) -> "Database":
    if isinstance(address, str) and address.startswith(SQLITE):
        from fewlabels.storages.sqlite_file import SqliteFile

        return SqliteFile(file_of(address))
    if isinstance(address, str) and address.startswith(POSTGRES):
        from fewlabels.storages.postgres import Postgres

        return Postgres(address)
    raise StudyError(
        f"storage {address!r} is not known; use 'sqlite:///study.db', 'postgresql://user@server/database', or None for "
        "memory."
    )
