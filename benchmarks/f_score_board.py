"""F-scores of rare classes: how far off, how often the interval holds the truth, and how wide it is.

    python -m benchmarks.f_score_board run --runs 200 --kept FOLDER    draws labels; goes on where it was left
    python -m benchmarks.f_score_board page --kept FOLDER              writes docs/f-score-board.md

Every run is a random sub-pool (half of a pool, four fifths of a small one) and some of its classes, each against the
rest: those of at most 2 % of the items where a pool has such classes, else all. Methods see the same sub-pools, classes
and seeds. Pools that methods were designed on and pools that only judge them are listed in
benchmarks/f_score_pools.toml. Standard errors are clustered by run.
"""

import argparse
import json
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
from benchmarks.leaderboard.judging import Bar, Figure, judged, median_of, ratio_of_means, share
from benchmarks.leaderboard.pools import REPOSITORY, Entry, data_folder, load

import fewlabels as fl
from fewlabels.assessment import assess
from fewlabels.core.arrays import Array
from fewlabels.engines import gathered, in_memory
from fewlabels.reading.answer import read
from fewlabels.simulation.measures import Truth
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import run_seed

LISTED = REPOSITORY / "benchmarks" / "f_score_pools.toml"
LOOKS = (30, 50, 70, 100, 150, 200, 310)
ERRORS_AT, HELD_AT = (30, 70, 150, 310), (50, 100, 200, 310)
RARE, FEWEST = 0.02, 5  # the share of items that a rare class has at most, and how many it has at least in a sub-pool
BATCHES = {"1": (1,), "10": (10,), "50": (50,), "mixed": (7, 50, 1, 20)}
METHODS = {"difference": fl.Method("doubt", "difference"), "acis": fl.Method("acis", "acis")}
METRICS = {"f1": 0.5, "recall": 0.0, "precision": 1.0}
TEXT = """# F-scores of rare classes, measured

Made by `python -m benchmarks.f_score_board`; do not edit. {about} What the list says of pools that are not clean any
more holds for these figures.
"""


@dataclass(frozen=True)
class Case:
    """What is drawn: a pool, a metric, a method, and how labels come back."""

    entry: Entry
    rare: bool
    metric: str
    method: str
    batch: str

    def file(self, folder: Path) -> Path:
        return folder / f"{self.entry.title}.{self.metric}.{self.method}.{self.batch}.json"


@cache
def entries() -> tuple[tuple[Entry, bool], ...]:
    """Every pool on the list, with whether its rare classes are asked about."""
    with LISTED.open("rb") as file:
        told = tomllib.load(file)
    return tuple(
        (Entry(name, role, real=True), kind == "rare")  # type: ignore[arg-type]  # the list's own words
        for role in ("design", "test")
        for kind in ("rare", "common")
        for name in told[role][kind]
    )


def classes_of(pool: fl.Pool, run: int, per: int, *, rare: bool) -> list[str]:
    """Some classes of a sub-pool, at random."""
    label, predicted = np.array(pool.known_labels), in_memory(pool.engine).models["model"].predicted
    found = [
        name
        for place, name in enumerate(pool.classes)
        if FEWEST <= (label == name).sum() <= (RARE if rare else 1) * len(label) and (predicted == place).any()
    ]
    return [found[i] for i in np.random.default_rng([78, run]).permutation(len(found))[:per]]


def one(pool: fl.Pool, case: Case, name: str, seed: int) -> list[list[float]]:
    """The truth, the value and the ends of the interval, at each look."""
    question, method = fl.Estimate(case.metric, positive=name), METHODS[case.method]
    settings = fl.StudySettings(question, strategy=method.strategy, estimator=method.estimator)
    assessment = assess(settings, question, pool, "model")
    where = {name: i for i, name in enumerate(pool.true_classes)}
    rows = gathered(pool.engine.scan("model", assessment.cells.axes))
    label = np.array([where[str(one)] for one in pool.known_labels])
    known = Known(assessment.cells, rows.cell, rows.predicted, label, rows.hashes)
    truth = float(Truth(assessment, known).values[0])
    looks = np.array(LOOKS)
    out = []
    for evidence in run_draws(assessment, known.deal(seed), looks, seed, BATCHES[case.batch]):
        finding = read(assessment, evidence).findings[0]
        out.append([truth, finding.value, finding.low, finding.high])
    return out


def work(cases: Sequence[Case], runs: int, per: int, folder: Path) -> None:
    """Runs of one pool that are not kept yet; every case sees the same sub-pools."""
    entry, rare = cases[0].entry, cases[0].rare
    kept = {case: json.loads(f.read_text()) if (f := case.file(folder)).exists() else [] for case in cases}
    for run in range(min(map(len, kept.values())), runs):
        pool, seed = load(entry).sub_pool(run), run_seed(0, run)
        names = classes_of(pool, run, per, rare=rare)
        for case, found in kept.items():
            if len(found) == run:
                found.append([one(pool, case, name, seed) for name in names])
                case.file(folder).write_text(json.dumps(found))


# -- what comes out ----------------------------------------------------------------------------------------------------


def figures(case: Case, folder: Path) -> Array | None:
    """(n_runs, n_classes, n_looks, 4): truth, value, low, high; None where nothing is kept."""
    file = case.file(folder)
    return np.array(json.loads(file.read_text())) if file.exists() else None


