"""An engine written outside, one class: a pool of plain rows, and the same pool as our own engine has it."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.core.cells import Cells
from fewlabels.core.events import Query
from fewlabels.core.groups import (
    Column,
    Grouping,
    OfModel,
    PredictedClass,
    PredictedIs,
    ScoreBins,
    ScoreLevels,
    ScoreStrata,
)
from fewlabels.core.keyed import item_hashes, item_order
from fewlabels.engines import Chunk, Engine, PoolItem
from fewlabels.engines.binning import bin_scores, level_scores, stratify_scores
from fewlabels.engines.fixed_point import fixed, unfixed

fcntl = pytest.importorskip("fcntl")


CLASSES, MODELS, N, AT_ONCE = ("ant", "bee", "cat"), ("one", "two"), 240, 37
BY_CLASS = fl.Estimate("accuracy", by="predicted_class")


Axes = tuple[Grouping, ...]


class PlainRows:
    """Items as dictionaries in a list: id, text, side, label, and the probabilities each model gives the classes."""

    classes, other_labels, models, columns = CLASSES, ("owl",), MODELS, ("side",)
    whole_ids, full_probabilities = False, True

    def __init__(self, rows: Sequence[dict[str, Any]]) -> None:
        self.rows, self.draws = list(rows), 0

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def payload_fingerprint(self) -> str:
        return self._print([(row["id"], row["text"]) for row in self.rows])

    def fingerprint(self, model: str, axes: Axes) -> str:
        _, where = self._where(model, axes)
        return self._print([(row["id"], *self._top(model, row), at) for row, at in zip(self.rows, where, strict=True)])

    def _print(self, said: list[Any]) -> str:
        return hashlib.md5(repr(sorted(said)).encode()).hexdigest()

    def _top(self, model: str, row: dict[str, Any]) -> tuple[str, float]:
        """The predicted class, and its score."""
        return max(row[model].items(), key=lambda pair: pair[1])

    def _groups(self, model: str, axis: Grouping) -> tuple[Sequence[int], Sequence[str]]:
        predicted = [self._top(model, row)[0] for row in self.rows]
        match axis:
            case PredictedClass():
                return [CLASSES.index(name) for name in predicted], CLASSES
            case PredictedIs(positive):
                return [int(name == positive) for name in predicted], (f"not {positive}", positive)
            case Column(name):
                names = sorted({row[name] for row in self.rows})
                return [names.index(row[name]) for row in self.rows], names
            case ScoreBins():
                return bin_scores(np.array([self._top(model, row)[1] for row in self.rows]), axis)
            case ScoreLevels():
                return level_scores(np.array([self._top(model, row)[1] for row in self.rows]), axis)
            case ScoreStrata():
                return stratify_scores(np.array([row[model][axis.positive] for row in self.rows]), axis)
            case OfModel(other, inner):
                return self._groups(other, inner)
        raise fl.QuestionError(f"items are not grouped by {axis.label} here.")

    def _where(self, model: str, axes: Axes) -> tuple[list[Sequence[str]], list[tuple[int, ...]]]:
        """The groups of each axis, and the place of each item along the axes."""
        found = [self._groups(model, axis) for axis in axes]
        places = [tuple(int(index[i]) for index, _ in found) for i in range(self.count)]
        return [names for _, names in found], places

    def summarise(self, model: str, axes: Axes, *, probabilities: bool) -> Cells:
        names, where = self._where(model, axes)
        cells, size = sorted(set(where)), Counter(where)
        score = dict.fromkeys(cells, 0)
        sums = {cell: [0] * (len(CLASSES) + 1) for cell in cells}
        for at, row in zip(where, self.rows, strict=True):
            said = fixed(np.array([row[model][name] for name in CLASSES])).tolist()
            score[at] += max(said)
            for k, one in enumerate(said):
                sums[at][k] += one
        return Cells(
            axes,
            tuple(tuple(of_axis) for of_axis in names),
            np.array(cells, dtype=np.int64).reshape(len(cells), len(axes)),
            np.array([size[cell] for cell in cells]),
            unfixed([score[cell] for cell in cells]),
            np.array([unfixed(sums[cell]) for cell in cells]) if probabilities else None,
        )

    def _cells(self, model: str, axes: Axes) -> list[int]:
        _, where = self._where(model, axes)
        number = {at: cell for cell, at in enumerate(sorted(set(where)))}
        return [number[at] for at in where]

    def draw(self, model: str, axes: Axes, seed: int, cell: int, after: int, n: int) -> list[PoolItem]:
        self.draws += 1
        inside = [row["id"] for row, c in zip(self.rows, self._cells(model, axes), strict=True) if c == cell]
        inside.sort(key=lambda item: int(item_order(seed, item_hashes([item]))[0]))
        return [row for row in self.find(model, axes, inside[after : after + n]) if row is not None]

    def find(self, model: str, axes: Axes, items: Sequence[Any]) -> list[PoolItem | None]:
        cells = self._cells(model, axes)
        found = {
            row["id"]: PoolItem(row["id"], cell, *self._top(model, row), {"text": row["text"]})
            for row, cell in zip(self.rows, cells, strict=True)
        }
        return [found.get(str(item)) for item in items]

    def outputs_of(self, model: str, axes: Axes, items: Sequence[Any]) -> tuple[Any, Any, Any]:
        rows = [row for row in self.find(model, axes, items) if row is not None]
        columns = [row.cell for row in rows], [CLASSES.index(row.predicted) for row in rows]
        cell, predicted = (np.array(column, dtype=np.int64) for column in columns)
        return cell, predicted, np.array([row.score for row in rows])

    def scan(self, model: str, axes: Axes = (), *, whole: bool = False) -> Iterator[Chunk]:
        cells = np.array(self._cells(model, axes))
        for start in range(0, self.count, AT_ONCE):
            rows = self.rows[start : start + AT_ONCE]
            top = [self._top(model, row) for row in rows]
            yield Chunk(
                np.array([row["id"] for row in rows], dtype=object),
                item_hashes(row["id"] for row in rows),
                cells[start : start + AT_ONCE],
                np.array([CLASSES.index(name) for name, _ in top]),
                np.array([score for _, score in top]),
                np.array([row["label"] for row in rows], dtype=object),
                np.array([[row[model][name] for name in CLASSES] for row in rows]) if whole else None,
                {"side": np.array([row["side"] for row in rows], dtype=object)} if whole else {},
                {"text": [row["text"] for row in rows]} if whole else {},
            )


def make_rows() -> list[dict[str, Any]]:
    rng = np.random.default_rng(4)
    rows = []
    for n in range(N):
        said = {model: rng.dirichlet([0.7, 0.5, 0.3]).tolist() for model in MODELS}
        true = "owl" if n % 17 == 0 else str(rng.choice(CLASSES, p=said["one"]))
        row = {"id": f"i{n}", "text": f"text {n}", "side": "left" if rng.uniform() < 0.4 else "right", "label": true}
        rows.append({**row, **{model: dict(zip(CLASSES, said[model], strict=True)) for model in MODELS}})
    return rows


ROWS = make_rows()
TRUTH = {row["id"]: row["label"] for row in ROWS}


def strange_pool() -> fl.Pool:
    engine: Engine = PlainRows(ROWS)
    return fl.Pool(engine)


def own_pool() -> fl.Pool:
    about = {name: [row[name] for row in ROWS] for name in ("id", "text", "side", "label")}
    pools = {
        model: fl.Pool.from_arrays(
            probabilities=[list(row[model].values()) for row in ROWS], classes=CLASSES, other_labels=["owl"],
            ids=about["id"], labels=about["label"], columns={"side": about["side"]}, payload={"text": about["text"]},
        )
        for model in MODELS
    }  # fmt: skip
    return fl.Pool.join(pools)


def label_some(study: fl.Study, batches: Sequence[int] = (1, 5, 30)) -> list[Query]:
    """Ask and tell; what was asked, but for when."""
    asked = []
    for size in batches:
        queries = study.ask(size)
        asked += [replace(query, at="") for query in queries]
        study.tell({query.item: TRUTH[query.item] for query in queries})
    return asked
