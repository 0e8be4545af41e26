"""Where a simple rival could be better: fewlabels against it on the same pools.

    python -m benchmarks.edges simple scores --runs 60 [--batches 1 10 50] [--cells 0.1]
    python -m benchmarks.edges simple sure|two|ones --runs 60

"scores": recall and F1 of models that only say yes or no. "sure": overall accuracy of models right in 99 of 100.
"two": accuracy in two groups by scores that tell little. "ones": accuracy by class and by a column, all scores 1.

Printed of each cell: how many intervals hold the truth in percent, the squared error times 10,000, and against each
rival the ratio of the squared errors with its upper 95 % limit (one-sided, paired by run).
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from benchmarks.edges import simple_accuracy, simple_scores

from fewlabels.core.arrays import Array

UPPER = 1.645
OURS = "fewlabels"
LOOKS = (50, 100, 200, 500)
Runs = dict[str, Array]  # of each method (n_runs, n_looks, …, 4): the truth, the value, and the ends of the interval


def ratio(ours: Array, theirs: Array) -> tuple[float, float]:
    """Mean(ours) / mean(theirs) of squared errors paired by run, and its upper limit by the delta method on the log."""
    one, two = float(ours.mean()), float(theirs.mean())
    error = np.std(ours / one - theirs / two, ddof=1) / np.sqrt(len(ours))
    return one / two, one / two * float(np.exp(UPPER * error))


def squares(found: Array) -> Array:
    """(n_runs, n_looks) squared errors; those of groups are weighed by their shares of the items."""
    squared = (found[..., 1] - found[..., 0]) ** 2
    return np.asarray(squared if squared.ndim == 2 else (squared * found[..., 4]).sum(axis=2))


def printed(title: str, looks: Sequence[int], runs: Runs) -> None:
    """The rows of a cell."""
    ours = squares(runs[OURS])
    for name, found in runs.items():
        held = (found[..., 2] - 1e-9 <= found[..., 0]) & (found[..., 0] <= found[..., 3] + 1e-9)
        known = ~np.isnan(found[..., 2])
        share = 100 * np.array([held[:, i][known[:, i]].mean() for i in range(len(looks))])
        error = squares(found)
        words = f"held {' '.join(f'{s:.0f}' for s in share)}; MSE {' '.join(f'{e:.2f}' for e in 1e4 * error.mean(0))}"
        if name != OURS:
            each = [ratio(ours[:, i], error[:, i]) for i in range(len(looks))]
            mean = float(np.exp(np.mean([np.log(r) for r, _ in each])))
            words += f"; ratio {' '.join(f'{r:.2f} (<{u:.2f})' for r, u in each)}; mean {mean:.2f}"
        print(f"{title} | {name} | {words}", flush=True)


def scores(options: argparse.Namespace) -> None:
    for recipe in simple_scores.RECIPES:
        for metric in simple_scores.METRICS:
            for batch in options.batches:
                if options.cells in recipe:
                    found = [simple_scores.run(recipe, metric, run, batch) for run in range(options.runs)]
                    runs = {name: np.array([one[name] for one in found]) for name in found[0]}
                    printed(f"{recipe} | {metric} | {batch}", simple_scores.LOOKS, runs)


def _each(options: argparse.Namespace, pools: dict[str, Any], run: Callable[[Any, int, int], dict[str, Array]]) -> None:
    for name, make in pools.items():
        for batch in options.batches:
            if options.cells in name:
                found = [run(make, number, batch) for number in range(options.runs)]
                printed(f"{name} | {batch}", LOOKS, {key: np.array([one[key] for one in found]) for key in found[0]})


def sure(options: argparse.Namespace) -> None:
    _each(options, simple_accuracy.SURE, lambda *about: simple_accuracy.overall(about[0], LOOKS, *about[1:]))


def two(options: argparse.Namespace) -> None:
    _each(options, simple_accuracy.TWO, lambda *about: simple_accuracy.by_group(about[0], LOOKS, *about[1:], "grp"))


def ones(options: argparse.Namespace) -> None:
    for column, by in ((False, "predicted_class"), (True, "grp")):
        pools = {name: make for name, make in simple_accuracy.ONES.items() if name.endswith("column") == column}
        _each(options, pools, lambda *about, by=by: simple_accuracy.by_group(about[0], LOOKS, *about[1:], by))


SECTIONS: dict[str, Callable[[argparse.Namespace], None]] = {"scores": scores, "sure": sure, "two": two, "ones": ones}


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=SECTIONS)
    parser.add_argument("--runs", type=int, default=60)
    parser.add_argument("--batches", nargs="+", type=int, default=[10])
    parser.add_argument("--cells", default="", help="a part of the names of the cells")
    options = parser.parse_args(given)
    SECTIONS[options.section](options)


if __name__ == "__main__":
    main()
