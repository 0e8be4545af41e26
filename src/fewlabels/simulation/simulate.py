"""What would it cost? Many seeded runs against known labels."""

import hashlib
import importlib.metadata
import json
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from fewlabels.answers import Target
from fewlabels.assessment import Assessment, assess
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.evidence import Evidence
from fewlabels.core.keyed import combine
from fewlabels.core.labels import match_labels, read_label
from fewlabels.engines import Chunk, gathered
from fewlabels.errors import PoolError, QuestionError, StudyError, listed
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.settings import StudySettings
from fewlabels.simulation.compiled import Runner, runner_for
from fewlabels.simulation.measures import Truth, measure, read_measures
from fewlabels.simulation.methods import Method, read_methods
from fewlabels.simulation.oracle import Deck, Known
from fewlabels.simulation.result import SimulationResult
from fewlabels.simulation.run import Trace, run_draws

_LOOKS = 100  # at a run where no budgets are given, and as many at its first tenth
_CHUNK = 10  # at most so many runs are handed to a worker at a time,
_CHUNKS = 8  # and fewer where a worker would have less than so many turns


class Runnable(Protocol):
    """Work in numbered parts, each independent of the others."""

    def run(self, number: int) -> Array:
        """One part."""


@dataclass(frozen=True)
class Job:
    """All that a worker needs."""

    names: tuple[str, ...]  # of the methods
    assessments: tuple[Assessment, ...]  # one a method
    known: tuple[Known, ...]  # the labels, in each method's cells
    budgets: Ints
    measures: tuple[str, ...]
    seed: int

    @property
    def shape(self) -> tuple[int, int, int]:
        """Of one run's values."""
        return len(self.assessments), len(self.budgets), len(self.measures)

    @cached_property
    def truths(self) -> tuple[Truth, ...]:
        return tuple(Truth(a, known) for a, known in zip(self.assessments, self.known, strict=True))

    @cached_property
    def runners(self) -> tuple[Runner | None, ...]:
        """The twin of the live step that makes the runs of each method; None where there is none, or where counts of
        labels do not tell all that is known."""
        twins = (a.estimator.from_counts and a.strategy.kernel is not None for a in self.assessments)
        return tuple(runner_for(a) if twin else None for a, twin in zip(self.assessments, twins, strict=True))

    def run(self, number: int) -> Array:
        """The measures of one run, (n_methods, n_budgets, n_measures)."""
        seed = run_seed(self.seed, number)
        decks: dict[int, Deck] = {}
        out = np.empty(self.shape)
        for m, truth in enumerate(self.truths):
            known = self.known[m]
            if id(known) not in decks:
                decks[id(known)] = known.deal(seed)
            out[m] = measure(truth, self._known_at_budgets(m, decks[id(known)], seed), self.measures)
        return out

    def _known_at_budgets(self, m: int, deck: Deck, seed: int) -> Trace | list[Evidence]:
        """What one method knows at each budget of one run."""
        runner = self.runners[m]
        if runner is None:
            return run_draws(self.assessments[m], deck, self.budgets, seed)
        return runner(deck, self.budgets, seed)


def run_seed(seed: int, number: int) -> int:
    """The seed of one run. A live study with this seed asks for the same items."""
    return combine(seed, number) >> 1


