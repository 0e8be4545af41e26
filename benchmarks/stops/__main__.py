"""`python -m benchmarks.stops run|foretell|page`: do the runs that are not there yet, and the forecasts after a pilot,
write the page."""

import argparse
import os
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

from benchmarks.leaderboard.pools import REPOSITORY
from benchmarks.stops.goals import GOALS, Goal, asked
from benchmarks.stops.kept import BATCHES, Cell, folder_of
from benchmarks.stops.page import AUTO, write_page
from benchmarks.stops.pools import Case, cases
from rich.console import Console

from fewlabels.simulation.compiled import fast

RUNS = 40
_KINDS = ("design", "test", "real", "synthetic", "against", "pair")
_METHODS = ("auto", "uniform", "papers", "wilson")
Do = Callable[..., dict[str, object]]  # one run, or one forecast


def main(given: Sequence[str] | None = None) -> None:
    """The command."""
    options, console = _parser().parse_args(given), Console(width=140)
    folder = options.kept or folder_of(options.batch)
    if options.what == "page":
        page = write_page(options.kept or folder_of(1), options.docs)  # of all batches, whichever is named
        console.print(f"{page.name} is written.")
        return
    end = time.monotonic() + 60 * (options.minutes or float("inf"))
    with fast():
        for case, cell, number, do in _to_do(options, folder):
            if time.monotonic() > end:
                console.print("Time is up; started again, it goes on.")
                return
            start = time.perf_counter()
            cell.add(folder, number, do(case, cell.method, number, options.batch))
            seconds = time.perf_counter() - start
            console.print(
                f"{case.name:40s} {cell.goal:9s} {cell.method:8s} run {number:3d} {seconds:6.1f} s", highlight=False
            )


def _to_do(options: argparse.Namespace, folder: Path) -> Iterator[tuple[Case, Cell, int, Do]]:
    """Some runs of every pool, goal and method before the next ones, or their forecasts."""
    for start in range(options.first, options.first + options.runs, options.block):
        numbers = range(start, min(start + options.block, options.first + options.runs))
        for case in cases():
            for goal in (GOALS[name] for name in options.goals):
                if not _wanted(case, options.pools) or not asked(goal, case):
                    continue
                methods = [m for m in goal.methods if m in options.methods]
                todo = [(Cell(goal.name, case.name, m), goal.run) for m in methods]
                if options.what == "foretell":
                    todo = [(Cell(goal.foretold, case.name, AUTO), partial(_foretold, goal))] if goal.study else []
                for cell, do in todo:
                    there = {entry["run"] for entry in cell.read(folder)}
                    yield from ((case, cell, number, do) for number in numbers if number not in there)


def _foretold(goal: Goal, case: Case, method: str, number: int, batch: int) -> dict[str, object]:
    assert goal.study is not None
    return {"foretold": goal.study(case, method, number, batch).foretold()}


def _wanted(case: Case, names: Sequence[str] | None) -> bool:
    kinds = {case.role, case.kind}
    return names is None or any(name in kinds or (name not in _KINDS and name in case.name) for name in names)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stops", description=__doc__)
    parser.add_argument("what", choices=("run", "foretell", "page"))
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each pool, goal and method; {RUNS}")
    parser.add_argument("--first", type=int, default=0, help="the number of the first run")
    parser.add_argument("--block", type=int, default=5, help="runs of a cell before the next one")
    parser.add_argument("--goals", nargs="+", choices=tuple(GOALS), default=tuple(GOALS))
    parser.add_argument("--methods", nargs="+", choices=_METHODS, default=_METHODS)
    parser.add_argument("--pools", nargs="+", metavar="NAME", help=f"parts of names; or {', '.join(_KINDS)}")
    parser.add_argument("--batch", type=int, default=1, choices=BATCHES, help="labels that come back at once")
    parser.add_argument("--minutes", type=float, help="no run is begun after so many")
    parser.add_argument("--kept", type=Path, help="folder of finished runs")
    parser.add_argument("--docs", type=Path, default=REPOSITORY / "docs", help="folder of the page")
    return parser


if __name__ == "__main__":
    main()
