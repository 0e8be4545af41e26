"""Finished runs of a simulation in a folder, so that one broken off goes on where it was."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fewlabels.core.arrays import Array
from fewlabels.errors import StudyError


class KeptRuns:
    """A folder of finished runs, of one simulation only: its plan, and a record a run, appended as runs finish."""

    def __init__(self, folder: Path, plan: Mapping[str, Any], shape: tuple[int, ...]) -> None:
        """`plan` is all that a run's values depend on, `shape` that of one run's values."""
        self._file, self._shape = folder / "runs.bin", shape
        self._size = 1 + int(np.prod(shape))  # the run's number, then its values
        if folder.exists() and not folder.is_dir():
            raise StudyError(f"{folder} is a file; name a folder to keep finished runs in.")
        folder.mkdir(parents=True, exist_ok=True)
        about, written = folder / "plan.json", json.dumps(plan, indent=2)
        if not about.exists():
            part = about.with_suffix(".part")
            part.write_text(written)
            part.replace(about)
        elif about.read_text() != written:
            kept, wanted = json.loads(about.read_text()), json.loads(written)
            other = ", ".join(key for key in wanted if kept.get(key) != wanted[key])
            raise StudyError(
                f"{folder} keeps runs of another simulation (other {other}); name another folder, or remove it."
            )

    def load(self, runs: int) -> dict[int, Array]:
        """The finished runs of numbers below `runs`; a record cut short by a kill is dropped."""
        if not self._file.exists():
            return {}
        whole = self._file.stat().st_size // (8 * self._size)
        os.truncate(self._file, whole * 8 * self._size)
        records = np.fromfile(self._file, dtype="<f8").reshape(whole, self._size)
        return {int(row[0]): row[1:].reshape(self._shape) for row in records if row[0] < runs}

    def add(self, number: int, values: Array) -> None:
        with self._file.open("ab") as out:
            out.write(np.concatenate([[number], values.ravel()]).astype("<f8").tobytes())
