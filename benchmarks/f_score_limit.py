"""F1, precision and recall from one set of labels: how near to labels drawn for each by itself any draws can come.

    python -m benchmarks.f_score_limit --runs 25

Of a pool whose chances m of being positive are known (fitted to all its labels), a figure that moves by v with the
label of an item has the variance sum of v² m (1 - m) (1/π - 1) by the difference estimator, π the chance of an item to
be labelled, summing to n. Drawn for it alone, π goes with |v| √(m (1 - m)), at most one. The least that one set can do
is the π whose largest ratio of a variance to that is smallest. No method can know m beforehand: this is a limit, not a
rival. Where n items are all that leave a precision open, drawing for it alone leaves nothing, and there is no limit.
"""

import argparse

import numpy as np
from benchmarks.f_score_board import ERRORS_AT, against_the_rest, classes_of, entries
from benchmarks.leaderboard.pools import Entry, data_folder, load

import fewlabels as fl
from fewlabels.core.arrays import Array
from fewlabels.core.calibration_map import own_score_map
from fewlabels.engines import in_memory

NOTHING = 1e-12  # a variance below which a figure counts as known
STEPS = 100
EDGE = 1e-6  # of chances, from 0 and 1


def chances(worth: Array, n: int) -> Array:
    """In proportion to the worth, at most one, n in all."""
    found, free = np.zeros(len(worth)), worth > 0
    while free.any():
        share = (n - (found == 1).sum()) * worth / worth[free].sum()
        sure = free & (share >= 1)
        if not sure.any():
            found[free] = share[free]
            break
        found[sure], free = 1.0, free & ~sure
    return np.minimum(found, 1.0)


def variance(spread: Array, chance: Array) -> float:
    """Of a figure that the label of each item spreads so far."""
    some = spread > 0
    return float((spread[some] ** 2 * (1 / np.maximum(chance[some], NOTHING) - 1)).sum())


def least(spreads: Array, n: int) -> float:
    """The least of the largest ratio of a figure's variance to its own least, (n_figures, n_items)."""
    own = np.array([max(variance(one, chances(one, n)), NOTHING) for one in spreads])
    weight, found = np.full(len(own), 1 / len(own)), np.inf
    for _ in range(STEPS):
        chance = chances(np.sqrt((weight / own) @ spreads**2), n)
        ratio = np.array([variance(one, chance) for one in spreads]) / own
        found = min(found, float(ratio.max()))
        weight = weight * np.sqrt(ratio)
        weight /= weight.sum()
    return found


def spreads_of(pool: fl.Pool, name: str) -> Array:
    """How far the label of each item leaves F1, precision and recall open."""
    said = in_memory(pool.engine).models["model"]
    assert said.probabilities is not None
    hit, true = (said.predicted == 0).astype(float), (np.array(pool.known_labels) == name).astype(float)
    m = own_score_map(said.probabilities[:, 0], hit, np.ones(len(hit)), true)
    m = np.clip(m, EDGE, 1 - EDGE)
    both, found, there = true @ hit, hit.sum(), true.sum()
    f1, recall = 2 * both / (found + there), both / there
    slopes = np.stack([(hit - f1 / 2) / ((found + there) / 2), hit / found, (hit - recall) / there])
    return np.asarray(np.abs(slopes) * np.sqrt(m * (1 - m)))


def of_pool(entry: Entry, runs: int, *, rare: bool) -> Array:
    """The limit of each class of each run, (n, n_looks)."""
    found = []
    for run in range(runs):
        pool = load(entry).sub_pool(run)
        for name in classes_of(pool, run, rare=rare):
            spreads = spreads_of(against_the_rest(pool, name), name)
            found.append([least(spreads, n) for n in ERRORS_AT])
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=25)
    runs = parser.parse_args().runs
    print("median (quartiles) of the least possible ratio at", *ERRORS_AT, "labels")
    for entry, rare in entries():
        if entry.role == "test" and (data_folder() / entry.name).exists():
            quartiles = np.quantile(of_pool(entry, runs, rare=rare), [0.5, 0.25, 0.75], axis=0).T
            print(entry.title, *(f"{m:.2f} ({a:.2f} to {b:.2f})" for m, a, b in quartiles), sep=" | ", flush=True)


if __name__ == "__main__":
    main()
