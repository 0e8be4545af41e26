"""Whose turn it is to write: in the order of coming.

SQLite's own waiting is to look again after a while, ever longer, so that of many writers one may wait for seconds while
others pass. Here everybody waits for the one before. A turn is courtesy only: SQLite's lock alone decides who writes,
and who cannot get a turn does without.
"""

import os
import struct
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "linux":
    import fcntl

PATIENCE = 5.0  # seconds one waits for a turn at most: whoever has it may have been stopped
_DOOR, _FIRST = 0, 1  # bytes of the file that are locked: by who takes a number, and from here on each number


@contextmanager
def turn(file: tuple[int, int] | None, wait: float) -> Iterator[None]:
    """Inside, it is this caller's turn among those of the same user who write a file, by its device and number."""
    if file is None or sys.platform != "linux":  # elsewhere there are no such locks: writers wait as SQLite does
        yield
        return
    place = Path(tempfile.gettempdir()) / f"fewlabels-turns-{os.getuid()}-{file[0]:x}-{file[1]:x}"
    numbers = None
    with suppress(OSError):
        numbers = _Numbers(place)
    if numbers is None or not _come(numbers, min(wait, PATIENCE)):
        yield  # whoever waits in its place closes what is open
        return
    try:
        yield
    finally:
        numbers.leave()


class _Numbers:
    """A file of one number, the last that somebody took; each who waits locks a byte of it, and the system gives that
    back whatever becomes of the process."""

    def __init__(self, place: Path) -> None:
        self._place, self._mine = place, 0
        self._file = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)

    def take(self, *, wait: bool) -> None:
        """Take the next number, once; without waiting an OSError where somebody is at the door."""
        if self._mine:
            return
        self._hold(_DOOR, wait=wait)
        about = os.fstat(self._file)
        if not about.st_nlink or about.st_uid != os.getuid():
            raise FileNotFoundError(str(self._place))  # removed just now, as nobody was in line
        self._mine = self._last + 1
        os.pwrite(self._file, self._mine.to_bytes(8, "big"), 0)
        self._hold(_FIRST + self._mine, wait=wait)
        self._let_go(_DOOR)

    def wait_for_the_one_before(self, *, wait: bool) -> None:
        self._hold(_FIRST + self._mine - 1, wait=wait)

    def leave(self) -> None:
        """The next one's turn; the last one removes the file."""
        with suppress(OSError):
            self._hold(_DOOR, wait=False)
            if self._mine and self._last == self._mine:
                os.unlink(self._place)
        os.close(self._file)

    @property
    def _last(self) -> int:
        return int.from_bytes(os.pread(self._file, 8, 0), "big")

    def _hold(self, byte: int, *, wait: bool) -> None:
        self._lock(byte, fcntl.F_WRLCK, fcntl.F_OFD_SETLKW if wait else fcntl.F_OFD_SETLK)

    def _let_go(self, byte: int) -> None:
        self._lock(byte, fcntl.F_UNLCK, fcntl.F_OFD_SETLK)

    def _lock(self, byte: int, kind: int, how: int) -> None:
        fcntl.fcntl(self._file, how, struct.pack("hhqqi", kind, os.SEEK_SET, byte, 1, 0))


def _come(numbers: _Numbers, wait: float) -> bool:
    """Whether the turn came in time."""
    try:
        numbers.take(wait=False)
        numbers.wait_for_the_one_before(wait=False)
    except BlockingIOError:
        return _InLine(numbers).came(wait)
    except OSError:
        numbers.leave()
        return False
    return True


class _InLine:
    """The system ends a wait when the one before is done, or dies, and knows no other end: a thread of its own waits,
    and goes when nobody is there any more."""

    def __init__(self, numbers: _Numbers) -> None:
        self._numbers, self._lock = numbers, threading.Lock()
        self._came, self._left = False, False

    def came(self, wait: float) -> bool:
        thread = threading.Thread(target=self._stand, daemon=True)
        try:
            thread.start()
            thread.join(wait)
        except BaseException:
            with self._lock:
                self._left = True
                if self._came:
                    self._numbers.leave()
            raise
        with self._lock:
            self._left = not self._came
            return self._came

    def _stand(self) -> None:
        with suppress(OSError):
            self._numbers.take(wait=True)
            self._numbers.wait_for_the_one_before(wait=True)
        with self._lock:
            self._came = not self._left
            if self._left:
                self._numbers.leave()
