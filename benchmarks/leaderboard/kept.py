"""Finished cells in a folder: one file for ten runs of one method on one pool and study. What is there is not done
again; each file says which code made it."""

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.leaderboard.notes import Notes
from benchmarks.leaderboard.pools import REPOSITORY, Entry

BLOCK = 10  # runs of a cell
FOLDER = Path(__file__).parent / "kept"
_ABOUT = "about"  # the entry of a file that is text
_WHOLE = ("own", "named")  # whole numbers, kept in two bytes
# Parts of the product that no figure of a simulation passes through.
_ASIDE = ("cli", "demo", "exchange", "figures", "reporting", "reproduction", "service", "storages", "study", "tables")
_ASIDE_ENGINES = ("duckdb", "spark", "sql")


@dataclass(frozen=True)
class Cell:
    """Ten runs of one method."""

    entry: Entry
    study: str
    method: str
    block: int

    @property
    def runs(self) -> range:
        return range(self.block * BLOCK, (self.block + 1) * BLOCK)

    def path(self, folder: Path) -> Path:
        return folder / self.entry.title / f"{self.study}.{self.method.replace('+', '_')}.{self.block:03d}.npz"


@cache
def code_state() -> str:
    """A name for the code that figures come from, as it is: the same files, the same name."""
    digest = hashlib.sha256()
    source = REPOSITORY / "src" / "fewlabels"
    for path in sorted(source.rglob("*.py")):
        inside = path.relative_to(source)
        another = inside.parts[0] == "engines" and path.name.startswith(_ASIDE_ENGINES)
        if inside.parts[0] not in _ASIDE and not another:
            digest.update(str(inside).encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def write(path: Path, about: dict[str, Any], notes: list[Notes]) -> None:
    """Keep a cell: all of it or, if killed meanwhile, nothing."""
    stacked: dict[str, Any] = {
        name: _packed(name, np.stack([note[name] for note in notes])) for name in (notes[0] if notes else ())
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(f".{os.getpid()}.partial")
    with partial.open("wb") as file:
        stacked[_ABOUT] = np.array(json.dumps({"code": code_state(), **about}))
        np.savez_compressed(file, **stacked)
    partial.replace(path)


def _packed(name: str, values: np.ndarray) -> np.ndarray:
    return values.astype(np.int16) if name in _WHOLE else values.astype(np.float32)


def _unpacked(name: str, values: np.ndarray) -> np.ndarray:
    """Figures of single groups stay in four bytes: there are many."""
    return values.astype(np.float32 if values.ndim == 4 or name in _WHOLE else np.float64)


def about(path: Path) -> dict[str, Any] | None:
    """What a file says of itself; None where there is none."""
    if not path.exists():
        return None
    with np.load(path) as file:
        told: dict[str, Any] = json.loads(str(file[_ABOUT]))
        return told


def read(path: Path) -> tuple[dict[str, Any], Notes]:
    """A file's runs, with what it says of itself."""
    with np.load(path) as file:
        told = json.loads(str(file[_ABOUT]))
        return told, {name: _unpacked(name, file[name]) for name in file.files if name != _ABOUT}


def files(folder: Path, entry: Entry, study: str, method: str) -> Iterator[Path]:
    """Those of one method, in the order of the runs."""
    yield from sorted((folder / entry.title).glob(f"{study}.{method.replace('+', '_')}.[0-9][0-9][0-9].npz"))
