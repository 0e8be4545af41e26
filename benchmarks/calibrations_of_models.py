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
from dataclasses import dataclass, replace
from functools import cached_property

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import numpy as np
from benchmarks.kept_runs import FOLDER, KeptRuns, packed, unpacked
from benchmarks.leaderboard.pools import REPOSITORY
from benchmarks.models.pools import ModelSet, sets
from rich.console import Console

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.core.arrays import Array, Bools
from fewlabels.core.certificate import bar_of_models
from fewlabels.core.evidence import Evidence
from fewlabels.reading.answer import read
from fewlabels.reading.calibrations import CalibrationsReading, EachModelAsked
from fewlabels.simulation.compiled import fast
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare, run_seed

LOOKS = (20, 50, 100, 150, 200, 300, 500, 700, 1000)
SHOWN = (20, 50, 100, 200, 500, 1000)
SEED, BATCH, BLOCK, DIGITS, ROPE = 13, 10, 20, 5, 0.01
SURE = bar_of_models(0.95)  # what a stop takes of a region
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


@dataclass(frozen=True)
class Look:
    """What the runs of a pair say after so many labels."""

    found: Array  # (n_runs, 8)

    @cached_property
    def held(self) -> Bools:
        return (self.found[:, LOW] <= self.found[:, TRUTH]) & (self.found[:, TRUTH] <= self.found[:, HIGH])

    def off(self, what: int) -> float:
        """In points, the root of the mean square."""
        return float(100 * np.sqrt(((self.found[:, what] - self.found[:, TRUTH]) ** 2).mean()))

    @cached_property
    def verdicts(self) -> tuple[int, int]:
        """Those that are right, and all."""
        truth, low, high = self.found[:, [TRUTH, LOW, HIGH]].T
        less, more, tied = high < -ROPE, low > ROPE, (low >= -ROPE) & (high <= ROPE)
        right = (less & (truth < 0)) | (more & (truth > 0)) | (tied & (np.abs(truth) <= ROPE))
        return int(right.sum()), int((less | more | tied).sum())


@dataclass(frozen=True)
class Pair:
    """Two models, and the runs that are there."""

    name: str
    runs: tuple[Array, ...]

    @cached_property
    def looks(self) -> dict[int, Look]:
        """By the number of labels."""
        return {n: Look(np.array([run[k] for run in self.runs])) for k, n in enumerate(LOOKS[: len(self.runs[0])])}

    @cached_property
    def stops(self) -> list[tuple[int, bool]]:
        return [stop for stop in map(stop_of, self.runs) if stop is not None]

    def lines(self) -> Iterator[str]:
        """Rows of the page."""
        at = f"{np.median([n for n, _ in self.stops]):.0f}" if self.stops else "–"
        for labels in (n for n in SHOWN if n in self.looks):
            look, first = self.looks[labels], labels == SHOWN[0]
            truth, width = look.found[:, TRUTH].mean(), (look.found[:, HIGH] - look.found[:, LOW]).mean()
            figures = f"{look.off(VALUE):.1f} | {look.off(PLAIN):.1f} | {_share(look.held)} | {100 * width:.0f}"
            whose = f"{self.name} | {len(self.runs)} | {100 * truth:+.1f}" if first else " | | "
            stops = f"{_right(*_count(self.stops))} | {at}" if first else " | "
            yield f"| {whose} | {labels:,} | {figures} | {_right(*look.verdicts)} | {stops} |"


def pairs_of(role: str) -> list[Pair]:
    """Pairs that there are runs of."""
    found = []
    for one in (one for one in sets() if one.role == role):
        for a, b in one.pairs:
            runs = tuple(unpacked(run, DIGITS) for run in kept_of(one, a, b).read().values())
            found += [Pair(f"{one.name}: {a}, {b}", runs)] if runs else []
    return found


def summary(pairs: Sequence[Pair]) -> Iterator[str]:
    """All pairs together."""
    yield "| labels | pairs | held % | least | off by, over plain: median | largest | verdicts right |"
    yield "|---|---|---|---|---|---|---|"
    for labels in SHOWN:
        looks = {pair.name: pair.looks[labels] for pair in pairs if labels in pair.looks}
        least = min(looks, key=lambda name: float(looks[name].held.mean()))
        over = [look.off(VALUE) / look.off(PLAIN) for look in looks.values()]
        right, said = (sum(x) for x in zip(*(look.verdicts for look in looks.values()), strict=True))
        mean = 100 * np.mean([look.held.mean() for look in looks.values()])
        first = f"{labels:,} | {len(looks)} | {mean:.1f} | {_share(looks[least].held)} {least}"
        yield f"| {first} | {np.median(over):.2f} | {max(over):.2f} | {_right(right, said)} |"
    yield f"\nStops that are right: {_right(*_count([stop for pair in pairs for stop in pair.stops]))}."


def _count(stops: Sequence[tuple[int, bool]]) -> tuple[int, int]:
    return sum(right for _, right in stops), len(stops)


def _right(right: int, said: int) -> str:
    return f"{right:,} of {said:,}" if said else "–"


def _share(held: Bools) -> str:
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
        if pairs := pairs_of(role):
            rows = "\n".join(line for pair in pairs for line in pair.lines())
            parts.append(f"## {title}\n\n" + "\n".join(summary(pairs)) + f"\n\n{head}\n{rows}")
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
