"""Doing the cells that are not there yet, in several processes, with a line that says how far one is."""

import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.leaderboard import kept
from benchmarks.leaderboard.kept import Cell
from benchmarks.leaderboard.labelled import same_as, take
from benchmarks.leaderboard.notes import note
from benchmarks.leaderboard.pools import Entry, load, sub_pool
from benchmarks.leaderboard.studies import ABLATION, BESIDE, MANY, RIVALS, STUDIES, class_marks
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from fewlabels.simulation.compiled import fast


@dataclass(frozen=True)
class Plan:
    """Which cells are wanted, and where they are kept."""

    entries: tuple[Entry, ...]
    studies: tuple[str, ...]
    methods: tuple[str, ...]
    runs: int
    folder: Path
    batch: int = 10
    fewer_runs: int | None = None  # of studies and methods that no bar rests on

    def cells(self) -> Iterator[Cell]:
        """Every cell, the first runs of all pools before the next ones."""
        for block in range(-(-self.runs // kept.BLOCK)):
            for entry in self.entries:
                for study in self.studies:
                    for method in STUDIES[study].methods:
                        if method in self.methods and not self._left_out(study, method, block):
                            yield Cell(entry, study, method, block)

    def _left_out(self, study: str, method: str, block: int) -> bool:
        few = self.fewer_runs is not None and (study, method) in BESIDE
        return few and block * kept.BLOCK >= (self.fewer_runs or 0)

    def sorted_out(self) -> "Standing":
        """Which cells are to be done, which are there, and which of those other code made."""
        standing = Standing()
        for cell in self.cells():
            told = kept.about(cell.path(self.folder))
            if told is None or told["batch"] != self.batch:
                standing.to_do.append(cell)
                continue
            standing.done[cell] = float(told["seconds"])
            if told["code"] != kept.code_state():
                standing.stale.append(cell)
        return standing


@dataclass
class Standing:
    """How far a plan has come."""

    to_do: list[Cell] = field(default_factory=list)
    done: dict[Cell, float] = field(default_factory=dict)  # with the seconds each took
    stale: list[Cell] = field(default_factory=list)


def do(cell: Cell, folder: Path, batch: int) -> float:
    """The runs of one cell, kept; the seconds it took."""
    start, entry, study = time.perf_counter(), cell.entry, STUDIES[cell.study]
    board = load(entry)
    about: dict[str, Any] = {
        "batch": batch,
        "looks": study.looks(board),
        "marks": class_marks(board),
        "groups": len(board.groups),
        "items": board.items,
        "same_as": same_as(board, sub_pool(entry, cell.runs[0]), study, cell.method),
    }
    notes = []
    if about["same_as"] is None and not (cell.method == ABLATION and len(board.groups) > MANY):
        for run in cell.runs:
            with fast():
                labelled = take(board, sub_pool(entry, run), study, cell.method, run, batch)
                notes.append(note(labelled, cell.study, rival=cell.method in RIVALS))
    about["seconds"] = time.perf_counter() - start
    kept.write(cell.path(folder), about, notes)
    return float(about["seconds"])


class Guess:
    """How long what is left will take, from what was done: by pool, study and method, or else by study and method."""

    def __init__(self, done: dict[Cell, float]) -> None:
        self._by: dict[tuple[str, ...], list[float]] = {}
        for cell, seconds in done.items():
            self.learn(cell, seconds)

    def learn(self, cell: Cell, seconds: float) -> None:
        for key in self._keys(cell):
            self._by.setdefault(key, []).append(seconds)

    @staticmethod
    def _keys(cell: Cell) -> tuple[tuple[str, ...], ...]:
        return (cell.entry.name, cell.study, cell.method), (cell.study, cell.method), ()

    def seconds(self, cells: Iterable[Cell]) -> float:
        total = 0.0
        for cell in cells:
            found = next((self._by[key] for key in self._keys(cell) if key in self._by), [0.0])
            total += sum(found) / len(found)
        return total


def work(plan: Plan, workers: int, *, again: bool = False, console: Console | None = None) -> Standing:
    """Do what is left of the plan. Killed and started again, it goes on; `again` redoes what other code made."""
    console = console or Console()
    standing = plan.sorted_out()
    if standing.stale:
        what = "done again" if again else "kept; pass --again to do them again"
        console.print(f"{len(standing.stale)} cells were made by other code than this ({kept.code_state()}): {what}.")
    left = [*standing.to_do, *(standing.stale if again else ())]
    guess, start = Guess(standing.done), time.perf_counter()
    spent = sum(standing.done.values())
    if not left:
        console.print(f"All {len(standing.done)} cells are there.")
        return standing
    columns = (TextColumn("{task.completed}/{task.total} cells"), BarColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console) as shown:
        bar = shown.add_task("", total=len(left))
        waiting = dict.fromkeys(left)
        for cell, seconds in _results(left, plan, workers):
            del waiting[cell]
            guess.learn(cell, seconds)
            standing.done[cell], spent = seconds, spent + seconds
            rest = guess.seconds(waiting) / workers
            words = f"{_words(time.perf_counter() - start)} so far, about {_words(rest)} left; last {cell.entry.title}"
            shown.update(bar, advance=1, description=words)
    return standing


def _words(seconds: float) -> str:
    return (
        f"{seconds / 3600:.1f} h"
        if seconds > 5400
        else f"{seconds / 60:.0f} min"
        if seconds > 90
        else f"{seconds:.0f} s"
    )


def _results(cells: Sequence[Cell], plan: Plan, workers: int) -> Iterator[tuple[Cell, float]]:
    """The cells as they finish."""
    if workers == 1:
        yield from ((cell, do(cell, plan.folder, plan.batch)) for cell in cells)
        return
    context = multiprocessing.get_context("spawn")
    with _one_thread(), ProcessPoolExecutor(workers, context, _quiet) as executor:
        futures = {executor.submit(do, cell, plan.folder, plan.batch): cell for cell in cells}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            executor.shutdown(wait=False, cancel_futures=True)
            raise


def _quiet() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one


class _one_thread:  # noqa: N801 - used like a function
    """Processes that are started meanwhile use one thread each: there are as many of them as cores."""

    _names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

    def __enter__(self) -> None:
        self._before = {name: os.environ.get(name) for name in self._names}
        os.environ.update(dict.fromkeys(self._names, "1"))

    def __exit__(self, *_: object) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