def squared(found: Array, look: int) -> Array:
    """The mean squared error of each run."""
    at = found[:, :, LOOKS.index(look)]
    return np.asarray(((np.nan_to_num(at[:, :, 1], nan=0.5) - at[:, :, 0]) ** 2).mean(axis=1))


def held(found: Array, look: int) -> Array:
    at = found[:, :, LOOKS.index(look)]
    return np.asarray((at[..., 2] <= at[..., 0] + 1e-9) & (at[..., 0] <= at[..., 3] + 1e-9), dtype=np.float64)


def widths(found: Array, look: int) -> tuple[float, float]:
    """The mean width, and how many times wider than the same intervals rescaled to hold 95 %."""
    truth, value, low, high = np.moveaxis(found[:, :, LOOKS.index(look)].reshape(-1, 4), -1, 0)
    side = np.where(value > truth, value - low, high - value)
    needed = np.quantile(np.abs(value - truth) / np.maximum(side, 1e-9), 0.95)
    return float((high - low).mean()), float(1 / needed)


def ratio_rows(folder: Path, metric: str) -> Iterator[tuple[Entry, bool, list[Figure], int]]:
    """The mean squared error of the difference estimator over that of ACIS, of each pool at each look."""
    for entry, rare in entries():
        ours, theirs = (figures(Case(entry, rare, metric, m, "10"), folder) for m in ("difference", "acis"))
        if ours is None or theirs is None:
            continue
        n = min(len(ours), len(theirs))
        found = [
            Figure(entry, str(look), *ratio_of_means(squared(ours[:n], look), squared(theirs[:n], look)))
            for look in ERRORS_AT
        ]
        yield entry, rare, found, n


def held_rows(folder: Path, metric: str, batch: str, method: str) -> Iterator[tuple[Entry, list[str]]]:
    for entry, rare in entries():
        found = figures(Case(entry, rare, metric, method, batch), folder)
        if found is not None:
            cells = []
            for look in HELD_AT:
                mean, se, _ = share(held(found, look))
                width, wider = widths(found, look)
                cells.append(f"{100 * mean:.1f} ({100 * se:.1f}); {width:.2f}, {wider:.1f}×")
            yield entry, cells


def page(folder: Path) -> str:
    """What was measured, as a page."""
    about = (__doc__ or "").split("\n\n")[2].replace("\n", " ")
    parts = [TEXT.format(about=about)]
    for metric in METRICS:
        rows = list(ratio_rows(folder, metric))
        if not rows:
            continue
        bar = Bar(0.85)
        parts.append(
            f"## {metric}: mean squared error, over that of `acis`\n\nBar of each pool {bar.limit:g}, batches of 10.\n"
        )
        parts.append(_table(("pool", "", "runs", *map(str, ERRORS_AT)), (
            (e.title, e.role + ("" if rare else ", all classes"), str(n), *(f"{f.value:.2f} ({f.se:.2f})" for f in fs))
            for e, rare, fs, n in rows
        )))  # fmt: skip
        for role in ("design", "test"):
            mine = [f for e, rare, fs, _ in rows for f in judged(fs, bar) if e.role == role and rare]
            if mine:
                value, se = median_of(mine)
                worst = max(mine, key=lambda f: f.value)
                verdicts = ", ".join(f"{sum(f.verdict == v for f in mine)} {v}" for v in ("met", "missed", "not shown"))
                parts.append(
                    f"Rare classes of {role} pools: median {value:.2f} ({se:.2f}); worst {worst.value:.2f} "
                    f"({worst.se:.2f}), {worst.entry.title} at {worst.look}; {verdicts}.\n"
                )
    for metric in METRICS:
        for method, batch in (
            ("difference", "10"),
            ("difference", "1"),
            ("difference", "50"),
            ("difference", "mixed"),
            ("acis", "10"),
        ):
            rows = list(held_rows(folder, metric, batch, method))
            if rows:
                parts.append(
                    f"## {metric}: how often 95 % intervals hold the truth; `{method}`, batches: {batch}\n\n"
                    "In percent, with standard error; mean width, and how many times wider than would hold 95 %.\n"
                )
                parts.append(_table(("pool", "", *map(str, HELD_AT)), ((e.title, e.role, *cells) for e, cells in rows)))
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--classes", type=int, default=2, help="of each run")
    parser.add_argument("--pools", nargs="+", default=[""], help="parts of names")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--metrics", nargs="+", choices=METRICS, default=["f1"])
    parser.add_argument("--batches", nargs="+", choices=BATCHES, default=["10"])
    parser.add_argument("--kept", type=Path, required=True)
    options = parser.parse_args()
    if options.what == "page":
        (REPOSITORY / "docs" / "f-score-board.md").write_text(page(options.kept))
        return
    options.kept.mkdir(parents=True, exist_ok=True)
    for entry, rare in entries():
        if any(part in entry.title for part in options.pools) and (data_folder() / entry.name).exists():
            chosen = product(options.metrics, options.methods, options.batches)
            work([Case(entry, rare, *each) for each in chosen], options.runs, options.classes, options.kept)
            print(entry.title, flush=True)


if __name__ == "__main__":
    main()
