"""What an engine is: it holds the items of a pool, summarises them into cells and draws them in keyed order."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints, Keys
from fewlabels.core.cells import Cells
from fewlabels.core.events import Item
from fewlabels.core.groups import Grouping


@dataclass(frozen=True, slots=True)
class PoolItem:
    """One item as a study needs it."""

    item: Item
    cell: int
    predicted: str
    score: float
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Chunk:
    """Many items as a simulation needs them: arrays of equal length, one entry an item."""

    items: npt.NDArray[Any]  # whole numbers, or text as objects
    hashes: Keys  # core.keyed.item_hashes of the ids
    cell: Ints
    predicted: Ints  # index into the engine's classes
    score: Array
    labels: npt.NDArray[Any] | None = None  # names of the true classes, where they are known
    probabilities: npt.NDArray[np.floating[Any]] | None = None  # (n_items, n_classes), of whole items where known
    columns: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)  # of whole items
    payload: Mapping[str, Sequence[Any]] = field(default_factory=dict)  # of whole items


class Engine(Protocol):
    """Holds the items. Promises: the same items, seed and axes give the same cells and the same order on every engine;
    sums, made of engines.fixed_point, are the same to the bit; only engines touch items."""

    @property
    def count(self) -> int:
        """How many items there are."""

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that the models can predict."""

    @property
    def other_labels(self) -> tuple[str, ...]:
        """True classes no model predicts."""

    @property
    def models(self) -> Collection[str]:
        """The models' names."""

    @property
    def columns(self) -> Collection[str]:
        """The names of the attributes items can be grouped by."""

    @property
    def whole_ids(self) -> bool:
        """Whether ids are whole numbers rather than text."""

    @property
    def full_probabilities(self) -> bool:
        """Whether all classes' probabilities are known, not only the predicted one's score."""

    @property
    def payload_fingerprint(self) -> str:
        """A short text that changes when what labellers are shown does; the order of items does not matter. It begins
        with 0- where nothing is shown."""

    def fingerprint(self, model: str, axes: tuple[Grouping, ...]) -> str:
        """A short text that changes when an id, prediction, score or group does; the order of items does not matter."""

    def summarise(self, model: str, axes: tuple[Grouping, ...], *, probabilities: bool) -> Cells:
        """The cells that the crossing of these axes makes."""

    def draw(self, model: str, axes: tuple[Grouping, ...], seed: int, cell: int, after: int, n: int) -> list[PoolItem]:
        """The next n items of the cell's keyed order, past the first `after`; fewer at its end."""

    def find(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> list[PoolItem | None]:
        """These items, None for each the pool does not hold."""

    def outputs_of(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> tuple[Ints, Ints, Array]:
        """The cell, predicted class and score of each of these items, all of which the pool holds."""

    def scan(self, model: str, axes: tuple[Grouping, ...] = (), *, whole: bool = False) -> Iterator[Chunk]:
        """All items with their cells, chunk by chunk, always in the same order; `whole` with all that is known of
        them."""


def gathered(chunks: Iterable[Chunk]) -> Chunk:
    """All chunks as one."""
    first, *others = chunks
    if not others:
        return first
    parts = [vars(chunk) for chunk in (first, *others)]
    arrays = {
        name: np.concatenate([part[name] for part in parts])
        for name, values in vars(first).items()
        if isinstance(values, np.ndarray)
    }
    columns = {name: np.concatenate([part["columns"][name] for part in parts]) for name in first.columns}
    payload = {name: [value for part in parts for value in part["payload"][name]] for name in first.payload}
    return Chunk(**arrays, columns=columns, payload=payload)
