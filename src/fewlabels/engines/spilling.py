"""Where what does not fit into memory is written: a folder that is gone when its process is, however that ends.

A folder is locked as long as its process lives. The system takes locks from the dead, so that whoever comes next can
tell which folders nobody uses any more.
"""

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = "fewlabels-duckdb-"
LOCK = "in-use"


class Spilling:
    """A folder of this process. Where there are no such locks, those of the dead stay."""

    def __init__(self) -> None:
        _remove_left()
        self.folder, self._process = Path(tempfile.mkdtemp(prefix=PREFIX)), os.getpid()
        self._lock = os.open(self.folder / "new", os.O_CREAT | os.O_RDWR, 0o600)
        if sys.platform != "win32":
            fcntl.flock(self._lock, fcntl.LOCK_EX)
            (self.folder / "new").rename(self.folder / LOCK)  # seen by others when it is locked, not before

    def end(self) -> None:
        """Nothing in it is needed any more; a copy of the process, which began as a fork, leaves it alone."""
        if os.getpid() == self._process:
            shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def _remove_left() -> None:
    """Remove the folders of this user whose processes are dead."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # another user's, or just removed by somebody else
            _remove_if_left(folder)


def _remove_if_left(folder: Path) -> None:
    if sys.platform == "win32" or folder.lstat().st_uid != os.getuid():
        return
    lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # an OSError while the process lives
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
