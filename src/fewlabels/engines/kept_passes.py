"""What long passes over files found, kept while a study is made: one that is killed goes on after the last of them.

A pass is known by its query, which says all that is asked, and by the files it read: their places, sizes, times of
change and of creation, and their first and last bytes. What is kept of files that are not just these, or of a pass
during or shortly before which they changed, is not believed.
"""

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from hashlib import md5
from pathlib import Path
from typing import Any

FROM = 2.0  # seconds that a pass takes which is kept
SETTLED = 2.0  # seconds that files must not have changed before it: times of change may be as coarse as that
MOST = 5_000_000  # values of what is kept
_ENDING = ".pass"
_EDGE = 1 << 16  # bytes at the beginning and the end of a file that are looked at

Columns = list[list[Any]]
_where: ContextVar[Path | None] = ContextVar("where", default=None)


@contextmanager
def kept_in(folder: Path | None) -> Iterator[None]:
    """Passes are kept in this folder while this lasts, and it is removed if all goes well."""
    before = _where.set(folder)
    try:
        yield
    finally:
        _where.reset(before)
    if folder is not None and folder.is_dir():
        with suppress(OSError):  # somebody else's files are in it, or another creation's
            for kept in folder.glob(f"*{_ENDING}"):
                kept.unlink(missing_ok=True)
            folder.rmdir()


def found_once(query: str, files: Sequence[Path], find: Callable[[], Columns]) -> Columns:
    """What a query of these files finds, or found before."""
    folder = _where.get()
    if folder is None or not files:
        return find()
    kept = folder / f"{md5(query.encode(), usedforsecurity=False).hexdigest()}{_ENDING}"
    before = _kept(kept, files)
    if before is not None:
        return before
    stats, start = _stats(files), time.time()
    found = find()
    if time.time() - start >= FROM and _unchanged(stats, files, start) and sum(map(len, found)) <= MOST:
        with suppress(OSError, TypeError):  # no room, or nothing that can be written: it is found again, then
            _keep(kept, {"files": [stats, _edges(files)], "found": found})
    return found


def _kept(file: Path, files: Sequence[Path]) -> Columns | None:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        known: Columns = content["found"]
        same = content["files"] == [_stats(files), _edges(files)]
    except (OSError, ValueError, KeyError, TypeError):  # nothing is kept, or it was cut off
        return None
    return known if same else None


def _keep(file: Path, content: dict[str, Any]) -> None:
    """Written beside and then put in its place, so that no half of it is ever read; for this user alone."""
    file.parent.mkdir(mode=0o700, exist_ok=True)
    handle, new = tempfile.mkstemp(_ENDING, dir=file.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as text:
        json.dump(content, text)
    os.replace(new, file)


def _stats(files: Sequence[Path]) -> list[list[Any]]:
    """Where files lie, how large they are, and when they were last changed, in nanoseconds."""
    found = [(str(file.resolve()), os.stat(file)) for file in files]
    return [[name, s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns] for name, s in found]


def _unchanged(stats: list[list[Any]], files: Sequence[Path], start: float) -> bool:
    """Whether the files are what they were, and have been so for a while."""
    last = max(time_of for *_, changed, created in stats for time_of in (changed, created))
    return last <= (start - SETTLED) * 1e9 and _stats(files) == stats


def _edges(files: Sequence[Path]) -> str:
    """The first and the last bytes of files: those of Parquet say what there is, and where."""
    seen = md5(usedforsecurity=False)
    for file in files:
        with file.open("rb") as content:
            seen.update(content.read(_EDGE))
            content.seek(max(0, os.stat(file).st_size - _EDGE))
            seen.update(content.read(_EDGE))
    return seen.hexdigest()