def simulate(
    pool: Pool,
    labels: Mapping[Any, object] | Sequence[object] | None,
    question: Question,
    methods: Iterable[str | Method] | None = None,
    budgets: Iterable[int] | None = (100, 200, 500),
    runs: int = 100,
    seed: int = 0,
    *,
    measures: Sequence[str] | None = None,
    target: Target = "pool",
    level: float = 0.95,
    model: str | None = None,
    workers: int | None = None,
    resume: str | Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SimulationResult:
    """What each method would have known after so many labels, on average over seeded runs.

    `labels` are the true classes, as {item: label}, in the pool's order, or None for those the pool knows. By default
    `methods` are the papers' baselines and what they propose. All methods of a run see the same order of items.
    `budgets=None` looks at every hundredth of the items, and more often at first. `workers` processes share the runs,
    one a core by default; 1 stays in this process. `resume` is a folder that keeps finished runs: started again with
    the same arguments, or with more runs, only the rest is done; Ctrl-C loses none of them. `progress(done, runs)` is
    called as runs finish.
    """
    places = None if budgets is None else _budgets(budgets)
    if not _is_count(runs) or not (workers is None or _is_count(workers)):
        given = f"{runs!r} runs" + ("" if workers is None else f" and {workers!r} workers")
        raise QuestionError(f"runs and workers are whole numbers, at least 1; got {given}.")
    job = prepare(
        pool, labels, question, read_methods(methods, question), places, seed, measures, (target, level, model)
    )
    kept = None if resume is None else _Kept(Path(resume), job)
    found = {} if kept is None else kept.load(runs)
    if found and progress:
        progress(len(found), runs)
    todo = [number for number in range(runs) if number not in found]
    with closing(work(job, todo, workers or os.cpu_count() or 1)) as finished:
        for number, values in finished:
            found[number] = values
            if kept:
                kept.add(number, values)
            if progress:
                progress(len(found), runs)
    values = np.stack([found[number] for number in range(runs)])
    return SimulationResult(question.describe(), job.names, tuple(job.budgets.tolist()), job.measures, values)


def _is_count(number: object) -> bool:
    return isinstance(number, int | np.integer) and not isinstance(number, bool) and int(number) >= 1


def _budgets(budgets: Iterable[int]) -> Ints:
    given = list(budgets) if isinstance(budgets, Iterable) else [budgets]
    if not given or not all(_is_count(b) or b == 0 for b in given):
        raise QuestionError(f"budgets are whole numbers of labels, such as 100 and 200; got {listed(given)}.")
    return np.array(sorted({int(b) for b in given}), dtype=np.int64)


def prepare(
    pool: Pool,
    labels: Mapping[Any, object] | Sequence[object] | None,
    question: Question,
    methods: list[Method],
    budgets: Ints | None,
    seed: int,
    measures: Sequence[str] | None,
    how: tuple[Target, float, str | None] = ("pool", 0.95, None),
) -> Job:
    """All that the runs of a simulation need, checked; `how` is the target, the level and the model."""
    target, level, model = how
    if not isinstance(pool, Pool):
        raise QuestionError(f"a simulation needs a pool, made by fl.open_pool or fl.Pool; got {pool!r}.")
    base = StudySettings(question, target=target, level=level, seed=seed)
    chosen = pool.model_named(model)
    assessments = [assess(m.settings(question, base), question, pool, chosen, any_prior=True) for m in methods]
    wanted = tuple(read_measures(measures, assessments[0]))
    budgets = _checked(budgets, assessments[0])
    cells = {a.cells.axes: a.cells for a in assessments}
    rows = {axes: gathered(pool.engine.scan(chosen, axes)) for axes in cells}
    index = _label_index(pool, next(iter(rows.values())), labels)
    made = {axes: Known(cells[axes], r.cell, r.predicted, index, r.hashes) for axes, r in rows.items()}
    known = tuple(made[a.cells.axes] for a in assessments)  # one object for those of the same cells
    return Job(tuple(m.label for m in methods), tuple(assessments), known, budgets, wanted, seed)


def _checked(budgets: Ints | None, assessment: Assessment) -> Ints:
    """Budgets no larger than there are items, evenly spread where none are given."""
    most = int(assessment.remaining(np.zeros(assessment.cells.count, dtype=np.int64)).sum())
    if budgets is None:
        looks = [np.linspace(0, last, _LOOKS + 1).round() for last in (most / 10, most)]
        return np.unique(np.concatenate(looks).astype(np.int64))[1:]
    if budgets[-1] > most:
        raise QuestionError(
            f"a budget of {budgets[-1]:,} labels is more than the {most:,} items this question is about; "
            f"the largest budget can be {most:,}."
        )
    return budgets


def _label_index(pool: Pool, rows: Chunk, labels: Any) -> Ints:
    """The index of each item's true class, in the pool's order."""
    labels = rows.labels if labels is None else labels
    if labels is None:
        raise PoolError(
            "a simulation needs the true labels; pass labels={item: label}, or open a file with a label column."
        )
    if isinstance(labels, Mapping):
        by_text = {
            str(item): label for item, label in labels.items()
        }  # ids of a CSV file are text, whoever calls them 7
        labels = [by_text.get(str(item)) for item in rows.items.tolist()]
    if len(labels) != len(rows.items):
        raise PoolError(f"labels has {len(labels):,} entries and the pool {len(rows.items):,} items; give one an item.")
    labels = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    where = {name: i for i, name in enumerate(pool.true_classes)}
    names = match_labels(labels, pool.true_classes, pool.positive)
    for i, (name, label) in enumerate(zip(names, labels, strict=True)):
        if label is None or label != label:
            item = rows.items.tolist()[i]
            raise PoolError(f"item {item!r} has no label; a simulation needs the true class of every item.")
        if name is None:
            read_label(label, pool.true_classes, pool.positive)  # says what is wrong with it
    return np.array([where[name] for name in names if name is not None], dtype=np.int64)


Runs = list[tuple[int, Array]]  # numbers of runs, and their values
_here: dict[str, Any] = {}  # a worker's job, and the sign to stop


def _start_worker(job: Runnable, stop: Any) -> None:
    """Keep the job, which is sent to each process once; leave Ctrl-C to the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # for systems without signal masks
    _here.update(job=job, stop=stop)


def _do(numbers: list[int]) -> Runs:
    """Some runs; fewer where the sign to stop was given meanwhile."""
    done: Runs = []
    for number in numbers:
        if _here["stop"].is_set():
            break
        done.append((number, _here["job"].run(number)))
    return done


def work(job: Runnable, numbers: list[int], workers: int) -> Generator[tuple[int, Array], None, None]:
    """The runs of these numbers as they finish. After an interrupt those under way are still handed over."""
    size = min(max(len(numbers) // (_CHUNKS * workers), 1), _CHUNK)
    chunks = [numbers[i : i + size] for i in range(0, len(numbers), size)]
    if workers == 1 or len(chunks) <= 1:
        yield from ((number, job.run(number)) for number in numbers)
        return
    context = multiprocessing.get_context("spawn")
    stop, handed, futures = context.Event(), set[int](), list[Future[Runs]]()
    executor = ProcessPoolExecutor(min(workers, len(chunks)), context, _start_worker, (job, stop))
    try:
        with _main_unseen(), _interrupts_held():
            futures += [executor.submit(_do, chunk) for chunk in chunks]
        for found in _results(futures):
            handed.add(found[0])
            yield found
    except KeyboardInterrupt:
        stop.set()
        rest = [future for future in futures if not future.cancel()]
        with suppress(StudyError):  # being interrupted is what the caller should hear of
            yield from (found for found in _results(rest) if found[0] not in handed)
        raise
    finally:
        stop.set()
        executor.shutdown(wait=True, cancel_futures=True)


def _results(futures: list[Future[Runs]]) -> Iterator[tuple[int, Array]]:
    try:
        for future in as_completed(futures):
            yield from future.result()
    except BrokenProcessPool as error:
        raise StudyError(
            "a worker process of the simulation died, for want of memory perhaps; pass workers=1, or fewer workers. "
            "Finished runs are kept where resume= names a folder."
        ) from error


@contextmanager
def _main_unseen() -> Iterator[None]:
    """Start processes that do not import the user's script, which would otherwise need an `if __name__` guard."""
    main = sys.modules["__main__"]
    seen: dict[str, Any] = {name: main.__dict__[name] for name in ("__file__", "__spec__") if name in main.__dict__}
    try:
        main.__spec__ = None
        main.__dict__.pop("__file__", None)
        yield
    finally:
        main.__dict__.update(seen)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they inherit the mask, and leave Ctrl-C to this one from the start."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    held: list[int] = []  # a mask alone is not enough: the system may deliver the signal to another thread
    handler = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler or signal.SIG_DFL)
    if held:
        raise KeyboardInterrupt


