"""NPZ: NumPy's own files of named arrays."""

import struct
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.errors import PoolError

_BROKEN = (
    OSError, EOFError, ValueError, TypeError, KeyError, RuntimeError, MemoryError, OverflowError, SyntaxError,
    zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip


def read_npz(path: Path) -> dict[str, npt.NDArray[Any]]:
    """The arrays of the file; none that its own head describes wrongly."""
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                _check_size(archive, member)
            names = archive.namelist()
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice!r} is in it twice")
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except _BROKEN as error:
        reason = str(error) or type(error).__name__
        raise PoolError(
            f"{path.name!r} cannot be read as NPZ ({reason}); save plain arrays with numpy.savez."
        ) from error


def _check_size(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> None:
    """An array has as many bytes as its shape and type need: no more, which would be left out, and no fewer."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        head = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
        if head is None:
            raise ValueError(f"array {member.filename!r} is of an unknown version, {version}")
        shape, _, kind = head(file)
        if kind.hasobject:
            raise ValueError("Object arrays are not read")
        if kind.names is not None:
            raise ValueError(f"array {member.filename!r} has fields {', '.join(kind.names)}; save each by itself")
        needed, found = int(np.prod(shape, dtype=object)) * kind.itemsize, member.file_size - file.tell()
    if needed != found:
        raise ValueError(
            f"array {member.filename!r} says it has shape {shape} of {kind}, which is {needed:,} bytes, and holds "
            f"{found:,}"
        )
