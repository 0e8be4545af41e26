"""The report of a study of 1,000 groups and 10,000 labels: `make bench`, or `python benchmarks/report.py`.

In seconds of processor time and of the clock, with the size of the file; beside it, for machines that differ and are
busy, a fixed loop: 100,000 short texts read as JSON. `--profile` says where the time goes.
"""

import argparse
import cProfile
import pstats
import tempfile
import time
from pathlib import Path

import numpy as np
from many_labels import reference_loop, timed

import fewlabels as fl

GROUPS, ITEMS, LABELS = 1_000, 200_000, 10_000


def make_study(groups: int, labels: int) -> fl.Study:
    """A study with so many groups and labels."""
    rng = np.random.default_rng(0)
    predicted, score = rng.integers(0, groups, ITEMS), rng.beta(8, 2, ITEMS)
    true = np.where(rng.random(ITEMS) < score, predicted, (predicted + 1) % groups)
    study = fl.create_study(
        fl.Pool.from_arrays(predicted=predicted, score=score), fl.Estimate("accuracy", by="predicted_class")
    )
    while len(study.labels) < labels:
        study.tell({query.item: int(true[query.item]) for query in study.ask(min(5000, labels - len(study.labels)))})
    return study


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--groups", type=int, default=GROUPS)
    options.add_argument("--labels", type=int, default=LABELS)
    options.add_argument("--profile", action="store_true")
    given = options.parse_args()
    study = make_study(given.groups, given.labels)
    with tempfile.TemporaryDirectory() as folder:
        page, profile = Path(folder) / "report.html", cProfile.Profile()
        if given.profile:
            profile.enable()
        clock, processor = time.perf_counter(), time.process_time()
        fl.report(study, page)
        clock, processor = time.perf_counter() - clock, time.process_time() - processor
        profile.disable()
        size = page.stat().st_size
    loop = timed(reference_loop) / 1000
    print(f"{given.groups:,} groups, {given.labels:,} labels: {size / 1e6:.2f} MB")
    print(f"{processor:.1f} s of processor time, {clock:.1f} s by the clock; 100,000 short texts as JSON: {loop:.2f} s")
    if given.profile:
        pstats.Stats(profile).sort_stats("cumulative").print_stats(60)


if __name__ == "__main__":
    main()
