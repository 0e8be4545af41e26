"""Labellers who err, on real pools: `python -m benchmarks.noisy_labellers [--runs 200]`, some minutes.

Two classes (adult, logistic regression) and ten (CIFAR-10, VGG-16); independent errors of 5 and 15 %; 400 items asked,
a tenth of them labelled twice, of which all are decided, those on which labellers differ, or none. Of each: how often
the 95 % interval holds the pool's accuracy, with its standard error, and how wide it is; for the default, for labels
taken for the truth (naive), and for error rates that are known.
"""

import argparse
import sys
from math import sqrt
from pathlib import Path

import numpy as np
from benchmarks.leaderboard.pools import entries, load

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from noisy_studies import Deciding, coverage

POOLS = ("adult_sex_scores.csv.gz", "cifar10_vgg16.npz")
DECIDING: tuple[Deciding, ...] = ("all", "differing", "none")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--deciding", nargs="+", default=list(DECIDING))
    given = parser.parse_args()
    for entry in (entry for entry in entries() if entry.name in POOLS):
        pool = load(entry).pool
        assert pool.known_labels is not None
        truth = dict(zip(pool.ids, np.asarray(pool.known_labels).tolist(), strict=True))
        for error in (0.05, 0.15):
            for deciding in given.deciding:
                seen = coverage(lambda _: (pool, truth), error, given.runs, deciding)  # noqa: B023 - called at once
                print(f"{entry.title}, K = {len(pool.classes)}, {error:.0%} wrong, decided {deciding}:")
                for name, of in seen.items():
                    se = sqrt(of.covers * (1 - of.covers) / given.runs)
                    wide = f"width {of.width:.3f}, {of.width / seen['known'].width:.2f} times that of known rates"
                    print(f"  {name:8} {of.covers:.3f} ± {se:.3f}, {wide}", flush=True)


if __name__ == "__main__":
    main()
