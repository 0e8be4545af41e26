"""Cells: the pool, summarised once. Every group is a union of cells, and nothing else about the pool is needed to
choose what to label or to estimate."""

import io
import json
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.groups import Grouping, grouping_from_json, grouping_to_json

JOIN = " × "


@dataclass(frozen=True)
class Sums:
    """Sums of the last axis by index: (..., n) -> (..., count). What the index alone tells is found out once."""

    index: Ints  # (n,)
    count: int

    def __call__(self, values: Array) -> Array:
        if len(self.index) == 0:
            return np.zeros((*values.shape[:-1], self.count))
        return np.asarray(np.add.reduceat(values[..., self._order], self._starts, axis=-1))

    @cached_property
    def one_each(self) -> bool:
        """Whether each sum is of one value, in the order of the values."""
        return np.array_equal(self.index, np.arange(self.count))

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.index, kind="stable")

    @cached_property
    def _starts(self) -> Ints:
        return np.searchsorted(self.index[self._order], np.arange(self.count))


def gathered(index: Ints, count: int) -> list[Ints]:
    """The places of each index below `count`, in rising order."""
    order = np.argsort(index, kind="stable")
    ends = np.cumsum(np.bincount(index, minlength=count)).tolist()
    return [order[start:end] for start, end in pairwise([0, *ends])]


@dataclass(frozen=True)
class Partition:
    """Which group each cell belongs to, and the groups' names, sizes and scores."""

    index: Ints  # (n_cells,)
    names: tuple[tuple[str, ...], ...]  # one tuple of axis values a group
    size: Ints  # (n_groups,)
    score_sum: Array  # (n_groups,)

    @cached_property
    def count(self) -> int:
        return len(self.names)

    @cached_property
    def weight(self) -> Array:
        """p_g: the share of the pool's items in each group."""
        return np.asarray(self.size / self.size.sum())

    @cached_property
    def mean_score(self) -> Array:
        """s_g: the mean score of all items of the group, labelled or not."""
        return self.score_sum / self.size

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Each group's name for people."""
        return tuple(JOIN.join(name) if name else "whole pool" for name in self.names)

    @cached_property
    def single(self) -> bool:
        """Whether each group is exactly one cell."""
        return self.count == len(self.index)

    def sums(self, per_cell: Array) -> Array:
        """Sums over the cells of each group, along the last axis: (..., n_cells) -> (..., n_groups)."""
        return per_cell if self._sums.one_each else self._sums(per_cell)

    @cached_property
    def _sums(self) -> Sums:
        return Sums(self.index, self.count)

    def filled(self, per_cell: Array, weight: Array) -> Array:
        """Values (n_cells,) or (n_cells, k), those of weight 0 replaced by the weighted mean of their group."""
        known = weight > 0
        columns = np.where(known, per_cell.reshape(len(weight), -1).T, 0.0)  # (k, n_cells)
        with np.errstate(invalid="ignore", divide="ignore"):
            of_group = self.sums(columns * weight) / self.sums(weight)
        out = np.where(known, columns, np.nan_to_num(of_group)[:, self.index])
        return out.T.reshape(per_cell.shape)


