"""The kept runs of one method on one pool and study, and the errors in them."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.leaderboard import kept
from benchmarks.leaderboard.notes import Notes
from benchmarks.leaderboard.pools import Entry

from fewlabels.core.arrays import Array, Bools, Ints

GUESS = 0.5  # of a group without labels, where a method has no figure of it
_NEARLY = 1e-6  # figures are kept in four bytes


@dataclass(frozen=True)
class Records:
    """Runs of one method, (n_runs, …) each."""

    entry: Entry
    method: str
    about: dict[str, Any]
    run: Ints
    notes: Notes
    codes: frozenset[str]

    @property
    def looks(self) -> list[int]:
        return list(self.about["looks"])

    @property
    def marks(self) -> dict[str, int]:
        return dict(self.about["marks"])

    def only(self, runs: Ints) -> "Records":
        """Those of these numbers."""
        chosen = np.isin(self.run, runs)
        notes = {name: values[chosen] for name, values in self.notes.items()}
        return Records(self.entry, self.method, self.about, self.run[chosen], notes, self.codes)

    # -- errors and intervals, (n_runs, n_looks) unless said otherwise -------------------------------------------------

    @property
    def class_rmse(self) -> Array:
        """sqrt(sum_g p_g (estimate_g - truth_g)^2)."""
        truth, weight = self.notes["truth"][:, None], self.notes["weight"][:, None]
        value = np.where(np.isnan(self.notes["rows"][:, :, 0]), GUESS, self.notes["rows"][:, :, 0])
        return np.asarray(np.sqrt(np.nansum(weight * (value - truth) ** 2, axis=-1)))

    def overall_error(self, what: str = "overall") -> Array:
        """Of the whole pool's accuracy, by the method or by what else reads its labels."""
        return np.asarray(self.notes[what][:, :, 0] - self.notes["truth_all"][:, None])

    def ece_error(self, *, plug_in: bool = False) -> Array:
        """Absolute, of the calibration error."""
        value = self.notes["plug_in"] if plug_in else self.notes["overall"][:, :, 0]
        return np.asarray(np.abs(value - self.notes["truth_error"][:, None]))

    def covered(self, what: str, truth: str) -> Array:
        """Whether intervals hold what is true: 1, 0, or nan where there is no interval; (n_runs, n_looks[, n_rows])."""
        return holds(self.notes[what], self.notes[truth][:, None])

    @property
    def own(self) -> Array:
        """Labels of each row's own, (n_runs, n_looks, n_rows)."""
        return self.notes["own"]


def holds(ends: Array, truth: Array) -> Array:
    """Whether intervals (n_runs, n_looks, 3, …) hold the truth, nan where either is unknown."""
    low, high = ends[:, :, 1], ends[:, :, 2]
    inside = (low - _NEARLY <= truth) & (truth <= high + _NEARLY)
    return np.where(np.isnan(low) | np.isnan(truth), np.nan, inside.astype(np.float64))


@dataclass
class Board:
    """All records of a folder, read when they are asked for."""

    folder: Path
    entries: tuple[Entry, ...]
    _read: dict[tuple[str, str, str], Records | None] = field(default_factory=dict)

    def get(self, entry: Entry, study: str, method: str) -> Records | None:
        """The records of a method; where it is another under a second name, that one's."""
        key = (entry.title, study, method)
        if key not in self._read:
            self._read[key] = self._load(entry, study, method)
        return self._read[key]

    def _load(self, entry: Entry, study: str, method: str) -> Records | None:
        found = [(kept.read(path), _block(path)) for path in kept.files(self.folder, entry, study, method)]
        if not found:
            return None
        told = found[0][0][0]
        if told["same_as"] is not None:
            return self.get(entry, study, told["same_as"])
        found = [(part, block) for part, block in found if part[1] and part[0]["looks"] == told["looks"]]
        if not found:
            return None
        runs = np.concatenate([np.arange(block * kept.BLOCK, (block + 1) * kept.BLOCK) for _, block in found])
        names = found[0][0][1]
        notes = {name: np.concatenate([part[1][name] for part, _ in found]) for name in names}
        return Records(entry, method, told, runs, notes, frozenset(part[0]["code"] for part, _ in found))

    def stands_for(self, study: str, method: str) -> str:
        """What a method turned out to be, where it is another under a second name."""
        for entry in self.entries:
            for path in kept.files(self.folder, entry, study, method):
                told = kept.about(path)
                return str((told or {}).get("same_as") or method)
        return method

    def codes(self) -> set[str]:
        """The states of the code that the cells were made by."""
        paths = (path for entry in self.entries for path in (self.folder / entry.title).glob("*.npz"))
        return {str(told["code"]) for path in paths if (told := kept.about(path)) is not None}


def _block(path: Path) -> int:
    return int(path.name.split(".")[-2])


def together(records: Iterable[Records | None]) -> list[Records] | None:
    """Several methods' records of the runs that all have; None where one has none."""
    found = [r for r in records if r is not None]
    if not found:
        return None
    runs = found[0].run
    for other in found[1:]:
        runs = np.intersect1d(runs, other.run)
    return [r.only(runs) for r in found] if len(runs) else None


def at_looks(records: Records, looks: Iterable[int]) -> Bools:
    """Which of the records' looks are these."""
    return np.isin(records.looks, list(looks))
