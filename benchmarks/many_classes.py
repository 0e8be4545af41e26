"""Answers about a thousand classes: seconds and peak memory of each metric.

    python benchmarks/many_classes.py

50,000 items, 1,000 classes, 300 labels; each metric in a process of its own, asked of a study made for it. Processor
time is given beside the clock's, because machines are busy. `--probabilities` gives the pool all of the classes'
probabilities (400 MB) and not only the score of the class predicted; `--classes`, `--items` and `--labels` change the
numbers.
"""

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

import fewlabels as fl

QUESTIONS = {
    "confusion": fl.Estimate("confusion"),
    "balanced accuracy": fl.Estimate("balanced_accuracy"),
    "macro-F1": fl.Estimate("macro_f1"),
    "accuracy by true class": fl.Estimate("accuracy", by="true_class"),
    "cost": fl.Estimate("cost"),
}


def make_study(question: fl.Estimate, options: argparse.Namespace) -> fl.Study:
    rng = np.random.default_rng(0)
    classes, items = options.classes, options.items
    true = rng.integers(0, classes, items)
    if options.probabilities:
        table = rng.normal(0, 1, (items, classes)).astype(np.float32)
        table[np.arange(items), true] += 5
        np.exp(table, out=table)
        table /= table.sum(axis=1, keepdims=True)
        pool = fl.Pool.from_arrays(probabilities=table)
    else:
        score = rng.beta(6, 2, items)
        predicted = np.where(rng.random(items) < score, true, rng.integers(0, classes, items))
        pool = fl.Pool.from_arrays(predicted=predicted, score=score)
    study = fl.create_study(pool, question, seed=1)
    study.tell({int(i): int(true[i]) for i in rng.choice(items, options.labels, replace=False)}, drawn="uniform")
    return study


def peak() -> float:
    """Megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(name: str, options: argparse.Namespace) -> None:
    study = make_study(QUESTIONS[name], options)
    before, clock, processor = peak(), time.perf_counter(), time.process_time()
    answer = study.answer()
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(
        f"{name:24}{clock:8.1f} s{processor:8.1f} s{before:8.0f} MB{peak():8.0f} MB{len(answer.findings):12,}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    parser.add_argument("--probabilities", action="store_true")
    for name, number in (("classes", 1_000), ("items", 50_000), ("labels", 300)):
        parser.add_argument(f"--{name}", type=int, default=number)
    options = parser.parse_args()
    if options.only:
        measure(options.only, options)
        return
    print(f"{'metric':24}{'clock':>10}{'processor':>10}{'before':>11}{'peak':>11}{'findings':>12}", flush=True)
    for name in QUESTIONS:
        subprocess.run([sys.executable, __file__, "--only", name, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
