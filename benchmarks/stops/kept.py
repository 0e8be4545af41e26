"""Finished runs in a folder: one file for a goal, a pool and a method, with one entry a run. What is there is not done
again; each entry says which code made it."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "kept"
Entry = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """The runs of one method."""

    goal: str
    pool: str
    method: str

    def path(self, folder: Path) -> Path:
        return folder / self.goal / f"{self.pool}.{self.method}.json"

    def read(self, folder: Path) -> list[Entry]:
        """Runs that are there, by their number."""
        path = self.path(folder)
        found: list[Entry] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
        return sorted(found, key=lambda entry: entry["run"])

    def add(self, folder: Path, entry: Entry) -> None:
        """Keep another run: all of it or, if killed meanwhile, nothing."""
        path, entries = self.path(folder), [*self.read(folder), entry]
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        partial.write_text("[\n" + ",\n".join(json.dumps(e) for e in entries) + "\n]\n", encoding="utf-8")
        partial.replace(path)
