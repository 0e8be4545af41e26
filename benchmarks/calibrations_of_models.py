"""Calibration errors of two models, from one uniform sample: how far off the difference is, how often its interval
holds the truth, how wide it is, and how often a verdict that it gives is right.

    python -m benchmarks.calibrations_of_models --runs 40 [--sets design|test|NAME …]

Sub-pools, pairs and seeds are those of benchmarks/models; the rope is .01. *Plain* is the difference of the errors that
frequencies in bins show, from the same labels. Figures are in points; standard errors are of runs.
"""

import argparse
import os
from dataclasses import replace

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded

import numpy as np
from benchmarks.models.pools import ModelSet, sets
from rich.console import Console
from rich.table import Table

import fewlabels as fl
from fewlabels.assessment import Assessment
from fewlabels.core.evidence import Evidence
from fewlabels.reading.answer import read
from fewlabels.reading.calibrations import CalibrationsReading, EachModelAsked
from fewlabels.reading.cells import CellReading
from fewlabels.simulation.compiled import fast
from fewlabels.simulation.run import run_draws
from fewlabels.simulation.simulate import prepare, run_seed

LOOKS, SEED, BATCH = (50, 100, 200, 500, 1000), 13, 50


def run(one: ModelSet, a: str, b: str, number: int) -> dict[int, tuple[float, ...]]:
    """By look: the truth, the value and the ends, the plain difference, and whether there is a verdict and it is
    right."""
    question = fl.CompareModels("calibration_error", a, b)
    job = prepare(one.pool(number), None, question, [fl.Method()], np.array([1]), SEED, None)
    (made,), (known,), seed = job.assessments, job.known, run_seed(SEED, number)
    truth = float(EachModelAsked.of(made).models.exact(known.label, known.cell, made.view.groups)[0])
    looks, out = [n for n in LOOKS if n < len(known.label)], {}
    for look, evidence in zip(looks, run_draws(made, known.deal(seed), np.array(looks), seed, (BATCH,)), strict=True):
        reading = read(made, evidence)
        assert isinstance(reading, CalibrationsReading)
        found, said = reading.overall, reading.at_one_look
        right = {"better": truth < 0, "worse": truth > 0, "tied": abs(truth) <= question.rope, "open": False}[said]
        out[look] = (truth, found.value, found.low, found.high, plain(made, evidence), float(said != "open"), right)
    return out


def plain(made: Assessment, evidence: Evidence) -> float:
    """By frequencies."""
    asked, errors = EachModelAsked.of(made), []
    for one, assessed in zip(asked.models.each, asked.alone, strict=True):
        by = replace(assessed, settings=replace(assessed.settings, estimator="frequency"))
        overall = CellReading(by, one.of(evidence), 0.95).overall
        assert overall is not None
        errors.append(overall.value)
    return errors[0] - errors[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--sets", nargs="+", default=["design"], help="names, or design, test")
    options, console = parser.parse_args(), Console(width=150)
    for one in sets():
        if one.name not in options.sets and one.role not in options.sets:
            continue
        for a, b in one.pairs:
            with fast():
                runs = [run(one, a, b, number) for number in range(options.runs)]
            table = Table("labels", "difference", "off by", "plain", "held %", "width", "verdicts", "right")
            for look in runs[0]:
                t, v, low, high, other, said, right = np.array([r[look] for r in runs]).T
                held = (low - 1e-12 <= t) & (t <= high + 1e-12)
                off, theirs = (100 * np.sqrt(((x - t) ** 2).mean()) for x in (v, other))
                se = 100 * held.std() / np.sqrt(len(held))
                cells = (f"{look:,}", f"{100 * t.mean():+.1f}", f"{off:.2f}", f"{theirs:.2f}")
                table.add_row(*cells, f"{100 * held.mean():.1f} ({se:.1f})", f"{100 * (high - low).mean():.1f}",
                              f"{said.mean():.0%}", f"{right[said > 0].mean():.0%}" if said.any() else "–")  # fmt: skip
            console.print(f"{one.name} ({one.role}): {a} against {b}, {options.runs} runs", table)


if __name__ == "__main__":
    main()
