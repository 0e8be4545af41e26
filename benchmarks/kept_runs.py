"""Finished runs, kept with the repository: one packed file of lines a case, one line a run. What is there is not done
again, whoever goes on; each line says which code made it."""

import json
import lzma
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.leaderboard.kept import code_state
from benchmarks.leaderboard.pools import REPOSITORY

from fewlabels.core.arrays import Array

FOLDER = REPOSITORY / "benchmarks" / "kept"


@dataclass(frozen=True)
class KeptRuns:
    """The runs of one case."""

    path: Path

    def read(self) -> dict[int, Any]:
        """What each run that is there found."""
        return {line["run"]: line["found"] for line in self.lines()}

    def add(self, found: Mapping[int, Any]) -> None:
        """Keep further runs: all of them or, if killed meanwhile, none. One that is there already stays."""
        if not found:
            return
        by_run = {run: {"run": run, "code": code_state(), "found": one} for run, one in found.items()}
        by_run |= {line["run"]: line for line in self.lines()}
        lines = [by_run[run] for run in sorted(by_run)]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(f".{os.getpid()}.partial")
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        partial.write_bytes(lzma.compress(text.encode()))
        partial.replace(self.path)

    def lines(self) -> list[dict[str, Any]]:
        """The runs that are there by their number: each with what it found, and the code that made it."""
        if not self.path.exists():
            return []
        return [json.loads(line) for line in lzma.decompress(self.path.read_bytes()).decode().splitlines()]


def packed(figures: Array, digits: int) -> list[Any]:
    """Figures as whole numbers, none where there is none: rounding alike, an end that was the truth stays it."""
    whole = np.round(figures * 10.0**digits)
    return np.where(np.isnan(whole), None, np.nan_to_num(whole).astype(np.int64).astype(object)).tolist()


def unpacked(found: list[Any], digits: int) -> Array:
    """The figures again."""
    return np.array(found, dtype=np.float64) / 10.0**digits
