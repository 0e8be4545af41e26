"""Files of text, plain or compressed, as streams of characters; what is no UTF-8 is refused with its line."""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from fewlabels.errors import MissingExtraError, PoolError


@contextmanager
def opened_text(path: Path, newline: str | None = None) -> Iterator[IO[str]]:
    """The file's text, a mark of byte order left out."""
    try:
        with _opened(path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline=newline) as text:
            try:
                yield text
            except UnicodeDecodeError as error:
                raise PoolError(_not_text(path)) from error
    except (OSError, EOFError, zlib.error) as error:
        raise PoolError(f"{path.name!r} cannot be read ({error}); write it again, or check who may read it.") from error


def _opened(path: Path) -> IO[bytes]:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return cast(IO[bytes], gzip.open(path, "rb"))
    return _opened_zst(path) if suffix == ".zst" else path.open("rb")


def _opened_zst(path: Path) -> IO[bytes]:
    try:
        import pyarrow as pa
    except ImportError as error:
        raise MissingExtraError(
            f"reading {path.name!r} needs pyarrow; pip install 'fewlabels[frames]', or compress it with gzip."
        ) from error
    return cast(IO[bytes], io.BufferedReader(pa.input_stream(str(path), compression="zstd")))


def _not_text(path: Path) -> str:
    """Which line is no UTF-8, in words."""
    with _opened(path) as raw:
        for number, line in enumerate(raw, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                odd = line[error.start : error.start + 4]
                return (
                    f"{path.name!r} is not text in UTF-8: line {number} holds the bytes {odd!r}. Save it as UTF-8 "
                    "(spreadsheets call it 'CSV UTF-8')."
                )
    return f"{path.name!r} is not text in UTF-8; save it as UTF-8."
