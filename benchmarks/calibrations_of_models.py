"""Calibration errors of two models, from one uniform sample: how far off the difference is, how often its interval
holds the truth, how wide it is, how often a verdict that it gives is right, and where a study stops.

    python -m benchmarks.calibrations_of_models run --runs 200 [--sets design|test|NAME …] [--minutes 30]
    python -m benchmarks.calibrations_of_models page              writes docs/calibrations-board.md

Sub-pools, pairs and seeds are those of benchmarks/models; the rope is .01. *Plain* is the difference of the errors that
frequencies in bins show, from the same labels. A study stops at the first of the looks at which a region has the
probability that `until=fl.Probability(0.95)` takes. A uniform sample is the same in whatever batches labels come back.
Figures are in points; standard errors are of runs. Finished runs are kept in benchmarks/kept/calibrations.
"""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import numpy as np
from benchmarks.kept_runs import FOLDER, KeptRuns, packed, unpacked
from benchmarks.leaderboard.pools import REPOSITORY
from benchmarks.models.pools import ModelSet, sets
from rich.console import Console

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array
from fewlabels.core.certificate import bars
from fewlabels.core.evidence import Evidence
from fewlabels.reading.answer import read
from fewlabels.reading.calibrations import CalibrationsReading, EachModelAsked
from fewlabels.simulation.compiled import fast
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare, run_seed

LOOKS = (20, 50, 100, 150, 200, 300, 500, 700, 1000)
SHOWN = (20, 50, 100, 200, 500, 1000)
SEED, BATCH, BLOCK, DIGITS, ROPE = 13, 10, 20, 5, 0.01
SURE = bars(0.95)[1]  # what a stop takes of a region
TRUTH, VALUE, LOW, HIGH, PLAIN, LESS, SAME, MORE = range(8)  # what is kept of each look


def kept_of(one: ModelSet, a: str, b: str) -> KeptRuns:
    """The runs of a pair."""
    return KeptRuns(FOLDER / "calibrations" / f"{one.name}.{a}~{b}.jsonl.xz")


def run(one: ModelSet, a: str, b: str, number: int) -> list[list[float]]:
    """By look: the truth, the value and the ends, the plain difference, and the probability of each region."""
    question = fl.CompareModels("calibration_error", a, b, rope=ROPE)
    job = prepare(one.pool(number), None, question, [fl.Method()], np.array([1]), SEED, None)
    (made,), (known,), seed = job.assessments, job.known, run_seed(SEED, number)
    truth = float(EachModelAsked.of(made).models.exact(known.label, known.cell, made.view.groups)[0])
    looks, out = np.array([n for n in LOOKS if n < len(known.label)]), []
    for evidence in run_draws(made, known.deal(seed), looks, seed, (BATCH,)):
        reading = read(made, evidence)
        assert isinstance(reading, CalibrationsReading)
        found = reading.overall
        out.append([truth, found.value, found.low, found.high, plain(made, evidence), *reading.regions(-1)])
    return packed(np.array(out), DIGITS)


def plain(made: Assessment, evidence: Evidence) -> float:
    """By frequencies."""
    asked, errors = EachModelAsked.of(made), []
    for one, assessed in zip(asked.models.each, asked.alone, strict=True):
        by = replace(assessed, settings=replace(assessed.settings, estimator="frequency"))
        shown = by.metric.mean_values(by.belief(one.of(evidence)), by.view)
        assert shown is not None
        errors.append(float(shown[0]))
    return errors[0] - errors[1]


def stop_of(looks: Array) -> tuple[int, bool] | None:
    """The labels at which a study stops, and whether what it says then is right."""
    for labels, look in zip(LOOKS, looks, strict=False):
        chances = look[[LESS, SAME, MORE]]
        if labels >= CalibrationsReading.fewest and chances.max() >= SURE:
            truth = look[TRUTH]
            return labels, bool((truth < 0, abs(truth) <= ROPE, truth > 0)[int(chances.argmax())])
    return None


def lines_of(one: ModelSet, a: str, b: str) -> Iterator[str]:
    """A pair's rows of the page."""
    runs = [unpacked(found, DIGITS) for found in kept_of(one, a, b).read().values()]
    if not runs:
        return
    stops = [stop for stop in map(stop_of, runs) if stop is not None]
    right = f"{sum(r for _, r in stops)} of {len(stops)}" if stops else "–"
    at = f"{np.median([n for n, _ in stops]):.0f}" if stops else "–"
    for labels in SHOWN:
        place = LOOKS.index(labels)
        if place >= len(runs[0]):
            continue
        looks = np.array([found[place] for found in runs])
        t, low, high = looks[:, TRUTH], looks[:, LOW], looks[:, HIGH]
        held = (low <= t) & (t <= high)
        off, theirs = (100 * np.sqrt(((looks[:, x] - t) ** 2).mean()) for x in (VALUE, PLAIN))
        less, more = high < -ROPE, low > ROPE
        tied = (low >= -ROPE) & (high <= ROPE)
        said = less | more | tied
        true = (less & (t < 0)) | (more & (t > 0)) | (tied & (np.abs(t) <= ROPE))
        verdicts = f"{true.sum()} of {said.sum()}" if said.any() else "–"
        figures = f"{off:.1f} | {theirs:.1f} | {_share(held)} | {100 * (high - low).mean():.0f} | {verdicts}"
        first = f"{one.name}: {a}, {b} | {len(runs)} | {100 * t.mean():+.1f}" if labels == SHOWN[0] else " | | "
        yield f"| {first} | {labels:,} | {figures} | {f'{right} | {at}' if labels == SHOWN[0] else ' | '} |"


def _share(held: Array) -> str:
    return f"{100 * held.mean():.1f} ({100 * held.std() / np.sqrt(len(held)):.1f})"


def write_page() -> None:
    """docs/calibrations-board.md."""
    head = (
        "| pair | runs | difference | labels | off by | plain | held % | width | verdicts right | stops right | at |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|"
    )
    parts = ["# Calibration errors of two models", " ".join(str(__doc__).split("\n\n")[2].split())]
    parts.append("Made by `python -m benchmarks.calibrations_of_models page`.")
    for role, title in (("test", "Pairs that only judge"), ("design", "Pairs that it was designed on")):
        rows = [line for one in sets() if one.role == role for a, b in one.pairs for line in lines_of(one, a, b)]
        parts.append(f"## {title}\n\n{head}\n" + "\n".join(rows))
    (REPOSITORY / "docs" / "calibrations-board.md").write_text("\n\n".join(parts) + "\n")


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "page"))
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--sets", nargs="+", default=["design", "test"], help="names, or design, test")
    parser.add_argument("--pairs", type=int, help="of each set, the first so many; else all")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="no run is begun after so many")
    options, console = parser.parse_args(given), Console(width=120)
    if options.what == "page":
        write_page()
        return
    end = time.monotonic() + 60 * options.minutes
    for start in range(0, options.runs, BLOCK):
        for one in sets():
            if one.name not in options.sets and one.role not in options.sets:
                continue
            for a, b in one.pairs[: options.pairs]:
                kept, found = kept_of(one, a, b), {}
                for number in sorted(set(range(start, min(start + BLOCK, options.runs))) - set(kept.read())):
                    if time.monotonic() < end:
                        with fast():
                            found[number] = run(one, a, b, number)
                kept.add(found)
        console.print(f"{min(start + BLOCK, options.runs)} runs")


if __name__ == "__main__":
    main()
