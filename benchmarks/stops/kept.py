"""Finished runs, kept with the repository: one packed file for a goal, a pool and a method. What is there is not done
again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import kept_runs
from benchmarks.kept_runs import KeptRuns

Entry = dict[str, Any]  # what a run found, with its number and the code that made it
BATCHES = (1, 10, 50)  # labels that come back at once
_DIGITS = 6  # of shares and widths


def folder_of(batch: int) -> Path:
    """Where runs are kept whose labels come back so many at once."""
    return kept_runs.FOLDER / ("stops" if batch == 1 else f"stops-{batch}")


@dataclass(frozen=True)
class Cell:
    """The runs of one method."""

    goal: str
    pool: str
    method: str

    def kept(self, folder: Path) -> KeptRuns:
        return KeptRuns(folder / self.goal / f"{self.pool}.{self.method}.jsonl.xz")

    def read(self, folder: Path) -> list[Entry]:
        """Runs that are there, by their number."""
        return [{"run": line["run"], "code": line["code"], **line["found"]} for line in self.kept(folder).lines()]

    def add(self, folder: Path, number: int, found: Entry) -> None:
        """Keep another run."""
        self.kept(folder).add({number: _short(found)})


def _short(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: _short(one) for name, one in found.items()}
    return round(found, _DIGITS) if isinstance(found, float) else found
