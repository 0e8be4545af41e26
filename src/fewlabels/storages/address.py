"""Where an address points. An address is a file's name behind `sqlite:///`: it is not a URL, so nothing is decoded."""

from pathlib import Path

from fewlabels.errors import StudyError

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
