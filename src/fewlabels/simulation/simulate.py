"""What would it cost? Many seeded runs against known labels."""

import hashlib
import json
import multiprocessing
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fewlabels.answers import Target
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.keyed import combine
from fewlabels.core.labels import read_label
from fewlabels.engines import MemoryEngine
from fewlabels.errors import PoolError, QuestionError, StudyError
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.settings import StudySettings
from fewlabels.simulation.measures import MEASURES, Truth, read_measures
from fewlabels.simulation.methods import Method, read_methods
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.result import SimulationResult
from fewlabels.simulation.run import run_plain

_CHUNK = 10  # runs handed to a worker at a time


@dataclass(frozen=True)
class Job:
    """All that a worker needs."""

    names: tuple[str, ...]  # of the methods
    assessments: tuple[Assessment, ...]  # one a method
    known: Known
    budgets: Ints
    measures: tuple[str, ...]
    seed: int

    def run(self, number: int) -> Array:
        """The measures of one run, (n_methods, n_budgets, n_measures)."""
        seed = run_seed(self.seed, number)
        deck = self.known.deal(seed)
        out = np.empty((len(self.assessments), len(self.budgets), len(self.measures)))
        for m, assessment in enumerate(self.assessments):
            truth = Truth(assessment, self.known)
            prior = assessment.prior_belief
            trace = run_plain(assessment, deck, self.budgets, seed)
            for b in range(len(self.budgets)):
                belief = trace.belief(prior, b)
                out[m, b] = [MEASURES[name](truth, belief) for name in self.measures]
        return out

    def chunk(self, first: int, last: int) -> Array:
        return np.stack([self.run(number) for number in range(first, last)])


def run_seed(seed: int, number: int) -> int:
    """The seed of one run. A live study with this seed asks for the same items."""
    return combine(seed, number) >> 1


