"""`python -m benchmarks.leaderboard run|bars|page`: do the runs, print the bars, write the page."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.leaderboard import kept
from benchmarks.leaderboard.bars import print_bars
from benchmarks.leaderboard.page import write_page
from benchmarks.leaderboard.pools import REPOSITORY, Entry, available, entries
from benchmarks.leaderboard.studies import ABLATION, METHODS, STUDIES
from benchmarks.leaderboard.work import Plan, work
from rich.console import Console

RUNS, FEWER_RUNS, QUICK_RUNS = 200, 50, 20
QUICK_POOLS = ("20news", "cifar10_vgg16", "banking77.tfidf_nb", "accuracy_99", "saturated", "one_group_at_zero")


def main(given: Sequence[str] | None = None) -> None:
    """The command."""
    options = _parser().parse_args(given)
    console, plan = Console(), _plan(options)
    missing = [e.title for e in entries() if e not in available() and _wanted(e, options)]
    if missing:
        console.print(f"Not there, and left out: {', '.join(missing)}; FEWLABELS_DATA says where pools lie.")
    if options.what == "run":
        work(plan, options.workers, again=options.again, console=console)
    if options.what == "bars" or options.quick:
        print_bars(plan.folder, plan.entries, options.subject, console)
    elif options.what == "page":
        page = write_page(plan.folder, plan.entries, options.subject, REPOSITORY / "docs")
        console.print(f"{page.relative_to(REPOSITORY)} is written.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.leaderboard", description=__doc__)
    parser.add_argument("what", choices=("run", "bars", "page"))
    parser.add_argument("--runs", type=int, help=f"of each pool, study and method, in tens; {RUNS}")
    parser.add_argument(
        "--quick", action="store_true", help=f"{QUICK_RUNS} runs on {len(QUICK_POOLS)} pools, then bars"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--batch", type=int, default=10, choices=(1, 10, 50), help="labels that come back at once")
    parser.add_argument("--pools", nargs="+", metavar="NAME", help="parts of names; or design, test, real, synthetic")
    parser.add_argument("--studies", nargs="+", choices=tuple(STUDIES), default=tuple(STUDIES))
    parser.add_argument("--methods", nargs="+", choices=tuple(METHODS))
    parser.add_argument("--subject", choices=tuple(METHODS), default="auto", help="the method that bars judge")
    parser.add_argument("--kept", type=Path, help="folder of finished cells")
    parser.add_argument("--again", action="store_true", help="do cells again that other code made")
    return parser


def _plan(options: argparse.Namespace) -> Plan:
    default = kept.FOLDER if options.batch == 10 else kept.FOLDER.with_name(f"kept-{options.batch}")
    return Plan(
        tuple(e for e in available() if _wanted(e, options)),
        tuple(options.studies),
        tuple(options.methods or (m for m in METHODS if not (options.quick and m == ABLATION))),
        options.runs or (QUICK_RUNS if options.quick else RUNS),
        options.kept or default,
        options.batch,
        FEWER_RUNS,
    )


def _wanted(entry: Entry, options: argparse.Namespace) -> bool:
    names = options.pools or (QUICK_POOLS if options.quick else None)
    kinds = {entry.role, "real" if entry.real else "synthetic"}
    return names is None or any(name in kinds or (name not in _KINDS and name in entry.title) for name in names)


_KINDS = ("design", "test", "real", "synthetic")

if __name__ == "__main__":
    main()
