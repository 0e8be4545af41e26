"""The pools: real ones from the data folder, made-up ones, and the random sub-pools that runs are about."""

import os
import tomllib
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from benchmarks.leaderboard.synthetic import MADE, make

import fewlabels as fl
from fewlabels.core.arrays import Ints
from fewlabels.engines import MemoryEngine, ModelOutputs, in_memory

REPOSITORY = Path(__file__).parents[2]
LISTED = REPOSITORY / "benchmarks" / "leaderboard_pools.toml"
HALF, SMALL = 0.5, 0.8  # of a pool's items that a sub-pool holds; the second of small text pools
ADULT_MODEL = "LR"
_KEPT = 24  # sub-pools that a process keeps at hand

Role = Literal["design", "test"]


@dataclass(frozen=True)
class Entry:
    """A pool on the list."""

    name: str  # as in the list
    role: Role
    real: bool

    @property
    def title(self) -> str:
        """A short name, for tables and files."""
        name = self.name.removeprefix("text/")
        for end in (".npz", ".csv.gz", ".parquet"):
            name = name.replace(end, "")
        return name.replace("#", "-").replace("__", ".")


@dataclass(frozen=True)
class BoardPool:
    """A pool with all its labels, the groups it is asked about, and how large its sub-pools are."""

    entry: Entry
    pool: fl.Pool
    by: str  # "predicted_class" or a column
    share: float

    @cached_property
    def engine(self) -> MemoryEngine:
        return in_memory(self.pool.engine)

    @cached_property
    def model(self) -> str:
        """The one that is assessed: of several that which the list names by its number."""
        _, _, number = self.entry.name.partition("#")
        return self.pool.models[int(number or 0)]

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The names of all groups that have items."""
        return tuple(np.array(self._names, dtype=object)[np.unique(self._group)].tolist())

    @cached_property
    def sizes(self) -> Ints:
        """The items of each group."""
        counts = np.bincount(self._group, minlength=len(self._names))
        return counts[counts > 0]

    @cached_property
    def _names(self) -> tuple[str, ...]:
        if self.by == "predicted_class":
            return self.pool.classes
        return tuple(sorted({str(value) for value in self.engine.columns[self.by].tolist()}))

    @cached_property
    def _group(self) -> Ints:
        if self.by == "predicted_class":
            return self.engine.models[self.model].predicted
        where = {name: i for i, name in enumerate(self._names)}
        return np.array([where[str(value)] for value in self.engine.columns[self.by].tolist()], dtype=np.int64)

    @property
    def items(self) -> int:
        """Of a sub-pool."""
        return round(self.share * self.engine.count)

    def sub_pool(self, run: int) -> fl.Pool:
        """The sub-pool of a run, the same for every method."""
        chosen = np.sort(np.random.default_rng([77, run]).permutation(self.engine.count)[: self.items])
        made, outputs = self.engine, self.engine.models[self.model]
        full = outputs.probabilities
        part = ModelOutputs(outputs.predicted[chosen], outputs.score[chosen], None if full is None else full[chosen])
        columns = {name: values[chosen] for name, values in made.columns.items()}
        labels = None if made.labels is None else made.labels[chosen]
        ids, others = made.ids[chosen], made.other_labels
        engine = MemoryEngine(ids, made.classes, others, {"model": part}, columns, {}, labels)
        return fl.Pool(engine, self.pool.positive)


@cache
def entries(listed: Path = LISTED) -> tuple[Entry, ...]:
    """Every pool on the list: first those that methods were designed on."""
    with listed.open("rb") as file:
        told = tomllib.load(file)
    roles: tuple[Role, ...] = ("design", "test")
    return tuple(
        Entry(name, role, kind == "real")
        for kind in ("real", "synthetic")
        for role in roles
        for name in told[role][kind]
    )


def data_folder() -> Path:
    """Where the real pools lie: $FEWLABELS_DATA, by default ../shared/data beside the repository."""
    folder = Path(os.environ.get("FEWLABELS_DATA", "../shared/data"))
    return folder if folder.is_absolute() else REPOSITORY / folder


def available() -> tuple[Entry, ...]:
    """The pools that can be opened here."""
    return tuple(e for e in entries() if not e.real or (data_folder() / e.name.partition("#")[0]).exists())


@lru_cache(maxsize=4)
def load(entry: Entry) -> BoardPool:
    """The pool with its labels."""
    if not entry.real:
        return BoardPool(entry, _synthetic(entry.name), "predicted_class", HALF)
    path = data_folder() / entry.name.partition("#")[0]
    if path.suffix == ".npz":
        return BoardPool(entry, fl.open_pool(path), "predicted_class", HALF)
    if path.suffix == ".parquet":
        return BoardPool(entry, text_pool(path), "predicted_class", HALF if "_large" in path.name else SMALL)
    score, attribute = f"score_{ADULT_MODEL}", path.name.split("_")[1]
    pool = fl.open_pool(path, id="row", label="income-per-year", positive_score=score, positive="rich")
    return BoardPool(entry, pool, attribute, HALF)


@lru_cache(maxsize=_KEPT)
def sub_pool(entry: Entry, run: int) -> fl.Pool:
    """The sub-pool of a run, kept for the next method."""
    return load(entry).sub_pool(run)


def text_pool(path: Path) -> fl.Pool:
    """Predictions of a text classifier, joined with the file of its texts and labels."""
    base = path.name.partition("__")[0]
    return fl.open_pool(
        path,
        items=path.parent / f"{base}.parquet",
        classes=f"{path.parent / 'classes.json'}:{base.partition('_')[0]}",
        other_labels=["oos"] if base.startswith("clinc") else [],
        probabilities_are="independent" if "ovr" in path.name else "exclusive",
    )


def _synthetic(name: str) -> fl.Pool:
    if name not in MADE:
        raise ValueError(f"no pool {name!r} is made up here; known are {', '.join(MADE)}.")
    made = make(name)
    count = int(made.group.max()) + 1
    names = np.array([f"g{i:03d}" for i in range(count)])
    label = np.where(made.right, made.group, (made.group + 1) % count)
    return fl.Pool.from_arrays(
        predicted=names[made.group], score=made.score, classes=names.tolist(), labels=names[label].tolist()
    )
