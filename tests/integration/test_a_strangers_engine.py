"""An engine and a storage written outside, one class each: all works with them, to the last bit as with our own."""

import base64
import hashlib
import json
import multiprocessing
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fewlabels as fl
from fewlabels.cli.examine import examine
from fewlabels.core.cells import Cells
from fewlabels.core.events import Event, Query, event_from_json, event_to_json
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
from fewlabels.reporting.data import report_data
from fewlabels.reproduction.base import confusion_counts
from fewlabels.storages import Storage, StudyRecord
from fewlabels.testing import check_storage

fcntl = pytest.importorskip("fcntl")

CLASSES, MODELS, N, AT_ONCE = ("ant", "bee", "cat"), ("one", "two"), 240, 37
BY_CLASS = fl.Estimate("accuracy", by="predicted_class")
QUESTIONS = [
    fl.Estimate("accuracy"),
    BY_CLASS,
    fl.Identify("accuracy", by=("side", "predicted_class"), top=2),
    fl.Compare("accuracy", "side", "left", "right"),
    fl.Estimate("calibration_error"),
    fl.Estimate("reliability", by=fl.ScoreBins(4, "mass")),
    fl.Estimate("confusion"),
    fl.Estimate("f1", positive="bee"),
]

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
        score = dict.fromkeys(cells, 0.0)
        sums = {cell: [0.0] * len(CLASSES) + [0.0] for cell in cells}
        for at, row in zip(where, self.rows, strict=True):
            score[at] += self._top(model, row)[1]
            for k, name in enumerate(CLASSES):
                sums[at][k] += row[model][name]
        return Cells(
            axes,
            tuple(tuple(of_axis) for of_axis in names),
            np.array(cells, dtype=np.int64).reshape(len(cells), len(axes)),
            np.array([size[cell] for cell in cells]),
            np.array([score[cell] for cell in cells]),
            np.array([sums[cell] for cell in cells]) if probabilities else None,
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


class Folders:
    """Studies in folders: what each is in one file of JSON; what happened in another, a line for all written at once.

    A line without an end was cut short by a kill: it does not count, and the next writer removes it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def create(self, record: StudyRecord) -> None:
        if record.name in self.names():
            raise fl.StudyError(f"a study named {record.name!r} exists already.")
        place, data = self.folder / record.name, {**asdict(record), "number": len(self.names())}
        place.mkdir(parents=True)
        (place / "events.jsonl").touch()
        (place / "study.json").write_text(json.dumps({**data, "cells": base64.b64encode(record.cells).decode()}))

    def load(self, name: str) -> StudyRecord:
        if name not in self.names():
            raise fl.StudyError(f"no study named {name!r}; known are {', '.join(self.names()) or 'none'}.")
        data = json.loads((self.folder / name / "study.json").read_text())
        del data["number"]
        return StudyRecord(**{**data, "cells": base64.b64decode(data["cells"])})

    def names(self) -> list[str]:
        made = [json.loads(file.read_text()) for file in self.folder.glob("*/study.json")]
        return [data["name"] for data in sorted(made, key=lambda data: data["number"])]

    def events(self, name: str, after: int = 0) -> Iterator[Event]:
        self.load(name)
        whole, end, _ = (self.folder / name / "events.jsonl").read_text().rpartition("\n")
        told = [event for line in (whole + end).splitlines() for event in json.loads(line)]
        return iter([event_from_json(kind, data) for kind, data in told[after:]])

    @contextmanager
    def locked(self, name: str) -> Iterator["Folders.Log"]:
        self.load(name)
        with (self.folder / name / "events.jsonl").open("rb+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            log = Folders.Log(list(self.events(name)))
            yield log
            file.truncate(file.read().rfind(b"\n") + 1)
            file.seek(0, 2)
            file.write(json.dumps([event_to_json(event) for event in log.new]).encode() + b"\n")

    class Log:
        """What happened before, and what is to be added."""

        def __init__(self, before: list[Event]) -> None:
            self.before, self.new = before, list[Event]()

        def read(self, after: int) -> Sequence[Event]:
            return self.before[after:]

        def append(self, events: Sequence[Event]) -> None:
            self.new.extend(events)


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


@pytest.fixture(scope="module")
def own() -> fl.Pool:
    return own_pool()


@pytest.fixture(scope="module")
def strange() -> fl.Pool:
    return strange_pool()


# -- an engine ---------------------------------------------------------------------------------------------------------


def test_the_pool_says_the_same_of_itself(own, strange):
    assert repr(strange) == repr(own)
    assert (strange.ids, strange.columns, strange.true_classes) == (own.ids, own.columns, own.true_classes)
    assert strange.known_labels.tolist() == own.known_labels.tolist()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.describe())
def test_a_study_asks_for_the_same_items_and_answers_in_the_same_numbers(own, strange, question):
    studies = [fl.create_study(pool, question, model="one", seed=3) for pool in (own, strange)]
    first, second = (label_some(study) for study in studies)
    assert first == second
    assert studies[0].answer() == studies[1].answer()
    assert studies[0].progress == studies[1].progress


def test_other_questions_other_models_and_labels_from_outside_too(own, strange):
    studies = [fl.create_study(pool, BY_CLASS, model="one", seed=8) for pool in (own, strange)]
    for study in studies:
        label_some(study, (20,))
        study.tell({f"i{n}": TRUTH[f"i{n}"] for n in range(0, N, 9)}, drawn="uniform")
        with pytest.raises(fl.LabelError, match="not in the pool of 240 items"):
            study.tell({"nobody": "ant"}, drawn="uniform")
    for other in QUESTIONS:
        for model in MODELS:
            assert studies[0].answer(other, model=model) == studies[1].answer(other, model=model)


@pytest.mark.parametrize(
    ("question", "methods"),
    [(BY_CLASS, ["iprior+ts", "uprior"]), (QUESTIONS[2], ["iprior+ts", "auto"]), (QUESTIONS[-1], ["acis", "rand"])],
)
@pytest.mark.parametrize("labels", [None, TRUTH, list(TRUTH.values())], ids=["the pool's", "by item", "in order"])
def test_a_simulation_gives_the_same_values(own, strange, question, methods, labels):
    first, second = (
        fl.simulate(pool, labels, question, methods, [10, 40], 2, model="two", workers=1) for pool in (own, strange)
    )
    np.testing.assert_array_equal(first.values, second.values)


def test_the_report_says_the_same(own, strange):
    said = []
    for pool in (own, strange):
        study = fl.create_study(pool, QUESTIONS[2], model="two", budget=60, until=fl.Probability(0.9))
        label_some(study)
        data = report_data(study)
        own = ("Fingerprint", "Study made", "First and last")  # an engine has its own, and moments are what they are
        facts = tuple(fact for fact in data.facts if not fact[0].startswith(own))
        said.append(replace(data, facts=facts, first="", last="", written=""))
    assert said[0] == said[1]


def test_what_doctor_finds_in_it_is_the_same(own, strange, tmp_path):
    file = tmp_path / "items.csv"
    file.write_text("\n".join(["id,side", *(f"{row['id']},{row['side']}" for row in ROWS)]))
    first, second = (examine(str(file), {}, lambda pool=pool: pool) for pool in (own, strange))
    assert first == second
    assert [facts.model for facts in second.models] == list(MODELS)
    assert (second.labelled, second.text_columns, second.attributes[0].distinct) == (N, ("text",), 2)


def test_reproductions_read_the_same_items(own, strange):
    assert confusion_counts(strange).tolist() == confusion_counts(own).tolist()


def test_it_can_be_joined_with_a_pool_in_memory(own):
    class OnlyOne(PlainRows):
        models = ("one",)

    table = [list(row["two"].values()) for row in ROWS]
    other = fl.Pool.from_arrays(probabilities=table, ids=list(TRUTH), classes=CLASSES)
    joined = fl.Pool.join({"one": fl.Pool(OnlyOne(ROWS)), "two": other})
    for model in MODELS:
        assert joined.engine.fingerprint(model, (Column("side"),)) == own.engine.fingerprint(model, (Column("side"),))
    assert joined.engine.payload_fingerprint == own.engine.payload_fingerprint


def test_items_are_drawn_in_growing_blocks():
    engine = PlainRows(ROWS)
    study = fl.create_study(fl.Pool(engine), fl.Estimate("accuracy"), model="one", strategy="uniform", estimator="beta")
    label_some(study, [1] * 100)
    assert engine.draws <= 7  # blocks of 1, 2, 4, … 64


# -- a storage, and both together --------------------------------------------------------------------------------------


def test_the_storage_keeps_the_promises_that_are_checked_for_anyone(tmp_path):
    places = (tmp_path / str(n) for n in count())
    check_storage(lambda: Folders(next(places)), lambda: partial(Folders, next(places)))


def test_a_study_is_kept_and_opened_again(strange, tmp_path):
    storage: Storage = Folders(tmp_path)
    made = fl.create_study(strange, BY_CLASS, model="one", storage=storage, name="march")
    label_some(made)
    again = fl.load_study("march", storage=Folders(tmp_path), pool=strange)
    assert again.answer() == made.answer()
    assert again.events == made.events
    assert fl.load_study("march", storage=storage).answer() == made.answer()
    with pytest.raises(fl.StudyError, match="known are march"):
        fl.load_study("may", storage=storage)
    with pytest.raises(fl.StudyError, match="exists already"):
        fl.create_study(strange, BY_CLASS, model="one", storage=storage, name="march")


@pytest.mark.parametrize("change", [{"text": "another"}, {"side": "middle"}, {"one": dict.fromkeys(CLASSES, 1 / 3)}])
def test_another_pool_is_refused(strange, tmp_path, change):
    fl.create_study(strange, QUESTIONS[2], model="one", storage=Folders(tmp_path))
    with pytest.raises(fl.StudyError, match="not the pool the study was created with"):
        fl.load_study(storage=Folders(tmp_path), pool=fl.Pool(PlainRows([{**ROWS[0], **change}, *ROWS[1:]])))


def label_until_killed(folder: str, told: Connection) -> None:
    """One process: asks and tells, and says so, one by one."""
    study = fl.load_study(storage=Folders(Path(folder)), pool=strange_pool())
    for query in iter(lambda: next(iter(study.open_queries or study.ask()), None), None):
        study.tell(query, TRUTH[query.item])
        told.send(query.item)


def test_a_study_whose_process_is_killed_goes_on_as_if_nothing_had_happened(strange, tmp_path):
    fl.create_study(strange, BY_CLASS, model="one", seed=2, storage=Folders(tmp_path))
    spawn, told = multiprocessing.get_context("spawn"), list[str]()
    for labels in (3, 6):
        ours, theirs = spawn.Pipe(duplex=False)
        worker = spawn.Process(target=label_until_killed, args=(str(tmp_path), theirs))
        worker.start()
        told += [ours.recv() for _ in range(labels)]
        worker.kill()
        worker.join()
    with (tmp_path / "study" / "events.jsonl").open("a") as file:
        file.write('[["told", {"item"')  # a line cut short
    again = fl.load_study(storage=Folders(tmp_path), pool=strange)
    assert set(told) <= set(again.labels)
    again.tell({query.item: TRUTH[query.item] for query in again.open_queries})
    alone = fl.create_study(own_pool(), BY_CLASS, model="one", seed=2)
    asked = label_some(alone, [1] * len(again.labels))
    assert [replace(e, at="") for e in again.events if isinstance(e, Query)] == asked
    assert label_some(again) == label_some(alone)
    assert again.answer() == alone.answer()
