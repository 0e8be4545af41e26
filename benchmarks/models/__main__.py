"""`python -m benchmarks.models run|page`: do the runs that are not there yet, write the page."""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

from benchmarks.kept_runs import FOLDER, KeptRuns
from benchmarks.leaderboard.pools import REPOSITORY
from benchmarks.models import best, compare
from benchmarks.models.page import runs_of, write_page
from benchmarks.models.pools import ModelSet, load, sets
from rich.console import Console

RUNS = 200


def main(given: Sequence[str] | None = None) -> None:
    """The command."""
    options, console = _parser().parse_args(given), Console(width=140)
    folder = FOLDER / ("models" if options.batch == 1 else f"models-{options.batch}")
    if options.what == "page":
        console.print(f"{write_page(folder, options.docs).name} is written.")
        return
    end = time.monotonic() + 60 * (options.minutes or float("inf"))
    for one, kept, pair, number in _to_do(options, folder):
        if time.monotonic() > end:
            console.print("Time is up; started again, it goes on.")
            return
        entry = best.run(one, number) if pair is None else compare.run(one, *pair, number, (options.batch,))
        kept.add({number: entry})
    console.print("All is done.")


def _to_do(
    options: argparse.Namespace, folder: Path
) -> Iterator[tuple[ModelSet, KeptRuns, tuple[str, str] | None, int]]:
    """Some runs of every pair, or of all models of a set, before the next ones."""
    for start in range(0, options.runs, options.block):
        for one in sets():
            if options.sets and one.name not in options.sets and one.role not in options.sets:
                continue
            pairs: tuple[tuple[str, str] | None, ...] = one.pairs if options.goal == "compare" else (None,)
            if options.goal == "best" and len(load(one).models) <= 2:
                continue
            kept = {pair: runs_of(one, pair, folder) for pair in pairs}
            there = {pair: set(kept[pair].read()) for pair in pairs}
            for number in range(start, min(start + options.block, options.runs)):
                yield from ((one, kept[p], p, number) for p in pairs if number not in there[p])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.models", description=__doc__)
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("--goal", choices=("compare", "best"), default="compare", help="two models, or the best of all")
    parser.add_argument("--runs", type=int, default=RUNS, help=f"of each pair of models; {RUNS}")
    parser.add_argument("--block", type=int, default=20, help="runs of a pair before the next one")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="names of sets; or design, test")
    parser.add_argument("--batch", type=int, default=1, help="labels that come back at once")
    parser.add_argument("--minutes", type=float, help="no run is begun after so many")
    parser.add_argument("--docs", type=Path, default=REPOSITORY / "docs", help="folder of the page")
    return parser


if __name__ == "__main__":
    main()
