"""What would it cost? Many seeded runs against known labels."""

import hashlib
import importlib.metadata
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fewlabels.answers import Target
from fewlabels.assessment import Assessment, assess
from fewlabels.between_models import asked_of
from fewlabels.core.arrays import Array, Ints
from fewlabels.core.evidence import Evidence
from fewlabels.core.keyed import combine
from fewlabels.core.typed import match_labels, read_label
from fewlabels.engines import Chunk, gathered
from fewlabels.errors import PoolError, QuestionError, listed
from fewlabels.pool import Pool
from fewlabels.questions import Question
from fewlabels.settings import StudySettings
from fewlabels.simulation.compiled import evidence_for, fast, runner_for
from fewlabels.simulation.kept_runs import KeptRuns
from fewlabels.simulation.measures import Truth, measure, read_measures
from fewlabels.simulation.methods import Method, read_methods
from fewlabels.simulation.oracle import Deck, Known
from fewlabels.simulation.result import SimulationResult
from fewlabels.simulation.run import Trace
from fewlabels.simulation.workers import work

_LOOKS = 100  # at a run where no budgets are given, and as many at its first tenth


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
    def runners(self) -> tuple[Callable[[Deck, Ints, int], Trace | list[Evidence]], ...]:
        """What makes the runs of each method: with events where counts of labels do not tell all that is known, or a
        strategy is free to draw items twice."""
        counted = (a.estimator.from_counts and a.strategy.kernel is not None for a in self.assessments)
        pairs = zip(self.assessments, counted, strict=True)
        return tuple(runner_for(a) if enough else evidence_for(a) for a, enough in pairs)

    @property
    def plan(self) -> dict[str, Any]:
        """All that a run's values depend on."""
        digest = hashlib.sha256()
        for known in {id(k): k for k in self.known}.values():
            for values in (known.label, known.predicted, known.cell, known.hashes):
                digest.update(np.ascontiguousarray(values).tobytes())
            digest.update(known.cells.to_bytes())
        return {
            "fewlabels": importlib.metadata.version("fewlabels"),
            "settings": [a.settings.to_json() for a in self.assessments],
            "budgets": self.budgets.tolist(),
            "measures": self.measures,
            "own draws": [getattr(runner, "own_draws", False) for runner in self.runners],
            "pool": digest.hexdigest(),
        }

    def run(self, number: int) -> Array:
        """The measures of one run, (n_methods, n_budgets, n_measures)."""
        seed = run_seed(self.seed, number)
        decks = {id(known): known.deal(seed) for known in {id(k): k for k in self.known}.values()}
        runs = dict[int, Trace | list[Evidence]]()
        with fast():
            for place in sorted(set(self.drawn_as)):
                runs[place] = self.runners[place](decks[id(self.known[place])], self.budgets, seed)
            of_each = zip(self.truths, self.drawn_as, strict=True)
            return np.stack([measure(truth, runs[place], self.measures) for truth, place in of_each])

    @cached_property
    def drawn_as(self) -> tuple[int, ...]:
        """For each method the first that draws the same items: one of the same strategy and cells, where answers are
        read off the draws, so that a strategy cannot go by what an estimator believes."""
        first = dict[Any, int]()
        return tuple(first.setdefault(self._way_to_draw(place), place) for place in range(len(self.assessments)))

    def _way_to_draw(self, place: int) -> Any:
        one = self.assessments[place]
        settings = json.dumps({**one.settings.to_json(), "estimator": None}, sort_keys=True)
        return (id(self.known[place]), settings) if one.estimator.reads_draws else place


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
    kept = None if resume is None else KeptRuns(Path(resume), job.plan, job.shape)
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
    return SimulationResult(job.assessments[0].title, job.names, tuple(job.budgets.tolist()), job.measures, values)


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
    question, chosen = asked_of(question, pool, model)
    base = StudySettings(question, target=target, level=level, seed=seed)
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
    if isinstance(labels, Mapping):  # ids of a CSV file are text, whoever calls them 7
        by_text = {str(item): label for item, label in labels.items()}
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
