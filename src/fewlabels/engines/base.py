"""What an engine is: it holds the items of a pool, summarises them into cells and draws them in keyed order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import Cells
from fewlabels.core.events import Item
from fewlabels.core.groups import Grouping


@dataclass(frozen=True, slots=True)
class Row:
    """One item as a study needs it."""

    item: Item
    cell: int
    predicted: str
    score: float
    payload: Mapping[str, Any]


class Engine(Protocol):
    """Holds the items. Promises: the same items, seed and axes give the same cells and the same order on every engine;
    only engines touch items."""

    @property
    def count(self) -> int:
        """How many items there are."""

    @property
    def ids(self) -> npt.NDArray[Any]:
        """The items' ids."""

    @property
    def payload_fingerprint(self) -> str:
        """A short text that changes when what labellers are shown does; the order of items does not matter. It begins
        with 0- where nothing is shown."""

    def summarise(self, model: str, axes: tuple[Grouping, ...], *, probabilities: bool) -> Cells:
        """The cells that the crossing of these axes makes."""

    def at(self, model: str, axes: tuple[Grouping, ...], seed: int, cell: int, position: int) -> Row | None:
        """The item at this position of the cell's keyed order; None past its end."""

    def find(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> list[Row | None]:
        """These items, None for each the pool does not hold."""

    def outputs_of(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> tuple[Ints, Ints, Array]:
        """The cell, predicted class and score of each of these items, all of which the pool holds."""

    def fingerprint(self, model: str, axes: tuple[Grouping, ...]) -> str:
        """A short text that changes when an id, prediction, score or group does; the order of items does not matter."""
