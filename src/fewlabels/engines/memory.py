"""The pool in memory: NumPy arrays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from fewlabels.core.arrays import Array, Ints, Keys
from fewlabels.core.cells import Cells
from fewlabels.core.events import Item, payload_text
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
    ScoreEdges,
    ScoreLevels,
    ScoreStrata,
)
from fewlabels.core.keyed import item_hashes, mix
from fewlabels.engines.base import Chunk, Engine, PoolItem, gathered
from fewlabels.engines.binning import bin_scores, cut_scores, edges_of, level_scores, stratify_scores
from fewlabels.engines.fixed_point import fixed_sums, spread, unfixed
from fewlabels.engines.kept import Axis, ByCell, Crossing, Kept, KeyedOrder, Summary
from fewlabels.engines.refusals import (
    check_column_known,
    check_groups,
    class_place,
    no_scores_of,
    not_known_yet,
    not_the_same_ids,
)
from fewlabels.tables.values import is_missing

_MOST_CODES = 2**62  # crossings that a whole number can tell apart
# What was worked out for questions and studies may take so much room: as much as the pool itself takes, about, or
# groups and orders for thirty questions at once.
KEPT_BYTES_AN_ITEM, KEPT_BYTES = 128, 64_000_000


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
    other_labels: tuple[str, ...]  # true classes no model predicts
    models: Mapping[str, ModelOutputs]
    columns: Mapping[str, npt.NDArray[Any]]
    payload: Mapping[str, Sequence[Any]]
    labels: npt.NDArray[Any] | None = None  # the true classes, where they are known

    @property
    def count(self) -> int:
        return len(self.ids)

    @property
    def whole_ids(self) -> bool:
        return self.ids.dtype != object

    @property
    def full_probabilities(self) -> bool:
        return all(outputs.probabilities is not None for outputs in self.models.values())

    @cached_property
    def hashes(self) -> Keys:
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

    @cached_property
    def _kept(self) -> Kept:
        return Kept(max(KEPT_BYTES, KEPT_BYTES_AN_ITEM * self.count))

    def _axis(self, model: str, grouping: Grouping) -> Axis:
        def make() -> Axis:
            index, names = self._groups_of(model, grouping)
            return Axis(index.astype(np.int32), names)

        return self._kept.get(("axis", model, grouping), make)

    def _groups_of(self, model: str, grouping: Grouping) -> tuple[Ints, tuple[str, ...]]:
        """The group of each item, and the groups' names."""
        outputs = self.models[model]
        match grouping:
            case PredictedClass():
                return outputs.predicted, self.classes
            case PredictedIs(positive):
                hit = outputs.predicted == class_place(self.classes, positive)
                return hit.astype(np.int64), (f"not {positive}", positive)
            case ScoreStrata():
                return stratify_scores(self._scores_of(outputs, grouping.positive), grouping)
            case ScoreCuts():
                return cut_scores(self._scores_of(outputs, grouping.positive), grouping)
            case ScoreBins():
                return bin_scores(outputs.score, grouping)
            case ScoreEdges():
                edges, names = edges_of(grouping)
                return np.searchsorted(edges, outputs.score, side="right").astype(np.int64), names
            case ScoreLevels():
                return level_scores(outputs.score, grouping)
            case ClassMap():
                superclass = [grouping.superclass(name) for name in self.classes]
                names = tuple(sorted(set(superclass)))
                return np.array([names.index(s) for s in superclass])[outputs.predicted], names
            case Column(name):
                return self._column(name)
            case OfModel(other, inner):
                return self._groups_of(other, inner)
        raise not_known_yet(grouping)

    def _scores_of(self, outputs: ModelOutputs, name: str) -> Array:
        """One class's score of every item."""
        which = class_place(self.classes, name)
        if outputs.probabilities is not None:
            return outputs.probabilities[:, which].astype(np.float64)
        if len(self.classes) == 2:
            return np.where(outputs.predicted == which, outputs.score, 1 - outputs.score)
        raise no_scores_of(name)

    def _column(self, name: str) -> tuple[Ints, tuple[str, ...]]:
        check_column_known(name, self.columns)
        values = np.array([MISSING if is_missing(v) else str(v) for v in self.columns[name].tolist()])
        names, index = np.unique(values, return_inverse=True)
        check_groups(name, len(names))
        return index.reshape(-1).astype(np.int64), tuple(names.tolist())

    def _crossing(self, model: str, axes: tuple[Grouping, ...]) -> Crossing:
        def make() -> Crossing:
            found = [self._axis(model, axis) for axis in axes]
            flat, width = np.zeros(self.count, dtype=np.int64), 1
            for axis in found:
                if width * len(axis.names) > _MOST_CODES:  # many models of many classes
                    present, flat = np.unique(flat, return_inverse=True)
                    flat, width = flat.reshape(-1), len(present)
                flat, width = flat * len(axis.names) + axis.index, width * len(axis.names)
            _, first, cell = np.unique(flat, return_index=True, return_inverse=True)
            coordinates = np.zeros((1, 0))  # without axes, all items are one cell
            if axes:
                coordinates = np.stack([axis.index[first] for axis in found], axis=1)
            names = tuple(axis.names for axis in found)
            return Crossing(cell.reshape(-1).astype(np.int32), coordinates.astype(np.int64), names)

        return self._kept.get(("crossing", model, axes), make)

    def summarise(self, model: str, axes: tuple[Grouping, ...], *, probabilities: bool) -> Cells:
        crossing, outputs = self._crossing(model, axes), self.models[model]

        def make() -> Summary:
            cell, n = crossing.cell.astype(np.int64), len(crossing.coordinates)
            size, total = np.bincount(cell, minlength=n).astype(np.int64), fixed_sums(outputs.score, cell, n)
            sums = self._probability_sums(outputs, cell, size, total) if probabilities else None
            return Summary(size, unfixed(total), sums)

        found = self._kept.get(("summary", model, axes, probabilities), make)
        return Cells(axes, crossing.names, crossing.coordinates, found.size, found.score_sum, found.probability_sum)

    def _probability_sums(self, outputs: ModelOutputs, cell: Ints, size: Ints, total: list[int]) -> Array:
        """Sums of p(y = j | x). With the top score only, the rest is spread evenly over the other classes."""
        k, n = len(self.classes), len(size)
        shape = (n, k + len(self.other_labels))
        if outputs.probabilities is not None:
            sums = np.zeros(shape)
            for j in range(k):
                sums[:, j] = unfixed(fixed_sums(outputs.probabilities[:, j], cell, n))
            return sums
        pairs, index = np.unique(cell * k + outputs.predicted, return_inverse=True)
        counts, scores = np.bincount(index.reshape(-1)), fixed_sums(outputs.score, index.reshape(-1), len(pairs))
        of_class = list(zip((pairs // k).tolist(), (pairs % k).tolist(), counts.tolist(), scores, strict=True))
        return spread(list(zip(size.tolist(), total, strict=True)), of_class, shape, k)

    def draw(self, model: str, axes: tuple[Grouping, ...], seed: int, cell: int, after: int, n: int) -> list[PoolItem]:
        by_cell = self._kept.get(("by cell", model, axes), lambda: ByCell.of(self._crossing(model, axes)))
        order = self._kept.get(("order", model, axes, seed), lambda: KeyedOrder(seed))
        places = order.items(by_cell, self.hashes, cell, after, n)
        return [self._row(model, i, cell) for i in places.tolist()]

    def find(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> list[PoolItem | None]:
        cell = self._crossing(model, axes).cell
        places = [self._where.get(str(item)) for item in items]
        return [None if i is None else self._row(model, i, int(cell[i])) for i in places]

    def outputs_of(self, model: str, axes: tuple[Grouping, ...], items: Sequence[Item]) -> tuple[Ints, Ints, Array]:
        places = np.array([self._where[str(item)] for item in items], dtype=np.int64)
        outputs, cell = self.models[model], self._crossing(model, axes).cell
        return cell[places].astype(np.int64), outputs.predicted[places], outputs.score[places].astype(np.float64)

    def _row(self, model: str, i: int, cell: int) -> PoolItem:
        outputs, item = self.models[model], self.ids[i]
        return PoolItem(
            item.item() if isinstance(item, np.generic) else item,
            cell,
            self.classes[int(outputs.predicted[i])],
            float(outputs.score[i]),
            {name: values[i] for name, values in self.payload.items()},
        )

    def scan(self, model: str, axes: tuple[Grouping, ...] = (), *, whole: bool = False) -> Iterator[Chunk]:
        outputs, cell = self.models[model], self._crossing(model, axes).cell.astype(np.int64)
        score = outputs.score.astype(np.float64, copy=False)
        more = (outputs.probabilities, self.columns, self.payload) if whole else ()
        yield Chunk(self.ids, self.hashes, cell, outputs.predicted, score, self.labels, *more)

    def fingerprint(self, model: str, axes: tuple[Grouping, ...]) -> str:
        outputs, found = self.models[model], self._crossing(model, axes)
        labels = item_hashes(repr([found.names[a][c] for a, c in enumerate(r)]) for r in found.coordinates.tolist())
        bits = outputs.score.astype(np.float64).view(np.uint64)
        mixed = mix(mix(mix(self.hashes ^ mix(bits)) ^ outputs.predicted.astype(np.uint64)) ^ labels[found.cell])
        return f"{self.count}-{int(mixed.sum(dtype=np.uint64)):016x}"


def in_memory(engine: Engine) -> MemoryEngine:
    """The same items in memory; the engine itself, where they are there already."""
    if isinstance(engine, MemoryEngine):
        return engine
    rows = {model: gathered(engine.scan(model, whole=True)) for model in engine.models}
    models = {name: ModelOutputs(said.predicted, said.score, said.probabilities) for name, said in rows.items()}
    one = next(iter(rows.values()))
    return MemoryEngine(one.items, engine.classes, engine.other_labels, models, one.columns, one.payload, one.labels)


def aligned(base: npt.NDArray[Any], other: npt.NDArray[Any], base_name: str, name: str) -> Ints:
    """Where each item of the base stands in the other; ids are one if they read the same, as CSV has no numbers."""
    here, there = ({str(item): i for i, item in enumerate(ids.tolist())} for ids in (base, other))
    odd = next((item for item in (*here, *there) if item not in here or item not in there), None)
    if odd is not None:
        counts = {base_name: len(here), name: len(there)}
        raise not_the_same_ids(counts, odd, name if odd in here else base_name)
    return np.array([there[item] for item in here], dtype=np.int64)
