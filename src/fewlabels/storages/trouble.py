"""What went wrong with a study's file, in words: what, which file, what to do."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import sqlalchemy as sa

from fewlabels.errors import StudyError

Doing = Literal["read", "written"]
_UNTOUCHED = "Nothing of this call was recorded"


@contextmanager
def in_words(file: Path, doing: Doing, wait: float) -> Iterator[None]:
    """Errors of the database inside the block become a StudyError; all others pass."""
    try:
        yield
    except (sa.exc.DBAPIError, sqlite3.Error) as error:
        raise _told(file, doing, wait, getattr(error, "orig", error)) from error
    except UnicodeDecodeError as error:  # what SQLite says of damaged tables quotes them
        raise damaged(file, error) from error


def damaged(file: Path, why: object) -> StudyError:
    """For a file whose content makes no sense."""
    return StudyError(
        f"{str(file)!r} is damaged ({why}). Restore it from a copy; SQLite's own tool may save a part of what is left: "
        "sqlite3 FILE .recover"
    )


def check_there(file: Path) -> None:
    """Raise where there is no such file, or something else of that name."""
    try:
        os.stat(file)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise StudyError(f"no file {str(file)!r}; create a study in it first, or check the path.") from error
    except OSError as error:
        raise _unopened(file, error.strerror) from error
    if os.path.isdir(file):
        raise _unopened(file, None)


def _told(file: Path, doing: Doing, wait: float, error: BaseException | None) -> StudyError:
    name, kind = repr(str(file)), str(getattr(error, "sqlite_errorname", ""))
    undone = _UNTOUCHED if doing == "written" else "Nothing was changed"
    match kind.removeprefix("SQLITE_").split("_")[0]:
        case "BUSY" | "LOCKED":
            return StudyError(
                f"{name} cannot be {doing}: another process has held its lock for over {wait:g} s. {undone}; wait for "
                "that process or end it, then try again."
            )
        case "FULL":
            return StudyError(f"{name} cannot be {doing}: the disk is full. {undone}; make room, then try again.")
        case "IOERR":
            return StudyError(
                f"{name} cannot be {doing}: the disk refused ({error}). {undone}; look for a full disk, a quota, a "
                "limit on the size of files or a lost network folder, then try again."
            )
        case "READONLY" | "PERM":
            return read_only(file)
        case "CORRUPT":
            return damaged(file, error)
        case "NOTADB":
            return StudyError(f"{name} cannot be opened as a fewlabels study: {error}. Name another file.")
        case "CANTOPEN":
            return _unopened(file, error)
    return StudyError(
        f"{name} cannot be {doing} as a fewlabels study: {error}. Restore it from a copy, or name another."
    )


def read_only(file: Path) -> StudyError:
    """For a file that may be read and not written."""
    return StudyError(
        f"{str(file)!r} cannot be written: you may only read it, or its folder. {_UNTOUCHED}; get the right to write "
        "both, or copy the study to a folder of your own and go on there."
    )


def _unopened(file: Path, why: object) -> StudyError:
    """For a file that does not open, by what is found in its place."""
    name, folder, there = repr(str(file)), str(file.parent), os.path.exists(file)
    may_write, left = os.access(file.parent, os.W_OK), os.path.exists(f"{file}-wal")
    looked = [
        (os.path.isdir(file), f"opened: it is a folder. Name a file in it, such as {name[1:-1]}/study.db."),
        (not os.path.isdir(file.parent), f"opened: there is no folder {folder!r}. Make it, or check the path."),
        (not os.access(file.parent, os.X_OK), f"opened: you may not enter the folder {folder!r}. Ask its owner."),
        (there and not os.access(file, os.R_OK), "opened: you may not read it. Ask its owner for the right to."),
        (not there and not may_write, f"made: you may not write to the folder {folder!r}. Name another one."),
        (
            left and not may_write,
            f"opened: a process that was killed left entries in '{file}-wal', and these can be read only where the "
            "folder can be written. Copy both files to a folder of your own.",
        ),
        (True, f"opened: {why}. Check that you may write to it and its folder {folder!r}."),
    ]
    return StudyError(f"{name} cannot be {next(words for found, words in looked if found)}")