class _Kept:
    """A folder of finished runs, of one job only: what the job is, and a record a run, appended as runs finish."""

    def __init__(self, folder: Path, job: Job) -> None:
        self._file, self._shape = folder / "runs.bin", job.shape
        self._size = 1 + int(np.prod(job.shape))  # the run's number, then its values
        plan = _plan(job)
        if folder.exists() and not folder.is_dir():
            raise StudyError(f"{folder} is a file; name a folder to keep finished runs in.")
        folder.mkdir(parents=True, exist_ok=True)
        about = folder / "plan.json"
        if about.exists() and about.read_text() != plan:
            kept, wanted = json.loads(about.read_text()), json.loads(plan)
            other = ", ".join(key for key in wanted if kept.get(key) != wanted[key])
            raise StudyError(
                f"{folder} keeps runs of another simulation (other {other}); name another folder, or remove it."
            )
        if not about.exists():
            part = about.with_suffix(".part")
            part.write_text(plan)
            part.replace(about)

    def load(self, runs: int) -> dict[int, Array]:
        """The finished runs of numbers below `runs`; a record cut short by a kill is dropped."""
        if not self._file.exists():
            return {}
        whole = self._file.stat().st_size // (8 * self._size)
        os.truncate(self._file, whole * 8 * self._size)
        records = np.fromfile(self._file, dtype="<f8").reshape(whole, self._size)
        return {int(row[0]): row[1:].reshape(self._shape) for row in records if row[0] < runs}

    def add(self, number: int, values: Array) -> None:
        with self._file.open("ab") as out:
            out.write(np.concatenate([[number], values.ravel()]).astype("<f8").tobytes())


def _plan(job: Job) -> str:
    """All that a run's values depend on."""
    digest = hashlib.sha256()
    for known in {id(k): k for k in job.known}.values():
        for values in (known.label, known.predicted, known.cell, known.hashes):
            digest.update(np.ascontiguousarray(values).tobytes())
        digest.update(known.cells.to_bytes())
    plan = {
        "fewlabels": importlib.metadata.version("fewlabels"),
        "settings": [a.settings.to_json() for a in job.assessments],
        "budgets": job.budgets.tolist(),
        "measures": job.measures,
        "own draws": [getattr(runner, "own_draws", False) for runner in job.runners],
        "pool": digest.hexdigest(),
    }
    return json.dumps(plan, indent=2)
