"""What a fit of the hierarchical belief and 500 draws from it take, with Numba and without: milliseconds of processor
time, the least of several, for so many groups of twelve cells and so many labels.

    python benchmarks/fit.py
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy is loaded: threads would be counted too

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.special import expit

from fewlabels.core.recalibration import RecalibratedRates, draws, fit, model_of
from fewlabels.simulation.compiled import fast

CASES = ((20, 200), (100, 1000), (1000, 200), (1000, 1000), (1000, 5000))


def made(groups: int, labels: int) -> RecalibratedRates:
    """Scores that are off by a little more in some groups than in others."""
    rng = np.random.default_rng([groups, labels])
    group = np.repeat(np.arange(groups), 12)
    z, size = rng.normal(2, 1.5, len(group)), rng.integers(5, 30, len(group))
    told = np.minimum(np.bincount(rng.choice(len(group), labels), minlength=len(group)), size)
    hits = rng.binomial(told, expit(z + rng.normal(0, 0.5, groups)[group]))
    return RecalibratedRates(model_of(expit(z), size, group), hits + 0.0, told - hits + 0.0, size)


def least(what: Callable[[], object], times: int) -> float:
    spent = []
    for _ in range(times):
        start = time.process_time()
        what()
        spent.append(time.process_time() - start)
    return 1e3 * min(spent)


def spent(case: tuple[int, int]) -> tuple[float, float]:
    """On a fit, and on draws."""
    belief = made(*case)
    told = (belief.hits[belief.model.order], belief.labels[belief.model.order])
    fitted, rng = fit.fit(belief.model, *told), np.random.default_rng(0)
    fits = least(lambda: fit.fit(belief.model, *told), 5)
    return fits, least(lambda: draws.draw(belief.model, fitted, *told, 500, rng), 3)


def main() -> None:
    """Print the table."""
    with fast():
        compiled = [spent(case) for case in CASES]
    table = Table("groups", "labels", "fit", "compiled", "draws", "compiled", title="milliseconds")
    for (groups, labels), quick in zip(CASES, compiled, strict=True):
        plain = spent((groups, labels))
        shown = (plain[0], quick[0], plain[1], quick[1])
        table.add_row(f"{groups:,}", f"{labels:,}", *(f"{value:.1f}" for value in shown))
    Console().print(table)


if __name__ == "__main__":
    main()