def simulate(
    pool: Pool,
    labels: Mapping[Any, object] | Sequence[object] | None,
    question: Question,
    methods: Iterable[str | Method] = ("uprior", "iprior", "iprior+ts"),
    budgets: Iterable[int] = (100, 200, 500),
    runs: int = 100,
    seed: int = 0,
    *,
    measures: list[str] | None = None,
    target: Target = "pool",
    level: float = 0.95,
    model: str | None = None,
    workers: int | None = None,
    resume: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SimulationResult:
    """What each method would have known after so many labels, on average over seeded runs.

    `labels` are the true classes, as {item: label}, in the pool's order, or None for those the pool knows. All methods
    of a run see the same order of items. `workers` processes share the runs (all cores by default; 1 stays in this process).
    `resume` is a folder that keeps finished runs: started again with the same arguments, only the rest is done.
    `progress(done, runs)` is called as runs finish.
    """
    places = _budgets(budgets)
    if not isinstance(runs, int) or runs < 1:
        raise QuestionError(f"runs is a whole number, at least 1; got {runs!r}.")
    job = _job(pool, labels, question, read_methods(methods, question), places, seed, measures, (target, level, model))
    kept = _Kept(Path(resume), job) if resume is not None else None
    chunks = [(first, min(first + _CHUNK, runs)) for first in range(0, runs, _CHUNK)]
    found = {chunk: values for chunk in chunks if kept and (values := kept.load(chunk)) is not None}
    todo = [chunk for chunk in chunks if chunk not in found]
    for chunk, values in _work(job, todo, workers or os.cpu_count() or 1):
        found[chunk] = values
        if kept:
            kept.save(chunk, values)
        if progress:
            progress(sum(last - first for first, last in found), runs)
    return SimulationResult(
        question.describe(),
        job.names,
        tuple(places.tolist()),
        job.measures,
        np.concatenate([found[chunk] for chunk in chunks]),
    )


def _budgets(budgets: Iterable[int]) -> Ints:
    places = np.array(sorted(set(budgets)), dtype=np.int64)
    if not len(places) or places[0] < 0:
        raise QuestionError(f"budgets are numbers of labels, such as [100, 200]; got {list(places)}.")
    return places


def _job(
    pool: Pool,
    labels: Mapping[Any, object] | Sequence[object] | None,
    question: Question,
    methods: list[Method],
    budgets: Ints,
    seed: int,
    measures: list[str] | None,
    how: tuple[Target, float, str | None],
) -> Job:
    target, level, model = how
    chosen = model or pool.models[0]
    if not isinstance(pool.engine, MemoryEngine) or chosen not in pool.models:
        raise QuestionError(f"a simulation needs one model of a pool in memory; models are {', '.join(pool.models)}.")
    cells = pool.engine.summarise(chosen, question.axes, probabilities=question.measured.outcome != "correct")
    base = StudySettings(question, target=target, level=level, seed=seed)
    assessments = []
    for method in methods:
        assessment = Assessment(method.settings(question, base), question, cells, pool.true_classes)
        assessment.check()
        assessments.append(assessment)
    known = _known(pool, labels, chosen, question, cells)
    wanted = tuple(read_measures(measures, assessments[0]))
    return Job(tuple(m.label for m in methods), tuple(assessments), known, budgets, wanted, seed)


def _known(pool: Pool, labels: Any, model: str, question: Question, cells: Any) -> Known:
    engine = pool.engine
    assert isinstance(engine, MemoryEngine)
    if labels is None:
        labels = pool.known_labels
        if labels is None:
            raise PoolError(
                "a simulation needs the true labels; pass labels={item: label}, or open a file with a label column."
            )
    if isinstance(labels, Mapping):
        missing = next((item for item in pool.ids if item not in labels), None)
        if missing is not None:
            raise PoolError(f"item {missing!r} has no label; a simulation needs the true class of every item.")
        labels = [labels[item] for item in pool.ids]
    if len(labels) != len(pool):
        raise PoolError(f"labels has {len(labels):,} entries and the pool {len(pool):,} items; give one an item.")
    names = pool.true_classes
    where = {name: i for i, name in enumerate(names)}
    index = np.array([where[read_label(label, names, pool.positive)] for label in labels], dtype=np.int64)
    cell = engine.cell_of_items(model, question.axes)
    return Known(cells, cell, engine.models[model].predicted, index, engine.hashes, len(names))


_job_of_worker: Job | None = None


def _start_worker(job: Job) -> None:
    global _job_of_worker  # noqa: PLW0603 - the job is sent to each process once, not with every chunk
    _job_of_worker = job


def _do(chunk: tuple[int, int]) -> Array:
    assert _job_of_worker is not None
    return _job_of_worker.chunk(*chunk)


def _work(job: Job, chunks: list[tuple[int, int]], workers: int) -> Iterable[tuple[tuple[int, int], Array]]:
    if workers == 1 or len(chunks) == 1:
        for chunk in chunks:
            yield chunk, job.chunk(*chunk)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(workers, len(chunks)) or 1, context, _start_worker, (job,)) as executor:
        futures = {executor.submit(_do, chunk): chunk for chunk in chunks}
        for future in as_completed(futures):
            yield futures[future], future.result()


class _Kept:
    """A folder of finished chunks, of one job only."""

    def __init__(self, folder: Path, job: Job) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        plan = json.dumps(
            {
                "settings": [a.settings.to_json() for a in job.assessments],
                "budgets": job.budgets.tolist(),
                "measures": job.measures,
                "labels": hashlib.sha256(job.known.label.tobytes() + job.known.cell.tobytes()).hexdigest(),
            }
        )
        file = folder / "plan.json"
        if file.exists() and file.read_text() != plan:
            raise StudyError(f"{folder} keeps runs of another simulation; name another folder, or remove it.")
        file.write_text(plan)
        self._folder = folder

    def _file(self, chunk: tuple[int, int]) -> Path:
        return self._folder / f"runs-{chunk[0]:06}-{chunk[1]:06}.npy"

    def load(self, chunk: tuple[int, int]) -> Array | None:
        file = self._file(chunk)
        return np.asarray(np.load(file, allow_pickle=False)) if file.exists() else None

    def save(self, chunk: tuple[int, int], values: Array) -> None:
        part = self._file(chunk).with_suffix(".part")
        with part.open("wb") as out:
            np.save(out, values)
        part.replace(self._file(chunk))
