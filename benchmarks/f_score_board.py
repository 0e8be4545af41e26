"""F-scores of rare classes: how far off, how often the interval holds the truth, and how wide it is.

    python -m benchmarks.f_score_board run --runs 200    draws labels; goes on where it was left
    python -m benchmarks.f_score_board page              writes docs/f-score-board.md

Every run is a random sub-pool (half of a pool, four fifths of a small one) and some of its classes, each against the
rest: four of those of at most 2 % of the items where a pool has such classes, else any two. Methods see the same
sub-pools, classes and seeds. Pools that methods were designed on and pools that only judge them are listed in
benchmarks/f_score_pools.toml. Standard errors are clustered by run. Finished runs are kept in benchmarks/kept/f_scores.
"""

import argparse
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import cast

import numpy as np
from benchmarks.kept_runs import FOLDER, KeptRuns, packed, unpacked
from benchmarks.leaderboard.judging import Bar, Figure, judged, median_of, ratio_of_means, share
from benchmarks.leaderboard.pools import REPOSITORY, Entry, data_folder, load

import fewlabels as fl
from fewlabels.assessment import assess
from fewlabels.core.arrays import Array
from fewlabels.engines import MemoryEngine, ModelOutputs, gathered, in_memory
from fewlabels.reading.answer import read
from fewlabels.reading.draws import DrawReading
from fewlabels.simulation.measures import Truth
from fewlabels.simulation.oracle import Known
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import run_seed

LISTED = REPOSITORY / "benchmarks" / "f_score_pools.toml"
LOOKS = (30, 50, 70, 100, 150, 200, 310)
ERRORS_AT, HELD_AT = (30, 70, 150, 310), (50, 100, 200, 310)
RARE, FEWEST = 0.02, 5  # the share of items that a rare class has at most, and how many it has at least in a sub-pool
CLASSES = {True: 4, False: 2}  # of each run: of rare ones, of others
BATCHES = {"1": (1,), "10": (10,), "50": (50,), "mixed": (7, 50, 1, 20)}
METHODS = {"difference": fl.Method("doubt", "difference"), "acis": fl.Method("acis", "acis")}
TOGETHER = "f1+precision+recall"
CURVE = "precision_recall"
METRICS = ("f1", "precision", "recall", TOGETHER, "average_precision", CURVE)
THE_REST = "the rest"
EXPECTED, WIDER = 10, 1.5  # positives among the labels from which on intervals may be so many times too wide at most
MOST_WIDER = 100.0  # that is told apart: figures may be exact
_MEDIAN = Bar(0.55, worst=False)
_AGAIN = 100
DIGITS = 4  # that are kept
_BLOCK = 10  # runs of a pool between two times that they are kept
TEXT = """# F-scores of rare classes, measured

Made by `python -m benchmarks.f_score_board`; do not edit. {about} What the list says of pools that are not clean any
more holds for these figures.

The runs of F1 and recall are of the draws and intervals before [decision 26](decisions/0026-positives-that-hide.md): a
tenth of the labels was not yet drawn below the items searched, and intervals were of the items searched.
"""


@dataclass(frozen=True)
class Case:
    """What is drawn: a pool, a metric, a method, and how labels come back."""

    entry: Entry
    rare: bool
    metric: str
    method: str
    batch: str

    @property
    def kept(self) -> KeptRuns:
        return KeptRuns(FOLDER / "f_scores" / f"{self.entry.title}.{self.metric}.{self.method}.{self.batch}.jsonl.xz")


@cache
def entries() -> tuple[tuple[Entry, bool], ...]:
    """Every pool on the list, with whether its rare classes are asked about."""
    with LISTED.open("rb") as file:
        told = tomllib.load(file)
    return tuple(
        (Entry(name, role, real=True), kind == "rare")  # type: ignore[arg-type]  # the list's own words
        for role in ("test", "design")
        for kind in ("rare", "common")
        for name in told[role][kind]
    )


def classes_of(pool: fl.Pool, run: int, *, rare: bool) -> list[str]:
    """Some classes of a sub-pool, at random."""
    label, predicted = np.array(pool.known_labels), in_memory(pool.engine).models["model"].predicted
    found = [
        name
        for place, name in enumerate(pool.classes)
        if FEWEST <= (label == name).sum() <= (RARE if rare else 1) * len(label) and (predicted == place).any()
    ]
    return [found[i] for i in np.random.default_rng([78, run]).permutation(len(found))[: CLASSES[rare]]]


