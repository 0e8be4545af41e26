"""The pool in memory: NumPy arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints
from fewlabels.core.cells import Cells
from fewlabels.core.events import Item
from fewlabels.core.groups import (
    MISSING,
    ClassMap,
    Column,
    Grouping,
    OfModel,
    PredictedClass,
    PredictedIs,
    ScoreBins,
    ScoreCuts,
    ScoreStrata,
)
from fewlabels.core.keyed import item_hashes, item_order, mix
from fewlabels.core.payload import payload_text
from fewlabels.engines.base import Row
from fewlabels.engines.binning import bin_scores, cut_scores, stratify_scores
from fewlabels.errors import QuestionError, listed

MOST_GROUPS = 100_000  # a column of more distinct values is not a grouping but a measurement


@dataclass(frozen=True)
class ModelOutputs:
    """What one model said about each item."""

    predicted: Ints  # index into the pool's classes
    score: Array  # of the predicted class, in [0, 1]
    probabilities: npt.NDArray[np.floating[Any]] | None  # (n_items, n_classes), where known


@dataclass(frozen=True, eq=False)
class MemoryEngine:
    """Arrays of equal length, one entry an item."""

    ids: npt.NDArray[Any]
    classes: tuple[str, ...]  # that the models can predict
    n_true: int  # these, and the true classes no model predicts
    models: Mapping[str, ModelOutputs]
    columns: Mapping[str, npt.NDArray[Any]]
    payload: Mapping[str, Sequence[Any]]

    @property
    def count(self) -> int:
        return len(self.ids)

    @cached_property
    def hashes(self) -> npt.NDArray[np.uint64]:
        return item_hashes(str(item) for item in self.ids.tolist())

    @cached_property
    def payload_fingerprint(self) -> str:
        total = 0
        for values in self.payload.values():
            shown = item_hashes(payload_text(value) for value in values)
            total += int(mix(self.hashes ^ mix(shown)).sum(dtype=np.uint64))
        return f"{len(self.payload)}-{total % 2**64:016x}"

    @cached_property
    def _where(self) -> dict[str, int]:
        return {str(item): i for i, item in enumerate(self.ids.tolist())}

    @lru_cache(maxsize=16)  # noqa: B019 - lives as long as the pool, and holds one index per question asked of it
    def _axis(self, model: str, grouping: Grouping) -> tuple[Ints, tuple[str, ...]]:
        outputs = self.models[model]
        match grouping:
            case PredictedClass():
                return outputs.predicted, self.classes
            case PredictedIs(positive):
                hit = outputs.predicted == self._class(positive)
                return hit.astype(np.int64), (f"not {positive}", positive)
            case ScoreStrata():
                return stratify_scores(self._scores_of(outputs, grouping.positive), grouping)
            case ScoreCuts():
                return cut_scores(self._scores_of(outputs, grouping.positive), grouping)
            case ScoreBins():
                return bin_scores(outputs.score, grouping)
            case ClassMap():
                superclass = [grouping.superclass(name) for name in self.classes]
                names = tuple(sorted(set(superclass)))
                return np.array([names.index(s) for s in superclass])[outputs.predicted], names
            case Column(name):
                return self._column(name)
            case OfModel(other, inner):
                return self._axis(other, inner)
        raise QuestionError(f"{grouping.label} is not known before labelling, so items cannot be grouped by it.")

    def _class(self, name: str) -> int:
        if name not in self.classes:
            raise QuestionError(
                f"positive={name!r} is not a class the model predicts; those are {listed(self.classes)}."
            )
        return self.classes.index(name)

    def _scores_of(self, outputs: ModelOutputs, name: str) -> Array:
        """One class's score of every item."""
        which = self._class(name)
        if outputs.probabilities is not None:
            return outputs.probabilities[:, which].astype(np.float64)
        if len(self.classes) == 2:
            return np.where(outputs.predicted == which, outputs.score, 1 - outputs.score)
        raise QuestionError(
            f"this needs the score of {name!r} for every item, and the pool has only that of the class predicted; give "
            "one column a class (probabilities=), or the scores of this class (positive_score=)."
        )

    def _column(self, name: str) -> tuple[Ints, tuple[str, ...]]:
        if name not in self.columns:
            raise QuestionError(
                f"the pool has no column {name!r}; by is predicted_class, true_class, score_bin or a column: "
                f"{listed(self.columns)}."
            )
        values = np.array([MISSING if _is_missing(v) else str(v) for v in self.columns[name].tolist()])
        names, index = np.unique(values, return_inverse=True)
        if len(names) > MOST_GROUPS:
            raise QuestionError(f"column {name!r} has {len(names):,} distinct values: too many to be groups.")
        return index.reshape(-1).astype(np.int64), tuple(names.tolist())

    @lru_cache(maxsize=16)  # noqa: B019 - as above
    def _cell_index(self, model: str, axes: tuple[Grouping, ...]) -> tuple[Ints, Ints, tuple[tuple[str, ...], ...]]:
        """Each item's cell, the cells' coordinates, the axes' group names."""
        found = [self._axis(model, axis) for axis in axes]
        names = tuple(names for _, names in found)
        if not axes:
            return np.zeros(self.count, dtype=np.int64), np.zeros((1, 0), dtype=np.int64), names
        flat = np.zeros(self.count, dtype=np.int64)
        for index, axis_names in found:
            flat = flat * len(axis_names) + index
        present, cell = np.unique(flat, return_inverse=True)
        coordinates = np.stack(np.unravel_index(present, [len(n) for n in names]), axis=1)
        return cell.reshape(-1).astype(np.int64), coordinates.astype(np.int64), names

    def cell_of_items(self, model: str, axes: tuple[Grouping, ...]) -> Ints:
        """The cell of each item, in the pool's order."""
        return self._cell_index(model, axes)[0]

    def summarise(self, model: str, axes: tuple[Grouping, ...], *, probabilities: bool) -> Cells:
        cell, coordinates, names = self._cell_index(model, axes)
        outputs, n = self.models[model], len(coordinates)
        return Cells(
            axes,
            names,
            coordinates,
            np.bincount(cell, minlength=n).astype(np.int64),
            np.bincount(cell, weights=outputs.score, minlength=n).astype(np.float64),
            self._probability_sums(outputs, cell, n) if probabilities else None,
        )

    def _probability_sums(self, outputs: ModelOutputs, cell: Ints, n_cells: int) -> Array:
        """Sums of p(y = j | x). With the top score only, the rest is spread evenly over the other classes."""
        k = len(self.classes)
        sums = np.zeros((n_cells, self.n_true))
        if outputs.probabilities is not None:
            for j in range(k):
                sums[:, j] = np.bincount(cell, weights=outputs.probabilities[:, j], minlength=n_cells)
            return sums
        rest = (1 - outputs.score) / max(k - 1, 1)
        sums[:, :k] = np.bincount(cell, weights=rest, minlength=n_cells)[:, None]
        np.add.at(sums, (cell, outputs.predicted), outputs.score - rest)
        return sums

    @lru_cache(maxsize=4)  # noqa: B019 - as above
    def _order(self, model: str, axes: tuple[Grouping, ...], seed: int) -> tuple[Ints, Ints]:
        """Items sorted by cell and key, and where each cell starts."""
        cell, coordinates, _ = self._cell_index(model, axes)
        order = np.lexsort((item_order(seed, self.hashes), cell))
        starts = np.searchsorted(cell[order], np.arange(len(coordinates) + 1))
        return order.astype(np.int64), starts.astype(np.int64)

    def at(self, model: str, axes: tuple[Grouping, ...], seed: int, cell: int, position: int) -> Row | None:
        order, starts = self._order(model, axes, seed)
        place = int(starts[cell]) + position
        return self._row(model, int(order[place]), cell) if place < starts[cell + 1] else None

    def find(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> list[Row | None]:
        cell, _, _ = self._cell_index(model, axes)
        places = [self._where.get(str(item)) for item in items]
        return [None if i is None else self._row(model, i, int(cell[i])) for i in places]

    def _row(self, model: str, i: int, cell: int) -> Row:
        outputs = self.models[model]
        item = self.ids[i]
        return Row(
            item.item() if isinstance(item, np.generic) else item,
            cell,
            self.classes[int(outputs.predicted[i])],
            float(outputs.score[i]),
            {name: values[i] for name, values in self.payload.items()},
        )

    def fingerprint(self, model: str, axes: tuple[Grouping, ...]) -> str:
        outputs, (cell, coordinates, names) = self.models[model], self._cell_index(model, axes)
        labels = item_hashes(repr([names[a][c] for a, c in enumerate(row)]) for row in coordinates.tolist())
        bits = outputs.score.astype(np.float64).view(np.uint64)
        mixed = mix(mix(mix(self.hashes ^ mix(bits)) ^ outputs.predicted.astype(np.uint64)) ^ labels[cell])
        return f"{self.count}-{int(mixed.sum(dtype=np.uint64)):016x}"


def _is_missing(value: Any) -> bool:
    if value is None or value is np.ma.masked or (isinstance(value, float) and value != value):
        return True
    return type(value).__name__ in ("NAType", "NaTType")  # pandas' own
