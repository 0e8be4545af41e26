"""The first items of a cell in keyed order, as a study keeps them to ask without its pool."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fewlabels.core.events import Item


@dataclass(frozen=True, slots=True)
class FirstItem:
    """One item: what the model said of it, and what labellers are shown."""

    cell: int
    place: int  # in the order of its cell, counted from 0
    item: Item
    predicted: str
    score: float
    payload: Mapping[str, Any]