def against_the_rest(pool: fl.Pool, name: str) -> fl.Pool:
    """The same items with two classes, this one and all others: the same answers to questions about it, and no sums
    over classes that nobody asks about."""
    engine, place = in_memory(pool.engine), pool.classes.index(name)
    models = {}
    for model, said in engine.models.items():
        hit = said.predicted == place
        full = said.probabilities
        score = np.where(hit, said.score, 1 - said.score) if full is None else full[:, place].astype(np.float64)
        both = np.stack([score, 1 - score], axis=1)
        models[model] = ModelOutputs((~hit).astype(np.int64), said.score, both)
    label = np.where(np.array(pool.known_labels) == name, name, THE_REST).astype(object)
    made = MemoryEngine(engine.ids, (name, THE_REST), (), models, {}, {}, label)
    vars(made)["hashes"] = engine.hashes  # of the same items, and slow to make
    return fl.Pool(made)


def studies(pool: fl.Pool, cases: Sequence[Case], name: str, seed: int) -> Iterator[tuple[Case, Array]]:
    """Of each case (n_figures, n_looks, 5): the truth, the value, and where they are read the ends of the interval and
    how many positives are labelled; of a curve see `of_curve`."""
    for (metric, method), mine in _alike(cases).items():
        question, parts = fl.Estimate(metric.split("+") if "+" in metric else metric, positive=name), METHODS[method]
        settings = fl.StudySettings(question, strategy=parts.strategy, estimator=parts.estimator)
        made = assess(settings, question, pool, "model")
        rows = gathered(pool.engine.scan("model", made.cells.axes))
        label = (np.array(pool.known_labels) != name).astype(np.int64)
        known = Known(made.cells, rows.cell, rows.predicted, label, rows.hashes)
        truth, deck = Truth(made, known).values, known.deal(seed)
        for case in mine:
            found = np.full((1 if metric == CURVE else len(truth), len(LOOKS), 5), np.nan)
            for at, evidence in enumerate(run_draws(made, deck, np.array(LOOKS), seed, BATCHES[case.batch])):
                hits, reading = (evidence.label == 0).sum(), read(made, evidence)
                if metric == CURVE:
                    found[0, at] = *of_curve(truth, cast(DrawReading, reading)), hits
                    continue
                found[:, at, :2] = [(t, f.value) for t, f in zip(truth, reading.findings, strict=True)]
                if LOOKS[at] in HELD_AT:
                    found[:, at, 2:] = [(f.low, f.high, hits) for f in reading.findings]
            yield case, found


def of_curve(truth: Array, reading: DrawReading) -> tuple[float, float, float, float]:
    """The share of its points that are inside their own intervals, whether all are inside their bands, and the mean
    widths of the two; where nothing is predicted there is no precision to hold."""
    alone = np.array([(f.low, f.high) for f in reading.findings])
    bands = np.array([(band["band_low"], band["band_high"]) for band in reading.bands])
    there = ~np.isnan(truth)
    inside = [(ends[:, 0] - 1e-9 <= truth) & (truth <= ends[:, 1] + 1e-9) for ends in (alone, bands)]
    wide = [float(np.diff(ends[there], axis=1).mean()) for ends in (alone, bands)]
    return float(inside[0][there].mean()), float(inside[1][there].all()), wide[0], wide[1]


def _alike(cases: Sequence[Case]) -> dict[tuple[str, str], list[Case]]:
    """Those that differ in their batches alone."""
    found: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        found.setdefault((case.metric, case.method), []).append(case)
    return found


def work(cases: Sequence[Case], runs: int, end: float) -> None:
    """Runs of one pool that are not kept yet; every case sees the same sub-pools."""
    entry, rare = cases[0].entry, cases[0].rare
    there = {case: set(case.kept.read()) for case in cases}
    for start in range(0, runs, _BLOCK):
        done: dict[Case, dict[int, list[object]]] = {case: {} for case in cases}
        for run in range(start, min(start + _BLOCK, runs)):
            to_do = [case for case in cases if run not in there[case]]
            if not to_do or time.monotonic() > end:
                continue
            pool = load(entry).sub_pool(run)
            for name in classes_of(pool, run, rare=rare):
                for case, found in studies(against_the_rest(pool, name), to_do, name, run_seed(0, run)):
                    done[case].setdefault(run, []).append(packed(found, DIGITS))
        for case, found in done.items():
            case.kept.add(found)


# -- what comes out ----------------------------------------------------------------------------------------------------


def figures(case: Case) -> tuple[Array, Array] | None:
    """Numbers of the runs and (n_runs, n_classes, n_figures, n_looks, 5); None where nothing is kept."""
    found = case.kept.read()
    return (np.array(list(found)), unpacked(list(found.values()), DIGITS)) if found else None


def in_common(*cases: Case) -> list[Array] | None:
    """The figures of runs that all of them have; None where one has none."""
    found = [figures(case) for case in cases]
    if any(one is None for one in found):
        return None
    both = set.intersection(*(set(one[0].tolist()) for one in found if one is not None))
    return [one[1][np.isin(one[0], list(both))] for one in found if one is not None]