@dataclass(frozen=True)
class Cells:
    """Per cell: size, sum of scores, coordinates in each grouping and, where asked for, sums of class probabilities."""

    axes: tuple[Grouping, ...]
    names: tuple[tuple[str, ...], ...]  # the group names of each axis
    coordinates: Ints  # (n_cells, n_axes)
    size: Ints  # (n_cells,)
    score_sum: Array  # (n_cells,)
    # (n_cells, n_true_classes): sum over items of p(y = j | x). Of models set against one another by their calibration,
    # (n_cells, n_models): the sum of each one's scores.
    probability_sum: Array | None = None

    @cached_property
    def count(self) -> int:
        return len(self.size)

    @cached_property
    def weight(self) -> Array:
        """The share of the pool's items in each cell."""
        return np.asarray(self.size / self.size.sum(), dtype=np.float64)

    def axis(self, grouping: Grouping) -> int:
        return self.axes.index(grouping)

    @cached_property
    def _partitions(self) -> dict[tuple[Grouping, ...], Partition]:
        """Those made before: several questions and beliefs see the same cells."""
        return {}

    def partition(self, axes: tuple[Grouping, ...]) -> Partition:
        """The groups that the crossing of these axes makes; only groups with items, in the order of their names."""
        if (known := self._partitions.get(axes)) is None:
            known = self._partitions[axes] = self._crossed(axes)
        return known

    def _crossed(self, axes: tuple[Grouping, ...]) -> Partition:
        columns = [self.axis(a) for a in axes]
        if not columns:
            index = np.zeros(self.count, dtype=np.int64)
            names: tuple[tuple[str, ...], ...] = ((),)
        else:
            combos, index = np.unique(self.coordinates[:, columns], axis=0, return_inverse=True)
            index = index.reshape(-1).astype(np.int64)
            names = tuple(
                tuple(self.names[c][v] for c, v in zip(columns, combo, strict=True)) for combo in combos.tolist()
            )
        size = np.bincount(index, weights=self.size, minlength=len(names)).astype(np.int64)
        score_sum = np.bincount(index, weights=self.score_sum, minlength=len(names)).astype(np.float64)
        return Partition(index, names, size, score_sum)

    def to_bytes(self) -> bytes:
        """All of it, compressed; `from_bytes` reads it back exactly."""
        about = {"axes": [grouping_to_json(a) for a in self.axes], "names": self.names}
        arrays = {"coordinates": self.coordinates, "size": self.size, "score_sum": self.score_sum}
        if self.probability_sum is not None:
            arrays["probability_sum"] = self.probability_sum
        out = io.BytesIO()
        np.savez_compressed(out, about=np.array(json.dumps(about)), **arrays)  # type: ignore[arg-type]  # numpy's stub
        return out.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Cells":
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            return cls(
                tuple(grouping_from_json(a) for a in about["axes"]),
                tuple(tuple(n) for n in about["names"]),
                file["coordinates"],
                file["size"],
                file["score_sum"],
                file["probability_sum"] if "probability_sum" in file.files else None,
            )


@dataclass(frozen=True)
class View:
    """Cells as one question sees them: groups are what is reported, units what beliefs are held about.

    A unit is a group crossed with the score bins (calibration) or predicted classes (confusion) its metric needs.
    A unit is one cell, unless labels drawn for another question make a finer split necessary.
    """

    cells: Cells
    by: tuple[Grouping, ...]
    axes: tuple[Grouping, ...] = ()  # a unit is a group crossed with these
    true_classes: tuple[str, ...] = ()

    @cached_property
    def groups(self) -> Partition:
        return self.cells.partition(self.by)

    @cached_property
    def units(self) -> Partition:
        return self.cells.partition((*self.by, *(axis for axis in self.axes if axis not in self.by)))

    @cached_property
    def group_of_unit(self) -> Ints:
        out = np.zeros(self.units.count, dtype=np.int64)
        out[self.units.index] = self.groups.index
        return out

    @cached_property
    def unit_share(self) -> Array:
        """p(unit | group)."""
        return np.asarray(self.units.size / self.groups.size[self.group_of_unit], dtype=np.float64)

    @cached_property
    def cell_share(self) -> Array:
        """p(cell | unit): one, unless a unit had to be split."""
        return np.asarray(self.cells.size / self.units.size[self.units.index], dtype=np.float64)

    @cached_property
    def unit_coordinate(self) -> Ints:
        """Each unit's position on the first of the further axes (its score bin or predicted class)."""
        out = np.zeros(self.units.count, dtype=np.int64)
        out[self.units.index] = self.cells.coordinates[:, self.cells.axis(self.axes[0])]
        return out

    def to_units(self, per_cell: Array) -> Array:
        """Size-weighted means over the cells of each unit: (..., n_cells) -> (..., n_units)."""
        return self.units.sums(per_cell if self.units.single else per_cell * self.cell_share)

    def rows_to_units(self, per_cell: Array) -> Array:
        """The same for one row of class probabilities a cell: (..., n_cells, J) -> (..., n_units, J)."""
        return np.swapaxes(self.to_units(np.swapaxes(per_cell, -1, -2)), -1, -2)

    def to_rows(self, per_cell: Array) -> Array:
        """Size-weighted means over the cells of each group: (..., n_cells) -> (..., n_groups)."""
        return self.to_groups(self.to_units(per_cell))

    def to_groups(self, per_unit: Array) -> Array:
        """Weighted sums over the units of each group, with p(unit | group): (..., n_units) -> (..., n_groups)."""
        if self._over_units.one_each:  # each group is one unit
            return per_unit
        return self._over_units(per_unit * self.unit_share)

    @cached_property
    def _over_units(self) -> Sums:
        return Sums(self.group_of_unit, self.groups.count)
