"""The cells of a pool that was extended: those of each part side by side, so that parts are never mixed.

Labels drawn before an extension were drawn from what the pool was then. Inside a cell of one part they are a simple
random sample all the same, and a cell is never one of two parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import Cells
from fewlabels.core.groups import Grouping, PoolPart

PART = PoolPart()


@dataclass(frozen=True)
class Joined:
    """The cells of all parts, and where those of each part lie among them."""

    cells: Cells
    of_part: tuple[Ints, ...]  # (n_cells of the part,) the place of each of its own cells


def joined(parts: Sequence[Cells]) -> Joined:
    """The cells of all parts. Those of the first keep their places, and so do names; what is new comes after."""
    first = parts[0]
    names = tuple(
        tuple(dict.fromkeys(name for part in parts for name in part.names[axis])) for axis in range(len(first.axes))
    )
    coordinates, places, start = [], [], 0
    for number, part in enumerate(parts):
        own = _renamed(part, names)
        order = np.lexsort(own.T[::-1]) if number and own.shape[1] else np.arange(part.count)
        place = np.empty(part.count, dtype=np.int64)
        place[order] = start + np.arange(part.count)
        coordinates.append(np.column_stack([np.full(part.count, number), own[order]]))
        places.append(place)
        start += part.count
    cells = Cells(
        (PART, *first.axes),
        (tuple(str(number + 1) for number in range(len(parts))), *names),
        np.concatenate(coordinates).astype(np.int64),
        _put([part.size for part in parts], places).astype(np.int64),
        _put([part.score_sum for part in parts], places),
        _probability_sums(parts, places),
    )
    return Joined(cells, tuple(places))


def _renamed(part: Cells, names: tuple[tuple[str, ...], ...]) -> Ints:
    """The coordinates of a part's cells among the names of all parts."""
    columns = [
        np.array([everything.index(name) for name in own], dtype=np.int64)[part.coordinates[:, axis]]
        for axis, (own, everything) in enumerate(zip(part.names, names, strict=True))
    ]
    return np.stack(columns, axis=1) if columns else np.zeros((part.count, 0), dtype=np.int64)


def _put(values: Sequence[Array | Ints], places: Sequence[Ints]) -> Array:
    """What is said of each part's cells, at their places among all."""
    return np.asarray(np.concatenate(values)[np.argsort(np.concatenate(places))], dtype=np.float64)


def _probability_sums(parts: Sequence[Cells], places: Sequence[Ints]) -> Array | None:
    sums = [part.probability_sum for part in parts if part.probability_sum is not None]
    return _put(sums, places) if len(sums) == len(parts) else None


def part_of(cells: Cells) -> Ints:
    """The part of the pool that each cell is of, counted from zero."""
    return cells.coordinates[:, cells.axis(PART)] if PART in cells.axes else np.zeros(cells.count, dtype=np.int64)


def without_part(axes: tuple[Grouping, ...]) -> tuple[Grouping, ...]:
    """The axes that each part has by itself."""
    return tuple(axis for axis in axes if axis != PART)