def squared(found: Array, look: int) -> Array:
    """The mean squared error of each run and figure, (n_runs, n_figures)."""
    at = found[:, :, :, LOOKS.index(look)]
    return np.asarray(((np.nan_to_num(at[..., 1], nan=0.5) - at[..., 0]) ** 2).mean(axis=1))


def held(found: Array, look: int) -> Array:
    at = found[:, :, :, LOOKS.index(look)]
    return np.asarray((at[..., 2] <= at[..., 0]) & (at[..., 0] <= at[..., 3]), dtype=np.float64)


def widths(found: Array, look: int) -> tuple[float, float, float]:
    """The mean width, how many times wider than the same intervals rescaled to hold 95 %, and its standard error over
    runs drawn again."""
    truth, value, low, high, _ = np.moveaxis(found[:, :, :, LOOKS.index(look)].reshape(len(found), -1, 5), -1, 0)
    side = np.where(value > truth, value - low, high - value)
    off = np.abs(value - truth) / np.maximum(side, 1e-9)
    again = np.random.default_rng(0).integers(0, len(off), (_AGAIN, len(off)))
    wider = [1 / max(float(np.nanquantile(some, 0.95)), 1 / MOST_WIDER) for some in (off, *(off[i] for i in again))]
    return float((high - low).mean()), wider[0], float(np.std(wider[1:]))


def positives(found: Array, look: int) -> float:
    """Labelled by then, on average."""
    return float(found[:, :, :, LOOKS.index(look), 4].mean())


def ratio_rows() -> Iterator["Row"]:
    """The mean squared error of the difference estimator over that of ACIS, of each pool at each look."""
    for entry, rare in entries():
        both = in_common(*(Case(entry, rare, "f1", method, "10") for method in METHODS))
        if both is not None:
            ratios = [ratio_of_means(*(squared(one, look)[:, 0] for one in both)) for look in ERRORS_AT]
            yield Row(entry, rare, len(both[0]), _figures(entry, ratios))


def together_rows() -> Iterator["Row"]:
    """The mean squared error of one set of labels over that of labels drawn for one figure: the worst of three."""
    for entry, rare in entries():
        names = (TOGETHER, *TOGETHER.split("+"))
        found = in_common(*(Case(entry, rare, name, "difference", "10") for name in names))
        if found is None:
            continue
        ratios = []
        for look in ERRORS_AT:
            ours = squared(found[0], look)
            each = [ratio_of_means(ours[:, i], squared(one, look)[:, 0]) for i, one in enumerate(found[1:])]
            ratios.append(max(each))
        yield Row(entry, rare, len(found[0]), _figures(entry, ratios))


@dataclass(frozen=True)
class Row:
    """The figures of a pool, one a look."""

    entry: Entry
    rare: bool
    runs: int
    figures: list[Figure]

    @property
    def cells(self) -> tuple[str, ...]:
        kind = self.entry.role + ("" if self.rare else ", any class")
        return (self.entry.title, kind, str(self.runs), *(f"{f.value:.2f} ({f.se:.2f})" for f in self.figures))


def _figures(entry: Entry, ratios: Sequence[tuple[float, float]]) -> list[Figure]:
    return [Figure(entry, str(look), *ratio) for look, ratio in zip(ERRORS_AT, ratios, strict=True)]


def ratio_part(title: str, rows: Sequence["Row"], bar: Bar, median: Bar) -> list[str]:
    """A table, and what it says of the bars."""
    if not rows:
        return []
    parts = [f"## {title}\n", f"Bar of each pool {bar.words}, of the median {median.words}; batches of 10.\n"]
    parts.append(_table(("pool", "", "runs", *map(str, ERRORS_AT)), (row.cells for row in rows)))
    for role, rare in product(("test", "design"), (True, False)):
        mine = [f for row in rows if (row.entry.role, row.rare) == (role, rare) for f in judged(row.figures, bar)]
        if mine:
            value, se = median_of(mine)
            worst = max(mine, key=lambda f: f.value)
            verdicts = ", ".join(f"{sum(f.verdict == v for f in mine)} {v}" for v in ("met", "missed", "not shown"))
            parts.append(
                f"{'Rare' if rare else 'Any'} classes of {role} pools: median {value:.2f} ({se:.2f}), "
                f"{median.judge(value, se)}; worst {worst.value:.2f} ({worst.se:.2f}), {worst.entry.title} at "
                f"{worst.look}; each pool and look {verdicts}.\n"
            )
    return parts


def held_part(metric: str, method: str, batch: str) -> list[str]:
    """How often intervals held the truth, and how wide they are."""
    rows, shares, wide = [], list[tuple[float, float, str]](), list[tuple[float, float, str]]()
    for entry, rare in entries():
        kept = figures(Case(entry, rare, metric, method, batch))
        if kept is None:
            continue
        cells = []
        for look in HELD_AT:
            mean, se, _ = share(held(kept[1], look))
            width, wider, off = widths(kept[1], look)
            hits = positives(kept[1], look)
            cells.append(f"{100 * mean:.1f} ({100 * se:.1f}); {width:.2f}, {wider:.1f}×; {hits:.0f}")
            if entry.role == "test":
                shares.append((mean, se, f"{entry.title} at {look}"))
                if hits >= EXPECTED:
                    wide.append((wider, off, f"{entry.title} at {look}"))
        rows.append((entry.title, entry.role, str(len(kept[0])), *cells))
    if not rows:
        return []
    parts = [
        f"## {metric}: how often 95 % intervals hold the truth; `{method}`, batches: {batch}\n",
        "In percent, with standard error; mean width, and how many times wider than would hold 95 % "
        f"({MOST_WIDER:g} stands for as many or more); positives among the labels, on average.\n",
        _table(("pool", "", "runs", *map(str, HELD_AT)), iter(rows)),
    ]
    if shares:
        least = min(shares)
        parts.append(f"Least often of test pools: {100 * least[0]:.1f} ({100 * least[1]:.1f}), {least[2]}.")
    if wide:
        most = max(wide)
        inside = sum(value - 3 * se <= WIDER for value, se, _ in wide)
        parts.append(
            f"Of test pools from {EXPECTED} positives among the labels on: {most[0]:.1f} times ({most[1]:.1f}) wider "
            f"than would hold 95 % at most, {most[2]}; {inside} of {len(wide)} within {WIDER:g} and three standard "
            "errors.\n"
        )
    return parts


def curve_part(batch: str) -> list[str]:
    """How often points of curves were held, and whole curves."""
    rows, whole = [], list[tuple[float, float, str]]()
    for entry, rare in entries():
        kept = figures(Case(entry, rare, CURVE, "difference", batch))
        if kept is None:
            continue
        cells = []
        for look in HELD_AT:
            at = kept[1][:, :, 0, LOOKS.index(look)]
            (points, _, _), (all_of_it, se, _) = share(at[:, :, 0]), share(at[:, :, 1])
            alone, band = at[:, :, 2].mean(), at[:, :, 3].mean()
            cells.append(f"{100 * points:.1f}; {100 * all_of_it:.1f} ({100 * se:.1f}); {alone:.2f}, {band:.2f}")
            whole += [(all_of_it, se, f"{entry.title} at {look}")] if entry.role == "test" else []
        rows.append((entry.title, entry.role, str(len(kept[0])), *cells))
    if not rows:
        return []
    parts = [
        f"## Precision-recall curves: points and whole curves held; `difference`, batches: {batch}\n",
        "Eleven thresholds, precision and recall at each. In percent: points inside their own 95 % intervals; curves "
        "all of which is inside its bands, with standard error; mean widths of the two.\n",
        _table(("pool", "", "runs", *map(str, HELD_AT)), iter(rows)),
    ]
    if whole:
        least, mean = min(whole), np.mean([one[0] for one in whole])
        parts.append(
            f"Whole curves of test pools: {100 * mean:.1f} on average, {100 * least[0]:.1f} ({100 * least[1]:.1f}) at "
            f"least, {least[2]}.\n"
        )
    return parts


def page() -> str:
    """What was measured, as a page."""
    about = " ".join((__doc__ or "").split("\n\n")[2].split())
    parts = [TEXT.format(about=about)]
    parts += ratio_part("f1: mean squared error, over that of `acis`", list(ratio_rows()), Bar(0.85), _MEDIAN)
    title = "f1, precision and recall from one set of labels: the worst mean squared error, over that of each by itself"
    parts += ratio_part(title, list(together_rows()), Bar(2.0), Bar(1.3, worst=False))
    parts += curve_part("10")
    for metric, method, batch in product([m for m in METRICS if m != CURVE], METHODS, BATCHES):
        parts += held_part(metric, method, batch)
    return "\n".join(parts)


def _table(head: Sequence[str], rows: Iterator[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--pools", nargs="+", default=[""], help="names, or design, test")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--metrics", nargs="+", choices=METRICS, default=["f1"])
    parser.add_argument("--batches", nargs="+", choices=BATCHES, default=["10"])
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no run is begun after so many")
    options = parser.parse_args()
    if options.what == "page":
        (REPOSITORY / "docs" / "f-score-board.md").write_text(page())
        return
    end = time.monotonic() + 60 * options.minutes
    for entry, rare in entries():
        if (
            any(part in (entry.title, entry.role, "") for part in options.pools)
            and (data_folder() / entry.name).exists()
        ):
            chosen = product(options.metrics, options.methods, options.batches)
            work([Case(entry, rare, *each) for each in chosen], options.runs, end)
            print(entry.title, flush=True)


if __name__ == "__main__":
    main()
